# SPDX-License-Identifier: MIT
"""Profiles for clang and BOLT of a small program: what they say of each address, line and branch, with and
without branch stacks; sums are those of pfx report; llvm-profdata reads them where it is installed."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from checks import KIT, PFX, check, finish, run
from libraries import built_in

PROGRAM = """volatile int seen;
static inline __attribute__((always_inline)) int inner(int n)
{
	seen += n;
	seen *= 3;
	return seen;
}

static __attribute__((noinline)) int local(int n)
{
	return n * seen;
}

__attribute__((noinline)) int outer(int n)
{
	seen = n;
	inner(n);
	return local(n);
}

int main(int argc, char **argv)
{
	return outer(argc);
}
"""
# Functions that GCC gives no linkage name in the debug information; as clang has them, too.
CXX_PROGRAM = """volatile int seen;
#define APART __attribute__((noinline))
static APART int local(int n) { return n * seen; }
namespace { APART int unnamed(int n) { return n + seen; } }
template <class F> APART int apply(F f, int n) { return f(n) - seen; }
inline APART int calls(int n) { return apply([](int k) { return k * seen; }, n); }
extern "C" APART int plain(int n) { return local(n) + unnamed(n) + calls(n); }
int main(int argc, char **) { return plain(argc); }
"""
CXX_NAMES = ["_ZL5locali", "_ZN12_GLOBAL__N_17unnamedEi", "_Z5applyIZ5callsiEUliE_EiT_i", "_Z5callsi", "plain"]
MAP = 'comm pid=7 tid=7 "prog"\nmmap2 pid=7 tid=7 addr={text:#x} len=0x1000 pgoff={offset:#x} prot=5 flags=2 {path}\n'
EVENT = "event {name} type={type} config=0 period=100 sample=ip,tid,time,period,id{more} ids={id}\n"


def build():
    done = run("cc", "-O1", "-g", "-no-pie", "-fcf-protection=none", "-o", "prog", "prog.c")
    check(done.returncode == 0, done.stderr)
    found = {}
    for line in run("nm", "-S", "prog").stdout.splitlines():
        words = line.split()
        if len(words) == 4:
            found[words[3]] = (int(words[0], 16), int(words[1], 16))
    return found


def segment():
    """(address, offset in the file) of the code."""
    rows = re.findall(r"LOAD\s+(0x\w+) (0x\w+) 0x\w+ 0x\w+ 0x\w+ R E", run("readelf", "-lW", "prog").stdout)
    return int(rows[0][1], 16), int(rows[0][0], 16)


def lines_of(symbol):
    """{line: its first address} of a function, without what is inlined in it."""
    text = run("objdump", "-dl", "--no-show-raw-insn", "--disassemble=" + symbol, "prog").stdout
    found, line = {}, 0
    for row in text.splitlines():
        match = re.search(r"prog\.c:(\d+)", row)
        if match:
            line = int(match.group(1))
        match = re.match(r"\s+([0-9a-f]+):", row)
        if match and line:
            found.setdefault(line, int(match.group(1), 16))
    return found


def kit(name, *parts):
    with open("description", "w", encoding="utf-8") as file:
        file.writelines(parts)
    done = run(KIT, "description", name)
    check(done.returncode == 0, done.stderr)


def export(what, name, *words):
    done = run(PFX, "export", what, "-q", "-i", name, *words)
    check(done.returncode == 0, f"{what} of {name}: {done.stderr}")
    again = run(PFX, "export", what, "-q", "-i", name, *words)
    check(again.stdout == done.stdout, f"{what}: not reproducible")
    return done.stdout


def reported(name, key):
    table = json.loads(run(PFX, "report", "-q", "-i", name, "--json", "-s", "sym").stdout)["tables"][0]
    return {row["keys"]["symbol"]: row["values"][0][key] for row in table["rows"]}


def test_samples(symbols, start):
    """Without branch stacks: samples by address, and by line."""
    outer, local = symbols["outer"][0], symbols["local"][0]
    lines = lines_of("outer")
    at = [(lines[16], 5), (lines[4], 3), (lines[5], 7), (local, 2)]
    samples = [f"sample ip={ip:#x} pid=7 tid=7 time={1000 + i} period=100 id=1\n"
               for ip, nr in at for i in range(nr)]
    kit("flat.data", EVENT.format(name="cycles", type="hw", more="", id=1), start, *samples, "round\n")
    text = export("fdata", "flat.data").splitlines()
    check(text[0] == "no_lbr cycles:", f"the first line: {text}")
    wanted = sorted((ip, f"1 {'outer' if ip >= outer and ip < outer + symbols['outer'][1] else 'local/1'} "
                     f"{ip - (local if ip == local else outer):x} {nr}") for ip, nr in at)
    check(text[1:] == [line for _, line in wanted], f"fdata: {text}, not {wanted}")
    text = export("llvm-prof", "flat.data")
    check(text == "outer:15:0\n 2: 5\n 3: inner:10\n  2: 3\n  3: 7\nlocal:2:0\n 0: 2\n".replace(" 0: 2", local_line()),
          f"llvm-prof: {text}")
    heads = dict(re.findall(r"^(\w+):(\d+):\d+$", text, re.M))
    check({name: int(nr) for name, nr in heads.items()} == reported("flat.data", "samples"), f"sums: {heads}")


def local_line():
    """The line of the first instruction of local(), from its declaration on."""
    return f" {min(lines_of('local')) - 9}: 2"


def test_branches(symbols, start):
    """With them: branches with mispredictions, code that ran between two, calls."""
    outer, local = symbols["outer"][0], symbols["local"][0]
    call = next(int(at, 16) for at in re.findall(r"\s([0-9a-f]+):\s+(?:call|jmp)\s", run(
        "objdump", "-d", "--no-show-raw-insn", "--disassemble=outer", "prog").stdout))
    entry = next(int(at, 16) for at in re.findall(r"\s([0-9a-f]+):\s+(?:call|jmp)\s", run(
        "objdump", "-d", "--no-show-raw-insn", "--disassemble=main", "prog").stdout))
    stack = f"{call:#x},{local:#x},1,{entry:#x},{outer:#x},2"  # newest first; 1: mispredicted, 2: predicted
    samples = [f"sample ip={local:#x} pid=7 tid=7 time={1000 + i} period=100 id=1 branch={stack}\n" for i in range(4)]
    kit("lbr.data", EVENT.format(name="cycles", type="hw", more=",branch_stack branch=any,user", id=1), start, *samples, "round\n")
    text = export("fdata", "lbr.data").splitlines()
    wanted = sorted([(call, f"1 outer {call - outer:x} 1 local/1 0 4 4"),
                     (entry, f"1 main {entry - symbols['main'][0]:x} 1 outer 0 0 4")])
    check(text == [line for _, line in wanted], f"fdata: {text}, not {wanted}")
    text = export("llvm-prof", "lbr.data")
    for said in ("outer:0:4\n", "local:4:4\n", " 2: 4\n", " 3: inner:0\n  2: 4\n  3: 4\n", " 4: 4 local:4\n", "main:0:0\n 2: 4 outer:4\n"):
        check(said in text, f"llvm-prof lacks {said!r}: {text}")


def test_llvm():
    for tool in ("llvm-profdata", "llvm-profdata-14"):
        if shutil.which(tool):
            for name in ("flat", "lbr"):
                with open(f"{name}.prof", "w", encoding="utf-8") as file:
                    file.write(export("llvm-prof", f"{name}.data"))
                done = run(tool, "show", "--sample", f"{name}.prof")
                check(done.returncode == 0 and "inlined callee: inner" in done.stdout, f"{tool}: {done}")
            return
    print("llvm-profdata is not installed: it was not asked")


def test_linkage_names():
    """Functions of one file, without a name, and with types of lambdas: by the names that the compiler looks for."""
    compilers = [of for of in ("c++", "clang++", "clang++-14") if shutil.which(of)]
    if not compilers:
        print("no C++ compiler is installed: names of C++ were not looked at")
    with open("names.cc", "w", encoding="utf-8") as file:
        file.write(CXX_PROGRAM)
    for compiler in compilers:
        done = run(compiler, "-O1", "-g", "-no-pie", "-fcf-protection=none", "-o", "prog", "names.cc")
        check(done.returncode == 0, done.stderr)
        at = {words[2].split(".")[0]: words[0] for words in map(str.split, run("nm", "prog").stdout.splitlines()) if len(words) == 3}
        text, offset = segment()
        start = MAP.format(text=text, offset=offset, path=os.path.abspath("prog"))
        kit("names.data", EVENT.format(name="cycles", type="hw", more="", id=1), start,
            *(f"sample ip=0x{at[name]} pid=7 tid=7 time={1000 + i} period=100 id=1\n" for i, name in enumerate(CXX_NAMES)), "round\n")
        text = export("llvm-prof", "names.data")
        found = re.findall(r"^(\w+):1:0$", text, re.M)
        check(sorted(found) == sorted(CXX_NAMES), f"{compiler}: {found}, not {CXX_NAMES}: {text}")


def test_events(start):
    """Samples of two events are not one profile."""
    kit("two.data", EVENT.format(name="cycles", type="hw", more="", id=1), EVENT.format(name="cpu-clock", type="sw", more="", id=2),
        start, *(f"sample ip=0x401000 pid=7 tid=7 time={i} period=1 id={i}\n" for i in (1, 2)), "round\n")
    for what in ("fdata", "llvm-prof"):
        done = run(PFX, "export", what, "-i", "two.data", "-o", "out")
        check(done.returncode == 255 and done.stderr == "pfx export: samples of 'cycles' and 'cpu-clock' are not one profile\n"
              "choose one with --event\n" and not os.path.exists("out"), f"{what} of two events: {done}")
        check(run(PFX, "export", what, "-q", "-i", "two.data", "-e", "cpu-clock").returncode == 0, f"{what} of one event")


def test_redact(symbols, start):
    """Names of functions and events without the paths in them: here a function that is named as a file is."""
    done = run("objcopy", "--redefine-sym", "outer=py::run:/home/secret/app.py", "prog", "named")
    check(done.returncode == 0, done.stderr)
    kit("named.data", EVENT.format(name="/home/secret/x.bpf.c", type="sw", more="", id=1), "feature event_desc\n",
        start.replace(os.path.abspath("prog"), os.path.abspath("named")),
        *(f"sample ip={symbols['outer'][0]:#x} pid=7 tid=7 time={i} period=1 id=1\n" for i in range(1, 5)), "round\n")
    for what in ("fdata", "llvm-prof"):
        check(what != "fdata" or "secret" in export(what, "named.data"), f"{what}: what is redacted below")
        found = export(what, "named.data", "--redact")
        check("secret" not in found and found.strip(), f"{what} --redact: {found}")


def main():
    if not all(map(shutil.which, ("cc", "nm", "readelf", "objdump"))) or not built_in("libdw"):
        print("SKIP: no compiler, or libdw is not built in")
        sys.exit(77)
    if subprocess.run(["uname", "-m"], capture_output=True, text=True, check=True).stdout.strip() != "x86_64":
        print("SKIP: the program's branches are read as those of x86-64")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("prog.c", "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        symbols = build()
        text, offset = segment()
        start = "feature hostname str=one\nfeature arch str=x86_64\n" + MAP.format(text=text, offset=offset, path=os.path.abspath("prog"))
        test_samples(symbols, start)
        test_branches(symbols, start)
        test_llvm()
        test_events(start)
        test_redact(symbols, start)
        test_linkage_names()
        os.chdir("/")


main()
finish()
