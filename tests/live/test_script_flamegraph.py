#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What makes flame graphs of perf's text makes the same of ours: FlameGraph's stackcollapse-perf.pl
and inferno's inferno-collapse-perf, each where it is installed, are given the text of both, of the
same recording. Looked for in PATH, in $FLAMEGRAPH_DIR and beside other tools of cargo."""
import os
import shutil
import subprocess

from live import (DEMO, PATIENCE, PERF, PFX, check, equal, finish, need_perf, record_readable, run, skip,
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


def main():
    collapsers = installed()
    if not collapsers:
        skip("neither FlameGraph's stackcollapse-perf.pl nor inferno's inferno-collapse-perf is "
             "installed")
    need_perf()
    for name, options in RECORDINGS.items():
        data = f"{name}.data"
        done = record_readable(PERF, data, *options, "--", DEMO, "0.3")
        if done.returncode:
            skip(f"perf cannot record here: {done.stderr.strip()[:200]}")
        ours, theirs = without_linkage(text_of(PFX, data), text_of(PERF, data))
        for program, path in collapsers.items():
            for words in COLLAPSERS[program]:
                mine, other = folded(path, words, ours), folded(path, words, theirs)
                check(other and sum(other.values()) > 0, f"{program} {words} of {data}: nothing")
                check(any(stack.count(";") > 3 for stack in mine), f"{program} of {data}: no stacks")
                equal(mine, other, f"{program} {words} of {data}")
        print(f"{name}: {ours.count(chr(10))} lines, {' and '.join(collapsers)}")
    finish()


main()
