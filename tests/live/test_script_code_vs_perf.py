# SPDX-License-Identifier: MIT
"""The fields about code print what perf script 6.1 prints: instructions, source lines and the code
between branches of a program that is built here, in a recording that the kit makes, because this
machine may be unable to record branches."""
import difflib
import os
import re
import shutil

from live import KIT, PERF, PFX, check, equal, finish, need_perf, run, skip

PROGRAM = """#include <stdio.h>

__attribute__((noinline)) int leaf(int x)
{
	return x * 3;
}

__attribute__((noinline)) int loop(int n)
{
	int i, s = 0;

	for (i = 0; i < n; i++)
		s += leaf(i);
	return s;
}

int main(int argc, char **argv)
{
	(void)argv;
	printf("%d\\n", loop(argc + 10));
	return 0;
}

#line 1 "/nowhere/gone.c"
int unseen(int x)
{
	return x + 1;
}
"""

EVENTS = """event cycles type=hw config=0 period=100 sample={bits},branch_stack branch=any ids=1
event chains type=sw config=0 period=100 sample={bits},branch_stack,callchain branch=any ids=2
event branches type=hw config=4 period=1 sample={bits},branch_stack branch=any ids=3
feature arch str=x86_64
feature event_desc
comm pid=1 tid=1 "program"
mmap2 pid=1 tid=1 addr={start:#x} len=0x1000 pgoff=0x1000 maj=8 min=1 ino=77 prot=5 flags=2 {path}
"""

LINES = [
    "-F ip,insn", "-F ip,insnlen", "-F ip,sym,insn,insnlen", "-F +insn,+insnlen,+addr",
    "-F ip,brstackinsn", "-F ip,sym,brstackinsn", "-F comm,ip,sym,symoff,brstackinsnlen,insnlen",
    "-F ip,brstackinsn,brstackinsnlen,srcline", "-F ip,brstackinsn --max-blocks 1",
    "-F ip,brstackinsn --max-blocks 2", "-F ip,srccode", "-F ip,sym,srcline,srccode,brstackinsn",
    "-F brstack", "-F brstack,dso", "-F brstacksym", "-F brstacksym,dso",
    "-F ip,brstacksym,brstackoff,sym,dso",
    "-F comm,ip,sym --stop-bt loop", "--stop-bt main,leaf", "-S {leaf}", "-S {leaf} --addr-range 3",
    "-S leaf --addr-range 1", "-S {leaf},main --addr-range 9", "--switch-on chains",
    "--switch-on chains --switch-off cycles", "--switch-on chains --show-on-off-events",
    "--switch-on cycles --switch-off cycles -G", "--switch-on cycles --switch-off branches -F time",
    "-d", "-L", "-L -F +misc,+pid",
]


def instructions(program):
    """By function: the addresses of its instructions and what they are called."""
    found, name = {}, None
    for line in run("objdump", "-d", program).stdout.split("\n"):
        head = re.match(r"[0-9a-f]+ <(\w+)>:", line)
        if head:
            name = head.group(1)
        body = re.match(r"\s+([0-9a-f]+):\t[0-9a-f ]+\t(\S+)", line)
        if body and name:
            found.setdefault(name, []).append((int(body.group(1), 16), body.group(2)))
    return found


