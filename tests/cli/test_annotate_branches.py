# SPDX-License-Identifier: MIT
"""`pfx annotate` of recordings with branch stacks: basic blocks with their executions and cycles in JSON, the
speed of the code in --stdio2, equal to that of `pfx report`; nothing of it without branch stacks."""
import os
import re

from annotating import PFX, annotate, document, make, run
from checks import check, finish

CODE = """.globl work
.type work,@function
work: test %edi, %edi
je out
loop: sub $1, %edi
nop
jne loop
out: ret
.size work,.-work
.globl main
main: ret
"""
BASE = 0x555555554000
HEAD = """event cycles type=hw freq=4000 sample=ip,tid,time,period{fields}
feature arch str=x86_64
feature event_desc
{features}comm pid=10 tid=10 "prog"
mmap2 pid=10 tid=10 addr={base:#x} len=0x100000 pgoff=0 maj=8 min=1 ino=77 prot=5 flags=2 {path}
"""


def make_program():
    with open("speed.s", "w", encoding="utf-8") as file:
        file.write(CODE)
    done = run("cc", "-nostartfiles", "-Wl,-e,main", "-o", "speed", "speed.s")
    if done.returncode:
        print("SKIP: the code of this test is for x86")
        raise SystemExit(77)


def write(path, branches, fields=",branch_stack branch=any,user", order="le"):
    """Two samples at the start of the loop; branches: (from, to, cycles), the newest first."""
    features = "feature branch_stack\n" if fields else ""
    text = HEAD.format(fields=fields, features=features, base=BASE, path=os.path.abspath("speed"))
    words = ",".join(f"{BASE + a:#x},{BASE + b:#x},{cycles << 4 | 2:#x}" for a, b, cycles in branches)
    for time in (1000, 2000):
        text += f"sample ip={BASE + LOOP:#x} pid=10 tid=10 time={time} period=100{words and ' branch=' + words}\n"
    make(path, text + "round\n", order)


def function(path):
    return document(path, "-s", "work")["functions"][0]


def test_cycles():
    stack = [(JNE, LOOP, 6), (JNE, LOOP, 3), (JNE, LOOP, 9)]
    for order in ("le", "be"):
        write(f"{order}.data", stack, order=order)
        work = function(f"{order}.data")
        check([(b["first"], b["last"]) for b in work["blocks"]] == [(0, 1), (2, 4), (5, 5)], f"{work['blocks']}")
        loop = work["blocks"][1]
        check(loop["costs"] == [{"period": 200, "samples": 2}], f"costs {loop}")
        check((loop["executions"], loop["cycles"], loop["ipc"]) == (4, 18, 0.6667), f"loop {loop}")
        check("executions" not in work["blocks"][0] and "ipc" not in work["blocks"][2], f"{work['blocks']}")
        check((work["ipc"], work["ipc_coverage"]) == (0.6667, 50), f"{work['ipc']} {work['ipc_coverage']}")
        insns = work["instructions"]
        check([i.get("ipc") for i in insns] == [None, None, 0.6667, 0.6667, 0.6667, None], f"{insns}")
        check(insns[4]["cycles"] == 6 and "cycles" not in insns[2], f"cycles of {insns}")
    text = annotate("-i", "le.data", "--stdio2", "work").stdout
    check(text == annotate("-i", "be.data", "--stdio2", "work").stdout, "the byte order changes the text")
    check("\nPercent    IPC Cycle (Average IPC: 0.67, IPC Coverage: 50.0%)\n" in text, f"title: {text}")
    check(re.search(r"^  100\.00  0\.67 {8}[0-9a-f]+: {3}sub", text, re.M), f"loop: {text}")
    check(re.search(r"^ {10}0\.67     6 +↑ jne ", text, re.M), f"its branch: {text}")
    check("IPC" not in annotate("-i", "le.data", "work").stdout, "columns of --stdio2 in --stdio")
    rows = run(PFX, "report", "-i", "le.data", "--stdio", "-q", "-s", "sym,ipc_lbr").stdout
    check("0.67  [ 50.0%]" in rows, f"report has another speed: {rows}")


def test_without_cycles():
    """CPUs that do not count cycles give executions only; calls alone give nothing."""
    write("plain.data", [(JNE, LOOP, 0), (JNE, LOOP, 0)])
    work = function("plain.data")
    check(work["blocks"][1]["executions"] == 2 and "cycles" not in work["blocks"][1], f"{work['blocks']}")
    check("ipc" not in work, "a speed without cycles")
    check("IPC" not in annotate("-i", "plain.data", "--stdio2", "work").stdout, "columns without cycles")
    write("calls.data", [(JNE, LOOP, 4), (JNE, LOOP, 4)], ",branch_stack branch=any_call,user")
    work = function("calls.data")
    check(all("executions" not in b for b in work["blocks"]), f"executions of calls: {work['blocks']}")
    check(work["instructions"][4]["cycles"] == 4, "the cycles of a branch")


def test_without_branches():
    write("none.data", [], "")
    work = function("none.data")
    check(len(work["blocks"]) == 3 and "ipc" not in work, f"{work['blocks']}")
    check(work["blocks"][1]["costs"] == [{"period": 200, "samples": 2}], f"{work['blocks']}")
    check("IPC" not in annotate("-i", "none.data", "--stdio2", "work").stdout, "columns without branches")


def addresses():
    text = run("nm", "speed").stdout
    start = int(next(line.split()[0] for line in text.splitlines() if line.endswith(" work")), 16)
    make("at.data", HEAD.format(fields="", features="", base=BASE, path=os.path.abspath("speed")) +
         f"sample ip={BASE + start:#x} pid=10 tid=10 time=1000 period=1\nround\n")
    insns = function("at.data")["instructions"]
    return int(insns[2]["address"], 16), int(insns[4]["address"], 16), insns[0].get("unknown")


make_program()
LOOP = JNE = 0
LOOP, JNE, UNKNOWN = addresses()
if UNKNOWN:
    write("bytes.data", [(JNE, LOOP, 6), (JNE, LOOP, 3)])
    check(len(function("bytes.data")["blocks"]) == 1 and "ipc" not in function("bytes.data"), "a speed of bytes")
    check("IPC" not in annotate("-i", "bytes.data", "--stdio2", "work").stdout, "columns of bytes")
    finish()
    print("SKIP: this build has no disassembler")
    raise SystemExit(77)
test_cycles()
test_without_cycles()
test_without_branches()
finish()
