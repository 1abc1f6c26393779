#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A filter in a library, --dlfilter: what it is told and what its calls return, beside perf's; compiled with
perf's own header, too, where that is installed."""
import os
import re
import shutil
import subprocess

from live import KIT, PERF, PFX, WORK, check, equal, finish, need_recording, run, skip

FILTER = os.environ.get("PFX_SHOW_FILTER", "build/dev/tests/live/libshow-filter.so")
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "show_filter.c")
GOLDEN = os.path.join(os.path.dirname(os.path.dirname(SOURCE)), "golden")
PERFS_HEADER = "/usr/include/perf/perf_dlfilter.h"


def script(program, data, *words):
    return run(program, "script", "-i", data, *words)


def plain(text):
    """perf takes a file's name from the symbol table where there is no line."""
    return re.sub(r"(?m)^line \S+:0 ", "line ?:0 ", text)


def filters():
    yield os.path.abspath(FILTER)
    if os.path.exists(PERFS_HEADER) and shutil.which("cc"):
        subprocess.run(["cc", "-shared", "-fPIC", "-DWITH_PERFS_HEADER", "-o", "theirs.so", SOURCE], check=True)
        yield os.path.abspath("theirs.so")


def compare(data, program):
    mine = script(PFX, data, "--dlfilter", program, "--dlarg", "3", "--dlarg", "more")
    check(mine.returncode == 0 and not mine.stderr, f"{data}: {mine.stderr}")
    check(mine.stdout.count("\nsample ") > 1 and "arg more\n" in mine.stdout, f"{data}: {mine.stdout[:300]}")
    check(re.search(r"\nstop (\d+) \1\n$", mine.stdout), f"{data}: {mine.stdout[-100:]}")
    if PERF:
        other = script(PERF, data, "--dlfilter", program, "--dlarg", "3", "--dlarg", "more")
        if other.returncode < 0:  # 6.1 does not survive the question for the line of a missing binary
            return mine.stdout
        equal(plain(mine.stdout), plain(other.stdout), f"{data} with {os.path.basename(program)}")
    return mine.stdout


BRANCHES = """event - type=hw config=4 period=1 sample=identifier,ip,tid,time,addr,stream_id,cpu,period flags= ids=99
comm pid=12 tid=13 "prog"
mmap pid=12 tid=13 addr=0x400000 len=0x10000 pgoff=0 "{program}"
sample ip={caller:#x} pid=12 tid=13 time=1234567890 id=99 addr={callee:#x} stream=101 cpu=31 period=543212345
sample ip={callee:#x} pid=12 tid=13 time=1234567891 id=99 addr={caller:#x} stream=101 cpu=31 period=543212345
"""


def check_branches(program):
    """Where every branch is a sample its address is the target, with a symbol."""
    if not shutil.which("cc") or not shutil.which("nm"):
        return
    with open("prog.c", "w", encoding="utf-8") as file:
        file.write("int callee(void) { return 1; }\nint caller(void) { return callee(); }\nint main(void) { return caller(); }\n")
    subprocess.run(["cc", "-pie", "-fPIE", "-Wl,--build-id=none", "-o", "prog", "prog.c"], check=True)
    names = subprocess.run(["nm", "prog"], text=True, capture_output=True, check=True).stdout
    at = {name: 0x400000 + int(address, 16) for address, name in re.findall(r"(?m)^(\w+) T (caller|callee)$", names)}
    with open("targets.txt", "w", encoding="utf-8") as file:
        file.write(BRANCHES.format(program=os.path.abspath("prog"), **at))
    run(KIT, "--pipe", "targets.txt", "targets.data")
    text = compare("targets.data", program)
    check(" correlates 1 " in text and "\ntarget callee+0 " in text and "\ntarget caller+0 " in text, f"targets: {text}")


def check_ends():
    for words, text, code in (
            (("--dlfilter", FILTER, "--dlarg", "0", "--dlarg", "fail"), "failed with -5", 255),
            (("--dlfilter", FILTER, "--dlarg", "0", "--dlarg", "no-start"), "did not start: 7", 255),
            (("--dlfilter", "nosuch.so"), "cannot load the filter", 255),
            (("--dlfilter", PFX), "cannot load the filter", 255),
            (("--dlarg", "x"), "it needs --dlfilter", 255)):
        done = script(PFX, "clock.data", *words)
        check(done.returncode == code and text in done.stderr, f"{words}: {done.returncode} {done.stderr}")
    check("stop 1 " in script(PFX, "clock.data", "--dlfilter", FILTER, "--dlarg", "0", "--dlarg", "fail").stdout,
          "a filter that failed is not stopped")
    # a filter before the other forms, and before a program
    whole = script(PFX, "clock.data", "-F", "comm").stdout.count("\n")
    shown = script(PFX, "clock.data", "--dlfilter", FILTER, "--dlarg", "1", "-F", "comm").stdout
    check(whole and f"stop {whole} {whole}\n" in shown, "every sample is left out")


def check_list():
    os.makedirs("root/dlfilters")
    shutil.copy(FILTER, "root/dlfilters/show.so")
    env = dict(os.environ, PERF_EXEC_PATH=os.path.abspath("root"), PFX_CONFIG="/dev/null")
    for words, lines in (((), ["List of available dlfilters:", "  show.so                              shows all that a filter can ask for"]),
                         (("-v",), ["For each sample: numbers, places, code."])):
        done = subprocess.run([PFX, "script", "--list-dlfilters", *words], env=env, text=True, capture_output=True, check=False)
        check(done.returncode == 0 and all(line in done.stdout.split("\n") for line in lines), f"list {words}: {done}")
    done = subprocess.run([PFX, "script", "-i", "clock.data", "--dlfilter", "show.so"], env=env, text=True,
                          capture_output=True, check=False)
    check(done.returncode == 0 and "\nsample " in done.stdout, f"by name: {done.stderr}")


def main():
    need_recording()
    if not os.path.exists(FILTER):
        skip("there is no filter")
    recorder = PERF or PFX
    run(recorder, "record", "-q", "-g", "-e", "cpu-clock", "-F", "499", "-o", "clock.data", "--", WORK, "0.1")
    run(recorder, "record", "-q", "-d", "-e", "page-faults", "-c", "1", "-o", "faults.data", "--", WORK, "0.01")
    run(KIT, os.path.join(GOLDEN, "branch-history.txt"), "branches.data")
    for program in filters():
        for data in ("clock.data", "faults.data", "branches.data"):
            text = compare(data, program)
        check("\nbranch 0x" in text, "no branches")
        check_branches(program)
    check_ends()
    check_list()
    finish()


main()
