# SPDX-License-Identifier: MIT
"""`pfx annotate` and types of data: samples of a program whose loads are known are those of the members that it
loads, after instructions, as types with their members, and in the statistics; unknown types are refused."""
import os
import re

from annotating import PFX, annotate, build, document, make, refuses, run, symbol
from checks import check, finish

SOURCE = """struct pair { int low, high; };
struct ring { long id; struct ring *next; struct pair pair; char pad[40]; };
__attribute__((noinline)) long chase(struct ring *at, long nr)
{
	long sum = 0;
	for (; nr > 0; nr--) {
		at = at->next;
		sum += at->pair.high;
	}
	return sum;
}
int main(int argc, char **argv)
{
	static struct ring ring;
	ring.next = &ring;
	return chase(&ring, argc) == 7;
}
"""
HEAD = """event cycles type=hw period=100 sample=ip,tid,time,id,period ids=1
event instructions type=hw config=1 period=100 sample=ip,tid,time,id,period ids=2
feature arch str={arch}
feature event_desc
comm pid=10 tid=10 "rings"
mmap2 pid=10 tid=10 addr={base:#x} len=0x100000 pgoff=0 maj=8 min=1 ino=77 prot=5 flags=2 {path}
"""
BASE = 0x555555554000


def write(path, samples, order="le", program="rings", arch="x86_64"):
    """samples: (event, address in the program, period)."""
    text = HEAD.format(base=BASE, path=os.path.abspath(program), arch=arch)
    for time, (event, addr, period) in enumerate(samples):
        text += f"sample ip={BASE + addr:#x} pid=10 tid=10 time={1000 + time} id={event} period={period}\n"
    make(path, text + "round\n", order)


def accesses():
    """The addresses of the instructions that access a member, and one that accesses no memory."""
    start, size = symbol("rings", "chase")
    write("at.data", [(1, start + i, 1) for i in range(size)])
    found = {}
    for insn in document("at.data", "-s", "chase", "--code-with-type")["functions"][0]["instructions"]:
        name = insn["data_type"].get("member") if "data_type" in insn else None
        found.setdefault(name, int(insn["address"], 16))
    check({"next", "pair.high", None} <= found.keys(), f"members: {found}")
    return found["next"], found["pair.high"], found[None]


def test_code(following, high):
    found = document("le.data", "-s", "chase", "--code-with-type")["functions"][0]["instructions"]
    shown = {int(i["address"], 16): i["data_type"] for i in found if "data_type" in i}
    check(shown == {following: {"type": "struct ring", "offset": 8, "member": "next"},
                    high: {"type": "struct ring", "offset": 20, "member": "pair.high"}}, f"types: {shown}")
    check(not any("data_type" in i for f in document("le.data")["functions"] for i in f["instructions"]),
          "types that nobody asked for")
    text = annotate("-i", "le.data", "chase", "--code-with-type").stdout
    check(re.search(rf"^   60\.00 : +{following:x}:.*        # data-type: struct ring \+0x8 \(next\)$", text, re.M),
          f"text: {text}")
    check("data-type" not in annotate("-i", "le.data", "chase").stdout, "types without the option")


def test_types():
    found = document("le.data", "--data-type")
    check(found["functions"] == [] and [t["name"] for t in found["types"]] == ["struct ring"], f"{found}")
    ring = found["types"][0]
    check(ring["size"] == 64 and ring["costs"] == [{"period": 900, "samples": 3}, {"period": 50, "samples": 1}],
          f"{ring}")
    shape = [(m["name"], m["offset"], m["size"], m["depth"]) for m in ring["members"]]
    check(shape == [("id", 0, 8, 0), ("next", 8, 8, 0), ("pair", 16, 8, 0), ("low", 16, 4, 1), ("high", 20, 4, 1),
                    ("pad", 24, 40, 0)], f"{shape}")
    costs = {m["name"]: m["costs"][0]["period"] for m in ring["members"] if "costs" in m}
    check(costs == {"next": 600, "pair": 300, "high": 300}, f"{costs}")
    text = annotate("-i", "le.data", "--data-type=struct ring").stdout
    check(text == annotate("-i", "be.data", "--data-type=ring").stdout, "the byte order changes the text")
    check(text.startswith(f"Annotate type: 'struct ring' in {os.path.abspath('rings')} (3 samples):\n"
                          " event[0] = cycles\n====="), text)
    lines = [" Percent     offset       size  field", "  100.00          0       0x40  struct ring {",
             "   66.67        0x8        0x8      struct ring* next;",
             "   33.33       0x10        0x8      struct pair {", "   33.33       0x14        0x4          int high;",
             " " * 36 + "} pair;", " " * 32 + "};"]
    check(all(f"\n{line}\n" in text for line in lines), f"lines: {text}")
    check(text.count("Annotate type") == 2, "a table for each event")
    both = annotate("-i", "le.data", "--data-type", "--group").stdout
    check("   66.67  100.00        0x8        0x8      struct ring* next;\n" in both, f"--group: {both}")
    number = annotate("-i", "le.data", "--data-type", "-n").stdout
    check("       2        0x8        0x8      struct ring* next;\n" in number, f"-n: {number}")
    check(not annotate("-i", "le.data", "--data-type", "-d", "nobody").stdout, "types of other binaries")


