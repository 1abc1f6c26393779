# SPDX-License-Identifier: MIT
"""Large programs, copies of the stack that hold all of it: 999 of 1000 samples reach the entry of
their thread. A C++ program with 45 frames, and a debug build of Python where there is one."""
import os
import re
import shutil

from live import PFX, check, equal, finish, need_recording, run, skip

SOURCE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bench", "tall.cc")
ENTRIES = re.compile(r" (_start|_*clone3?|_dl_start_user) ")
SCRIPT = """
import json, re, time
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
def deep(n): return fib(11) if n == 0 else deep(n - 1)
end = time.process_time() + 3
while time.process_time() < end:
    deep(12); re.sub("(a|b)+c", "x", "ababcab" * 50); sorted(range(500), key=lambda x: -x)
    json.loads(json.dumps([{"a": i} for i in range(100)]))
"""


def record(name, *command):
    data = f"{name}.data"
    made = run(PFX, "record", "-e", "cpu-clock", "-F", "997", "--call-graph", "dwarf,65528", "-m", "16M",
               "-o", data, "--", *command)
    equal(made.returncode, 0, f"{name}: record: {made.stderr}")
    out = run(PFX, "script", "--no-inline", "--max-stack", "4000", "-F", "ip,sym,dso", "-i", data).stdout
    found = [text.strip().split("\n")[-1] for text in out.split("\n\n") if text.strip()]
    reached = [last for last in found if ENTRIES.search(" ".join(last.split()) + " ")]
    print(f"{name}: {len(reached)} of {len(found)} chains reach an entry")
    check(len(found) > 1000, f"{name}: {len(found)} samples")
    check((len(found) - len(reached)) * 1000 <= len(found),
          f"{name}: {len(reached)} of {len(found)}, not {[l for l in found if l not in reached][:3]}")


def main():
    need_recording()
    compiler = shutil.which("g++")
    if not compiler or run(compiler, "-std=c++17", "-O2", "-g", "-fomit-frame-pointer", "-o", "tall",
                           SOURCE).returncode:
        skip("there is no C++ compiler")
    record("tall", "./tall", "3")
    if shutil.which("python3-dbg"):
        record("python", "python3-dbg", "-S", "-c", SCRIPT)
    finish()


main()
