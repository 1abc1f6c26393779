# SPDX-License-Identifier: MIT
"""`pfx annotate` of programs of other CPUs, compiled here by clang: the instructions, their addresses
and the targets of jumps are those of llvm-objdump, Thumb code and data between the code included."""
import os
import re
import shutil
import subprocess
import sys

from checks import KIT, PFX, check, finish
from libraries import built_in

sys.path.insert(0, os.path.join(os.environ["PFX_SOURCE_DIR"], "tests", "kit"))
from json_schema import Schema, parse  # noqa: E402

PROGRAM = """
static volatile unsigned sink, *where = &sink;

static inline __attribute__((always_inline)) unsigned hash(const char *text)
{
	unsigned h = 0x12345679;

	while (*text)
		h = h * 31 + (unsigned char)*text++;
	return h;
}

__attribute__((noinline)) unsigned leaf(unsigned n)
{
	return n * 0x9e3779b1u + 77;
}

__attribute__((noinline)) unsigned choose(unsigned n)
{
	switch (n % 9) {
	case 0: return leaf(n);
	case 1: return n + 7;
	case 2: *where = n; return 3;
	case 3: return leaf(n + 1) ^ 5;
	case 4: *where += 3; return 99;
	case 5: return n << 3;
	case 6: return leaf(n) - leaf(n + 2);
	default: return 1;
	}
}

__attribute__((noinline)) unsigned work(const char *text, unsigned n)
{
	unsigned sum = 0, i;

	for (i = 0; i < n; i++) {
		sum += hash(text + i % 3);
		if (sum & 1)
			sum ^= choose(i);
		else if (sum > 0x1000000)
			sum -= leaf(i);
	}
	return sum;
}

#ifdef __arm__
/* A pool of constants between instructions, and a function of the other instruction set. */
__attribute__((naked, noinline)) unsigned pool(void)
{
	__asm__("ldr r0, 1f\\nb 2f\\n.p2align 2\\n1: .word 0x12345678, 0xe12fff1e\\n2: bx lr");
}
#endif

void _start(void)
{
	for (;;)
		sink = work("some text", sink);
}
"""

# Machine of the recording, target and options of clang; None: no linker, the object file is the program.
MACHINES = [
    ("aarch64", "aarch64-linux-gnu", []),
    ("armv7l", "armv7-linux-gnueabihf", ["-marm"]),
    ("armv7l", "armv7-linux-gnueabihf", ["-mthumb"]),
    ("aarch64", "armv7-linux-gnueabihf", ["-mthumb"]),
    ("i686", "i386-linux-gnu", []),
    ("x86_64", "i386-linux-gnu", []),
    ("ppc64le", "powerpc64le-linux-gnu", []),
    ("s390x", "s390x-linux-gnu", None),
    ("riscv64", "riscv64-linux-gnu", []),
    ("x86_64", "x86_64-linux-gnu", []),
]

# Cross compilers; those that are installed are used.
CROSS = [
    ("aarch64", "aarch64-linux-gnu", []),
    ("armv7l", "arm-linux-gnueabihf", ["-marm"]),
    ("armv7l", "arm-linux-gnueabihf", ["-mthumb"]),
    ("i686", "i686-linux-gnu", []),
    ("ppc64le", "powerpc64le-linux-gnu", []),
    ("s390x", "s390x-linux-gnu", []),
]

FUNCTIONS = ["leaf", "choose", "work", "pool"]
BASE = 0x20000000  # where the first byte of the file is mapped
ROW = re.compile(r"^\s*([0-9a-f]+):\s+((?:[0-9a-f]{2}[ \t])+)\s*(\S+)\s*(.*)$")
COMMENT = re.compile(r"\s\s+[#@]")
TARGET = re.compile(r"\b0x([0-9a-f]+)")
SYMBOL = re.compile(r"^ *\d+: ([0-9a-f]+) +(\d+) FUNC .* (\S+)$", re.M)
TEXT = re.compile(r"\s\.text\s+PROGBITS\s+([0-9a-f]+) ([0-9a-f]+)")
# Capstone's names of what llvm-objdump calls otherwise, or does not know.
ALIASES = {("movz", "mov"), ("orr", "mov"), ("srk", "<unknown>"), ("ahik", "<unknown>"), ("sllk", "<unknown>"),
           (".byte", "<unknown>"), ("subf", "sub"), ("bgt", "bt"), ("blt", "bt"), ("beq", "bt"), ("ble", "bf"), ("bge", "bf"),
           ("bne", "bf"), ("addi", "li"), ("or.", "mr."), ("sgrk", "<unknown>")}
DATA = (".word", ".short", ".byte")
# capstone 5 names the short forms of RISC-V, llvm-objdump what they stand for.
SHORT = {"addi16sp": "addi", "addi4spn": "addi", "ldsp": "ld", "lwsp": "lw", "sdsp": "sd", "swsp": "sw"}
ADDRESSES = ("adr", "adrp", "larl", "ldr", "lea", "leal", "leaq")  # they name a place, but do not go there


