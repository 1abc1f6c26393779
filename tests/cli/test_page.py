# SPDX-License-Identifier: MIT
"""pfx export html: the script of the page, run by node, counts functions and stacks as pfx report --json and
pfx export csv do, with filters and without. test_page_browser.py opens pages in a browser."""
import collections
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys

from checks import PFX, check, finish, run
from page_recordings import HOSTILE, PLAIN, STACKS, page_of, record, sample, write_kallsyms

HERE = os.path.dirname(os.path.abspath(__file__))
# Long C++ names, and as they are in frames with room for 44 characters.
FITTING = {"v8::internal::(anonymous namespace)::Invoke(v8::internal::Isolate*)": "v8::internal::(anonymous namespace)::Invoke",
           "std::vector<std::pair<int, int>, std::allocator<int> >::push_back(int const&)": "std::vector::push_back",
           "(anonymous namespace)::run<(anonymous namespace)::Of>(int)": "(anonymous namespace)::run",
           "std::operator<< <std::char_traits<char> >(std::ostream&)": "std::operator<< "}
# A filter of the page, and the same of the program. A sample without a symbol is 0x1000, in the binary, and its
# stack calls it 0x401000: either name can be left out.
FILTERS = [({}, []), ({"focus": "middle"}, ["--focus", "middle"]), ({"ignore": "leaf"}, ["--ignore", "leaf"]),
           ({"hide": "^leaf$"}, ["--hide", "^leaf$"]), ({"hide": "other"}, ["--hide", "other"]),
           ({"show": "middle|outer"}, ["--show", "middle|outer"]), ({"showFrom": "middle"}, ["--show-from", "middle"]),
           ({"hide": "leaf", "showFrom": "middle|other"}, ["--hide", "leaf", "--show-from", "middle|other"]),
           ({"hide": "^0x4"}, ["--hide", "^0x4"]), ({"show": "^0x1"}, ["--show", "^0x1"]),
           ({"showFrom": "^0x1|leaf"}, ["--show-from", "^0x1|leaf"]),
           ({"thread": 8}, ["--tid", "8"]), ({"cpu": 2}, ["-C", "2"]), ({"hide": "."}, ["--hide", "."])]


def need_node():
    node = shutil.which("node")
    match = re.match(r"v(\d+)\.", run(node, "--version").stdout) if node else None
    if not match or int(match.group(1)) < 18:
        print("SKIP: node (18 or newer) is not installed")
        sys.exit(77)


def model(name, states, *names):
    done = subprocess.run(["node", os.path.join(HERE, "page_model.js"), f"{name}.html", *names], input=json.dumps(states),
                          capture_output=True, encoding="utf-8", check=False, timeout=60)
    check(done.returncode == 0, f"the script of {name}: {done.stderr}")
    return json.loads(done.stdout)


def csv_sums(name, words):
    """By event: rows of functions, and of stacks, from a line for each sample."""
    done = run(PFX, "export", "csv", "--kallsyms", f"{name}.syms", "-i", f"{name}.data", *words)
    check(done.returncode == 0, f"export csv {words}: {done.stderr}")
    functions = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0, 0]))
    stacks = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
    for row in csv.DictReader(io.StringIO(done.stdout)):
        period, own = int(row["period"]), row["function"]
        functions[row["event"]][own][0] += period
        functions[row["event"]][own][2] += 1
        for of in {own, *row["stack"].split(";")}:
            functions[row["event"]][of][1] += period
        stacks[row["event"]][row["stack"]][0] += period
        stacks[row["event"]][row["stack"]][1] += 1
    return functions, stacks


def check_filters(name):
    first = model(name, [])
    # The page has places in its lists where the options have numbers.
    places = {"thread": first["tids"], "cpu": first["cpus"]}
    asked = [({key: places[key].index(of) if key in places else of for key, of in state.items()}, words)
             for state, words in FILTERS]
    states = [{**state, "event": event} for state, _ in asked for event in range(len(first["events"]))]
    shown = iter(model(name, states)["shown"])
    for state, words in asked:
        functions, stacks = csv_sums(name, words)
        check(bool(stacks) == (words != ["--hide", "."]), f"{words}: samples of {list(stacks)}")
        for _ in first["events"]:
            has = next(shown)
            event, what = has["event"], f"{name} {words} {has['event']}"
            rows = {row[0]: row[1:] for row in has["rows"]}
            check(rows == functions[event], f"{what}: rows {rows}, not {dict(functions[event])}")
            flame = {path: weights for path, *weights in has["stacks"]}
            check(flame == stacks[event], f"{what}: stacks {flame}, not {dict(stacks[event])}")
            check(has["total"] == sum(row[0] for row in rows.values()), f"{what}: shares do not add up to 100 %")


def check_report(name):
    """Without filters, as pfx report has it."""
    done = run(PFX, "report", "--json", "-s", "sym", "--kallsyms", f"{name}.syms", "-i", f"{name}.data")
    check(done.returncode == 0, f"report: {done.stderr}")
    tables = {table["events"][0]["name"]: table["rows"] for table in json.loads(done.stdout)["tables"]}
    page = model(name, [{"event": event} for event in range(3)])
    check(model(name, [{}])["shown"][0]["event"] == "cycles", "the first event with samples is not the one shown")
    for has in page["shown"]:
        ours = {row[0]: row[1:] for row in has["rows"] if not row[0].startswith("0x")}
        theirs = {row["keys"]["symbol"]: [row["values"][0][key] for key in ("period", "children_period", "samples")]
                  for row in tables.get(has["event"], []) if not row["keys"]["symbol"].startswith("0x")}
        check(ours == theirs, f"report of {has['event']}: {theirs}, the page: {ours}")


def check_names():
    page = model("hostile", [{"event": 1}], *FITTING)
    check(page["fitting"] == list(FITTING.values()), f"shortened names: {page['fitting']}")
    rows = {row[0]: row[3] for row in page["shown"][0]["rows"]}
    check(rows == {name: 1 for name in HOSTILE}, f"names: {[name[:50] for name in rows]}")
    check('<b>&amp;' in page["comms"], f"names of threads: {page['comms']}")


def main():
    need_node()
    write_kallsyms("plain.syms", PLAIN)
    record("plain", [sample(i, STACKS[i % len(STACKS)], PLAIN, 2 + i // 7 % 2) for i in range(60)])
    write_kallsyms("hostile.syms", HOSTILE)
    record("hostile", [sample(i, (name,), HOSTILE, 2) for i, name in enumerate(HOSTILE)])
    # Larger pages are packed.
    functions = [f"function_{i}_{'y' * 400}" for i in range(4000)]
    write_kallsyms("large.syms", functions)
    record("large", [sample(i, (name, functions[i // 2]), functions, 2) for i, name in enumerate(functions)])
    for name in ("plain", "hostile", "large"):
        page_of(name)
    check_filters("plain")
    check_report("plain")
    check_names()
    with open("plain.html", encoding="utf-8") as file:
        text = file.read()
        check('"title":"pfx record /bin/prog"' in text and '"/usr/bin/pfx record /bin/prog"' in text, "title and command")
    with open("large.html", encoding="utf-8") as file:
        check('data-packed="gzip"' in file.read(), "the large page is not packed")
    check(len(model("large", [{}])["shown"][0]["rows"]) == len(functions), "functions of the large page")
    finish()


main()
