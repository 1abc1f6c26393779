# SPDX-License-Identifier: MIT
"""`pfx annotate` gives each address the share that `perf annotate --stdio` gives it, function by
function, for programs in C and C++, their libraries, groups of events, fixed periods and probes."""
import os
import re
import shutil

from annotate_shares import is_near, shares
from live import (PERF, PFX, check, finish, need_perf, need_recording, record_to, run, skip)

C_PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return x < y ? -1 : x > y;
}

static inline unsigned hash(const char *text)
{
	unsigned h = 0;

	while (*text)
		h = h * 31 + (unsigned char)*text++;
	return h;
}

__attribute__((noinline)) unsigned work(int n)
{
	unsigned sum = 0;
	char text[64];
	int i;

	for (i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "key%d", i);
		sum += hash(text);
	}
	return sum;
}

int main(void)
{
	int i, round, n = 100000, *values = malloc(n * sizeof(*values));
	unsigned total = 0;

	for (round = 0; round < 6; round++) {
		for (i = 0; i < n; i++)
			values[i] = rand();
		qsort(values, n, sizeof(*values), compare);
		total += work(n);
	}
	printf("%u\n", total);
	return 0;
}
"""

CXX_PROGRAM = r"""
#include <algorithm>
#include <map>
#include <string>
#include <vector>

int main()
{
	std::map<std::string, int> counts;
	std::vector<std::string> words;

	for (int i = 0; i < 150000; i++) {
		words.push_back("word" + std::to_string(i * 7919 % 10007));
		counts[words.back()]++;
	}
	std::sort(words.begin(), words.end());
	return counts.size() == words.size();
}
"""

def compare(path, *options):
    """Entries of a procedure linkage table have a name each in pfx, and in perf 6.1 none or one for
    all, which is that of a function in front of it: they are left out with that function, as are functions
    that only other members of a group than the first have samples of, which perf does not show."""
    theirs = shares(run(PERF, "annotate", "--stdio", "-i", path, *options).stdout)
    done = run(PFX, "annotate", "-i", path, *options)
    ours = shares(done.stdout)
    what = f"{path} {' '.join(options)}"
    check(not done.returncode, f"{what}: exit code {done.returncode}: {done.stderr}")
    plt = {addr for function in ours if function.is_plt for addr in function.rows}
    gone = {(function.key[1], addr) for function in theirs if plt & function.rows.keys() for addr in function.rows}
    theirs = [function for function in theirs if not plt & function.rows.keys()]
    ours = [function for function in ours if not function.is_plt and function.key[2] != "0" and
            not gone & {(function.key[1], addr) for addr in function.rows}]
    for function in theirs:
        found = any(is_near(one, function) for one in ours)
        check(found, f"{what}: {function.key}: perf has {function.rows}, pfx "
                     f"{[one.rows for one in ours if one.key == function.key]}")
    check(theirs, f"{what}: perf showed nothing to compare with")
    check(len(ours) == len(theirs), f"{what}: perf shows {len(theirs)} functions, pfx {len(ours)}")


def record(path, *words):
    done = record_to(PERF, path, "-q", *words)
    check(not done.returncode, f"perf record {words}: {done.stderr}")


def build(compiler, name, text, *flags):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    program = name.replace(".", "_")
    done = run(compiler, *flags, "-o", program, name)
    check(not done.returncode, f"{compiler}: {done.stderr}")
    return "./" + program


def compare_probe(program):
    """Samples of a probe on a function, with call chains: all of them lie at its first instruction."""
    probe = run(PERF, "probe", "-q", "-x", program, "pfx_annotated=work")
    if probe.returncode:
        print(f"not compared: probes: {probe.stderr.strip()[:200]}")
        return
    try:
        found = re.search(r"probe_\w+:pfx_annotated\w*", run(PERF, "probe", "-l").stdout)
        check(found, "perf probe -l does not name the probe")
        record("probe.data", "-e", found.group(0), "-g", program)
        compare("probe.data", "-d", "prog_c")
    finally:
        run(PERF, "probe", "-q", "-d", "pfx_annotated*")


def summary(tool, path):
    """The lines of -l's summaries, with their percentages in each function that has them."""
    text = run(tool, "annotate", "--stdio", "-l", "-P", "-i", path, "-d", "prog_c").stdout
    found = {}
    for percent, line in re.findall(r"(?m)^ +([0-9.]+) (/\S+:\d+)$", text):
        found.setdefault(line, []).append(float(percent))
    return found


