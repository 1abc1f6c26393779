#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Of a program's files of split debug information, archive takes those that the recording touches: by
samples, by callers and by branches, and no others."""
import os
import re
import shutil
import sys

from checks import KIT, PFX, check, finish, run
from libraries import built_in

UNITS = ["leaf", "caller", "branch", "left_out"]
UNIT = """
extern volatile unsigned sink;
static inline __attribute__((always_inline)) void in_NAME(unsigned n) { sink += n; sink ^= n; }
void NAME(unsigned n);
void NAME(unsigned n) { in_NAME(n); in_NAME(n + 1); }
"""
MAIN = """
volatile unsigned sink;
void leaf(unsigned), caller(unsigned), branch(unsigned), left_out(unsigned);
int main(int argc, char **argv)
{
	leaf(argc); caller(argc); branch(argc); left_out(argc);
	return 0;
}
"""
HEAD = """event cpu-clock type=sw config=0 freq=1000 sample=ip,tid,time,period,callchain,branch_stack branch=any
feature hostname str=testhost
feature osrelease str=0.0.0-test
feature arch str=x86_64
comm pid=10 tid=10 "prog"
"""
BASE = 0x400000


def must(*words):
    done = run(*words)
    check(not done.returncode, f"{' '.join(words)}: {done.stderr}")
    return done


def build():
    names = []
    for name, text in [("main", MAIN)] + [(n, UNIT.replace("NAME", n)) for n in UNITS]:
        with open(f"{name}.c", "w", encoding="utf-8") as f:
            f.write(text)
        must("gcc", "-O2", "-g", "-gsplit-dwarf", "-fno-pie", "-c", "-o", f"{name}.o", f"{name}.c")
        names.append(f"{name}.o")
    must("gcc", "-no-pie", "-Wl,--build-id", "-o", "prog", *names)


def addresses():
    """Where functions are in the file; a program at a fixed address has its segments there, too."""
    found = [line.split() for line in must("nm", "prog").stdout.splitlines()]
    return {words[-1]: int(words[0], 16) for words in found if words[-1] in UNITS}


def record():
    at, path = addresses(), os.path.abspath("prog")
    ident = must(PFX, "buildid-list", "-i", "prog").stdout.split()[0]
    lines = [HEAD + f'dso "{path}" build_id={ident}',
             f'mmap2 pid=10 tid=10 addr={BASE:#x} len=0x10000 maj=8 min=1 ino=77 prot=5 flags=2 "{path}"',
             f"sample ip={at['leaf'] + 4:#x} pid=10 time=1000 period=1 "
             f"chain=user,{at['leaf'] + 4:#x},{at['caller'] + 5:#x} "
             f"branch={at['branch'] + 4:#x},{at['leaf']:#x},0", "round"]
    with open("description", "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")
    must(KIT, "--le", "description", "perf.data")


def shown(data):
    return must(PFX, "script", "-F", "ip,sym,brstacksym", "-i", data).stdout


def main():
    if not shutil.which("gcc") or not shutil.which("nm") or not built_in("libdw"):
        print("SKIP: gcc, nm or libdw is not there")
        sys.exit(77)
    shutil.rmtree("work", ignore_errors=True)
    os.makedirs("work")
    os.chdir("work")
    build()
    record()
    expected = shown("perf.data")
    check("in_leaf" in expected and "in_caller" in expected, f"inlined: {expected}")
    done = must(PFX, "archive", "-v", "-o", "all.tar")
    taken = sorted(re.findall(r"/([a-z_]+)\.dwo", done.stderr))
    check(taken == ["branch", "caller", "leaf"], f"taken: {taken}: {done.stderr}")
    for name in [x for x in os.listdir(".") if x.startswith("prog") or x.endswith(".dwo")]:
        os.unlink(name)
    check(shown("all.tar") == expected, f"out of the archive: {shown('all.tar')}")
    finish()


main()
