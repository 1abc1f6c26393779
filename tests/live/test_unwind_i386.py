# SPDX-License-Identifier: MIT
"""32-bit programs in a recording of a 64-bit machine: 98 of 100 samples reach the entry of their
thread, through handlers of signals and system calls, whose code is in a vdso that
nobody can open."""
import os
import re
import shutil

from live import PFX, check, finish, need_recording, record_enough, run, skip

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "unwind.c")
COMPILERS = [("gcc", "-m32"), ("i686-linux-gnu-gcc",)]
FLAGS = ["-O2", "-g", "-fomit-frame-pointer", "-pthread"]
ENTRIES = re.compile(r" (_start|_*clone3?) ")


def build(name, *more):
    for compiler, *flags in COMPILERS:
        if shutil.which(compiler) and not run(compiler, *flags, *FLAGS, *more, "-o", name,
                                              SOURCE).returncode:
            return True
    return False


def record(name):
    record_enough(f"{name}.data", 20, "-e", "cpu-clock", "--call-graph", "dwarf,16384",
                  command=[f"./{name}"])
    check("ABI 32-bit" in run(PFX, "script", "-D", "-i", f"{name}.data").stdout,
          f"{name}: no registers of 32 bits")
    told = run(PFX, "report", "--stdio", "-i", f"{name}.data").stderr
    few = re.search(r"(\d+) of (\d+) call chains are incomplete", told)
    check(not few or int(few.group(1)) * 50 <= int(few.group(2)), f"{name}: {told.strip()}")


def main():
    need_recording()
    if not build("static", "-static"):
        skip("there is no compiler for 32-bit programs")
    if run("./static").returncode:
        skip("this machine does not run 32-bit programs")
    record("static")
    out = run(PFX, "script", "--no-inline", "-F", "ip,sym,dso", "-i", "static.data").stdout
    found = [[" ".join(line.split()) for line in text.split("\n") if line.strip()]
             for text in out.split("\n\n") if text.strip()]
    reached = [c for c in found if ENTRIES.search(f" {c[-1]} ")]
    check(len(reached) * 100 >= len(found) * 98,
          f"{len(reached)} of {len(found)} chains reach an entry")
    through = [c for c in found if any("[vdso]" in frame for frame in c[1:])]
    missed = [c for c in through if not ENTRIES.search(f" {c[-1]} ")]
    check(through and len(missed) * 50 <= len(through),
          f"{len(missed)} of {len(through)} chains through handlers reach none: {missed[:1]}")
    if build("shared") and not run("./shared").returncode:
        record("shared")
    finish()


main()
