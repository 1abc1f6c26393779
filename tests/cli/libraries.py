# SPDX-License-Identifier: MIT
"""Which of the optional libraries the program was built with: tests leave out what needs others."""
import os
import re
import subprocess


def built_in(name):
    """Whether the library of this pkg-config name is there."""
    out = subprocess.run([os.environ.get("PFX", "pfx"), "version", "--build-options"],
                         capture_output=True, check=False).stdout.decode()
    return name in re.findall(r"(?m)^\s*(\S+): \[ on  \]", out)