def compare_summary(path):
    """perf leaves instructions below 0.5 percent out of the sums of lines, pfx lines below 0.5 percent."""
    ours, theirs = summary(PFX, path), summary(PERF, path)
    check(theirs, "perf annotate -l has no summary")
    for line, percents in theirs.items():
        for percent in percents:
            check(any(percent - 0.011 <= one <= percent + 5 for one in ours.get(line, [])),
                  f"-l: {line}: perf has {percent}, pfx {ours.get(line)}")
    check(all(one > 0.5 for percents in ours.values() for one in percents), f"-l: lines below the limit: {ours}")


def histograms(tool, path):
    """What -v prints before each function: addresses with their samples, and the sum."""
    text = run(tool, "annotate", "--stdio", "-v", "-i", path, "-d", "prog_c").stdout
    found, rows = set(), []
    for address, nr in re.findall(r"(?m)^ +([0-9a-f]+|h->nr_samples): (\d+)$", text):
        rows.append((address, int(nr)))
        if address == "h->nr_samples":
            found.add(tuple(rows))
            rows = []
    return found


def compare_histograms(path):
    """Of the functions of the program that perf knows by name: see compare()."""
    ours, theirs = histograms(PFX, path), histograms(PERF, path)
    check(any(len(rows) > 3 for rows in theirs), "perf annotate -v has no histogram")
    check(len(ours & theirs) >= len(theirs) - 1, f"-v: perf has {theirs}, pfx {ours}")


def compare_cpu(path, *options):
    """A CPU that the program did not run on has nothing to compare."""
    if shares(run(PFX, "annotate", "-i", path, *options).stdout):
        compare(path, *options)


def compare_more(program):
    """Recordings that take long, for the target compare-all."""
    record("libc.data", "-e", "cpu-clock", "-F", "4000", "-g", program)
    compare("libc.data")
    record("task.data", "-e", "task-clock", "-c", "400000", program)
    compare("task.data", "-d", "prog_c", "-n")
    record("hits.data", "-e", "page-faults", "-c", "1", program)
    compare("hits.data", "-d", "prog_c", "--percent-type", "local-hits")  # perf 6.1: global-hits are all 0
    if os.path.exists("/usr/bin/python3"):
        tree = os.path.join(os.environ["PFX_SOURCE_DIR"], "tests", "bench", "tree.py")
        record("python.data", "-e", "cpu-clock", "-F", "2000", "/usr/bin/python3", "-S", tree, "2")
        compare("python.data", "-d", os.path.basename(os.path.realpath("/usr/bin/python3")))
    compare_probe(program)


need_perf()
need_recording()
if not shutil.which("cc"):
    skip("there is no C compiler")
c = build("cc", "prog.c", C_PROGRAM, "-g", "-O2")
record("c.data", "-e", "cpu-clock", "-F", "5000", c)
compare("c.data")
for words in (["-n"], ["--show-total-period"], ["--percent-type", "local-hits"], ["--no-source"], ["--asm-raw"]):
    compare("c.data", "-s", "work", *words)
for words in (["--percent-limit", "20"], ["--ignore-vmlinux", "--skip-missing"],
              ["-P", "--no-demangle"], ["-f", "-m", "-M", "intel"]):
    compare("c.data", "-d", "prog_c", *words)
compare("c.data", "--percent-type", "global-period")
compare_summary("c.data")
compare_histograms("c.data")
record("cpu.data", "-e", "cpu-clock", "-F", "3000", "--sample-cpu", c)
for cpu in ("0", "1"):
    compare_cpu("cpu.data", "-d", "prog_c", "-C", cpu)
record("group.data", "-e", "{cpu-clock,task-clock}", "-F", "4000", c)
compare("group.data", "-d", "prog_c")
compare("group.data", "-d", "prog_c", "--group")
compare("group.data", "-d", "prog_c", "--group", "-n")
record("two.data", "-e", "cpu-clock,task-clock", "-F", "4000", c)
compare("two.data", "-d", "prog_c")
compare("two.data", "-d", "prog_c", "--group")
record("period.data", "-e", "cpu-clock", "-c", "250000", c)
compare("period.data", "-d", "prog_c")
record("chains.data", "-e", "cpu-clock", "-F", "3000", "-g", c)
compare("chains.data", "-d", "prog_c")
if shutil.which("c++"):
    cxx = build("c++", "prog.cc", CXX_PROGRAM, "-g", "-O1")
    record("cxx.data", "-e", "cpu-clock", "-F", "5000", cxx)
    compare("cxx.data", "-d", "prog_cc")
if os.environ.get("PFX_WHOLE"):
    compare_more(c)
finish()
