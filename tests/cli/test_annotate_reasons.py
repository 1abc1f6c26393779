# SPDX-License-Identifier: MIT
"""`pfx annotate` names what operands lead to, and gives one sentence for each reason why code is not shown:
binaries that are gone, changed, damaged or another build, kernels and modules without code, and BPF programs
and perf maps without anything to read."""
import json
import os
import re
import shutil
import struct

from annotating import annotate, build, document, make, refuses, run, symbol
from checks import PFX, check, finish
from libraries import built_in

PROGRAM = """#include <stdio.h>

static int table[64] = {1, 2, 3};
int zeros[512];

__attribute__((noinline)) unsigned work(int n)
{
	unsigned sum = 0;

	while (n--)
		sum += table[n & 63] + zeros[n & 511]++;
	puts("a message of the program");
	return sum;
}

int main(int argc, char **argv)
{
	return work(argc + (argv == 0)) == 7;
}
"""
EVENT = """event cpu-clock type=sw config=0 period=1 sample=ip,tid,time,period ids=1
feature hostname str=%s
feature osrelease str=0.0.0-none
feature arch str=x86_64
feature event_desc
comm pid=1 tid=1 time=1 "prog"
"""
BASE = 0x555555554000
TEXT = 0xffffffff81000000


def sampled(path, program, name="work", build_id=None, host="testhost"):
    """A recording with one sample in a function of the program."""
    at = symbol(program, name)[0] % 0x400000  # its offset in the file, for programs with fixed addresses, too
    extra = f"build_id={build_id}" if build_id else "maj=8 min=1 ino=77"
    make(path, (EVENT % host) + f"mmap2 pid=1 tid=1 time=1 addr={BASE:#x} len=0x1000000 pgoff=0 {extra} prot=5 "
         f"flags=2 {os.path.abspath(program)}\nsample ip={BASE + at:#x} pid=1 tid=1 time=2 period=1\nround\n")


def says(sentence, *words):
    """Of all functions, only this message is shown."""
    done = annotate(*words)
    check(not done.returncode and not done.stdout, f"{words}: {done.stdout[:300]} {done.stderr}")
    check(sentence in done.stderr.replace(os.getcwd() + "/", ""), f"{words}: {done.stderr!r} not {sentence!r}")


def names():
    """Objects, also those that are zero, and constant texts."""
    build("prog", PROGRAM, "-O1", "-Wl,--build-id=none")
    sampled("prog.data", "prog")
    if not built_in("capstone"):
        return
    insns = document("prog.data")["functions"][0]["instructions"]
    found = {i["name"] for i in insns if "data" in i and "name" in i}
    check({"table", "zeros"} <= found, f"names of data: {found}")
    texts = {i["string"] for i in insns if "string" in i}
    check(texts == {"a message of the program"}, f"constant texts: {texts}")
    text = annotate("-i", "prog.data").stdout
    check(re.search(r'# [0-9a-f]+ "a message of the program"\n', text), text)
    check(re.search(r"# [0-9a-f]+ <zeros>\n", text), text)


def numbers():
    """Constant numbers, and numbers that are addresses in a program with fixed addresses only."""
    code = """int table[64];
double values[2];
__attribute__((noinline)) int work(long n, int *at)
{
	values[0] = values[1] * 0.1 + 1e300;
	return n == NUMBER ? 5 : at == table ? 6 : 7;
}
int main(int argc, char **argv)
{
	return work(argc, (int *)argv) == 8;
}
"""
    for fixed in (False, True):
        flags = ["-O1", "-Wl,--build-id=none", *(["-fno-pie", "-no-pie"] if fixed else ["-fpie", "-pie"])]
        build("numbers", code, *flags, "-DNUMBER=0x123456")
        build("numbers", code, *flags, f"-DNUMBER={symbol('numbers', 'main')[0]:#x}")
        sampled("numbers.data", "numbers")
        if not built_in("capstone"):
            continue
        insns = document("numbers.data")["functions"][0]["instructions"]
        check({"0.1", "1e+300"} <= {i["value"] for i in insns if "value" in i}, f"values: {insns}")
        names = {i["name"] for i in insns if "data" in i and "name" in i}
        check("table" in names and ("main" in names) == fixed, f"fixed {fixed}: {names}")
        check(re.search(r"# [0-9a-f]+ = 0\.1\n", annotate("-i", "numbers.data").stdout), "a value in the text")


