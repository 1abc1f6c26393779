#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What makes flame graphs of perf's text makes the same of ours. Every line of our text is one of the
format that such programs read, and its stacks and periods are those of --json, of our own stackcollapse, and
of perf's text. FlameGraph's stackcollapse-perf.pl and inferno's inferno-collapse-perf, each where it is
installed, are given the text of both, of the same recording. Looked for in PATH, in $FLAMEGRAPH_DIR and beside
other tools of cargo."""
import json
import os
import shutil
import subprocess

from collapse import collapse, name_of, samples
from live import (DEMO, PATIENCE, PERF, PFX, check, equal, finish, record_to, run, skip,
                  without_linkage)

PLACES = os.pathsep.join(filter(None, (
    os.environ.get("PATH"), os.environ.get("FLAMEGRAPH_DIR"), os.path.expanduser("~/.cargo/bin"),
    os.path.expanduser("~/FlameGraph"), "/usr/share/FlameGraph", "/opt/FlameGraph")))
COLLAPSERS = {
    "stackcollapse-perf.pl": ([], ["--all"], ["--pid"], ["--tid"]),
    "inferno-collapse-perf": ([], ["--all"], ["--pid"], ["--tid"]),
}
RECORDINGS = {
    "kernel": ["-F", "997", "-e", "cpu-clock", "-g"],
    "user": ["-F", "997", "-e", "cpu-clock:u", "-g"],
    "faults": ["-c", "1", "-e", "page-faults:u", "-g"],
}


def installed():
    found = {name: shutil.which(name, path=PLACES) for name in COLLAPSERS}
    if not shutil.which("perl"):
        found.pop("stackcollapse-perf.pl")
    return {name: path for name, path in found.items() if path}


def folded(collapser, options, text):
    """{stack: weight}"""
    done = subprocess.run([collapser, *options], input=text, capture_output=True, text=True,
                          errors="backslashreplace", timeout=PATIENCE, check=False)
    equal(done.returncode, 0, f"{collapser} {options}: {done.stderr[:300]}")
    rows = (line.rpartition(" ") for line in done.stdout.splitlines())
    return {stack: float(weight) for stack, _, weight in rows}


def text_of(tool, data):
    done = run(tool, "script", "--no-inline", "-i", data)
    equal(done.returncode, 0, f"{tool} script: {done.stderr}")
    return done.stdout


def as_json(data):
    """Of each sample what collapse.samples() says, but for the names of frames: how many there are."""
    lines = run(PFX, "script", "--no-inline", "--json", "-i", data).stdout.splitlines()
    for line in map(json.loads, lines):
        if line["kind"] == "sample":
            yield line["comm"], line["event"], line["period"], len(line["callchain"])


def frame_name(frame):
    """As our scripts name it: a frame without a symbol by its binary."""
    if frame["name"] != "[unknown]":
        return name_of(frame)
    return f"[{os.path.basename(frame['dso']).strip('[]')}]"


def check_format(data, text):
    """The text is of the format, and says the same as the other forms."""
    try:
        read = [(comm, event, period, len(frames)) for comm, _, _, event, period, frames in samples(text)]
    except ValueError as error:
        check(False, f"{data}: {error}")
        return
    equal(read, [*as_json(data)], f"{data}: samples as JSON")
    check(any(depth > 3 for *_, depth in read), f"{data}: stacks")
    done = run(PFX, "script", "--no-inline", "-i", data, "report", "stackcollapse")
    if "no Python" in done.stderr:
        return
    counts = {}
    for comm, *_, frames in samples(text):
        stack = ";".join([comm, *map(frame_name, frames)])
        counts[stack] = counts.get(stack, 0) + 1
    ours = (line.rpartition(" ") for line in done.stdout.splitlines())
    equal({stack: int(nr) for stack, _, nr in ours}, counts, f"{data}: our own stackcollapse")


def check_grammar():
    """What is not of the format is not taken for it."""
    good = "a b 1/2 [000] 3.000004:    5 cycles: \n\t  ff f+0x1 (x)\n\n"
    equal(collapse(good), {"a b;f": 5}, "a good text")
    for bad in (good[:-1], good.replace("ff", "xyz"), good.replace("5 ", ""), good.replace("(x)", "()"),
                good.replace("1/2", "one"), good.replace("cycles: ", "cycles"), "\n" + good):
        try:
            check(not collapse(bad), f"taken: {bad!r}")
        except ValueError:
            pass


def record(data, *options):
    """By perf where it is installed."""
    done = record_to(PERF or PFX, data, *options, "--", DEMO, "0.3")
    if done.returncode:
        skip(f"{PERF or PFX} cannot record here: {done.stderr.strip()[:200]}")


def compare(data, ours, theirs):
    """With perf's text of the same recording."""
    ours, theirs = without_linkage(ours, theirs)
    equal(collapse(ours), collapse(theirs), f"{data}: stacks")
    for program, path in installed().items():
        for words in COLLAPSERS[program]:
            mine, other = folded(path, words, ours), folded(path, words, theirs)
            check(other and sum(other.values()) > 0, f"{program} {words} of {data}: nothing")
            check(any(stack.count(";") > 3 for stack in mine), f"{program} of {data}: no stacks")
            equal(mine, other, f"{program} {words} of {data}")
            if not words:
                equal(sum(mine.values()), sum(collapse(ours).values()), f"{program} of {data}: the sum")


def main():
    check_grammar()
    for name, options in RECORDINGS.items():
        data = f"{name}.data"
        record(data, *options)
        ours = text_of(PFX, data)
        check_format(data, ours)
        if PERF:
            compare(data, ours, text_of(PERF, data))
        print(f"{name}: {ours.count(chr(10))} lines, {' and '.join(installed()) or 'our own reader alone'}")
    finish()


main()
