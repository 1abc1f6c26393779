# SPDX-License-Identifier: MIT
"""Every option of `pfx annotate` that perf has changes the output as its name says, and its long and short
forms do the same."""
import os
import re
import shutil

from annotating import annotate, build, make, refuses, symbol
from checks import PFX, check, finish
from libraries import built_in
from terminals import Terminal

TEXT = 0xffffffff81000000
BASE = 0x555555554000
PROGRAM = """
__attribute__((noinline)) unsigned other(unsigned n) { return n / 9; }
__attribute__((noinline)) unsigned work(unsigned n)
{
	unsigned sum = 0;

	while (n--)
		sum += other(n);
	return sum;
}
int main(int argc, char **argv) { return work(argc + !argv) == 7; }
"""
KERNEL_NAME, KERNEL_SHORT = "_RNvCs1234_4mods7do_work", "mods::do_work"


def prepare():
    """Three events, of which the last has no samples; a program, a library that is gone, and the kernel."""
    build("prog", PROGRAM, "-O1")
    samples = []
    for event, name, period, cpu in ((1, "work", 900, 0), (1, "work", 100, 3), (2, "work", 50, 0), (1, "other", 10, 3)):
        samples.append(f"sample ip={BASE + symbol('prog', name)[0]:#x} pid=1 tid=1 time=2 cpu={cpu} id={event} period={period}\n")
    make("three.data", "".join(
        f"event {name} type=sw config={config} period=1 sample=ip,tid,time,cpu,id,period read=id ids={config + 1}\n"
        for config, name in enumerate(("cpu-clock", "task-clock", "page-faults"))) +
        "feature hostname str=testhost\nfeature osrelease str=0.0.0-none\nfeature arch str=x86_64\nfeature event_desc\n"
        "feature group_desc u32=1 str=\"{anon_group}\" u32=0 u32=3\ncomm pid=1 tid=1 time=1 \"prog\"\n"
        f"mmap2 pid=-1 tid=-1 time=1 addr={TEXT:#x} len=0x1000000 pgoff={TEXT:#x} prot=5 misc=1 [kernel.kallsyms]_text\n"
        f"mmap2 pid=1 tid=1 time=1 addr={BASE:#x} len=0x1000000 pgoff=0 maj=8 min=1 ino=77 prot=5 flags=2 {os.path.abspath('prog')}\n"
        f"mmap2 pid=1 tid=1 time=1 addr=0x10000000 len=0x1000 pgoff=0 maj=8 min=1 ino=78 prot=5 flags=2 /nowhere/gone.so\n" +
        "".join(samples) +
        f"sample ip={TEXT + 17:#x} pid=1 tid=1 time=3 cpu=0 id=1 period=5 misc=1\nround\n")
    with open("kallsyms", "w", encoding="ascii") as file:
        file.write(f"{TEXT:x} T _text\n{TEXT + 16:x} T {KERNEL_NAME}\n{TEXT + 32:x} T end\n")


def same():
    """Short and long forms, and the forms that only choose a default."""
    plain = annotate("-i", "three.data", "work")
    check(not plain.returncode and "<work>:" in plain.stdout, plain.stderr)
    for one, other in ((["-n"], ["--show-nr-samples"]), (["-P"], ["--full-paths"]), (["-l"], ["--print-line"]),
                       (["-M", "intel"], ["--disassembler-style", "intel"]), (["-C", "0"], ["--cpu", "0"]),
                       (["-d", "prog"], ["--dsos", "prog"]), (["-q"], ["--quiet"]), (["-D"], ["--dump-raw-trace"]),
                       (["-m"], ["--modules"]), (["-f"], ["--force"]), (["-v"], ["--verbose"])):
        ours, theirs = (annotate("-i", "three.data", *words).stdout for words in (one, other))
        check(ours == theirs and ours, f"{one} is not {other}: {ours[:300]} {theirs[:300]}")
    check(annotate("--input", "three.data", "--symbol", "work").stdout == annotate("-i", "three.data", "-s", "work").stdout == plain.stdout,
          "-s and the argument")
    for words in (["--stdio"], ["--source"], ["--no-asm-raw"], ["--demangle"], ["--percent-type", "local-period"], ["--group"],
                  ["--stdio-color", "never"], ["--stdio-color", "auto"], ["--ignore-vmlinux"], ["-m"], ["--percent-limit", "0"]):
        check(annotate("-i", "three.data", "work", *words).stdout == plain.stdout, f"{words} is not the default")