def namesakes():
    """A function without code does not hide another one of its name."""
    text = EVENT % "testhost"
    for i, (program, number) in enumerate((("changed", 3), ("here", 1))):
        build(program, PROGRAM, "-O1", "-Wl,--build-id=none")
        base = BASE + i * 0x2000000
        text += (f"mmap2 pid=1 tid=1 time=1 addr={base:#x} len=0x1000000 pgoff=0 maj=8 min=1 ino={77 + i} prot=5 flags=2 "
                 f"{os.path.abspath(program)}\n" + f"sample ip={base + symbol(program, 'work')[0]:#x} pid=1 tid=1 time=2 period=1\n" * number)
    make("namesakes.data", text + "round\n")
    words = ("-i", "namesakes.data", "work")
    check(annotate(*words).stdout.count("<work>:") == 2, "both are there")
    os.utime("here", (1, 1))
    os.utime("namesakes.data", (5, 5))
    done = annotate(*words)
    check(not done.returncode and done.stdout.count("<work>:") == 1, f"one is there: {done.returncode} {done.stdout[:200]}")
    check("changed' was changed after the recording" in done.stderr and "3 samples" in done.stderr, f"the other: {done.stderr}")
    check(len(document("namesakes.data", "work")["functions"]) == 1, "JSON has the one that is there")
    os.utime("here", (9, 9))
    refuses("the code of 'work' is not available: ", *words)


def other_files():
    """Without a build id: changed after the recording. With one: another build."""
    os.utime("prog.data", (1, 1))
    reason = "'prog' was changed after the recording, which has no build ID of it"
    says(f"the code of 'prog' is not available: {reason}; 1 of its functions with 1 sample is not shown",
         "-i", "prog.data")
    done = annotate("-i", "prog.data", "work")
    check("--symfs takes the files of a directory as they are" in done.stderr and
          f"the code of 'work' is not available: '{os.getcwd()}/{reason[1:]}" in done.stderr and done.returncode == 255, done.stderr)
    if not os.path.islink("root"):
        os.symlink("/", "root")
    check("<work>:" in annotate("-i", "prog.data", "--symfs", "root").stdout, "--symfs takes it")
    sampled("other.data", "prog", build_id="11" * 20)
    says("no symbols for 'prog': 'prog' is another build than the one that ran\n"
         "pfx annotate: no sample lies in a function that has a symbol\n", "-i", "other.data")
    refuses("there is no function 'work' in the recording\npfx annotate: no symbols for ", "-i", "other.data", "work")
    sampled("prog.data", "prog")
    os.rename("prog", "away")
    says("no symbols for 'prog': cannot read 'prog': No such file or directory\n", "-i", "prog.data")
    os.mkfifo("prog")
    says("no symbols for 'prog': 'prog' is not a regular file\n", "-i", "prog.data")
    os.unlink("prog")
    os.rename("away", "prog")


def many_without_symbols():
    """Three binaries are named, with -v all."""
    make("many.data", EVENT % "testhost" + "".join(
        f"mmap2 pid=1 tid=1 time=1 addr={BASE + i * 0x10000:#x} len=0x10000 pgoff=0 maj=8 min=1 ino={i} prot=5 flags=2 "
        f"/none/lib{i}.so\nsample ip={BASE + i * 0x10000 + 64:#x} pid=1 tid=1 time=2 period=1\n" for i in range(5)) +
        "round\n")
    says("pfx annotate: no symbols for '/none/lib2.so': cannot read '/none/lib2.so': No such file or directory\n"
         "pfx annotate: 2 more binaries lack symbols (-v shows each)\n", "-i", "many.data")
    check(annotate("-i", "many.data", "-v").stderr.count("no symbols for") == 5, "-v names all")


