#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Code of the kernel in script: instructions of samples and of branch stacks, from the copy of the
kernel's memory that lies in a recording's directory; and what was counted between its branches. In
report: its instructions for each cycle."""
import json
import os
import re
import shutil
import struct
import subprocess
import sys

from libraries import built_in

PFX, KIT = os.environ["PFX"], os.environ["PFX_KIT"]
KERNEL = 0xffffffff81000000
# push, mov, two times nop, jmp to TARGET; behind TARGET: nop, ret
CODE = bytes.fromhex("55 48 89 e5 90 90 eb 08".replace(" ", "")) + b"\xcc" * 8 + b"\x90\xc3"
START, JUMP, TARGET, RETURN = KERNEL + 0x100, KERNEL + 0x106, KERNEL + 0x110, KERNEL + 0x111
DESCRIPTION = f"""event branches type=hw config=4 period=100 sample=ip,tid,time,id,period,branch_stack branch=any,counters ids=5
event misses type=hw config=5 period=0 sample=ip,tid,time,id,period,branch_stack branch=any,counters ids=6
feature hostname str=testhost
feature osrelease str=0.0.0-test
feature arch str=x86_64
feature event_desc
feature group_desc u32=1 str={{anon_group}} u32=0 u32=2
feature cpu_pmu_caps u32=2 str=branch_counter_nr str=4 str=branch_counter_width str=2
mmap pid=-1 tid=0 addr={KERNEL:#x} len=0x1000000 pgoff={KERNEL:#x} mode=kernel "[kernel.kallsyms]_text"
comm pid=10 tid=10 "kcore"
sample event=branches id=5 ip={RETURN:#x} pid=10 time=1000 mode=kernel branch={JUMP:#x},{TARGET:#x},0x52,{RETURN:#x},{START:#x},0x22 counters=6,9
sample event=branches id=5 ip={KERNEL:#x} pid=10 time=2000 mode=kernel
"""
FAILURES = []


def check(good, what):
    if not good:
        FAILURES.append(what)
        print(f"FAIL: {what}")


def make(order, description=DESCRIPTION):
    """A directory with that recording and a core in the same byte order."""
    shutil.rmtree("rec", ignore_errors=True)
    with open("description", "w", encoding="utf-8") as f:
        f.write(description)
    subprocess.run([KIT, "--" + order, "--dir", "description", "rec"], check=True)
    os.makedirs("rec/kcore_dir")
    with open("rec/kcore_dir/kallsyms", "w", encoding="utf-8") as f:
        f.write(f"{KERNEL:x} T _text\n{START:x} T start\n{TARGET:x} T target\n{KERNEL + 0x200:x} T _etext\n")
    sign = "<" if order == "le" else ">"
    head = b"\x7fELF" + bytes([2, 1 if order == "le" else 2, 1]) + bytes(9)
    head += struct.pack(sign + "HHIQQQIHHHHHH", 4, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    head += struct.pack(sign + "IIQQQQQQ", 1, 5, 120, START, 0, len(CODE), len(CODE), 0)
    with open("rec/kcore_dir/kcore", "wb") as f:
        f.write(head + CODE)


def script(*options):
    done = subprocess.run([PFX, "script", *options, "-i", "rec"], check=False, text=True,
                          capture_output=True, env={**os.environ, "PFX_CONFIG": "/dev/null"})
    check(done.returncode == 0, f"exit code {done.returncode}: {done.stderr}")
    return re.sub(" +(?=[\n\t])", "", done.stdout).replace("retq", "ret")


def expect(text, *options):
    out = script(*options)
    check(out == text, f"{options}:\n{out}instead of\n{text}")


def test_order(order):
    make(order)
    expect(f" {RETURN:x} target ilen: 1 insn: c3\t\tret\n {KERNEL:x} _text ilen: 0\n",
           "-F", "ip,sym,insn,insnlen,disasm")
    place = f"\ttarget+1:\n\t{RETURN:016x}\tinsn: c3"
    block = (f"\tstart:\n\t{START:016x}\tinsn: 55\n\t{START + 1:016x}\tinsn: 48 89 e5\n"
             f"\t{START + 4:016x}\tinsn: 90\n\t{START + 5:016x}\tinsn: 90\n"
             f"\t{JUMP:016x}\tinsn: eb 08")
    last = f"\ttarget:\n\t{TARGET:016x}\tinsn: 90\n\t{RETURN:016x}\tinsn: c3\n"
    expect(f" {RETURN:x}\n{place}\t# PRED 2 cycles [2]\n"
           f"{block}\t# PRED 5 cycles [7] 1.00 IPC\n{last}\n {KERNEL:x}\n",
           "-F", "ip,brstackinsn")
    out = script("-F", "ip,brstackinsn,brcntr")
    check("\tbr_cntr: ABB\t# PRED 2" in out, f"two events: {out}")
    check("\tbr_cntr: AAB\t# PRED 5" in out, f"two events: {out}")
    out = script("-v", "-F", "ip,brstackinsn,brcntr")
    check("\tbr_cntr: branches 2 misses 1\t# PRED 5" in out, f"with names: {out}")
    sample = json.loads(script("--json", "-F", "ip,brstack,insn,insnlen,disasm").split("\n")[1])
    check([b["counters"] for b in sample["branches"]] == [
        {"branches": 2, "misses": 1}, {"branches": 1, "misses": 2}], f"counters: {sample}")
    check((sample["insn"], sample["insn_len"], sample["disasm"]) == ("c3", 1, "ret"),
          f"instruction: {sample}")


def test_speed():
    """A branch into the middle of a function: four instructions in five cycles, of its thirteen."""
    make("le", DESCRIPTION.replace(f"{RETURN:#x},{START:#x}", f"{RETURN:#x},{START + 1:#x}"))
    done = subprocess.run([PFX, "report", "-q", "-b", "-s", "symbol_to,ipc_lbr", "--kallsyms", "rec/kcore_dir/kallsyms",
                           "-i", "rec"], check=False, text=True, capture_output=True)
    check(re.search(r"\[k\] start +0\.80 +\[ 30\.8%\]", done.stdout), f"speed: {done.stdout} {done.stderr}")


def main():
    if not built_in("capstone"):
        print("SKIP: built without a disassembler")
        sys.exit(77)
    test_order("le")
    test_order("be")
    test_speed()
    sys.exit(1 if FAILURES else 0)


main()
