#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pfx report --json fits Documentation/report-schema.json and says what the table says; --folded adds
up to the same sum.

usage: report_json.py PFX KIT"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "kit"))
from json_schema import Schema, parse  # noqa: E402

CASES = [("chains", []), ("two-events", []), ("samples", ["-n", "-s", "comm,dso,sym,cpu,time"]),
         ("branch-keys", []), ("memory-keys", ["--mem-mode"]), ("tracepoints", []),
         ("memory-keys", ["-s", "comm", "-F", "+weight1,overhead_us,ins_lat"]), ("chains", ["--no-children"]),
         ("memory-keys", ["--mem-mode", "-F", "overhead,op,cache,memory,snoop,dtlb,comm"]),
         ("samples", ["-H", "-s", "comm,dso,sym"]), ("chains", ["-H", "--no-children"]),
         ("branch-loops", ["--branch-history", "--no-children"]), ("samples", ["-T"]),
         ("samples", ["--samples", "2", "-s", "comm"]),
         ("branch-keys", ["--total-cycles"]), ("samples", ["--time", "0%-100%"]),
         ("chains", ["-g", "flat"]), ("samples", ["-c", "nobody"]), ("tasks", []), ("unknown-records", [])]


def run(*argv):
    return subprocess.run(argv, capture_output=True, text=True, check=False, timeout=900)


def percents(text):
    """The first percentage of each row."""
    return [float(m) for m in re.findall(r"(?m)^ {1,5}(\d+\.\d\d)%", text)]


def check_tree(node):
    below = sum(check_tree(kid) for kid in node["kids"])
    assert node["own_period"] + below <= node["period"], node
    return node["period"]


def compare(pfx, data, options, schema):
    done = run(pfx, "report", "-i", data, "--json", *options)
    assert done.returncode == 0, done.stderr
    report = parse(done.stdout)
    assert not schema.wrong(report), f"{data} {options}: {schema.wrong(report)}"
    table = run(pfx, "report", "--stdio", "-i", data, "-g", "none", *[o for o in options
                                                                   if o not in ("-g", "flat")])
    top = "hierarchy" if "-H" in options else "rows"
    shown = [row["values"][0].get("children_percent", row["values"][0]["percent"])
             for part in report["tables"] for row in part[top]]
    if "--total-cycles" in options:
        assert all("blocks" in part for part in report["tables"]), report["tables"]
        return report
    assert len(percents(table.stdout)) == len(shown), (options, table.stdout, shown)
    for one, other in zip(percents(table.stdout), shown):
        assert abs(one - other) < 0.006, (options, one, other)
    for part in report["tables"]:
        for row in part["rows"]:
            # the nodes of a flat graph are chains of their own
            if "flat" not in options and "callgraph" in row:
                check_tree(row["callgraph"])
    return report


def check_folded(pfx, data):
    done = run(pfx, "report", "-i", data, "--folded")
    assert done.returncode == 0 and done.stdout, done.stderr
    rows = [re.fullmatch(r"([^;]+(?:;[^;]+)*) (\d+)", row) for row in done.stdout.splitlines()]
    assert all(rows), done.stdout
    assert len({row.group(1) for row in rows}) == len(rows), "a line comes twice"
    report = parse(run(pfx, "report", "-i", data, "--json").stdout)
    whole = sum(event["period"] for part in report["tables"] for event in part["events"])
    assert sum(int(row.group(2)) for row in rows) == whole, done.stdout


def check_instead(pfx, data, schema):
    """What --stats, --tasks and --mmaps show instead of the table is beside it in JSON."""
    report = parse(run(pfx, "report", "-i", data, "--json", "--stats", "--mmaps").stdout)
    assert not schema.wrong(report), f"{data}: {schema.wrong(report)}"
    text = run(pfx, "report", "-i", data, "--stats").stdout
    whole = text.split("stats:\n")[1]
    counts = dict((name, int(nr)) for name, nr in re.findall(r"(\w+) events: +(\d+)  \(", whole))
    types = {name: nr for name, nr in report["records"]["types"].items() if nr}
    assert types == counts, (types, counts)
    assert f"TOTAL events: {sum(counts.values()):10}\n" in text, text
    for event in report["records"]["events"]:
        part = text.split(f"\n{event['name']} stats:\n")[1:] or [""]
        for what in ("samples", "lost_samples"):
            shown = re.match(rf"(?: +\w+ events: .*\n)*? +{what.upper().removesuffix('S')}S? events: +(\d+)\n", part[0])
            assert event[what] == int(shown.group(1) if shown else 0), (event, text)
    text = run(pfx, "report", "-i", data, "--mmaps").stdout
    tasks = set(re.findall(r"(?m)^ +(-?\d+) +(-?\d+) +(-?\d+) \| *(.*)$", text))
    told = {(str(t["pid"]), str(t["tid"]), str(t["ppid"]), t["comm"]) for t in report["tasks"]}
    # those that only samples tell of have no name
    assert tasks <= told and all(name == f":{tid}" for _, tid, _, name in told - tasks), (told, text)
    maps = sorted(re.findall(r"(?m)^ +([0-9a-f]+)-([0-9a-f]+) ([-rwxsp]{4}) ([0-9a-f]+) (\d+) (.*)$", text))
    ours = sorted((m["start"][2:], m["end"][2:], m["access"], m["offset"][2:].zfill(8), str(m["inode"]), m["dso"])
                  for t in report["tasks"] for m in t.get("mmaps", ()))
    assert maps == ours, (maps, ours)


def main():
    pfx, kit = sys.argv[1:3]
    schema = Schema("report")
    with tempfile.TemporaryDirectory() as folder:
        for name, options in CASES:
            data = os.path.join(folder, name + ".data")
            text = os.path.join(ROOT, "tests", "golden", name + ".txt")
            subprocess.run([kit, "--le", text, data], check=True)
            compare(pfx, data, options, schema)
            check_instead(pfx, data, schema)
        check_folded(pfx, os.path.join(folder, "chains.data"))
        both = run(pfx, "report", "-i", data, "--json", "--folded")
        assert both.returncode == 129, both
    print(f"{len(CASES)} reports fit the schema")


main()