def hardly_any_without_symbols():
    """A binary with next to no samples is not worth a message, unless -v asks for it."""
    lib = "mmap2 pid=1 tid=1 time=1 addr=0x7000000 len=0x10000 pgoff=0 maj=8 min=1 ino=9 prot=5 flags=2 /none/lib.so\n"
    samples = 250 * f"sample ip={BASE + 64:#x} pid=1 tid=1 time=2 period=1\n"
    make("hardly.data", EVENT % "testhost" +
         f"mmap2 pid=1 tid=1 time=1 addr={BASE:#x} len=0x10000 pgoff=0 maj=8 min=1 ino=8 prot=5 flags=2 /none/bin\n" +
         lib + samples + "sample ip=0x7000040 pid=1 tid=1 time=2 period=1\nround\n")
    for words in ([], ["nosuch"]):
        said = annotate("-i", "hardly.data", *words).stderr
        check("'/none/bin'" in said and "lib.so" not in said and "more binaries" not in said, f"{words}: {said}")
        said = annotate("-i", "hardly.data", "-v", *words).stderr
        check("'/none/bin'" in said and "'/none/lib.so'" in said, f"{words} -v: {said}")


def heaviest_without_symbols():
    """Those with most samples are named first, and only those that -d asks for."""
    make("heavy.data", EVENT % "testhost" + "".join(
        f"mmap2 pid=1 tid=1 time=1 addr={BASE + i * 0x10000:#x} len=0x10000 pgoff=0 maj=8 min=1 ino={i} prot=5 flags=2 "
        f"/none/lib{i}.so\n" + f"sample ip={BASE + i * 0x10000 + 64:#x} pid=1 tid=1 time=2 period=1\n" * (i + 1)
        for i in range(5)) + "round\n")
    gone = "pfx annotate: no symbols for '/none/lib{0}.so': cannot read '/none/lib{0}.so': No such file or directory\n"
    says(gone.format(4) + gone.format(3) + gone.format(2) + "pfx annotate: 2 more ", "-i", "heavy.data")
    done = annotate("-i", "heavy.data", "-d", "lib1.so")
    check(done.stderr.startswith(gone.format(1)) and done.stderr.count("no symbols for") == 1, done.stderr)


def without_lines():
    """Functions are known, their lines are not."""
    build("bare", PROGRAM, "-g0")
    sampled("bare.data", "bare")
    if built_in("libdw"):
        says("no source line of the samples is known: their binaries have no debug information",
             "-i", "bare.data", "--lines")
    says("'bare.data' has no samples that match the options\n", "-i", "bare.data", "--lines", "--percent-limit", "50")


