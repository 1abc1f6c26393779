#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Below the table, report names the command that shows the code of the hottest function: on a terminal only,
and for a function that has code."""
import os
import pty
import shutil

from annotating import build, make, run, symbol
from checks import PFX, all_of_terminal, check, finish

SOURCE = "volatile int sink; void hot(void) { sink++; } int main(void) { hot(); return 0; }\n"
HINT = "# pfx annotate"


def on_terminal(*argv):
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(PFX, [PFX, "--no-pager", "report", "--stdio", *argv],
                  {**os.environ, "PFX_CONFIG": "/dev/null", "LC_ALL": "C", "NO_COLOR": "1"})
    shown = all_of_terminal(fd)
    os.waitpid(pid, 0)
    os.close(fd)
    return shown


def record(path, program, addresses, ident):
    head = f"""event cpu-clock type=sw config=0 freq=1000 sample=ip,tid,time,period
feature arch str=x86_64
comm pid=10 tid=10 "prog"
dso "{program}" build_id={ident}
mmap2 pid=10 tid=10 addr=0x400000 len=0x10000 maj=8 min=1 ino=77 prot=5 flags=2 "{program}"
"""
    make(path, head + "".join(f"sample ip={at:#x} pid=10 time=1000 period=1\n" for at in addresses) + "round\n")


def main():
    shutil.rmtree("work", ignore_errors=True)
    os.makedirs("work")
    os.chdir("work")
    build("prog", SOURCE, "-O1", "-fno-pie", "-no-pie", "-fno-inline", "-Wl,--build-id")
    program = os.path.abspath("prog")
    ident = run(PFX, "buildid-list", "-i", "prog").stdout.split()[0]
    hot, start = symbol(program, "hot")[0], symbol(program, "main")[0]
    record("perf.data", program, [hot, hot, start], ident)
    shutil.copy("perf.data", "other name")
    lines = [line for line in on_terminal().split("\n") if HINT in line]
    check(lines == ["# pfx annotate -s hot shows its lines"], f"on a terminal: {lines}")
    shown = on_terminal("-i", "other name")
    check("# pfx annotate -i 'other name' -s hot shows" in shown, f"named: {shown}")
    for words in (["-q"], ["-t", ","], ["-s", "dso"], ["--json"], ["-H"]):
        shown = on_terminal(*words)
        check(HINT not in shown, f"{words}: {shown}")
    check(HINT not in run(PFX, "report").stdout, "not in a file")
    os.unlink("prog")
    check(HINT not in on_terminal(), "a function without code")
    finish()


main()
