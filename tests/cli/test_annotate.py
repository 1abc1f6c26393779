# SPDX-License-Identifier: MIT
"""`pfx annotate` on a program that is built here and on recordings that are made of words: costs of
instructions, of source lines and of what is inlined add up, sources are found where the user says,
and a hostile or missing file is reported in one message."""
import os
import re
import shutil
import sys

from annotating import annotate, build, document, make, refuses, run, symbol
from checks import PFX, check, finish
from libraries import built_in

PROGRAM = """#include <stdio.h>

static inline __attribute__((always_inline)) unsigned hash(const char *text)
{
	unsigned h = 0;

	while (*text)
		h = h * 31 + (unsigned char)*text++;
	return h;
}

__attribute__((noinline)) unsigned work(const char *text, int n)
{
	unsigned sum = 0;

	while (n--)
		sum += hash(text + n % 3);
	return sum;
}

int main(int argc, char **argv)
{
	return work(argv[0], argc) == 7;
}
"""

EVENTS = """event cpu-clock type=sw config=0 period=100 sample=ip,tid,time,id,period,callchain ids=1
event task-clock type=sw config=1 period=100 sample=ip,tid,time,id,period,callchain ids=2
feature arch str={arch}
feature event_desc
comm pid=1 tid=1 "prog"
mmap2 pid=1 tid=1 addr=0x555555554000 len=0x1000000 pgoff=0 maj=8 min=1 ino=77 prot=5 flags=2 {path}
"""
BASE = 0x555555554000


def write_recording(path, program, samples, arch="x86_64", order="le"):
    """samples: (event, address in the program, period, callers' addresses)."""
    text = EVENTS.format(arch=arch, path=os.path.abspath(program))
    for i, (event, addr, period, callers) in enumerate(samples):
        chain = "".join(f",{BASE + at:#x}" for at in callers)
        text += (f"sample ip={BASE + addr:#x} pid=1 tid=1 time={1000 + i} id={event} period={period} "
                 f"chain=0xfffffffffffffe00,{BASE + addr:#x}{chain}\n")
    text += "round\n"
    make(path, text, order)