def inlined():
    """A function without code of its own: its instructions in other functions are shown, and its file."""
    with open("mix.h", "w", encoding="utf-8") as file:
        file.write("static inline __attribute__((always_inline)) unsigned twist(unsigned x)\n{\n\treturn x ^ x >> 7;\n}\n"
                   "static inline __attribute__((always_inline)) unsigned mix(unsigned x)\n{\n"
                   "\treturn twist(x * 2654435761u) + 7;\n}\n")
    build("mixed", '#include "mix.h"\n__attribute__((noinline)) unsigned hash(unsigned n)\n{\n\tunsigned h = 5;\n\n'
          "\twhile (n--)\n\t\th = mix(h + n);\n\treturn h;\n}\n"
          "__attribute__((noinline)) unsigned other(unsigned n)\n{\n\treturn n % 3 ? mix(n) / 3 : 1;\n}\n"
          "__attribute__((noinline)) unsigned third(unsigned n)\n{\n\treturn n / 9;\n}\n"
          "int main(int argc, char **argv)\n{\n\treturn hash(argc + !argv) + other(argc) + third(argc) == 7;\n}\n", "-O1")
    sizes = {name: symbol("mixed", name) for name in ("hash", "other", "third")}
    make("mixed.data", EVENT % "testhost" + f"mmap2 pid=1 tid=1 time=1 addr={BASE:#x} len=0x1000000 pgoff=0 maj=8 min=1 "
         f"ino=77 prot=5 flags=2 {os.path.abspath('mixed')}\n" + "".join(
             f"sample ip={BASE + at + i:#x} pid=1 tid=1 time=2 period=1\n" for at, size in sizes.values() for i in range(size)) +
         "round\n")
    for name in ("mix", "twist") if built_in("libdw") else ():
        done = annotate("-i", "mixed.data", name)
        check(f"'{name}' is inlined: its instructions in 2 functions are shown ('pfx annotate --lines {name}' shows its source lines)"
              in done.stderr and "<third>:" not in done.stdout, f"{name}: {done.stderr}")
        found = [f for f in document("mixed.data", name)["functions"] if f["symbol"] != "third"]
        check(sorted(f["symbol"] for f in found) == ["hash", "other"], f"{name}: {found}")
        for one in found:
            shown = set(re.findall(r"(?m)^ +[0-9.]+ : +([0-9a-f]+):", done.stdout.split(f"<{one['symbol']}>:")[1].split(" Percent ")[0]))
            wanted = {insn["address"][2:] for i, insn in enumerate(one["instructions"]) if any(
                at["first"] <= i <= at["last"] and at["name"] in ("twist", name) for at in one["inlined"])}
            check(shown == wanted and len(shown) < len(one["instructions"]), f"{name} in {one['symbol']}: {shown} not {wanted}")
            check("hash():\n" not in done.stdout and "other():\n" not in done.stdout, f"{name}: {done.stdout}")
        refuses(f"'{name}' has no code of its own: it is inlined in other functions", "-i", "mixed.data", name, "--type-stat")
        done = annotate("-i", "mixed.data", "--lines", name)
        check("mix.h for " in done.stdout and "mixed.c for" not in done.stdout, f"{name}: {done.stdout} {done.stderr}")
    refuses("there is no function 'mixx' in the recording", "-i", "mixed.data", "mixx")
    refuses("there is no function 'mix' in the recording", "-i", "mixed.data", "-d", "other", "mix")


def similar():
    """Functions by mangled names, with parameters, without their namespace or template arguments; misspelled names."""
    build("named", "unsigned sum(unsigned n) __asm__(\"_ZN2ns5Shelf3sumIlEET_S2_\");\n"
          "__attribute__((noinline)) unsigned sum(unsigned n)\n{\n\treturn n / 9;\n}\n"
          "int main(int argc, char **argv)\n{\n\treturn sum(argc + !argv) == 7;\n}\n", "-O1")
    sampled("named.data", "named", "_ZN2ns5Shelf3sumIlEET_S2_")
    shown = "ns::Shelf::sum<long>" if built_in("iberty") else "_ZN2ns5Shelf3sumIlEET_S2_"
    check(f"<{shown}>:" in annotate("-i", "named.data", shown).stdout, "a function of C++")
    for word in ("_ZN2ns5Shelf3sumIlEET_S2_", "ns::Shelf::sum<long>(long)", "ns::Shelf::sum", "sum<long>", "Shelf::sum",
                 "sum") if built_in("iberty") else ():
        check(f"<{shown}>:" in annotate("-i", "named.data", word).stdout, f"{word} asks for {shown}")
        found = json.loads(annotate("-i", "named.data", "--json", word).stdout)["functions"]
        check([function["symbol"] for function in found] == [shown], f"--json {word}: {found}")
        check(f"<{shown}>:" in annotate("--diff", "named.data", "-i", "named.data", word).stdout, f"--diff {word}")
        if built_in("libdw"):
            check("named.c for " in annotate("-i", "named.data", "--lines", word).stdout, f"--lines {word}")
    for word in ("ns::Shelf::smu<long>", "smu", "Shelf") if built_in("iberty") else ():
        refuses(f"there is no function '{word}' in the recording\ndid you mean '{shown}'?", "-i", "named.data", word)
    done = run(PFX, "report", "-i", "named.data", "-S", "sum<long>")
    check(f"did you mean '{shown}'?\n" in done.stderr or not built_in("iberty"), f"report -S: {done.stderr}")
    for word in ("", "(", "zz"):
        refuses(f"there is no function '{word}' in the recording\n", "-i", "named.data", word)
        check("did you mean" not in annotate("-i", "named.data", word).stderr, f"{word}: something similar")


