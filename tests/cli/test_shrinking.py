#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files that become shorter while pfx has them mapped: a binary, its debug file, a jitdump cost what
they would have told and are named; a recording ends the command with one sentence. A program in front
of pfx cuts the file in the moment in which it is mapped, so that nothing depends on time."""
import os
import shutil
import signal
import struct
import subprocess
import sys

from checks import INLINING_PROGRAM, KIT, PFX, check, finish, run
from libraries import built_in

SHRINK = os.environ["PFX_SHRINK"]
PAGE = 4096
BASE = 0x400000
MAPPINGS = 4   # of one file, at most, in a command
HEAD = """event cpu-clock type=sw config=0 freq=1000 sample=ip,tid,time,period,callchain
feature hostname str=testhost
feature osrelease str=0.0.0-test
feature arch str=x86_64
comm pid=10 tid=10 "prog"
"""


def shrunk(path, to, at, *words):
    """The command's result; @path has @to bytes from its @at'th mapping on."""
    env = {**os.environ, "PFX_CONFIG": "/dev/null", "HOME": os.getcwd(), "LD_PRELOAD": SHRINK,
           "PFX_SHRINK_FILE": path, "PFX_SHRINK_TO": str(to), "PFX_SHRINK_AT": str(at)}
    asan = env.get("ASAN_OPTIONS", "")
    env["ASAN_OPTIONS"] = f"{asan}{':' if asan else ''}verify_asan_link_order=0"
    return subprocess.run([PFX, "--buildid-dir", os.path.abspath("none"), *words], check=False,
                          text=True, capture_output=True, env=env)


def build(*options):
    done = run("gcc", "-O2", "-g", "-Wl,--build-id", *options, "-o", "prog", "prog.c")
    check(not done.returncode, f"gcc: {done.stderr}")
    return os.path.abspath("prog")


def record(path, more=""):
    found = [line.split() for line in run("nm", path).stdout.splitlines()]
    at = next(int(words[0], 16) for words in found if words[-1] == "outer") + BASE
    with open("description", "w", encoding="utf-8") as f:
        f.write(HEAD + f'mmap2 pid=10 tid=10 addr={BASE:#x} len=0x100000 maj=8 min=1 ino=77 prot=5 '
                f'flags=2 "{path}"\n' + more)
        for i in range(4000):
            f.write(f"sample ip={at + 4:#x} pid=10 time={1000 + i} period=1 "
                    f"chain=user,{at + 4:#x}\n")
        f.write("round\n")
    done = run(KIT, "--le", "description", "perf.data")
    check(not done.returncode, f"kit: {done.stderr}")


def cut_everywhere(victim, words, whole):
    """At each mapping, to each of some sizes: the command ends well, and names what was cut."""
    size, nr_cut = os.path.getsize(victim), 0
    told = f"pfx: '{victim}' became shorter while it was read: the output is incomplete"
    for at in range(1, MAPPINGS + 1):
        for to in (0, PAGE, 3 * PAGE):
            shutil.copy(victim, "whole")
            done = shrunk(victim, to, at, *words)
            left = os.path.getsize(victim)
            os.replace("whole", victim)
            what = f"{words[0]}, '{victim}' cut to {to} at mapping {at}"
            check(done.returncode == 0, f"{what}: exit code {done.returncode}: {done.stderr}")
            check(done.stderr.splitlines().count(told) == (told in done.stderr), f"{what}: {done.stderr}")
            if left == size:
                check(done.stdout == whole, f"{what}: not cut, and says another thing")
            else:
                nr_cut += told in done.stderr
                check(to or told in done.stderr, f"{what}: nothing of it in {done.stderr}")
    check(nr_cut > 0, f"{words[0]}: '{victim}' was never cut")


def binaries():
    path = build()
    record(path)
    report = ("report", "--stdio", "-i", "perf.data", "--inline", "-s", "srcline,sym")
    script = ("script", "-i", "perf.data", "-F", "ip,sym,symoff,srcline,insn")
    for words in (report, script):
        cut_everywhere(path, words, run(PFX, *words).stdout)
    shutil.copy(path, "prog.debug")
    run("strip", "-g", "prog")
    run("objcopy", "--add-gnu-debuglink=prog.debug", "prog")
    whole = run(PFX, *report).stdout
    check("prog.c:" in whole, f"no lines from the debug file: {whole}")
    cut_everywhere(os.path.abspath("prog.debug"), report, whole)


def symbols_are_lost():
    """What was read in part names nothing."""
    path = build()
    record(path)
    done = shrunk(path, 2 * PAGE, 1, "report", "--stdio", "-v", "-i", "perf.data", "-s", "sym",
                  "-g", "none", "--no-inline")
    check(" outer" not in done.stdout, f"a symbol of a file that was cut: {done.stdout}")
    check(f"no symbols for '{path}'" in done.stderr, f"not said why: {done.stderr}")


def build_ids():
    path = build()
    done = shrunk(path, 0, 1, "record", "-o", "out.data", "--buildid-all", "-e", "cpu-clock", "--", path)
    if done.returncode and "permi" in done.stderr:
        return
    check(done.returncode == 0, f"record: exit code {done.returncode}: {done.stderr}")
    check(run(PFX, "report", "-i", "out.data", "--stats").returncode == 0, "out.data is not readable")


def recordings():
    path = build()
    record(path)
    size = os.path.getsize("perf.data")
    check(size > 20 * PAGE, f"the recording has only {size} bytes")
    for words in (("report", "--stdio"), ("report", "--json"), ("script",), ("script", "-D"), ("report", "--stats"),
                  ("report", "--header-only"), ("evlist",), ("buildid-list",),
                  ("inject", "-b", "-o", "injected"), ("data", "convert", "--to-json", "json", "--force")):
        for to in (0, PAGE, 10 * PAGE, size // PAGE * PAGE):
            shutil.copy("perf.data", "whole")
            done = shrunk(os.path.abspath("perf.data"), to, 1, *words, "-i", "perf.data")
            os.replace("whole", "perf.data")
            lines = [x for x in done.stderr.splitlines() if not x.startswith(" ")]
            what = f"{words}, the recording cut to {to}: exit code {done.returncode}: {done.stderr}"
            check(done.returncode >= 0, what)
            told = [x for x in lines if "'perf.data' became shorter while it was read" in x]
            if words[0] in ("report", "script", "inject") and "--header-only" not in words:
                check(done.returncode > 0, what)
                check(len(told) == 1 and len(lines) <= 2, what)
            else:
                check(len(told) == (done.returncode > 0), what)


def unguarded():
    """A fault elsewhere, and a signal that somebody sends, end the program as ever."""
    child = subprocess.Popen([PFX, "report", "-i", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    os.write(child.stdin.fileno(), b"PERFILE2" + struct.pack("<Q", 16))
    while "S" not in open(f"/proc/{child.pid}/stat", encoding="utf-8").read().split(")")[1].split()[0]:
        pass
    child.send_signal(signal.SIGBUS)
    child.stdin.close()
    code = child.wait()
    check(code == -signal.SIGBUS or b"__asan_init" in open(PFX, "rb").read(), f"SIGBUS: exit code {code}")


def main():
    for name in ("gcc", "nm", "objcopy", "strip"):
        if not shutil.which(name):
            print(f"SKIP: {name} is not installed")
            sys.exit(77)
    if not built_in("libdw"):
        print("SKIP: pfx was built without libdw")
        sys.exit(77)
    shutil.rmtree("none", ignore_errors=True)  # what record kept the last time
    with open("prog.c", "w", encoding="utf-8") as f:
        f.write(INLINING_PROGRAM)
    binaries()
    symbols_are_lost()
    build_ids()
    recordings()
    unguarded()
    finish()


main()
