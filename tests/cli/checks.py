# SPDX-License-Identifier: MIT
"""What tests of the command line share: the programs, a check that goes on, and the end."""
import os
import subprocess
import sys

PFX, KIT = os.environ["PFX"], os.environ["PFX_KIT"]
FAILURES = []


def check(good, what):
    if not good:
        FAILURES.append(what)
        print(f"FAIL: {what}")


def run(*words):
    """A command with no settings and no build-id cache but what lies here."""
    env = {**os.environ, "PFX_CONFIG": "/dev/null", "HOME": os.getcwd()}
    return subprocess.run(words, check=False, text=True, capture_output=True, env=env)


def finish():
    sys.exit(1 if FAILURES else 0)