def run(*argv):
    env = {**os.environ, "PFX_CONFIG": "/dev/null", "LC_ALL": "C"}
    return subprocess.run([str(a) for a in argv], text=True, errors="backslashreplace", env=env, check=False,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=900)


def must(*argv):
    done = run(*argv)
    check(not done.returncode, f"{' '.join(map(str, argv))}: {done.stderr}")
    return done.stdout


class Program:
    """A program, its functions, and what llvm-objdump says of them."""

    def __init__(self, path, is_arm=False):
        self.path, self.rows = path, {}
        is_arm = is_arm or path.startswith("arm")
        self.symbols = {name: (int(value, 16) & ~is_arm, int(size)) for value, size, name
                        in SYMBOL.findall(must("llvm-readelf", "-s", "-W", path)) if name in FUNCTIONS}
        addr, offset = TEXT.search(must("llvm-readelf", "-S", "-W", path)).groups()
        self.moved = int(offset, 16) - int(addr, 16)
        for line in must("llvm-objdump", "-d", path).splitlines():
            row = ROW.match(line)
            if row:
                self.rows[int(row.group(1), 16)] = (row.group(2).replace(" ", ""), row.group(3), row.group(4))


def build(target, options, *linking):
    name = "-".join([target, *(options or []), *linking])
    with open("prog.c", "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    must("clang", f"--target={target}", *(options or []), "-O2", "-g", "-ffreestanding",
         "-fpic" if linking else "-fno-pic", "-c", "-o", name + ".o", "prog.c")
    if options is None:
        return Program(name + ".o")
    must("ld.lld", *linking, "-o", name, name + ".o")
    return Program(name)


