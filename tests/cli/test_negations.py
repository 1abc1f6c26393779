#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each option of each command may be taken back with --no-NAME, or says that it cannot; nothing ends by a signal."""
import re

from checks import PFX, check, finish, run


def names_of(text, pattern):
    return sorted(set(re.findall(pattern, text, re.MULTILINE)))


def main():
    commands = run(PFX, "--list-cmds").stdout.split()
    check(len(commands) > 5, f"commands found: {commands}")
    kept = []
    for command in commands:
        for name in names_of(run(PFX, command, "-h").stdout, r"--([a-z][a-z-]+)"):
            done = run(PFX, command, f"--no-{name}", "-h")
            check(done.returncode in (0, 129), f"{command} --no-{name}: {done.returncode} {done.stderr}")
            if "cannot be taken back" in done.stderr:
                kept.append(f"{command} {name}")
    for what in ("record event", "record cgroup", "record filter", "stat event", "stat metrics"):
        check(what in kept, f"{what} can be taken back")
    finish()


main()