def recording(path, code):
    first = {name: code[name][0][0] for name in ("leaf", "loop", "main", "unseen")}
    of = lambda name, what: [a for a, kind in code[name] if kind.startswith(what)]
    behind = lambda name, what: next(b for (a, k), (b, _) in zip(code[name], code[name][1:])
                                     if k.startswith(what))
    call, back, ret = of("loop", "call")[0], of("loop", "jn")[-1], of("leaf", "ret")[0]
    after = behind("loop", "call")
    samples = [
        (after, [(ret, after, 0x300052), (call, first["leaf"], 0x400032), (back, call, 0x100041),
                 (ret, after, 0x600022)]),
        (back, [(ret, after, 0x22), (call, first["leaf"], 2)]),
        (first["leaf"], [(call, first["leaf"], 0x22)]),
        (first["loop"], [(of("main", "call")[0], first["loop"], 0x12)]),
        (call, [(ret, 0x7fff00000000, 0x22), (0x7fff00000100, first["leaf"], 2),
                (call, 0x9000, 1)]),
        (first["main"], [(ret, 0xffffffff81000100, 0x22), (0xffffffff81000200, first["leaf"], 2),
                         (call, after, 1)]),
        (of("loop", "ret")[0], [(back, first["loop"], 0x22), (ret, after, 6), (call, 0, 10)]),
        (0xffffffff81000000, [(call, first["leaf"], 0x22)]),
        (call, []), (first["leaf"], []), (first["unseen"], []), (first["leaf"], []),
    ]
    text = EVENTS.format(bits="ip,tid,time,addr,period,id,cpu", path=path,
                         start=first["main"] & ~0xfff)
    for i, (ip, stack) in enumerate(samples):
        words = ",".join(f"{a:#x},{b:#x},{c:#x}" for a, b, c in stack)
        for n, event in enumerate(("cycles", "chains", "branches")):
            text += (f"sample event={event} id={n + 1} ip={ip:#x} pid=1 tid=1 cpu=0 "
                     f"time={(3 * i + n + 1) * 1000000} period=1 addr={after:#x}")
            text += f" branch={words}" if stack else ""
            text += f" chain=user,{ip:#x},{after:#x}\n" if event == "chains" else "\n"
    return text + "round\n"


def compare_files():
    """--per-event-dump: a file for each event; records between samples are in none."""
    texts = []
    for tool in (PERF, PFX):
        done = run(tool, "script", "--no-inline", "-i", "code.data", "--per-event-dump",
                   "--show-mmap-events", "--show-task-events")
        equal(len(re.findall(r"Wrote .* \(12 samples\)", done.stdout)), 3, f"{tool}: {done.stdout}")
        texts.append({"": [line for line in done.stdout.split("\n") if "Wrote" not in line]})
        for event in ("cycles", "chains", "branches"):
            with open(f"code.data.{event}.dump", encoding="utf-8") as f:
                texts[-1][event] = f.read()
            os.remove(f"code.data.{event}.dump")
    check("MMAP2" in "".join(texts[0][""]), "--per-event-dump: maps are shown")
    equal(texts[1], texts[0], "--per-event-dump")


def main():
    need_perf()
    if not all(map(shutil.which, ("cc", "objdump"))) or os.uname().machine != "x86_64":
        skip("needs cc and objdump on x86_64")
    if "capstone: [ on  ]" not in run(PFX, "version", "--build-options").stdout:
        skip("built without a disassembler")
    with open("program.c", "w", encoding="utf-8") as f:
        f.write(PROGRAM)
    equal(run("cc", "-g", "-O1", "-no-pie", "-o", "program", "program.c").returncode, 0, "cc")
    with open("description", "w", encoding="utf-8") as f:
        f.write(recording(os.path.abspath("program"), instructions("program")))
    equal(run(KIT, "--le", "description", "code.data").returncode, 0, "the recording is made")
    leaf = f"{instructions('program')['leaf'][0][0]:#x}"
    for line in (line.format(leaf=leaf) for line in LINES):
        argv = ["script", "--no-inline", "-i", "code.data", *line.split()]
        theirs, ours = run(PERF, *argv), run(PFX, *argv)
        equal(ours.returncode, theirs.returncode, f"{line}: {ours.stderr}")
        diff = difflib.unified_diff(theirs.stdout.split("\n"), ours.stdout.split("\n"), "perf",
                                    "pfx", n=2, lineterm="")
        check(ours.stdout == theirs.stdout, f"{line}\n" + "\n".join(list(diff)[:16]))
    compare_files()
    text = run(PFX, "script", "-i", "code.data", "-F", "ip,disasm,brstackdisasm").stdout
    check(re.search(r"\t\tpushq %", text), "a sample's instruction has its text")
    check(re.search(r"(?m)^\t[0-9a-f]{16}\tretq +\t# PRED", text), "so have those of branches")
    finish()


main()
