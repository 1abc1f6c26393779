#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What report and script say on standard error of binaries whose symbols, lines or inlined functions
are not at hand: which file, and why, once."""
import os
import shutil
import sys

from checks import KIT, PFX, check, finish, run
from libraries import built_in

PROGRAM = """
volatile unsigned sink;
static inline __attribute__((always_inline)) void inlined(unsigned n) { sink += n; sink ^= n; }
__attribute__((noinline)) static void outer(unsigned n) { inlined(n); inlined(n + EXTRA); }
int main(int argc, char **argv) { outer(argc); return 0; }
"""
HEAD = """event cpu-clock type=sw config=0 freq=1000 sample=ip,tid,time,period,callchain
feature hostname str=testhost
feature osrelease str=0.0.0-test
feature arch str=x86_64
comm pid=10 tid=10 "prog"
"""
BASE = 0x400000


def tool(*words):
    done = run(*words)
    if done.returncode:
        print(f"{' '.join(words)}: {done.stderr}")
    return not done.returncode


def build(*options, extra=1):
    return tool("gcc", "-O2", "-Wl,--build-id", f"-DEXTRA={extra}", *options, "-o", "prog", "prog.c")


def record(name="outer"):
    """Two samples in a function of the program, and two behind its end."""
    tool("gcc", "-O2", "-DEXTRA=1", "-o", "prog", "prog.c") if not os.path.exists("prog") else None
    found = [line.split() for line in run("nm", "prog").stdout.splitlines()]
    at = next(int(words[0], 16) for words in found if words[-1] == name) + BASE
    path = os.path.abspath("prog")
    with open("description", "w", encoding="utf-8") as f:
        f.write(HEAD + f'mmap2 pid=10 tid=10 addr={BASE:#x} len=0x100000 maj=8 min=1 ino=77 prot=5 '
                f'flags=2 "{path}"\n')
        for i in range(2):
            f.write(f"sample ip={at + 4:#x} pid=10 time={1000 + i} period=1 "
                    f"chain=user,{at + 4:#x}\n")
        f.write("round\n")
    check(tool(KIT, "--le", "description", "perf.data"), "the kit failed")
    return path


def said(command, *options):
    done = run(PFX, "--buildid-dir", os.path.abspath("none"), command, "-i", "perf.data", *options)
    check(done.returncode == 0, f"{command} {options}: exit code {done.returncode}: {done.stderr}")
    return done.stderr.splitlines(), done.stdout


def expect(line, verbose):
    """Both say that line once; without -v only where @verbose is false, with -q never."""
    for command in ("report", "script"):
        for options in ([], ["-v"]) if not verbose else (["-v"],):
            lines, out = said(command, *options)
            count = lines.count(f"pfx {command}: {line}")
            check(count == 1, f"{command} {options}: {count} times {line!r} in {lines}: {out[:300]}")
        lines = said(command, "-q")[0]
        check(not [x for x in lines if line in x], f"{command} -q: {lines}")


def expect_inlined(wanted):
    for command in ("report", "script"):
        lines, out = said(command)
        check(("(inlined)" in out) == wanted, f"{command}: inlined {wanted}: {out[:500]}")
        check(wanted == (not [x for x in lines if "split" in x]), f"{command}: {lines}")


def stripped():
    path = build("-g") and record()
    tool("strip", "prog")
    expect(f"only exported names of '{path}': it is stripped, and no debug file of it was found",
           True)
    # what has a symbol lacks none
    build("-rdynamic", "-fvisibility=default")
    record("main")
    tool("strip", "prog")
    for command in ("report", "script"):
        lines = said(command, "-v")[0]
        check(not [x for x in lines if "exported" in x], f"{command}: {lines}")


def gone():
    build()
    path = record()
    os.unlink("prog")
    for command in ("report", "script"):
        lines = said(command, "-v")[0]
        start = f"pfx {command}: no symbols for '{path}': "
        check(len([x for x in lines if x.startswith(start)]) == 1, f"{command}: {lines}")


def split():
    if not build("-g", "-gsplit-dwarf"):
        return
    path = record()
    expect_inlined(True)
    dwo = next(name for name in os.listdir(".") if name.endswith(".dwo"))
    os.rename(dwo, "kept")
    expect(f"split debug information of '{path}' is missing, such as '{os.path.abspath(dwo)}': "
           "functions inlined in 1 of its units are not shown", False)
    shutil.copy("prog", "ours")
    build("-g", "-gsplit-dwarf", extra=2)
    shutil.copy("ours", "prog")
    told = " is split debug information of another build than "
    expect(f"'{os.path.abspath(dwo)}'{told}'{path}': functions inlined in 1 of its units are not shown",
           False)
    os.rename(dwo, "other")
    if shutil.which("llvm-dwp"):
        package(path, dwo, told)
    os.rename("kept", dwo)
    expect_inlined(True)


def package(path, dwo, told):
    shutil.copy("other", dwo)
    if not build("-gdwarf-4", "-gsplit-dwarf", extra=2) or \
            not tool("llvm-dwp", "-e", "prog", "-o", "prog.dwp"):
        return
    for name in [x for x in os.listdir(".") if x.endswith(".dwo")]:
        os.unlink(name)
    shutil.copy("ours", "prog")
    expect(f"'{path}.dwp'{told}'{path}': functions inlined in 1 of its units are not shown", False)
    os.unlink("prog.dwp")


def debug_file():
    """Symbols in the program, lines in a file that is another build's."""
    if not build("-g", extra=2) or not tool("objcopy", "--only-keep-debug", "prog", "prog.debug"):
        return
    build("-g")
    path = record()
    tool("strip", "-g", "prog")
    tool("objcopy", "--add-gnu-debuglink=prog.debug", "prog")
    expect(f"no source lines of '{path}': '{path}.debug' is of another build", False)


def main():
    for name in ("gcc", "nm", "objcopy", "strip"):
        if not shutil.which(name):
            print(f"SKIP: {name} is not installed")
            sys.exit(77)
    if not built_in("libdw"):
        print("SKIP: pfx was built without libdw")
        sys.exit(77)
    with open("prog.c", "w", encoding="utf-8") as f:
        f.write(PROGRAM)
    stripped()
    gone()
    debug_file()
    split()
    finish()


main()
