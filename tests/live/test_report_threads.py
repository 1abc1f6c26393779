# SPDX-License-Identifier: MIT
"""A report and a script are the same text whatever the number of threads that walk stacks and read
debug information: of copied stacks and frame pointers, with lines and inlined functions, of programs
that fork, load libraries and have handlers of signals, of files, of streams and of what is
compressed."""
import os
import shutil

from live import PFX, check, equal, finish, need_recording, run, samples, skip

HERE = os.path.dirname(os.path.abspath(__file__))
TALL = os.path.join(os.path.dirname(HERE), "bench", "tall.cc")
THREADS = (1, 3)
WAYS = (
    [],
    ["--no-inline"],
    ["--no-children", "-s", "srcline", "-g", "none"],
    ["--children", "-s", "comm,srcline"],
    ["-g", "caller,srcline,0.5,callee"],
    ["-s", "sym,srcfile", "-g", "address"],
    ["--max-stack", "5", "-s", "dso,sym"],
    ["--unwind-style", "libdw", "--comms", "tall"],
)
SCRIPT_WAYS = (
    [],
    ["-F", "comm,tid,time,ip,sym,srcline", "--max-stack", "3"],
)
SCRIPT = """
import os
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
def used(): t = os.times(); return t.user + t.system + t.children_user + t.children_system
end = used() + 0.5
while used() < end:
    if not os.fork():
        fib(15); import json, re; os._exit(0)
    os.wait(); fib(12)
"""


def pfx(threads, *words, **kw):
    return run("env", f"PFX_THREADS={threads}", PFX, *words, **kw)


def compare(data):
    check(samples(data) > 100, f"{data}: {samples(data)} samples")
    ways = [["report", "--stdio"] + way for way in WAYS] + [["script"] + way for way in SCRIPT_WAYS]
    for way in ways:
        texts = [pfx(n, *way, "-i", data) for n in THREADS]
        equal(texts[0].returncode, 0, f"{data} {way}: {texts[0].stderr}")
        for number, text in zip(THREADS[1:], texts[1:]):
            check(text.stdout == texts[0].stdout and text.stderr == texts[0].stderr,
                  f"{data} {' '.join(way)}: another text with {number} threads than with one")
    compare_inputs(data, data)


def compare_inputs(data, other):
    """The text of a file is that of another one with the same records, as a file and as a stream."""
    for way in (["report", "--stdio"], ["script"]):
        wanted = pfx(1, *way, "-i", data).stdout
        for threads in THREADS:
            equal(pfx(threads, *way, "-i", other).stdout, wanted, f"{other}: {way}, {threads} threads")
            with open(other, "rb") as stream:
                text = pfx(threads, *way, "-i", "-", stdin=stream).stdout
            equal(text, wanted, f"{other}: {way}, {threads} threads, as standard input")


def record(data, graph, *command, more=()):
    made = run(PFX, "record", "-e", "cpu-clock", "-F", "1000", "--call-graph", graph, "-m", "16M", *more,
               "-o", data, "--", *command)
    equal(made.returncode, 0, f"{data}: record: {made.stderr}")


def record_and_compare(name, graph, *command):
    record(f"{name}.data", graph, *command)
    compare(f"{name}.data")


def compare_compressed():
    if run(PFX, "record", "-z", "-o", "packed.data", "--", "true").returncode:
        print("nothing can be compressed here")
        return
    record("packed.data", "dwarf,8192", "./tall", "0.5", more=["-z"])
    done = run(PFX, "inject", "-i", "packed.data", "-o", "unpacked.data")
    equal(done.returncode, 0, f"inject: {done.stderr}")
    check(os.path.getsize("packed.data") * 2 < os.path.getsize("unpacked.data"), "nothing was compressed")
    compare_inputs("unpacked.data", "packed.data")


def main():
    need_recording()
    compiler = shutil.which("g++")
    if not compiler or run(compiler, "-std=c++17", "-O2", "-g", "-fomit-frame-pointer", "-o", "tall",
                           TALL).returncode:
        skip("there is no C++ compiler")
    record_and_compare("tall", "dwarf,8192", "./tall", "0.5")
    record_and_compare("pointers", "fp", "./tall", "0.5")
    compare_compressed()
    if shutil.which("python3"):
        record_and_compare("forks", "dwarf,16384", "python3", "-S", "-c", SCRIPT)
    if not run("gcc", "-O2", "-g", "-fomit-frame-pointer", "-pthread", "-o", "unwind",
               os.path.join(HERE, "programs", "unwind.c")).returncode:
        record_and_compare("signals", "dwarf,16384", "./unwind")
    finish()


main()