def build_by_gcc(prefix, options):
    """Linked by a cross compiler of the distribution, with its own choice of instructions."""
    name = "-".join(["gcc", prefix, *options])
    with open("prog.c", "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    must(f"{prefix}-gcc", *options, "-O2", "-g", "-ffreestanding", "-fno-pic", "-static", "-nostdlib", "-o", name, "prog.c")
    return Program(name, prefix.startswith("arm"))


def annotate(program, machine):
    order = "be" if machine == "s390x" else "le"
    text = f"""event cpu-clock type=sw config=0 period=100 sample=ip,tid,time,period ids=1
feature hostname str=testhost
feature arch str={machine}
feature event_desc
comm pid=1 tid=1 "prog"
mmap2 pid=1 tid=1 addr={BASE:#x} len=0x100000 pgoff=0 maj=8 min=1 ino=77 prot=5 flags=2 {os.path.abspath(program.path)}
"""
    for name, (start, _) in program.symbols.items():
        text += f"sample ip={BASE + start + program.moved:#x} pid=1 tid=1 time=1000 period={100 + len(name)}\n"
    with open("machine.txt", "w", encoding="utf-8") as file:
        file.write(text + "round\n")
    must(KIT, "--" + order, "machine.txt", "machine.data")
    found = parse(must(PFX, "annotate", "-i", "machine.data", "--json"))
    problem = Schema("annotate").wrong(found)
    check(not problem, f"{machine} {program.path}: {problem}")
    return {function["symbol"]: function for function in found["functions"]}


def compare_row(what, ours, theirs, moved):
    _, name, operands = theirs
    mine = ours["text"].split()[0]
    if mine.startswith("c."):
        mine = "ret" if ours["text"] == "c.jr ra" else SHORT.get(mine[2:], mine[2:])
    elif ours["text"].startswith("jalr zero, "):
        mine = "jr"
    if name in DATA:
        check(ours.get("unknown") and mine == ".byte", f"{what}: constants are decoded as {ours['text']}")
        return
    check(mine == name or (mine, name) in ALIASES, f"{what}: {ours['text']} is not {name} {operands}")
    operands = COMMENT.split(operands)[0]
    target = TARGET.search(operands)
    if "target" in ours or ("<" in operands and target and name not in ADDRESSES):
        check("target" in ours and target and int(ours["target"], 16) - moved == int(target.group(1), 16),
              f"{what}: {ours['text']} leads to {ours.get('target')}, not {operands}")


def compare(machine, program, function):
    start, size = program.symbols[function["symbol"]]
    moved = int(function["instructions"][0]["address"], 16) - start
    ours = {int(one["address"], 16) - moved: one for one in function["instructions"]}
    theirs = {addr: row for addr, row in program.rows.items() if start <= addr < start + size}
    what = f"{machine} {program.path} {function['symbol']}"
    apart = {addr for addr in ours.keys() ^ theirs.keys()  # llvm-objdump leaves out zeros
             if addr in theirs and theirs[addr][1] not in DATA or addr in ours and ours[addr]["bytes"].strip("0")
             and not ours[addr].get("unknown")}
    check(not apart, f"{what}: instructions begin at other addresses: {[hex(addr) for addr in sorted(apart)][:9]}")
    for addr in sorted(ours.keys() & theirs.keys()):
        compare_row(f"{what} {addr:x}", ours[addr], theirs[addr], moved)
    jumps = {(one["from"], one["to"]) for one in function["jumps"]}
    inner = {(i, one["to"]) for i, one in enumerate(function["instructions"]) if "to" in one}
    check(jumps == inner, f"{what}: jumps {jumps} are not {inner}")
    return len(jumps)


def try_machine(machine, program):
    found = annotate(program, machine)
    check(found.keys() == program.symbols.keys() and len(found) > 2, f"{machine} {program.path}: functions {[*found]}")
    nr = sum(compare(machine, program, function) for function in found.values())
    check(nr > 5, f"{machine} {program.path}: only {nr} jumps")
    if program.path.endswith(".o"):
        return
    lines = {line["line"]: line.get("text", "") for line in found["work"]["lines"] if line["file"].endswith("prog.c")}
    check(any("hash(text + i % 3)" in text for text in lines.values()), f"{machine} {program.path}: lines {lines}")
    check(any(one["name"] == "hash" for one in found["work"]["inlined"]), f"{machine} {program.path}: nothing inlined")


def try_bytes(machine, program):
    """Without a disassembler (capstone 4 has none for it), bytes in step with the instructions."""
    found = annotate(program, machine).values()
    if not all("unknown" in one for function in found for one in function["instructions"]):
        try_machine(machine, program)
        return
    for function in found:
        start, size = program.symbols[function["symbol"]]
        theirs = {addr for addr in program.rows if start <= addr < start + size}
        check({int(one["address"], 16) for one in function["instructions"]} == theirs, f"{machine}: out of step")


def built(target, source, text, *options):
    """A program of its own, and its functions."""
    name = f"small-{target}"
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    must("clang", f"--target={target}", *options, "-O2", "-ffreestanding", "-fno-pic", "-c", "-o", name + ".o", source)
    must("ld.lld", "-o", name, name + ".o")
    return Program(name, target.startswith("arm"))


def try_values():
    """The constant numbers that instructions read."""
    if not built_in("capstone"):
        return
    for machine, target in (("x86_64", "x86_64-linux-gnu"), ("i686", "i386-linux-gnu"), ("aarch64", "aarch64-linux-gnu"),
                            ("armv7l", "armv7-linux-gnueabihf")):
        found = annotate(built(target, "value.c", "double leaf(double x) { return x * 0.1; }\n"
                               "float work(float x) { return x / -1.5e-3f; }\nvoid _start(void) {}\n"), machine)
        for name, value in (("leaf", "0.1"), ("work", "-0.0015")):
            values = [one["value"] for one in found[name]["instructions"] if "value" in one]
            made = machine == "aarch64" and name == "work"  # in two instructions
            check(values == [value] or made, f"{machine} {name}: {values}")


def try_pages():
    """A page of arm64 is known only where no jump leads between the instruction that sets it and the one that uses it."""
    if not built_in("capstone"):
        return
    program = built("aarch64-linux-gnu", "page.s", """.globl work
.type work, %function
work:	cbz x0, 1f
	adrp x1, table
	nop
1:	ldr x2, [x1, :lo12:table]
	adrp x3, table
	ldr x4, [x3, :lo12:table]
	ret
.size work, .-work
.data
.balign 8
.type table, %object
table:	.quad 7
.size table, 8
""")
    found = annotate(program, "aarch64")["work"]["instructions"]
    names = {one["text"].split()[1]: one.get("name") for one in found if one["text"].startswith("ldr")}
    check(names == {"x2,": None, "x4,": "table"}, f"pages: {names}")


def try_stripped():
    """Bit 0 of the addresses of exported functions is enough for Thumb."""
    program = build("armv7-linux-gnueabihf", ["-mthumb"], "-shared")
    before = annotate(program, "armv7l")["leaf"]["instructions"]
    must("llvm-strip", program.path)
    after = annotate(program, "armv7l")["leaf"]["instructions"]
    check([one["text"] for one in before] == [one["text"] for one in after], f"stripped: {after}")
    check(before[-1]["text"] in ("nop", "bx lr"), f"not Thumb code: {before}")


for tool in ("clang", "ld.lld", "llvm-objdump", "llvm-readelf", "llvm-strip"):
    if not shutil.which(tool):
        print(f"SKIP: {tool} is not installed")
        sys.exit(77)
for one_machine, one_target, one_options in MACHINES:
    (try_bytes if one_machine == "riscv64" else try_machine)(one_machine, build(one_target, one_options))
for one_machine, one_prefix, one_options in CROSS:
    if shutil.which(f"{one_prefix}-gcc"):
        try_machine(one_machine, build_by_gcc(one_prefix, one_options))
try_values()
try_pages()
try_stripped()
finish()