def damaged():
    """A binary that ends before its symbols, and sections outside of the file."""
    build("cut", PROGRAM, "-O1", "-Wl,--build-id=none")
    sampled("cut.data", "cut")
    with open("cut", "rb") as file:
        data = bytearray(file.read())
    segments, = struct.unpack_from("<Q", data, 32)
    for i in range(struct.unpack_from("<H", data, 56)[0]):
        at = segments + 56 * i
        if struct.unpack_from("<I", data, at)[0] == 1 and data[at + 4] & 1:
            struct.pack_into("<Q", data, at + 8, len(data) + 4096)
    with open("cut", "wb") as file:
        file.write(data)
    os.utime("cut", (1, 1))
    done = annotate("-i", "cut.data")
    check(not done.returncode, f"a damaged binary: {done.stderr}")


def core(path, segments):
    """An ELF core with these (address, bytes)."""
    head = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 4, 62, 1, 0, 64, 0, 0, 64, 56, len(segments), 0, 0, 0)
    at, table, body = 64 + 56 * len(segments), b"", b""
    for addr, code in segments:
        table += struct.pack("<IIQQQQQQ", 1, 5, at + len(body), addr, 0, len(code), len(code), 4096)
        body += code
    with open(path, "wb") as file:
        file.write(head + table + body)


def kernel():
    """The recording's own copy of a kernel; a module and a BPF program that call it; no copy."""
    module = TEXT + 0x20000000
    with open("kallsyms", "w", encoding="ascii") as file:
        file.write(f"{TEXT:x} T _text\n{TEXT + 16:x} T work\n{TEXT + 32:x} T end\n"
                   f"{module:x} t in_module\t[mod]\n{module + 16:x} t after\t[mod]\n")
    call = b"\xe8" + struct.pack("<i", TEXT + 16 - (module + 5)) + b"\xc3" + 10 * b"\x90"
    core("kcore", [(TEXT, 48 * b"\x90"), (module, call + 16 * b"\x90")])
    maps = (f"mmap2 pid=-1 tid=-1 time=1 addr={TEXT:#x} len=0x1000000 pgoff={TEXT:#x} prot=5 misc=1 "
            "[kernel.kallsyms]_text\n"
            f"mmap2 pid=-1 tid=-1 time=1 addr={module:#x} len=0x1000 pgoff=0 prot=5 misc=1 "
            "/lib/modules/0.0.0-none/mod.ko\n")
    samples = "".join(f"sample ip={at:#x} pid=1 tid=1 time=2 period=1 misc=1\n" for at in (TEXT + 17, module + 5))
    make("kernel.data", EVENT % "testhost" + maps + samples + "round\n")
    says("the code of '[kernel.kallsyms]' is not available: there is neither a copy of the recorded kernel's memory "
         "nor its image, and another kernel runs here; 1 of its functions with 1 sample is not shown (record with --kcore, or name the image with --vmlinux)\n",
         "-i", "kernel.data", "--kallsyms", "kallsyms")
    refuses("there is no function 'mod' in the recording\ndid you mean 'in_module'?",
            "-i", "kernel.data", "--kallsyms", "kallsyms", "mod")
    os.makedirs("dir.data/kcore_dir", exist_ok=True)
    for name in ("kcore", "kallsyms"):
        shutil.copyfile(name, f"dir.data/kcore_dir/{name}")
    shutil.copyfile("kernel.data", "dir.data/data")
    done = annotate("-i", "dir.data")
    check("<work>:" in done.stdout and "<in_module>:" in done.stdout, f"kcore: {done.stdout} {done.stderr}")
    check(not built_in("capstone") or f"callq  {TEXT + 16:x} <work>" in done.stdout, f"a module calls the kernel: {done.stdout}")
    core("dir.data/kcore_dir/kcore", [(TEXT + 0x4000, b"\x90")])
    says("'dir.data/kcore_dir/kcore' has no code at that address", "-i", "dir.data")
    with open("dir.data/kcore_dir/kcore", "wb") as file:
        file.write(b"\x7fELF")
    says("another kernel runs here", "-i", "dir.data")