def different():
    """Words that must appear, and words that must not."""
    work = f"{symbol('prog', 'work')[0]:x}"
    for words, wanted, unwanted in (
            (["work"], rf"^  100\.00  100\.00    0\.00 : +{work}:", "events of the group"),
            (["work", "--skip-empty"], rf"^  100\.00  100\.00 : +{work}:", " page-faults"),
            (["work", "--no-group"], r"for task-clock \(1 samples", "anon group"),
            (["work", "-n"], rf"^       2       1       0 : +{work}:", "100.00"),
            (["work", "--show-total-period"], rf"^        1000          50           0 : +{work}:", "100.00"),
            (["work", "--no-group", "--percent-type", "global-period"], rf"^   98\.52 : +{work}:", "local"),
            (["work", "--no-group", "--percent-type", "global-hits"], rf"^   50\.00 : +{work}:", "local"),
            (["work", "-C", "3"], r"\(1 samples", r"<other>:"),
            (["--percent-limit", "50"], "<work>:", "<other>:"),
            (["-d", "prog", "--percent-limit", "98.8"], "<work>:", "<other>:"),  # of the samples in prog, as in perf
            (["--top", "1"], "<work>:", "<other>:"),
            (["-d", "gone.so,prog"], "<other>:", "kallsyms"),
            (["work", "-P"], re.escape(os.path.abspath("prog")), "of prog for"),
            (["work", "--no-source"], r"work\(\):", r"while \(n--\)"),
            (["work", "--stdio2"], "^Samples: 2  of events", "Source code"),
            (["work", "--stdio-color", "always"], "\x1b\\[31m  100.00", "never")):
        done = annotate("-i", "three.data", *words)
        check(re.search(wanted, done.stdout, re.M), f"{words}: no {wanted!r}: {done.stdout[:900]} {done.stderr}")
        check(not re.search(unwanted, done.stdout), f"{words}: {unwanted!r}: {done.stdout[:900]}")
    refuses("no sample lies in 'work'", "-i", "three.data", "-d", "gone.so", "work")


def notes():
    """What has no effect says so; what is missing is reported unless it is not wanted."""
    for words, sentence in ((["--objdump", "/x"], "--objdump has no effect: pfx disassembles itself"),
                            (["--addr2line=/x"], "--addr2line has no effect: pfx reads source lines itself"),
                            (["--itrace=i100us"], "--itrace has no effect: AUX area data is not decoded"),
                            (["--itrace"], "--itrace has no effect: AUX area data is not decoded")):
        done = annotate("-i", "three.data", *words, "work")
        check(sentence in done.stderr and "<work>:" in done.stdout, f"{words}: {done.stderr}")
    kernel = ("-i", "three.data", "--kallsyms", "kallsyms")
    missing = "1 of its functions with 1 sample is not shown"
    check(missing in annotate(*kernel).stderr, annotate(*kernel).stderr)
    for words in (["--skip-missing"], ["-q"]):
        done = annotate(*kernel, *words)
        check(missing not in done.stderr and "<work>:" in done.stdout, f"{words}: {done.stderr}")


def demangled():
    """Names of the kernel only with --demangle-kernel."""
    kernel = ("-i", "three.data", "--kallsyms", "kallsyms")
    for words, name in (([], KERNEL_NAME), (["--demangle-kernel"], KERNEL_SHORT), (["--no-demangle", "--demangle-kernel"], KERNEL_NAME)):
        if built_in("iberty") or name == KERNEL_NAME:
            refuses(f"the code of '{name}' is not available", *kernel, *words, name)


def on_screen():
    """A function that is inlined everywhere: the code that contains it; one without its namespace: its code; one that does
    not exist: the table."""
    if not shutil.which("tmux") or not built_in("ncursesw") or not built_in("libdw"):
        return
    build("outer", "static inline __attribute__((always_inline)) unsigned inner(unsigned n) { return n * 77 ^ n >> 3; }\n"
          "unsigned outer(unsigned n) __asm__(\"_ZN2ns5outerEj\");\n"
          "__attribute__((noinline)) unsigned outer(unsigned n)\n{\n\tunsigned sum = 0;\n\n\twhile (n--)\n"
          "\t\tsum += inner(n);\n\treturn sum;\n}\nint main(int argc, char **argv) { return outer(argc + !argv) == 7; }\n", "-O1")
    at, size = symbol("outer", "_ZN2ns5outerEj")
    outer = "ns::outer" if built_in("iberty") else "_ZN2ns5outerEj"
    for chains in False, True:
        make(f"outer-{chains}.data", "event cpu-clock type=sw config=0 period=1 sample=ip,tid,time,period"
             f"{',callchain' * chains} ids=1\nfeature hostname str=testhost\n"
             "feature arch str=x86_64\nfeature event_desc\ncomm pid=1 tid=1 time=1 \"prog\"\n"
             f"mmap2 pid=1 tid=1 time=1 addr={BASE:#x} len=0x1000000 pgoff=0 maj=8 min=1 ino=77 prot=5 flags=2 {os.path.abspath('outer')}\n" +
             "".join(f"sample ip={BASE + at + i:#x} pid=1 tid=1 time=2 period=1{f' chain=user,{BASE + at + i:#x}' * chains}\n"
                     for i in range(size)) + "round\n")
        for name, said, title in (("inner", f"'inner' is inlined in '{outer}'", f"Code of {outer}"),
                                  ("outer" if built_in("iberty") else outer, f"Code of {outer}", "q quit"),
                                  ("nobody", "'nobody' has no samples, or no code to show", "Table of functions")):
            with Terminal([PFX, "annotate", "-i", f"outer-{chains}.data", name]) as terminal:
                shown = terminal.wait(said, title)
                check(said in shown and title in shown, f"{name}, chains {chains}: {shown}")


prepare()
same()
different()
notes()
demangled()
on_screen()
finish()
