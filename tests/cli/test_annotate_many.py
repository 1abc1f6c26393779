# SPDX-License-Identifier: MIT
"""`pfx annotate` of recordings with thousands of events, functions and lines: memory grows with the
pairs that occur, not with all."""
import os

from annotating import build, make, symbol
from checks import PFX, check, finish
from libraries import built_in

START = 0xffffffff81000000
KERNEL = f"mmap2 pid=-1 tid=0 addr={START:#x} len=0x1000000 pgoff={START:#x} prot=5 misc=1 [kernel.kallsyms]_text\n"
BASE = 0x555555554000
LINES = "x++;\n" * 50
NR = 4000
MEMORY_MAX = 100000  # kB
KEPT_MAX = 300000  # kB, with the code of functions


def events(nr):
    return "".join(f"event e{i} type=hw config=0 period=1 sample=ip,tid,time,period,id ids={i + 1}\n" for i in range(nr))


def annotate_small(*words, memory=MEMORY_MAX):
    """Run it with a bound of its memory; its output is in the file "out"."""
    to_out = [(os.POSIX_SPAWN_OPEN, 1, "out", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)]
    child = os.posix_spawn(PFX, [PFX, "annotate", "-q", *words], os.environ, file_actions=to_out)
    _, status, usage = os.wait4(child, 0)
    check(status == 0 and usage.ru_maxrss < memory, f"{words}: {status}, {usage.ru_maxrss} kB")


def test_functions():
    make("functions.data", events(NR) + KERNEL + "".join(
        f"sample ip={START + 64 * i} pid=10 tid=10 time={i + 10} period=1 id={i + 1} misc=1\n" for i in range(NR)))
    with open("functions.kallsyms", "w", encoding="utf-8") as file:
        file.writelines(f"{START + 64 * i:x} T f{i}\n" for i in range(NR + 1))
    for words in ([], ["--json"], ["--group"], ["--lines"]):
        annotate_small("-i", "functions.data", "--kallsyms", "functions.kallsyms", *words)


def mapped(program):
    return (f"comm pid=10 tid=10 {program}\n"
            f"mmap2 pid=10 tid=10 addr={BASE:#x} len=0x100000 pgoff=0 prot=5 {os.path.abspath(program)}\n")


def sample(offset, time, event):
    return f"sample ip={BASE + offset:#x} pid=10 tid=10 time={time} period=1 id={event}\n"


def test_code():
    """Functions with samples of the first and the last event."""
    nr = 100
    build("wide", "volatile int x;\n" + "".join(f"void f{i}(void) {{\n{LINES}}}\n" for i in range(nr)) +
          "int main(void) { return 0; }\n")
    starts = [symbol("wide", f"f{i}")[0] for i in range(nr)]
    make("code.data", events(NR) + mapped("wide") + "".join(
        sample(start, 10 + i + nr * (event == NR), event) for event in (1, NR) for i, start in enumerate(starts)))
    annotate_small("-i", "code.data", memory=KEPT_MAX)
    with open("out", encoding="utf-8") as file:
        titles = sum("Source code & Disassembly" in line for line in file)
    check(titles == 2 * nr, f"{titles} titles")


def test_lines():
    build("long", "volatile int x;\nint main(void)\n{\n" + "\tx++;\n" * NR + "\treturn 0;\n}\n")
    start, size = symbol("long", "main")
    make("lines.data", events(NR) + mapped("long") + "".join(
        sample(start + i * size // NR, 10 + i, i + 1) for i in range(NR)))
    annotate_small("-i", "lines.data", "--lines")
    with open("out", encoding="utf-8") as file:
        titles = sum("Source code of" in line for line in file)
    check(titles == NR, f"{titles} titles")


def test_types():
    """A structure with members of which few have samples."""
    nr = 3000
    build("big", "struct big { " + " ".join(f"int m{i};" for i in range(nr)) + " };\n"
          "__attribute__((noinline)) int read_one(struct big *big) { return big->m7; }\n"
          "int main(void) { struct big big = {0}; return read_one(&big); }\n", "-O1")
    start, size = symbol("big", "read_one")
    make("types.data", events(NR) + "feature arch str=x86_64\n" + mapped("big") + "".join(
        sample(start + at, 10 + at, 1) for at in range(size)))
    annotate_small("-i", "types.data", "--data-type")
    with open("out", encoding="utf-8") as file:
        check("struct big {" in file.read(), "the structure")


test_functions()
test_code()
if built_in("libdw"):
    test_lines()
if built_in("libdw") and built_in("capstone"):
    test_types()
finish()
