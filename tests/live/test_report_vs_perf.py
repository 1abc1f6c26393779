# SPDX-License-Identifier: MIT
"""pfx report prints what perf report --stdio 6.1 prints, byte for byte, on recordings made by perf."""
import difflib
import re
import shutil

from live import DEMO, PERF, PFX, check, equal, finish, need_perf, run, skip

# Deep and mutual recursion, the same functions below several callers, a bit of kernel. The C library
# is called as little as can be: perf 6.1 names its PLT otherwise, and it has no frame pointers.
SOURCE = r"""
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
volatile unsigned long sum;
#define OWN __attribute__((noinline))
OWN void add(int n) { for (int i = 0; i < n; i++) sum += i; }
OWN void mix(int n) { for (int i = 0; i < n; i++) sum = sum * 31 + i; }
OWN void both(int n) { add(n); mix(n / 2); }
OWN int deep(int d, int n) { int r = 0; if (d) { mix(n / 8); r = deep(d - 1, n) + 1; add(n / 16); }
	else both(n); return r; }
int even(int d, int n);
OWN int odd(int d, int n) { add(n / 10); return d ? even(d - 1, n) + 1 : 0; }
OWN int even(int d, int n) { mix(n / 10); return d ? odd(d - 1, n) + 1 : 0; }
OWN void look(int n) { char b[256]; while (n--) { long f = syscall(SYS_openat, AT_FDCWD,
	"/proc/self/stat", O_RDONLY); sum += syscall(SYS_read, f, b, 256); syscall(SYS_close, f); } }
OWN double now(void) { struct timespec t; syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9; }
int main(int argc, char **argv) { double end = now() + atof(argv[1]);
	while (now() < end) { both(20000); deep(40, 2000); even(6, 9000); add(7000); look(15); }
	return sum == 7; }
"""
FLAGS = ["-O1", "-g", "-static", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls"]

CLOCK = ["-F", "997", "-e", "cpu-clock"]
BOTH = f"./work 0.4 & {DEMO} 0.4 >/dev/null & ls >/dev/null; wait"
RECORDINGS = {
    "flat": [*CLOCK, "--", "./work", "0.6"],
    "chain": [*CLOCK, "-g", "--", "./work", "0.8"],
    "user": ["-F", "997", "-e", "cpu-clock:u", "-g", "--", "./work", "0.6"],
    "all": [*CLOCK, "-g", "-a", "--kernel-callchains", "--", "sh", "-c", BOTH],
    "wide": [*CLOCK, "-a", "--", "sh", "-c", BOTH],
    "two": ["-e", "cpu-clock,page-faults,dummy", "--", "./work", "0.3"],
    "twochain": ["-g", "-e", "cpu-clock,page-faults", "--", "./work", "0.3"],
    "group": ["-e", "{cpu-clock,page-faults}", "--", "./work", "0.3"],
    "trace": ["-e", "sched:sched_switch", "-a", "--", "sh", "-c", BOTH],
    "tracechain": ["-g", "-e", "sched:sched_switch", "-a", "--kernel-callchains", "--", "sh", "-c",
                   BOTH],
}

# Every line is compared for every recording that is named in front of it.
LINES = """
* :
* : -n
* : --no-children
* : -s comm
* : -s dso
* : -s sym
* : -s pid,sym
* : -s +cpu
* : --stats
* : --header-only -I
flat wide two group : -n --show-total-period
flat wide two group : -q
flat wide two : -t,
flat wide : -t | -n -s pid,cpu,comm,dso
flat wide : -w 5,10,15,20
flat wide : --percent-limit 1
flat wide : -s sym,overhead
flat wide : -F overhead,sample,period,comm,sym
flat wide : -F overhead_children,sym
flat wide : -s sym -F overhead
flat wide : -F comm,overhead -n
flat wide : -F +sample,sym
flat wide : -F overhead_guest_sys,overhead_guest_us,comm
flat wide group : --show-cpu-utilization -s comm
flat two : -d work
flat : -d work,[kernel.kallsyms]
flat : -d work --percentage relative
flat : -S both,mix
flat : -S nosuch
flat wide two : -c nosuch
wide : -c work
wide : -c work,ls --percentage relative
wide : -C 0 -s comm
wide : -C 0-1 -s cpu
wide : --tid 0
flat wide : -U
flat wide : --time 10%-20%
flat : --time 10%/2
flat : --header
flat : --mmaps
flat chain : --stdio-color always
chain user all twochain tracechain : -g none
chain user all tracechain : -g flat --no-children
chain user all : -g flat
chain user all : -g folded
chain user all tracechain : -g folded --no-children
chain user all : -g fractal
chain user all : -g fractal --no-children
chain user : -g fractal,count
chain user : -g fractal,5,3,callee
chain user all : -g caller,count
chain user all : -g callee
chain user all tracechain : -G --no-children
chain user all : -g graph,5,2
chain user : -g graph,0.5,callee,function,period
chain user : -g flat,count,2,3
chain user : -g folded,period
chain user all : -g graph,0
user all : --no-children -g graph,0
user : -g graph,0,callee
chain user : -s comm --no-children
chain user all : -s dso --no-children
chain user : --max-stack 3
chain user : --max-stack 3 --no-children
chain user : -U
chain user all : --percent-limit 5
chain user : -t, -g folded
chain all : -s pid,sym -g none
chain all : -g none -F comm,overhead_children,overhead,sample
twochain : -s sym,dso -F +period
"""

# perf fails here too: one sentence, exit code 129.
REFUSED = ["-s comm,simbol", "-F overhaed", "-g fractle", "-g graph,0.5,2,3", "--pid x", "-t .",
           "--percentage total", "--stdio-color blue", "--nonsense", "-C x"]


def lines(text):
    for line in text.strip().split("\n"):
        names, options = line.split(" :")
        for name in names.split() if names != "*" else RECORDINGS:
            yield name, options.split()


def make_workload():
    with open("work.c", "w", encoding="ascii") as file:
        file.write(SOURCE)
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if not compiler:
        skip("there is no C compiler to make the workload")
    done = run(compiler, *FLAGS, "-o", "work", "work.c")
    if done.returncode:
        skip(f"the workload does not compile here: {done.stderr.strip()[:200]}")


def record():
    made = set()
    for name, options in RECORDINGS.items():
        done = run(PERF, "record", "-o", f"{name}.data", *options)
        if done.returncode == 0:
            made.add(name)
        else:
            print(f"not recorded here: {name}: {done.stderr.strip()[:200]}")
    if not made:
        skip("perf cannot record here")
    return made


def without_deep_bars(row):
    """perf keeps the bars of a graph in 32 bits: behind 31 levels it draws wrong ones."""
    level = len(row) - len(row.lstrip(" |"))
    return row[:level].replace("|", " ") + row[level:] if level > 12 + 11 * 31 else row


def text_of(done):
    """Without perf's tip of the day. perf knows some entries of a procedure linkage table without
    the function's name, and cuts 'perf-exec' off where that is not the thread's last name."""
    text = re.sub(r"\n#\n# \((?:Tip: |Cannot load tips).*\)\n#\n", "\n", done.stdout)
    text = re.sub(r"[\w.*@]+@plt\b", "@plt", text).replace("[...] (inlined)", "[...]")
    text = re.sub(r"perf-exe?\b( *)(?= )", r"perf-exec\1", text)
    if max(map(len, text.split("\n"))) > 12 + 11 * 31:
        text = "\n".join(map(without_deep_bars, text.split("\n")))
    return with_sorted_unresolved(text)


UNRESOLVED = re.compile(r"^[ \d.%N/A]+\[\S\] 0x[0-9a-f]{16} *$")


def with_sorted_unresolved(text):
    """Unresolved rows of equal weight that lie in different binaries stand in perf's table as they
    came, where the binary is no key; pfx puts them by address."""
    rows, start = text.split("\n"), None
    for i, row in enumerate(rows + [""]):
        if UNRESOLVED.match(row):
            start = i if start is None else start
        elif start is not None:
            rows[start:i] = sorted(rows[start:i])
            start = None
    return "\n".join(rows)


def same_but_for_names(ours, theirs):
    """Where names of a procedure linkage table or of a column differ, so do widths and ties."""
    def squeeze(text):
        rows = [re.sub(r"\.{3,}", "...", re.sub(" +", " ", row)).strip() for row in
                text.split("\n")]
        return [row for row in rows if "@plt" not in row and "] _init" not in row]
    odd = "@plt" in ours or "@plt" in theirs or "perf-exec" in theirs
    return odd and squeeze(ours) == squeeze(theirs)


HEAVY = re.compile(r"^ +(\d+\.\d\d)%.*\S")


def same_heavy_rows(ours, theirs):
    """A recording of the whole system holds programs that nobody chose, some without symbols; where
    their rows of equal weight stand among each other depends in perf on how they met. All rows that
    weigh something must be there, whatever their order."""
    def heavy(text):
        found = (HEAVY.match(row) for row in text.split("\n"))
        return sorted(" ".join(m.group(0).split()) for m in found if m and float(m.group(1)) >= 2)
    return heavy(ours) == heavy(theirs)


def compare(name, options):
    argv = ["report", "--stdio", "-i", f"{name}.data", *options]
    theirs, ours = run(PERF, *argv), run(PFX, *argv)
    what = " ".join(argv)
    equal(ours.returncode, theirs.returncode, f"{what}: exit code ({ours.stderr.strip()[:200]})")
    one, other = text_of(ours), text_of(theirs)
    if one == other or same_but_for_names(one, other):
        return
    if "-a" in RECORDINGS[name] and same_heavy_rows(one, other):
        return
    diff = difflib.unified_diff(other.split("\n"), one.split("\n"), "perf", "pfx", n=0, lineterm="")
    check(False, f"{what}\n" + "\n".join(list(diff)[:12]))


def check_refused():
    for words in REFUSED:
        done = run(PFX, "report", "-i", "flat.data", *words.split())
        equal(done.returncode, 129, f"report {words}")
        equal(done.stdout, "", f"report {words}: output")
        check(1 <= done.stderr.count("\n") <= 3, f"report {words}: {done.stderr!r}")
    argv = ["report", "--stdio", "-i", "nothing.data"]
    equal(run(PFX, *argv).returncode, run(PERF, *argv).returncode, "no such file")


def check_odd():
    done = run(PFX, "report", "-i", "flat.data", "-g")
    equal(done.returncode, 0, "-g without chains")
    check("call chains" in done.stderr, f"-g without chains: {done.stderr!r}")
    check("Overhead" in done.stdout, "-g without chains: the flat table")
    run(PERF, "record", "-q", "-o", "empty.data", "-e", "page-faults:u", "-c", "1000000000", "true")
    ours, theirs = (run(tool, "report", "--stdio", "-i", "empty.data") for tool in (PFX, PERF))
    equal(ours.returncode, theirs.returncode, "no samples")
    equal(ours.stdout, theirs.stdout, "no samples: output")
    check("'empty.data' has no samples" in ours.stderr, f"no samples: {ours.stderr!r}")
    full = run("sh", "-c", f"{PFX} report -i flat.data >/dev/full")
    equal(full.returncode, 255, "a full disk")
    head = run("sh", "-c", f"{PFX} report -i flat.data | head -1")
    equal((head.stdout.count("\n"), head.stderr), (1, ""), "a reader that leaves")


def check_pipe():
    run("sh", "-c", f"{PERF} record -q -F 997 -e cpu-clock -o - -- ./work 0.3 > pipe.data")
    theirs = run("sh", "-c", f"cat pipe.data | {PERF} report --stdio -i -")
    for how in ("cat pipe.data | PFX report", "cat pipe.data | PFX report -i -",
                "PFX report -i - < pipe.data", "PFX report -i pipe.data"):
        ours = run("sh", "-c", how.replace("PFX", PFX))
        one, other = text_of(ours), text_of(theirs)
        check(one == other or same_but_for_names(one, other), f"{how}: {ours.stderr[:200]!r}")


def main():
    need_perf()
    make_workload()
    made = record()
    compared = 0
    for name, options in lines(LINES):
        if name in made:
            compare(name, options)
            compared += 1
    if "flat" in made:
        check_refused()
        check_odd()
        check_pipe()
    print(f"{compared} command lines compared")
    finish()


main()
