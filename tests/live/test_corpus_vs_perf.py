#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""report and script print what perf 6.1 prints of the corpus: all recordings that perf reads, of other machines
and tools, by command lines that do not depend on binaries, which are not here.

Runs of blanks and of dots count as one: perf cuts names where a column is narrower. What differs for a reason
stands in a table, with the reason."""
import difflib
import os
import re
import sys

from live import PERF, PFX, check, finish, in_parallel, need_perf, part_of, run

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import corpus  # noqa: E402

LINES = """
report --stats
report -s pid -n -g none
report -s cpu -g none --show-total-period
report -s pid,cpu -n --no-children -g none -t;
report -s pid --percent-limit 5 -g none
report -s pid -F overhead,sample,period,pid -g none
report -s pid -n -g none --time 10%-40%
script -G -F comm,tid,pid,time,event,period
script -G -F tid,time,event --ns
script -G -F comm,tid,time --show-task-events --show-switch-events --show-lost-events
script -G -F comm,tid,time --time 10%-40%
script -G -F pid,ip --max-stack 3
script -G -F tid,time --reltime
script -G -F event,period,misc
script -G -F comm,time,brstack
"""
SIZE_MAX = 3 << 20  # perf takes its time

# What differs: the recordings, the command lines (a pattern), why.
DIFFERENCES = [
    (r"perf\.data\.intel_pt-4\.14", ".*", "perf decodes the trace"),
    (r"(arm64|riscv64)-pipe\.data", "report -s", "perf shows a stream without children"),
    (r"armhf-(pipe_tp|zpipe)\.data", "report --stats", "perf stops in the middle of this stream"),
    (r"\w+-(statI|statpipe)\.data", "script", "perf shows counts whatever the fields, and as sums since the start"),
    (r"\w+-comm\.data", "script .*comm", "control characters in names are shown by pfx as \\xNN"),
]
compared = [0]


def why_different(name, line):
    return next((why for files, lines, why in DIFFERENCES
                 if re.fullmatch(files, name) and re.match(lines, line)), None)


def rows_of(text):
    rows = (re.sub(r"\.{3,}", "...", re.sub(" +", " ", row)).strip() for row in text.split("\n"))
    return [row for row in rows if row not in ("", "#") and not row.startswith("# (")]


def compare(recording, line):
    command, *options = line.split()
    form = ["--stdio"] if command == "report" else []
    argv = [command, *form, "-f", "-i", recording.path, *options]
    theirs = run(PERF, *argv)
    if theirs.returncode:
        return
    ours = run(PFX, *argv)
    one, other = rows_of(ours.stdout), rows_of(theirs.stdout)
    compared[0] += 1
    what = f"{line} of {recording.name}"
    if why_different(recording.name, line):
        return
    diff = difflib.unified_diff(other, one, "perf", "pfx", n=0, lineterm="")
    check(one == other, f"{what} ({ours.stderr.strip()[:200]})\n" + "\n".join([*diff][:10]))


def main():
    need_perf()
    chosen = [recording for recording in corpus.recordings("public", "recorded")
              if recording.perf_reads and os.path.isfile(recording.path) and
              os.path.getsize(recording.path) < SIZE_MAX]
    in_parallel(compare, [(recording, line) for nr, line in enumerate(LINES.strip().split("\n"))
                          for recording in part_of(chosen, nr, 6)])
    print(f"{len(chosen)} recordings, {compared[0]} outputs compared")
    check(compared[0] > len(chosen), "perf reads the corpus")
    finish()


main()
