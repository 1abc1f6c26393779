# SPDX-License-Identifier: MIT
"""What tests of the command line share: the programs, a check that goes on, and the end."""
import os
import subprocess
import sys

PFX, KIT = os.environ["PFX"], os.environ["PFX_KIT"]
FAILURES = []
# The source of a program with inlined functions and lines.
INLINING_PROGRAM = """
volatile unsigned sink;
static inline __attribute__((always_inline)) void inlined(unsigned n) { sink += n; sink ^= n; }
__attribute__((noinline)) void outer(unsigned n) { inlined(n); inlined(n + 1); }
int main(int argc, char **argv) { outer(argc); return 0; }
"""


def check(good, what):
    if not good:
        FAILURES.append(what)
        print(f"FAIL: {what}")


def run(*words, env=None, **more):
    """A command with no settings and no build-id cache but what lies here; @env: more of the environment."""
    env = {**os.environ, "PFX_CONFIG": "/dev/null", "HOME": os.getcwd(), **(env or {})}
    return subprocess.run(words, check=False, text=True, capture_output=True, env=env, stdin=subprocess.DEVNULL, **more)


def all_of_terminal(fd):
    """What a program writes to its terminal until it ends, with the line ends of a file."""
    shown = b""
    while True:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
    return shown.decode().replace("\r\n", "\n")


def finish():
    sys.exit(1 if FAILURES else 0)
