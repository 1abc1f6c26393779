#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Named pipes where a recording, a program, its debug information, a build-id cache or a directory
names a file: nobody writes to them, so whoever opens one as a file waits for ever. Each command ends
by itself, here within a time that no command needs."""
import glob
import os
import shutil
import subprocess
import sys

from checks import INLINING_PROGRAM, KIT, PFX, check, finish, run
from libraries import built_in

LONG = 120  # seconds; these commands take a few milliseconds
PID = 3999999  # no process of this machine
BASE = 0x400000
ID = "00112233445566778899aabbccddeeff00112233"
HEAD = """event cpu-clock type=sw config=0 freq=1000 sample=ip,tid,time,period,callchain
feature hostname str=testhost
feature osrelease str=0.0.0-test
feature arch str=x86_64
"""
REPORT = ("report", "--stdio", "--inline", "-s", "srcline,sym", "-i", "perf.data")
SCRIPT = ("script", "-F", "+srcline,+srccode,+insn,+disasm", "-i", "perf.data")


def ended(what, *words):
    """The command's result; None where it had to be ended."""
    env = {**os.environ, "PFX_CONFIG": "/dev/null", "HOME": os.getcwd()}
    try:
        done = subprocess.run([PFX, *words], check=False, timeout=LONG, env=env, text=True,
                              capture_output=True, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        check(False, f"{what}: '{' '.join(words)}' waits for ever")
        return None
    check(done.returncode >= 0, f"{what}: {words}: exit code {done.returncode}: {done.stderr}")
    return done


def fifo(path):
    """A pipe without a writer in the place of @path."""
    remove(path)
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    os.mkfifo(path)
    return os.path.abspath(path)


def remove(path):
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


def tool(*words):
    done = run(*words)
    check(not done.returncode, f"{' '.join(words)}: {done.stderr}")


def build(*options, output="prog"):
    tool("gcc", "-O2", "-g", "-Wl,--build-id", *options, "-o", output, "prog.c")
    return os.path.abspath(output)


def record(path, at=0x1000, more="", form=()):
    if os.path.isfile(path):
        found = [line.split() for line in run("nm", path).stdout.splitlines()]
        at = next((int(words[0], 16) for words in found if words[-1] == "outer"), at)
    with open("description", "w", encoding="utf-8") as f:
        f.write(HEAD + f'comm pid={PID} tid={PID} "prog"\n'
                f'mmap2 pid={PID} tid={PID} addr={BASE:#x} len=0x100000 maj=8 min=1 ino=77 prot=5 '
                f'flags=2 "{path}"\n' + more +
                f"sample ip={at + 4 + BASE:#x} pid={PID} tid={PID} time=1000 period=1 "
                f"chain=user,{at + 4 + BASE:#x}\nround\n")
    remove("perf.data")
    tool(KIT, "--le", *form, "description", "perf.data")


def both(what):
    return [ended(what, *words) for words in (REPORT, SCRIPT)]


def sources():
    """A plain source is shown, a pipe in its place is not waited for."""
    record(build())
    done = ended("a source", *SCRIPT)
    check(done and "sink" in done.stdout, f"no source: {done}")
    shutil.copy("prog.c", "kept.c")
    fifo("prog.c")
    both("a source that is a pipe")
    os.replace("kept.c", "prog.c")


def binaries():
    record(fifo("pipe"))
    both("a binary that is a pipe")
    for command in (("buildid-list", "-i", "perf.data"), ("inject", "-b", "-i", "perf.data", "-o", "out"),
                    ("archive", "perf.data"), ("buildid-cache", "-a", "pipe")):
        ended("a binary that is a pipe", *command)
    record("/dev/zero")
    both("a binary that is a device")


def debug_files():
    path = build()
    tool("objcopy", "--only-keep-debug", "prog", "prog.debug")
    tool("strip", "prog")
    tool("objcopy", "--add-gnu-debuglink=prog.debug", "prog")
    record(path)
    fifo("prog.debug")
    fifo(".debug/prog.debug")
    words = run("readelf", "-n", path).stdout.split()
    build_id = words[words.index("ID:") + 1]
    for what in ("debug", "elf", "dwp", "kallsyms"):
        fifo(f".debug/.build-id/{build_id[:2]}/{build_id[2:]}/{what}")
    fifo("prog.dwp")
    both("debug files that are pipes")
    shutil.rmtree(".debug")


def split_units():
    for version in ("-gdwarf-4", "-gdwarf-5"):
        record(build("-gsplit-dwarf", version))
        names = glob.glob("*.dwo")
        check(names, f"gcc {version} made no unit")
        for name in names:
            fifo(name)
        both(f"{version}: split units that are pipes")
        for name in names:
            remove(name)


def shared_debug_information():
    """A name of the unit is said to lie in another file, which is a pipe."""
    tool("gcc", "-O2", "-g", "-gno-as-locview-support", "-S", "-o", "prog.s", "prog.c")
    text = open("prog.s", encoding="utf-8").read()
    # names of DW_FORM_strp become such of DW_FORM_GNU_strp_alt, which are as long
    text = text.replace("\t.uleb128 0x3\n\t.uleb128 0xe\n", "\t.uleb128 0x3\n\t.uleb128 0x1f21\n")
    check("0x1f21" in text, "no name to move")
    with open("alt.s", "w", encoding="utf-8") as f:
        f.write(text)
    tool("gcc", "-Wl,--build-id", "-o", "prog", "alt.s")
    with open("link", "wb") as f:
        f.write(fifo("shared").encode() + b"\0" + bytes.fromhex(ID))
    tool("objcopy", "--add-section", ".gnu_debugaltlink=link", "prog")
    record(os.path.abspath("prog"))
    both("shared debug information that is a pipe")


def made_code():
    """A perf map and a jitdump."""
    perf_map = f"/tmp/perf-{PID}.map"
    if not os.path.exists(perf_map):
        fifo(perf_map)
    try:
        record("//anon")
        both("a perf map that is a pipe")
    finally:
        os.unlink(perf_map)
    record(fifo(f"jit-{PID}.dump"))
    both("a jitdump that is a pipe")
    ended("a jitdump that is a pipe", "inject", "-j", "-i", "perf.data", "-o", "out")


def directories():
    for name in ("data", "data.0"):
        record(build(), form=("--dir",))
        fifo(f"perf.data/{name}")
        ended(f"a directory whose {name} is a pipe", *REPORT)
    record(build(), form=("--dir",))
    fifo("perf.data/kcore_dir/kallsyms")
    fifo("perf.data/kcore_dir/kcore")
    both("a directory whose kcore_dir has pipes")
    shutil.rmtree("perf.data")


def main():
    for name in ("gcc", "nm", "objcopy", "readelf", "strip"):
        if not shutil.which(name):
            print(f"SKIP: {name} is not installed")
            sys.exit(77)
    if not built_in("libdw"):
        print("SKIP: pfx was built without libdw")
        sys.exit(77)
    for name in os.listdir("."):
        remove(name)
    with open("prog.c", "w", encoding="utf-8") as f:
        f.write(INLINING_PROGRAM)
    for step in (sources, binaries, debug_files, split_units, shared_debug_information, made_code, directories):
        step()
    finish()


main()