def test_statistics():
    found = document("le.data", "--type-stat", "--insn-stat")
    check((found["type_stat"]["samples"], found["type_stat"]["known"], found["type_stat"]["no_memory"]) == (6, 4, 1)
          and found["type_stat"]["no_binary"] == 1, f"{found['type_stat']}")
    check("types" not in found and sum(i["known"] for i in found["insn_stat"]) == 4, f"{found}")
    check({"mnemonic": "(unknown)", "known": 0, "unknown": 1} in found["insn_stat"], f"{found['insn_stat']}")
    text = annotate("-i", "le.data", "--type-stat", "--insn-stat").stdout
    check("\ntotal 6, ok 4 (66.7%), bad 2 (33.3%)\n" in text, text)
    check("\n         1 : the instruction does not access memory\n" in text, text)
    check(re.search(r"^  movq +: +3 +0$", text, re.M), text)
    after = annotate("-i", "le.data", "--data-type", "--type-stat").stdout
    check(after.startswith("Annotate type:") and after.endswith("\n\n") and "Annotate data type stats:" in after, after)


def test_refusals(following):
    refuses("no sample accesses data of type 'rin'\ndid you mean 'ring'?", "-i", "le.data", "--data-type=rin")
    refuses("did you mean 'struct ring'?", "-i", "le.data", "--data-type=struct rung")
    refuses("no sample accesses data of type '\\x1b'\n'--type-stat' shows why", "-i", "le.data", "--data-type=\033")
    refuses("there is no function 'ring' in the recording\nfor a type, write --data-type=ring",
            "-i", "le.data", "--data-type", "ring")
    write("arm.data", [(1, following, 1)], arch="s390x")
    for words in (["--data-type"], ["--type-stat"], ["--insn-stat"], ["--code-with-type"]):
        refuses("types of data are not known for code of machine 's390x'", "-i", "arm.data", *words)
    run("strip", "-o", "bare", "rings")
    write("bare.data", [(1, following, 1)], program="bare")
    check("\n         1 : the function has no debug information\n" in annotate("-i", "bare.data", "--type-stat").stdout,
          "a stripped binary")


OPTIONS = run(PFX, "version", "--build-options").stdout
build("rings", SOURCE, "-O2")
if "capstone: [ on  ]" not in OPTIONS or "libdw: [ on  ]" not in OPTIONS:
    write("none.data", [(1, symbol("rings", "chase")[0], 1)])
    if "capstone: [ on  ]" not in OPTIONS:
        refuses("pfx was built without a disassembler", "-i", "none.data", "--data-type")
    print("SKIP: this build knows no types of data")
    raise SystemExit(77)
if "x86_64" not in run("uname", "-m").stdout:
    print("SKIP: the code of this test is for x86_64")
    raise SystemExit(77)
NEXT, HIGH, OTHER = accesses()
for byte_order in ("le", "be"):
    write(f"{byte_order}.data", [(1, NEXT, 300), (1, NEXT, 300), (1, HIGH, 300), (1, OTHER, 100), (1, 0x90000, 1),
                                 (2, NEXT, 50)], byte_order)
test_code(NEXT, HIGH)
test_types()
test_statistics()
test_refusals(NEXT)
finish()
