#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""speedscope reads the text of pfx script as it reads perf's: the importer of the npm package is
given both, of the same recording, and makes the same of them: threads, names, weights, calls."""
import json
import os
import re
import shutil
import subprocess
import tempfile

from live import DEMO, PERF, PFX, check, equal, finish, need_perf, record_to, run, skip, without_linkage

PACKAGE = "speedscope@1.25.0"
HERE = os.path.dirname(os.path.abspath(__file__))
RECORDINGS = {
    "threads": ["-F", "997", "-e", "cpu-clock", "-g"],
    "user": ["-F", "997", "-e", "cpu-clock:u", "-g"],
    "faults": ["-c", "1", "-e", "page-faults:u", "-g"],
}


def need_node():
    node = shutil.which("node")
    version = run(node, "--version").stdout if node else ""
    match = re.match(r"v(\d+)\.", version)
    if not match or int(match.group(1)) < 16 or not shutil.which("npm"):
        skip("node (16 or newer) and npm are not installed")


def install(folder):
    """The folder of the package; skips where the registry is out of reach."""
    argv = ["npm", "install", "--prefix", folder, "--cache", os.path.join(folder, "cache"),
            "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--fetch-retries=1",
            "--fetch-timeout=20000", PACKAGE]
    try:
        done = subprocess.run(argv, capture_output=True, timeout=120, check=False,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        skip(f"npm could not fetch {PACKAGE} in two minutes")
    package = os.path.join(folder, "node_modules", "speedscope")
    if done.returncode or not os.path.isdir(package):
        lines = [line for line in done.stderr.decode(errors="replace").splitlines() if "err" in line.lower()]
        skip(f"npm could not fetch {PACKAGE}: {' '.join(lines[:1])}")
    return package


def text_of(tool, data):
    text = run(tool, "script", "--no-inline", "-i", data)
    check(text.returncode == 0, f"{tool} script: {text.stderr}")
    return text.stdout


def imported(package, text, name):
    """What the importer makes of a tool's text."""
    with open(name, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
    done = run("node", os.path.join(HERE, "speedscope.js"), package, name)
    check(done.returncode == 0, f"the importer: {done.stderr}")
    return json.loads(done.stdout or "[]")


def compare(package, name):
    data = f"{name}.data"
    texts = without_linkage(text_of(PFX, data), text_of(PERF, data))
    ours, theirs = (imported(package, text, f"{name}.{tool}.txt")
                    for text, tool in zip(texts, ("pfx", "perf")))
    check(sum(p["weight"] for p in theirs) > 0 and any(p["calls"] for p in theirs),
          f"{name}: nothing imported")
    equal([p["name"] for p in ours], [p["name"] for p in theirs], f"{name}: threads")
    for mine, other in zip(ours, theirs):
        for what in ("weight", "frames", "calls"):
            check(mine[what] == other[what], f"{name}: {mine['name']}: {what} differ")
    functions = {frame[0] for p in ours for frame in p["frames"]}
    print(f"{name}: {len(ours)} threads, {len(functions)} functions")
    return functions


def main():
    need_perf()
    need_node()
    for name, options in RECORDINGS.items():
        done = record_to(PERF, f"{name}.data", *options, "--", DEMO, "0.4")
        if done.returncode:
            skip(f"perf cannot record here: {done.stderr.strip()[:200]}")
    with tempfile.TemporaryDirectory() as folder:
        package = install(folder)
        for name in RECORDINGS:
            functions = compare(package, name)
            check(functions, f"{name}: functions")
    finish()


main()
