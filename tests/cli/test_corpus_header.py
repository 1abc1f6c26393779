#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pfx report --header-only -I and the head of each table against what perf printed on the machines
where the corpus was recorded.

Compared line by line. Rules:
 1. "captured on" is the time of the file, which copying changed: dropped.
 2. On riscv64 a newer perf printed, with names behind the numbers of an event's type and config,
    and "config = 0" where 6.1 prints nothing: dropped.
 3. perf 6.1 leaves a last TRANSACTION out of sample_type: dropped.
 4. Recorders that were killed wrote no features; perf prints empty ones: not compared.
Of the reports only the lines that count are compared, as the binaries' names cannot be had.
"""

import re
import sys

import corpus

KILLED = re.compile(r"-kill9\.data$")
TABLE_HEAD = re.compile(r"# (Samples|Event count|Total Lost Samples)")


def normal(recording, lines):
    result = []
    for line in lines:
        line = line.rstrip()
        if line.startswith("# captured on"):
            continue
        if recording.name.startswith("riscv64") and line.startswith("# event :"):
            line = re.sub(r"((?:type|config) = \w+) \([^)]*\)", r"\1", line)
            line = line.replace(" config = 0,", "")
        result.append(line.replace("|TRANSACTION,", ","))
    return result


def compare(recording, kind, words, keep, outcome):
    expected = recording.expected(kind)
    if not expected or KILLED.search(recording.name):
        outcome.count(f"without a {kind} to compare with")
        return
    code, output, errors = corpus.run(*words, "-i", recording.path)
    if code:
        outcome.fail(recording.name, f"{kind}: exit {code}: {errors.strip()[:200]}")
        return
    expected = [line for line in normal(recording, expected) if keep.match(line)]
    got = [line for line in normal(recording, output.splitlines()) if keep.match(line)]
    if kind == "report" and not expected:
        outcome.count("where perf printed no table")
        return
    outcome.count(f"lines of {kind}s compared", len(expected))
    if expected == got:
        outcome.count(f"{kind}s equal")
        return
    outcome.fail(recording.name, f"{kind} differs")
    for line in sorted(set(expected) ^ set(got))[:4]:
        print(("    perf: " if line in expected else "    pfx:  ") + line[:300])


def main():
    outcome = corpus.Outcome()
    wanted = sys.argv[1:]
    for recording in corpus.recordings("recorded"):
        if wanted and recording.name not in wanted:
            continue
        compare(recording, "header", ("report", "--header-only", "-I"), re.compile(""), outcome)
        compare(recording, "report", ("report", "--stdio"), TABLE_HEAD, outcome)
    outcome.finish()


if __name__ == "__main__":
    main()