MODULE = """
extern int work(int), elsewhere(int);
static int counter;
__attribute__((noinline)) int after(int n) { return n * 7 + 1; }
__attribute__((noinline)) int in_module(int n)
{
	counter += work(n);
	return n > 3 ? after(n) + elsewhere(n) : counter;
}
"""


def module_file():
    """Without the kernel's memory: the module's file, with the addresses that can be known."""
    if os.uname().machine != "x86_64":
        return
    with open("mod.c", "w", encoding="ascii") as file:
        file.write(MODULE)
    done = run("cc", "-g", "-O2", "-mcmodel=kernel", "-fno-pic", "-fno-pie", "-ffreestanding", "-c", "-o", "mod.ko", "mod.c")
    check(not done.returncode, f"cc: {done.stderr}")
    at, size = symbol("mod.ko", "in_module")
    base, after = TEXT + 0x21000000, symbol("mod.ko", "after")[0]
    with open("kallsyms", "w", encoding="ascii") as file:
        file.write(f"{TEXT:x} T _text\n{TEXT + 16:x} T work\n{TEXT + 32:x} T end\n"
                   f"{base + after:x} t after\t[mod]\n{base + at:x} t in_module\t[mod]\n")
    make("module.data", EVENT % "testhost" +
         f"mmap2 pid=-1 tid=-1 time=1 addr={TEXT:#x} len=0x1000000 pgoff={TEXT:#x} prot=5 misc=1 [kernel.kallsyms]_text\n"
         f"mmap2 pid=-1 tid=-1 time=1 addr={base:#x} len=0x1000 pgoff=0 prot=5 misc=1 {os.path.abspath('mod.ko')}\n"
         f"sample ip={base + at + 4:#x} pid=1 tid=1 time=2 period=1 misc=1\nround\n")
    words = ("-i", "module.data", "--kallsyms", "kallsyms", "in_module")
    done = annotate(*words)
    check(f"{base + at:016x} <in_module>:" in done.stdout and not done.stderr.count("not available"), f"{done.stdout} {done.stderr}")
    if built_in("capstone"):
        for wanted in (rf"callq  {TEXT + 16:x} <work>\n", rf"{base + after:x} <after>\n", r"callq  <elsewhere>\n", r"\(%rip\).*# <\.bss>\n"):
            check(re.search(wanted, done.stdout), f"{wanted}: {done.stdout}")
        insns = document("module.data", "--kallsyms", "kallsyms")["functions"][0]["instructions"]
        names = {insn["name"]: insn for insn in insns if "name" in insn}
        check("target" not in names["elsewhere"] and names["elsewhere"]["unlinked"] and "unlinked" not in names["work"], f"{names}")
        check(sum(len(insn["bytes"]) // 2 for insn in insns) == size, "bytes of the function")
    check(not built_in("libdw") or "counter += work(n);" in done.stdout, done.stdout)
    os.truncate("mod.ko", os.path.getsize("mod.ko") // 2)
    done = annotate(*words)
    check(done.returncode == 255 and "another kernel runs here" in done.stderr, f"a module that was cut: {done.stderr}")


def made_code():
    """Programs that made code at run time and are gone, or ran elsewhere."""
    perf_map = f"/tmp/perf-{os.getpid()}.map"
    with open(perf_map, "w", encoding="ascii") as file:
        file.write("10000 100 jitted\n")
    at, pid = 0x10010, os.getpid()
    anon = f"mmap2 pid={pid} tid={pid} time=1 addr=0x10000 len=0x1000 pgoff=0 prot=5 flags=34 //anon\n"
    sample = f"sample ip={at:#x} pid={pid} tid={pid} time=2 period=1\nround\n"
    make("elsewhere.data", EVENT % "no-such-host" + anon + sample)
    says(f"process {pid}, which has it in memory, ran on another machine", "-i", "elsewhere.data")
    make("here.data", (EVENT % os.uname().nodename).replace("0.0.0-none", os.uname().release) + anon + sample)
    says(f"the recording does not show whether process {pid} is the recorded one", "-i", "here.data")
    other = f"mmap2 pid={pid} tid={pid} time=1 addr=0x400000 len=0x1000 pgoff=0 maj=1 min=1 ino=9 prot=5 flags=2 /x\n"
    make("here.data", (EVENT % os.uname().nodename).replace("0.0.0-none", os.uname().release) + other + anon + sample)
    says(f"process {pid} is not the recorded one: it has '/x' at another address", "-i", "here.data")
    os.unlink(perf_map)
    make("bpf.data", EVENT % "testhost" + "ksymbol addr=0xffffffffa0000000 len=64 type=1 time=1 "
         "bpf_prog_0102030405060708_gone\nsample ip=0xffffffffa0000004 pid=1 tid=1 time=2 period=1 misc=1\nround\n")
    says("the recording has no code of this BPF program, and the running kernel ", "-i", "bpf.data")
    refuses("the code of 'bpf_prog_0102030405060708_gone' is not available: the recording has no code of this BPF "
            "program", "-i", "bpf.data", "bpf_prog_0102030405060708_gone")
    check("no symbols for" not in annotate("-i", "bpf.data").stderr, "a BPF program whose samples have a symbol")


def missing_libraries():
    """A build without a library says so in one sentence, and shows what it can."""
    sampled("prog.data", "prog")
    done = annotate("-i", "prog.data")
    for name, sentence in (("capstone", "instructions are shown as bytes: pfx was built without a disassembler"),
                           ("libdw", "source lines are not shown: pfx was built without libdw")):
        check((sentence in done.stderr) != built_in(name), f"built in or not: {name}: {done.stderr}")
    check("<work>:" in done.stdout and ("  .byte " in done.stdout) != built_in("capstone"), done.stdout)
    lines = document("prog.data")["functions"][0]["lines"]
    check(any("self" in line for line in lines) == built_in("libdw"), f"costs of lines: {lines}")
    done = annotate("-i", "prog.data", "--no-source", "work")
    check("libdw" not in done.stderr, f"lines that are not wanted: {done.stderr}")
    sentence = "source lines are not shown: pfx was built without libdw"
    for words in ([], ["prog.c"], ["work"]):
        done = annotate("-i", "prog.data", "--lines", *words)
        check((sentence in done.stderr) != built_in("libdw"), f"--lines {words}: {done.stderr}")
        check(("Source code of " in done.stdout) == built_in("libdw"), f"--lines {words}: {done.stdout}")
        check("has no samples" not in done.stderr, f"--lines {words}: {done.stderr}")


names()
numbers()
missing_libraries()
namesakes()
other_files()
many_without_symbols()
hardly_any_without_symbols()
heaviest_without_symbols()
without_lines()
inlined()
similar()
damaged()
kernel()
module_file()
made_code()
finish()
