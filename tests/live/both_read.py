# SPDX-License-Identifier: MIT
"""A recording, read by pfx and by perf to the same samples and the same table."""
import re

from live import PERF, PFX, check, equal, rows, run, same_rows, samples


def of_threads(data, tool, pids):
    """Rows by thread, without the thread's name."""
    found = rows(data, tool, "--no-children", "-g", "none", "-s", "pid,dso,sym", "--pid", ",".join(pids))
    return [(percent, re.sub(r"^(\d+):\S+", r"\1", text)) for percent, text in found]


def same_table(data, what):
    # What others do on this machine may be code that is gone by the time of the report. perf judges a row by
    # its first sample and names threads anew at exec, so that a filter of commands would choose other rows.
    text = run(PFX, "script", "-F", "comm,pid", "-i", data).stdout
    pids = sorted(set(re.findall(r"^ *pfx-demo +(\d+)", text, re.M)), key=int)
    check(pids, f"{what}: no sample of the program")
    same_rows(of_threads(data, PFX, pids), of_threads(data, PERF, pids), what)


def compare(data, what):
    ours, theirs = samples(data), samples(data, PERF)
    check(ours > 0, f"{what}: no samples")
    equal(ours, theirs, f"{what}: samples")
    same_table(data, what)
