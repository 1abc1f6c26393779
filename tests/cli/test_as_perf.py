# SPDX-License-Identifier: MIT
"""Started as perf, pfx answers as perf does: names, exit codes, the manual page, commands that it lacks."""
import os
import re
import shutil
import tempfile

from checks import PFX, check, finish, run

NAMES = ("perf", "perf_6.1", "perf-pfx", "perf.real")


def link(where, name):
    path = os.path.join(where, name)
    os.symlink(os.path.abspath(PFX), path)
    return path


def check_names(where):
    for name in NAMES:
        done = run(link(where, name), "version")
        check(re.fullmatch(r"perf version 6\.1\.pfx\d+\.\d+\n", done.stdout), f"{name}: {done.stdout!r}")
    for name in ("perform", "pfx-perf", "xperf"):
        done = run(link(where, name), "version")
        check(done.stdout.startswith("pfx version "), f"{name}: {done.stdout!r}")


def check_help(perf):
    for command in run(PFX, "--list-cmds").stdout.split():
        done = run(perf, command, "-h")
        check(done.returncode == 129 and not done.stdout, f"{command} -h: {done.returncode} {done.stdout[:80]!r}")
        check(done.stderr.startswith(f"Usage: perf {command}"), f"{command} -h: {done.stderr[:80]!r}")
        done = run(perf, command, "--no-such-option-at-all")
        check(done.returncode == 129, f"{command}: {done.returncode}")
        check(done.stderr.startswith(f"perf {command}: unknown option '--no-such-option-at-all'"), done.stderr[:80])
    for words in ((), ("-h",), ("--help",), ("help",)):
        done = run(perf, *words)
        check(done.stdout.startswith("Usage: perf "), f"perf {words}: {done.stdout[:80]!r}")
        check("'pfx " not in done.stdout and "Usage: pfx" not in done.stdout, f"perf {words}: {done.stdout}")
        check(done.returncode == (0 if words else 1), f"perf {words}: {done.returncode}")


def check_manual(perf):
    if not shutil.which("man"):
        return
    for words in (("help", "record"), ("record", "--help")):
        done = run(perf, *words)
        check(done.returncode == 0, f"{words}: {done.returncode}")
        text = re.sub(r".\x08|\x1b\[\d*m", "", done.stdout)
        for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "SEE ALSO"):
            check(re.search(f"^{title}$", text, re.M), f"{words}: no {title} in {text[:300]!r}")


def check_messages(perf, where):
    for words, text in ((("report", "-i", "missing"), "perf report: "), (("nosuch",), "perf: "),
                        (("record", "-e", "nosuch", "true"), "perf record: "),
                        (("report",), "'perf record'")):
        done = run(perf, *words, cwd=where)
        check(text in done.stderr and "pfx" not in done.stderr, f"{words}: {done.stderr!r}")


def check_hand_over(perf, where):
    other = os.path.join(where, "other")
    os.mkdir(other)
    program = os.path.join(other, "perf")
    with open(program, "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\necho "other: $*"\nexit 7\n')
    os.chmod(program, 0o755)
    path = f"{os.path.dirname(perf)}:{other}:/usr/bin:/bin"
    done = run(perf, "bench", "mem", "-s 1", env={"PATH": path})
    check((done.returncode, done.stdout) == (7, "other: bench mem -s 1\n"), f"{done.returncode} {done.stdout!r}")
    check(done.stderr == f"perf: 'bench' is run by {program}, because pfx lacks it\n", done.stderr)
    done = run(perf, "bench", env={"PATH": path, "PFX_HANDED_OVER": "1"})
    check(done.returncode == 1 and "pfx has no 'bench' yet" in done.stderr, f"twice: {done.stderr!r}")
    done = run(PFX, "bench", env={"PATH": path})
    check(done.returncode == 1 and not done.stdout, f"as pfx: {done.returncode} {done.stdout!r}")


def main():
    with tempfile.TemporaryDirectory() as where:
        check_names(where)
        perf = os.path.join(where, "perf")
        check_help(perf)
        check_manual(perf)
        check_messages(perf, where)
        check_hand_over(perf, where)
    finish()


main()