def look_at_costs(path, start, size):
    found = document(path)
    check([f["symbol"] for f in found["functions"]] == ["work", "main"], f"functions: {found['functions']}")
    work = found["functions"][0]
    insns = work["instructions"]
    check(int(insns[0]["address"], 16) == start, f"begins at {insns[0]['address']}")
    check(sum(len(i["bytes"]) // 2 for i in insns) == size, "the instructions do not fill the function")
    check(work["totals"] == [{"period": 600, "samples": 3}, {"period": 50, "samples": 1}], f"totals {work['totals']}")
    for event in range(2):
        for key in ("period", "samples"):
            total = sum(i["costs"][event][key] for i in insns if "costs" in i)
            check(total == work["totals"][event][key], f"{key} of {event}: {total}")
    return work


def look_at_lines(work):
    text = {line["line"]: line for line in work["lines"] if line["file"].endswith("prog.c")}
    loop = text.get(17, {})
    check(loop.get("text") == "\\t\\tsum += hash(text + n % 3);".replace("\\t", "\t"), f"text of line 17: {loop}")
    total = sum(line["self"][0]["period"] for line in work["lines"] if "self" in line)
    check(total == work["totals"][0]["period"], f"lines have {total} of the period")
    names = {one["name"] for one in work["inlined"]}
    check(names == {"hash"}, f"inlined: {names}")
    inlined = sum(i["costs"][0]["period"] for i in work["instructions"] if "inlined" in i and "costs" in i)
    check(inlined > 0, "no sample lies in the inlined function")
    check(loop["inclusive"][0]["period"] >= inlined, f"line 17 does not have what is inlined in it: {loop}")


def pick(program, start, size, path):
    """An address inside of the inlined loop, by pfx's own JSON, and one outside of it."""
    write_recording(path, program, [(1, start, 1, [])])
    insns = document(path)["functions"][0]["instructions"]
    inside = [int(i["address"], 16) for i in insns if "inlined" in i]
    check(inside, "nothing is inlined in work()")
    check(all(start <= at < start + size for at in inside), "instructions outside of the function")
    return inside[0], inside[-1]


def try_costs():
    if os.path.lexists("prog.c"):
        os.unlink("prog.c")
    build("prog", PROGRAM, "-O1")
    start, size = symbol("prog", "work")
    main = symbol("prog", "main")[0]
    first, last = pick("prog", start, size, "pick.data")
    samples = [(1, first, 100, [main + 5]), (1, first, 200, [main + 5]), (1, last, 300, [main + 5]),
               (2, start, 50, [main + 5]), (1, main, 10, [])]
    for order in ("le", "be"):
        write_recording(f"{order}.data", "prog", samples, order=order)
        work = look_at_costs(f"{order}.data", start, size)
        look_at_lines(work)
    le, be = (annotate("-i", f"{order}.data").stdout for order in ("le", "be"))
    check(le == be, "the byte order of a recording changes the text")
    caller = document("le.data", "-s", "main")["functions"][0]
    calls = [line["inclusive"][0]["period"] for line in caller["lines"] if "inclusive" in line]
    check(max(calls) == 610, f"main()'s lines have {calls}, with 600 of what they called")
    return start


def try_text(start):
    text = annotate("-i", "le.data", "work").stdout
    check(f"\n         :      {start:016x} <work>:\n" in text, f"title: {text[:400]}")
    check(" Percent |\tSource code & Disassembly of prog for cpu-clock (3 samples, percent: local period)\n" in text,
          f"title: {text[:200]}")
    check(re.search(r"^   50\.00 : +[0-9a-f]+:   ", text, re.M), "no instruction with half of the period")
    check(": 17                   sum += hash(text" in text,
          "tabs of sources become blanks")
    check("work()" in text and "hash()" in text, "functions are named")
    for words, wanted in ((["-n"], "\n       2 : "), (["--show-total-period"], "\n         300 : "),
                          (["--percent-type", "global-hits"], "\n   50.00 : "), (["--asm-raw"], "\n    0.00 :   "),
                          (["-M", "intel"], " ptr ["), (["-l"], " // prog.c:"), (["--stdio2"], "Samples: 3  of event"),
                          (["--group"], "for cpu-clock, task-clock (3 samples"), (["-P"], os.path.abspath("prog")),
                          (["--stdio-color", "always"], "\033[31m   50.00"), (["--context", "0"], ":      ...\n")):
        out = annotate("-i", "le.data", "-s", "work", *words)
        check(wanted in out.stdout and not out.returncode, f"{words}: {wanted!r} is not in {out.stdout[:600]}")
    out = annotate("-i", "le.data", "--top", "1").stdout
    check("<work>:" in out and "<main>:" not in out.split("task-clock", maxsplit=1)[0], "--top 1 shows one function")
    try_groups()
    for word in ("--objdump", "--addr2line"):
        out = annotate("-i", "le.data", "-s", "work", word, "/bin/x")
        check(f"{word} has no effect: pfx" in out.stderr and out.stdout, f"{word}: {out.stderr}")


def try_groups():
    """The events of a group are side by side, others only with --group."""
    with open("le.data.txt", encoding="utf-8") as file:
        text = file.read()
    events = text.count("\nevent ") + 1
    check(events == 2 and "feature event_desc\n" in text, "the recording has two events")
    make("grouped.data", text.replace("feature event_desc\n", "feature event_desc\nfeature group_desc u32=1 str=\"{anon_group}\" u32=0 u32=2\n"))
    both, alone = "anon group { cpu-clock, task-clock }", (" for cpu-clock (3", " for task-clock (1")
    for words, is_joined in (([], True), (["--group"], True), (["--no-group"], False)):
        out = annotate("-i", "grouped.data", "work", *words).stdout
        check((both in out) == is_joined, f"{words}: {out[:200]}")
        check(all(title in out for title in alone) != is_joined, f"{words}: each event alone: {out[:200]}")


def lines_document(*words):
    return document("le.data", "--lines", *words, schema="lines")


def try_lines():
    """The costs of a file are those of its functions, and what its functions call."""
    (file,) = lines_document()["files"]
    costs = {}
    for function in document("le.data")["functions"]:
        for line in function["lines"]:
            own = costs.setdefault(line["line"], [0, 0])
            for event, cost in enumerate(line.get("self", [])):
                own[event] += cost["period"]
    for line in file["lines"]:
        check([cost["period"] for cost in line["self"]] == costs[line["line"]], f"self cost of {line}")
    check(sum(sum(costs[line]) for line in costs) == 660, f"costs of functions: {costs}")
    check([cost["period"] for cost in file["self"]] == [610, 50], f"the file: {file['self']}")
    check(file["inclusive"] == file["self"], f"all samples are in the file: {file['inclusive']}")
    call = next(line for line in file["lines"] if "return work(" in line["text"])
    check(call["inclusive"] == [{"period": 610, "samples": 4}, {"period": 50, "samples": 1}], f"the caller: {call}")
    whole = lines_document("--whole-files")["files"][0]["lines"]
    check([line["line"] for line in whole] == list(range(1, PROGRAM.count("\n") + 1)), "--whole-files")
    near = lines_document("--context", "1")["files"][0]["lines"]
    check(len(file["lines"]) < len(near) < len(whole), f"{len(near)} lines with --context 1")
    for order in ("le", "be"):
        for words in ([], ["prog.c"], [os.path.abspath("prog.c")], ["work"], ["-s", "main"]):
            text = annotate("-i", f"{order}.data", "--lines", *words).stdout
            check(text == annotate("-i", "le.data", "--lines").stdout and text.count("Source code of") == 2,
                  f"{order} --lines {words}: {text}")


def try_lines_text():
    """Each line near cost, in the columns of the events that are shown."""
    text = annotate("-i", "le.data", "--lines", "--context", "1").stdout
    title = f"Source code of {os.getcwd()}/prog.c for "
    check(f"Children    Self |\t{title}cpu-clock (4 samples, percent: global period)\n-----" in text, text)
    rows = [line for line in text.splitlines() if " : " in line]
    check(any(re.fullmatch(r"   98\.36 +[0-9.]+ : 17                   sum \+= hash\(text \+ n % 3\);", row)
              for row in rows), f"line 17: {rows}")
    check(any(re.fullmatch(" {17}: (16|18)  +[a-z].*", row) for row in rows), f"lines without cost: {rows}")
    check("                 : ..." in rows, f"lines are left out: {rows}")
    for words, wanted in ((["-n"], r"^       3 +\d+ : 17 "), (["--show-total-period"], r"^         600 +\d+ : 17 "),
                          (["--percent-type", "local-hits"], r"^   75\.00 +[0-9.]+ : 17 .*sum"),
                          (["--group"], r"^Children    SelfChildren    Self \|\t.* for cpu-clock, task-clock \(4 samples"),
                          (["--stdio-color", "always"], "^\033\\[31m   98.36\033"),
                          (["--top", "1"], " for task-clock "), (["--context", "0"], "^ {17}: \\.\\.\\.\n.* : 17 ")):
        out = annotate("-i", "le.data", "--lines", *words)
        check(re.search(wanted, out.stdout, re.M) and not out.returncode, f"{words}: {wanted!r} is not in {out.stdout}")
    check(not annotate("-i", "le.data", "--lines", "--percent-limit", "100").stdout.count("cpu-clock") > 1, "the limit")
    refuses("there is no source file or function 'prg.c' in the recording\ndid you mean 'prog.c'?",
            "-i", "le.data", "--lines", "prg.c")
    refuses("there is no source file or function 'rog.c'", "-i", "le.data", "--lines", "rog.c")
    refuses("--lines and --stdio2 are two forms: choose one", "--lines", "--stdio2")
    for types in ("--data-type", "--type-stat", "--insn-stat", "--code-with-type"):
        refuses("--lines shows source lines, not types of data: choose one", "--lines", types)
    refuses("--whole-files needs --lines", "--whole-files")
    refuses("--lines shows source lines: it cannot be used with --no-source", "--lines", "--no-source")
    os.rename("prog.c", "away.c")
    gone = annotate("-i", "le.data", "--lines")
    check(re.search("^   98.36 +[0-9.]+ : 17$", gone.stdout, re.M) and "sum" not in gone.stdout
          and ": ..." not in gone.stdout, gone.stdout)
    check(f"the text of '{os.getcwd()}/prog.c' is not shown: it does not exist (--source-path FROM=TO names its folder)" in gone.stderr, f"a source that is gone: {gone.stderr}")
    os.rename("away.c", "prog.c")


def try_sources():
    shutil.rmtree("moved", ignore_errors=True)
    os.mkdir("moved")
    os.rename("prog.c", "moved/prog.c")
    gone = annotate("-i", "le.data", "work").stdout
    check("prog.c:17\n" in gone and "sum += hash" not in gone, "lines of a file that is gone")
    for words in (["--source-path", f"{os.getcwd()}={os.getcwd()}/moved"],
                  ["--prefix", f"{os.getcwd()}/moved", "--prefix-strip", str(os.getcwd().count("/"))]):
        done = annotate("-i", "le.data", "work", *words)
        check("sum += hash" in done.stdout and "--source-path" not in done.stderr,
              f"{words}: the source is not found: {done.stderr}")
    done = annotate("-i", "le.data", "work", "--source-path", "/none/\33=/nowhere")
    check("--source-path: no source file of the shown functions is below '/none/\\x1b'" in done.stderr,
          f"a mapping that fits nothing: {done.stderr}")
    os.mkfifo("prog.c")
    check(annotate("-i", "le.data", "work").stdout == gone, "a FIFO in place of the source")
    os.unlink("prog.c")
    os.symlink("/proc/kmsg", "prog.c")
    check(annotate("-i", "le.data", "work").stdout == gone, "a file of the kernel that waits for text")
    os.unlink("prog.c")
    with open("prog.c", "w", encoding="utf-8") as file:
        file.write("\033[2J\n" * 40)
    out = annotate("-i", "le.data", "work").stdout
    check("\\x1b[2J" in out and "\033" not in out, "escapes in a source")
    shutil.copyfile("prog", "prog.c")
    check(annotate("-i", "le.data", "work").stdout == gone, "a binary in place of the source")
    os.unlink("prog.c")
    with open("prog.c", "w", encoding="utf-8") as file:
        file.write("int one;\nint two;\n")
    os.utime("prog.c", (1, 1))
    done = annotate("-i", "le.data", "work")
    check(done.stdout == gone and "the text of 'SRC' may be that of other lines: it has fewer lines than the program "
          "says\n".replace("SRC", f"{os.getcwd()}/prog.c") in done.stderr, f"a short source: {done.stderr}")
    os.unlink("prog.c")
    os.rename("moved/prog.c", "prog.c")
    check("other lines" not in annotate("-i", "le.data", "work").stderr, "the source that was compiled")
    at = os.stat("prog.c")
    os.utime("prog.c", (1 << 31, 1 << 31))
    done = annotate("-i", "le.data", "work")
    check("sum += hash" in done.stdout and "may be that of other lines: it was changed after the recording\n" in done.stderr,
          f"a newer source: {done.stderr}")
    check("other lines" not in annotate("-q", "-i", "le.data", "work").stderr, "-q")
    os.utime("prog.c", ns=(at.st_atime_ns, at.st_mtime_ns))


def try_config():
    """Keys of the configuration are defaults of options."""
    with open("annotate.config", "w", encoding="utf-8") as file:
        file.write("[annotate]\n\tshow_nr_samples = yes\n\tdisassembler_style = intel\n\thide_src_code = yes\n"
                   f"\tjump_arrows = no\n\tsource-path = /none=/nowhere\n\tsource-path = {os.getcwd()}={os.getcwd()}/moved\n")

    def configured(*words):
        return annotate("-i", "le.data", *words, config="annotate.config")

    text = configured("work").stdout
    check(text.startswith(" Samples ") and " ptr [" in text and "sum +=" not in text, f"with keys: {text}")
    os.rename("prog.c", "moved/prog.c")
    text = configured("work", "--show-total-period", "-M", "att", "--source").stdout
    check(text.startswith(" Period ") and " ptr [" not in text and "sum += hash" in text, f"options override: {text}")
    check("sum += hash" in configured("--lines").stdout, "--lines does not show the source")
    os.rename("moved/prog.c", "prog.c")
    with open("annotate.config", "w", encoding="utf-8") as file:
        file.write("[annotate]\n\tsource-path = /x\n")
    check(configured().returncode == 129, "a mapping without =")


def try_refusals():
    refuses("there is no function 'wrk' in the recording\ndid you mean 'work'?", "-i", "le.data", "wrk")
    refuses("no sample lies in '_start'", "-i", "le.data", "_start")
    refuses("'main' is a second one", "-i", "le.data", "work", "main")
    refuses("'\\x1b' is not a type of percentage", "--percent-type", "\033")
    refuses("'101' is not a percentage", "--percent-limit", "101")
    refuses("'x' is not a disassembler style: it is att or intel", "-M", "x")
    refuses("--prefix-strip needs --prefix", "--prefix-strip", "2")
    refuses("'/x' is not a mapping of source folders", "--source-path", "/x")
    refuses("--json and --stdio2 are two forms: choose one", "--json", "--stdio2")
    refuses("'le.data' is a recording", "le.data")
    refuses("cannot open 'none.data'", "-i", "none.data")
    refuses("'x' is not one of always, never, auto", "--stdio-color", "x")
    refuses("-C cannot choose: the samples of event 'cpu-clock' were recorded without their CPU", "-i", "le.data",
            "-C", "0")
    nobody = annotate("-i", "le.data", "-C", "0")
    check("has no samples" not in nobody.stderr, f"a refused run speaks of samples: {nobody.stderr}")
    nobody = annotate("-i", "le.data", "-d", "nobody")
    check(not nobody.returncode and not nobody.stdout and "'le.data' has no sample" in nobody.stderr,
          f"-d of nothing: {nobody.stderr}")
    check(annotate("-i", "le.data", "--percent-limit", "5%").stdout ==
          annotate("-i", "le.data", "--percent-limit", "5").stdout, "a percentage with its sign")
    os.rename("prog", "away")
    done = annotate("-i", "le.data")
    check(not done.returncode and not done.stdout, f"a binary that is gone: {done.stdout[:200]} {done.stderr}")
    os.rename("away", "prog")


def try_damaged():
    """All machines decode any bytes as code, without losing any. The machine is that of the ELF header, or if
    that is unknown, the recording's."""
    start, size = symbol("prog", "work")
    with open("prog", "rb") as file:
        program = bytearray(file.read())
    for arch, number in (("x86_64", 0x1234), ("aarch64", 183), ("armv7l", 40), ("s390x", 22), ("ppc64le", 21),
                         ("riscv64", 243), ("mips64", 8), ("nonsense", 0x1234)):
        program[18:20] = number.to_bytes(2, "little")
        with open("other", "wb") as file:
            file.write(program)
        write_recording("arch.data", "other", [(1, start, 1, [])], arch=arch)
        work = document("arch.data")["functions"][0]
        check(sum(len(i["bytes"]) // 2 for i in work["instructions"]) == size, f"{arch}: bytes are lost")
        text = annotate("-i", "arch.data")
        check(not text.returncode and "<work>:" in text.stdout, f"{arch}: {text.stderr}")
        if arch == "nonsense" and built_in("capstone"):
            check("instructions are shown as bytes: there is no disassembler for machine 'nonsense'" in text.stderr,
                  text.stderr)


def try_too_large():
    """A function that is too large is reported, and the others are shown."""
    with open("large.s", "w", encoding="utf-8") as file:
        file.write(".globl large\n.type large,@function\nlarge: .fill 5000000,1,0x90\n.size large,.-large\n"
                   ".globl main\n.type main,@function\nmain: ret\n.size main,.-main\n")
    done = run("cc", "-nostartfiles", "-Wl,-e,main", "-o", "large", "large.s")
    check(not done.returncode, f"cc: {done.stderr}")
    large, main = symbol("large", "large")[0], symbol("large", "main")[0]
    write_recording("large.data", "large", [(1, large, 100, []), (1, main, 1, [])])
    done = annotate("-i", "large.data")
    check(not done.returncode and "<main>:" in done.stdout, f"beside a large function: {done.stderr}")
    check("1 function of" in done.stderr and "has more than 4 MB of code and is not shown" in done.stderr, done.stderr)
    refuses("'large' has 4882 kB of code, more than the 4096 kB that are shown", "-i", "large.data", "large")


def try_dump():
    """-D shows the records as report does, and no code, even of a binary that is gone."""
    for words in ([], ["-f"], ["--strict"]):
        ours, reports = (run(PFX, command, "-D", *words, "-i", "le.data").stdout for command in ("annotate", "report"))
        check("PERF_RECORD_SAMPLE" in ours and "Aggregated stats:" in ours, f"-D {words}: {ours}")
        check(reports.endswith(ours), f"-D {words}: not as in report: {ours[:500]}")
    os.rename("prog", "away")
    done = annotate("-D", "-i", "le.data")
    check(not done.returncode and not done.stderr and done.stdout == ours, f"-D without the binary: {done.stderr}")
    os.rename("away", "prog")
    for words in (["--json"], ["--stdio2"], ["--lines"], ["--type-stat"]):
        refuses("-D shows records instead of code", "-D", *words, "-i", "le.data")


def make_recording():
    """The recording of try_costs(), for builds that know no inlined functions to take addresses from."""
    build("prog", PROGRAM, "-O1")
    start, main = symbol("prog", "work")[0], symbol("prog", "main")[0]
    write_recording("le.data", "prog", [(1, start, 600, [main + 5]), (2, start, 50, [main + 5]), (1, main, 10, [])])


if built_in("libdw"):
    BEGIN = try_costs()
    try_text(BEGIN)
    try_lines()
    try_lines_text()
    try_sources()
    try_config()
else:
    make_recording()
try_refusals()
try_dump()
try_damaged()
try_too_large()
finish()
