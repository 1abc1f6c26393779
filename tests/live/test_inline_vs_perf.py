# SPDX-License-Identifier: MIT
"""Inlined functions and source lines: pfx against perf on a program without frame pointers, and on
the same with them. Rules, each for something that perf does not get right:
 1. The start of the C library is left out: perf names it by its debug information and marks it as
    inlined, and takes its lines from the wrong file.
 2. perf finds no inlined functions in chains by frame pointers; there, pfx must show the same ones
    as in chains from copied stacks.
"""
import json
import os
import re
import shutil
import sys

from live import (PERF, PFX, check, equal, finish, need_perf, need_recording, record_to, run, samples,
                  skip)

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.environ["PFX_SOURCE_DIR"], "tests", "kit"))
from json_schema import Schema  # noqa: E402

START = re.compile(r"__libc_start|_start|_dl_|dl_main|libc-start|^\s*:0|\?\?:0|Children|^#|^$")
OPTIONS = [
    ["report", "--stdio", "--no-children"],
    ["report", "--stdio", "--no-children", "-g", "caller"],
    ["report", "--stdio", "--no-children", "-g", "callee,srcline"],
    ["report", "--stdio", "--no-children", "-g", "callee,address"],
    ["report", "--stdio", "--no-children", "-g", "folded"],
    ["report", "--stdio", "--no-children", "-s", "srcline", "-g", "none"],
    ["report", "--stdio", "--no-children", "-s", "srcline", "-g", "none", "--full-source-path"],
    ["report", "--stdio", "--children", "-g", "none", "-F", "overhead_children,overhead,sym"],
    ["report", "--stdio", "--no-inline", "--no-children"],
]


def build(name, *flags):
    made = run("gcc", "-O2", "-g", "-fno-optimize-sibling-calls", *flags, "-o", name,
               os.path.join(HERE, "programs", "inline.c"))
    if made.returncode:
        skip(f"the program cannot be built: {made.stderr.strip()[:200]}")
    return f"./{name}"


def kept(text):
    """The lines that the rules leave, without bars and blanks, and without the C library's start. Rows
    below one percent are what the program did in libraries by the way: their debug information is the
    machine's, and perf reads other names and paths from it."""
    lines = []
    for line in text.split("\n"):
        if ";" in line:  # a folded chain
            line = ";".join(f for f in line.split(";") if not START.search(f))
        elif START.search(line):
            continue
        line = re.sub(r"^[ |]*(--?-?)?", "", line).strip()
        share = re.match(r"(\d+\.\d+)%", line)
        if line and not (share and float(share.group(1)) < 1):
            lines.append(" ".join(line.split()))
    return lines


def compare(data, options):
    ours, theirs = (kept(run(tool, *options, "-i", data).stdout) for tool in (PFX, PERF))
    what = " ".join(options)
    check(len(ours) > 1, f"{what}: too little is shown")
    different = [(a, b) for a, b in zip(ours, theirs) if a != b]
    equal(len(ours), len(theirs), f"{what}: lines")
    check(not different, f"{what}: {len(different)} lines differ, the first {different[:1]}")


def frames(data, *options):
    """The user's frames of all samples, by name, as a set of chains up to main."""
    found = set()
    for text in run(PFX, "script", "-F", "ip,sym", *options, "-i", data).stdout.split("\n\n"):
        names = [line.split(None, 1)[1] for line in text.split("\n") if len(line.split()) > 1]
        names = [n for n in names if re.match(r"(mix|twice|leaf|hop|mid|main)\b", n)]
        if names[-1:] == ["main"]:
            found.add(";".join(names))
    return found


def check_script(data):
    ours, theirs = (kept(run(tool, "script", "-F", "comm,ip,sym,symoff,srcline", "-i", data).stdout)
                    for tool in (PFX, PERF))
    user = re.compile(r"inline\.c:|\b(mix|twice|leaf|hop|mid|main)\+")
    equal([line for line in ours if user.search(line)],
          [line for line in theirs if user.search(line)], "script with lines")


def check_tree(data):
    """The trees of a comparison have the frames that pictures have."""
    times = run(PFX, "script", "-F", "time", "--ns", "-i", data).stdout.split()
    middle = times[len(times) // 4].strip(":")
    words = ("diff", data, data, "--time", f",{middle}:,", "--weight", "samples", "--no-noise")
    for options, inlined in (((), True), (("--no-inline",), False)):
        made = json.loads(run(PFX, *words, "--tree", "--json", *options).stdout)
        paths = [name for one in made["events"][0]["subtrees"] for name in one["path"]]
        folded = run(PFX, *words, "--folded", *options).stdout
        check(bool({"mix", "twice"} & set(paths)) == inlined, f"--tree {options}: {paths}")
        wrong = Schema("diff").wrong(made)
        check(not wrong, f"--tree --json: {wrong}")
        text = run(PFX, *words, "--tree", *options).stdout
        equal([";".join(one["path"]) for one in made["events"][0]["subtrees"]],
              [re.sub(r" \((new|vanished)\)$", "", line).split()[-1] for line in text.splitlines()
               if line and line[0] != "#"], "--tree as text")
        check((";twice;mix" in folded) == inlined and ";leaf" in folded, f"--folded {options}: {folded[:400]}")


def main():
    need_recording()
    need_perf()
    if not shutil.which("gcc") or not shutil.which("addr2line"):
        skip("no gcc, or no addr2line for perf")
    program, by_pointer = build("inline"), build("inline-fp", "-fno-omit-frame-pointer")
    record_to(PFX, "inline.data", "-e", "cpu-clock:u", "-c", "500000", "--call-graph", "dwarf", "--", program,
                    "300000")
    check(samples("inline.data") > 50, "too few samples")
    for options in OPTIONS:
        compare("inline.data", options)
    check_script("inline.data")
    run(PFX, "record", "-e", "cpu-clock:u", "-c", "500000", "-g", "-o", "inline-fp.data", "--",
        by_pointer, "300000")
    chain = "mix (inlined);twice (inlined);leaf;"
    check(any(c.startswith(chain) for c in frames("inline.data")), "inlined frames, copied stacks")
    check(any(c.startswith(chain) for c in frames("inline-fp.data")), "inlined frames, pointers")
    check(not any("inlined" in c for c in frames("inline-fp.data", "--no-inline")), "--no-inline")
    check_tree("inline-fp.data")
    finish()


if __name__ == "__main__":
    main()
