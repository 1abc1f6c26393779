#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What report and script say on standard error of binaries whose symbols, lines or inlined functions
are not available: which file, and why, once."""
import json
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


def expect_reason(path, words):
    """--json gives the reason for the binary."""
    found = [dso["reason"] for dso in json.loads(said("report", "--json")[1])["missing"]["dsos_without_symbols"]
             if dso["dso"] == path]
    check(len(found) == 1 and words in found[0], f"--json: {found}, not {words!r}")


def stripped():
    path = build("-g") and record()
    tool("strip", "prog")
    expect(f"only exported names of '{path}': it is stripped, and no debug file of it was found",
           True)
    name = os.path.basename(path)
    why = f"{name}: it is stripped, and no debug file of it was found; "
    lines, _ = said("report")
    check("pfx report: 100.0% of the samples have no symbol: prog 100.0%" in lines, f"the line at the end: {lines}")
    check(len([x for x in lines if x == why + "build it without -s, or keep the file before it is stripped"]) == 1,
          f"the remedy: {lines}")
    check(not [x for x in said("report", "-q")[0] if "stripped" in x], "-q")
    expect_reason(path, "it is stripped, and no debug file of it was found")
    # what has a symbol lacks none
    build("-rdynamic", "-fvisibility=default")
    record("main")
    tool("strip", "prog")
    for command in ("report", "script"):
        lines = said(command, "-v")[0]
        check(not [x for x in lines if "exported" in x], f"{command}: {lines}")


def packaged():
    """A program of the system has a package with its debug symbols."""
    for folder, wanted in (("/usr/bin", True), ("/opt/x", True), ("/usr/local/bin", False), ("/srv", False)):
        build("-g")
        path = record()
        with open("description", encoding="utf-8") as f:
            text = f.read()
        with open("description", "w", encoding="utf-8") as f:
            f.write(text.replace(f'"{path}"', f'"{folder}/prog"'))
        tool(KIT, "--le", "description", "perf.data")
        tool("strip", "prog")
        os.makedirs("root" + folder, exist_ok=True)
        shutil.move("prog", f"root{folder}/prog")
        lines, _ = said("report", "--symfs", "root")
        remedies = [x for x in lines if x.startswith("prog: it is stripped, ")]
        check(len(remedies) == 1 and ("install its debug symbols" in remedies[0]) == wanted and
              ("build it without -s" in remedies[0]) != wanted, f"{folder}: {lines}")


def filtered():
    """Binaries of samples that a filter keeps out are not named."""
    with open("description", "w", encoding="utf-8") as f:
        f.write(HEAD + 'comm pid=20 tid=20 "other"\n')
        for pid, name in ((10, "mine"), (20, "theirs")):
            f.write(f'mmap2 pid={pid} tid={pid} addr={BASE:#x} len=0x100000 maj=8 min=1 ino={pid} prot=5 flags=2 '
                    f'/no/such/{name}\n')
            f.write(f"sample ip={BASE + 4:#x} pid={pid} time={1000 + pid} period=1 chain=user,{BASE + 4:#x}\n")
        f.write("round\n")
    tool(KIT, "--le", "description", "perf.data")
    for options in (["--comm", "prog"], ["--dso", "mine"], ["--pid", "10"]):
        lines, out = said("report", *options)
        check(f"pfx report: 100.0% of the samples have no symbol: mine 100.0%" in lines,
              f"{options}: {lines}")
        missing = json.loads(said("report", "--json", *options)[1])["missing"]
        check([x["dso"] for x in missing["dsos_without_symbols"]] == ["/no/such/mine"] and missing["samples"] == 1,
              f"--json {options}: {missing}")


def code_without_names():
    """Memory that is no file has no name to be shown."""
    with open("description", "w", encoding="utf-8") as f:
        f.write(HEAD + f"mmap2 pid=10 tid=10 addr={BASE:#x} len=0x100000 prot=5 flags=2 \"/memfd:code (deleted)\"\n"
                f"sample ip={BASE + 4:#x} pid=10 time=1000 period=1 chain=user,{BASE + 4:#x}\nround\n")
    tool(KIT, "--le", "description", "perf.data")
    lines = said("report", "-v")[0]
    check(not [x for x in lines if "''" in x], f"an empty name: {lines}")
    check([x for x in lines if x == "pfx report: no symbols for '/memfd:code (deleted)': it is not a file that can have "
           "symbols"], f"memory: {lines}")


def no_match():
    """A word that fits no symbol is told of alike in all forms."""
    build()
    record()
    plain = said("report", "nosuchname")[0]
    check([x for x in plain if "has no samples that match the options" in x] and
          [x for x in plain if x.startswith("'nosuchname' was searched for in the names of symbols")], f"{plain}")
    for options in (["--json", "nosuchname"], ["--folded", "nosuchname"], ["-S", "nosuchname"],
                    ["--json", "-S", "nosuchname"]):
        lines = said("report", *options)[0]
        check([x for x in plain if "nosuchname" in x or "match the options" in x] ==
              [x for x in lines if "nosuchname" in x or "match the options" in x], f"{options}: {lines}, not {plain}")


def gone():
    build()
    path = record()
    os.unlink("prog")
    for command in ("report", "script"):
        lines = said(command, "-v")[0]
        start = f"pfx {command}: no symbols for '{path}': "
        check(len([x for x in lines if x.startswith(start)]) == 1, f"{command}: {lines}")
    lines = said("report")[0]
    check([x for x in lines if x.startswith(f"{os.path.basename(path)}: ") and "--symfs" in x], f"the remedy: {lines}")
    expect_reason(path, "No such file or directory")


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
    packaged()
    filtered()
    code_without_names()
    no_match()
    gone()
    debug_file()
    split()
    finish()


main()
