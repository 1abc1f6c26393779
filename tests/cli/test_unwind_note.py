#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What report says of call chains that do not reach their end: how many, for which reasons, and what
would help; nothing where they are one of a hundred or fewer."""
import subprocess

from checks import KIT, PFX, check, finish, run

HEAD = """event cpu-clock type=sw config=0 freq=1000 sample=ip,tid,time,period,callchain,regs_user,stack_user regs_user=0x1c0 stack=64
feature hostname str=testhost
feature osrelease str=0.0.0-test
feature arch str=x86_64
comm pid=10 tid=10 "chains"
mmap2 pid=10 tid=10 addr=0x400000 len=0x10000 maj=8 min=1 ino=77 prot=5 flags=2 /no/such/bin/chains
mmap2 pid=10 tid=10 addr=0x900000 len=0x10000 prot=5 flags=0x22 //anon
"""
WHOLE, MISSING, MADE, NOWHERE = 0, 0x401000, 0x900100, 0x7700000


def note(*pcs):
    """What report says of samples at these addresses; at 0 a chain is whole."""
    lines = [f"sample ip=0x401000 pid=10 time={1000 + i} period=1 abi=2 "
             f"regs=0x0,0x7ffe0000,{pc:#x} stack={'00' * 64} dyn=64" for i, pc in enumerate(pcs)]
    with open("description", "w", encoding="utf-8") as f:
        f.write(HEAD + "\n".join(lines) + "\nround\n")
    subprocess.run([KIT, "--le", "description", "perf.data"], check=True)
    done = run(PFX, "report", "--stdio", "-i", "perf.data")
    check(done.returncode == 0, f"exit code {done.returncode}: {done.stderr}")
    return [line for line in done.stderr.split("\n") if "call chains" in line]


def expect(words, *pcs):
    said = note(*pcs)
    check(len(said) == 1 and words in said[0], f"no {words!r} in {said!r}")


def main():
    expect("1 of 1 call chains are incomplete: 1 pass through programs whose recorded build is not "
           "available, such as '/no/such/bin/chains' (see --symfs)", MISSING)
    expect("2 of 2 call chains are incomplete: 2 pass through code made at run time that says nothing "
           "about its frames (have its compiler keep frame pointers", MADE, MADE)
    check("debug file" not in note(MADE)[0], "a debug file of code made at run time")
    expect("1 of 2 call chains are incomplete: 1 lead nowhere (see whether --unwind-style libdw",
           WHOLE, NOWHERE)
    mixed = note(MISSING, MADE, NOWHERE)
    check(len(mixed) == 1 and mixed[0].startswith("pfx report: 3 of 3 call chains are incomplete: ")
          and mixed[0].count(", 1 ") == 2, f"three reasons: {mixed!r}")
    check(note(*[WHOLE] * 99, NOWHERE) == [], "one of a hundred is told")
    expect("2 of 100 call chains", *[WHOLE] * 98, NOWHERE, NOWHERE)
    finish()


main()
