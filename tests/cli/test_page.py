# SPDX-License-Identifier: MIT
"""pfx export html: the script of the page, run by node, counts functions and stacks as pfx report --json and
pfx export csv do, with filters and without. test_page_browser.py opens pages in a browser."""
import collections
import csv
import io
import json
import os
import re
import subprocess

from checks import KIT, PFX, check, finish, run
from page_recordings import HOSTILE, OLD_STACKS, OLDER, PLAIN, STACKS, need_node, page_of, record, sample, write_kallsyms

HERE = os.path.dirname(os.path.abspath(__file__))
# Long C++ names, and as they are in frames with room for 44 characters.
FITTING = {"v8::internal::(anonymous namespace)::Invoke(v8::internal::Isolate*)": "v8::internal::(anonymous namespace)::Invoke",
           "std::vector<std::pair<int, int>, std::allocator<int> >::push_back(int const&)": "std::vector::push_back",
           "(anonymous namespace)::run<(anonymous namespace)::Of>(int)": "(anonymous namespace)::run",
           "std::operator<< <std::char_traits<char> >(std::ostream&)": "std::operator<< ",
           "std::operator<< <std::char_traits<char> >(std::os…": "std::operator<< <std::char_traits<char> >(s…",
           "<alloc::vec::Vec<T> as core::iter::traits::collect::FromIterator<T>>::from_iter": "from_iter",
           "a_namespace::a_class::" + "a_function_of_a_long_name" * 2: "a_function_of_a_long_namea_function_of_a_lo…",
           "pair<" * 2000 + "int" + ">" * 2000 + "::first": "pair<" * 8 + "pai…"}
# A filter of the page, and the same of the program. A sample without a symbol is 0x1000, in the binary, and its
# stack calls it 0x401000: either name can be left out.
FILTERS = [({}, []), ({"focus": "middle"}, ["--focus", "middle"]), ({"ignore": "leaf"}, ["--ignore", "leaf"]),
           ({"hide": "^leaf$"}, ["--hide", "^leaf$"]), ({"hide": "other"}, ["--hide", "other"]),
           ({"show": "middle|outer"}, ["--show", "middle|outer"]), ({"showFrom": "middle"}, ["--show-from", "middle"]),
           ({"hide": "leaf", "showFrom": "middle|other"}, ["--hide", "leaf", "--show-from", "middle|other"]),
           ({"hide": "^0x4"}, ["--hide", "^0x4"]), ({"show": "^0x1"}, ["--show", "^0x1"]),
           ({"showFrom": "^0x1|leaf"}, ["--show-from", "^0x1|leaf"]),
           ({"thread": [8]}, ["--tid", "8"]), ({"thread": [7, 8]}, ["--tid", "7,8"]), ({"cpu": [2]}, ["-C", "2"]),
           ({"cpu": [0, 3], "thread": [7, 8]}, ["-C", "0,3"]), ({"hide": "."}, ["--hide", "."])]


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
    asked = [({key: ".".join(str(places[key].index(one)) for one in of) if key in places else of for key, of in state.items()}, words)
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


def renamed(rows):
    """The names that the page has: those of the new recording."""
    return {name.replace("leaf.isra.0", "leaf"): values for name, values in rows.items()}


def check_difference():
    """Two recordings: all sums of both, whatever the filter, functions of another build, what is new and gone."""
    states = [({}, []), ({"widths": "first", "basis": "amount"}, []), ({"focus": "middle"}, ["--focus", "middle"]),
              ({"hide": "middle"}, ["--hide", "middle"]), ({"group": "thread"}, []), ({"stacks": "callers"}, [])]
    for (state, words), has in zip(states, model("both", [state for state, _ in states])["shown"]):
        sides = [csv_sums(name, words) for name in ("now", "before")]
        new, old = [renamed(functions["cycles"]) for functions, _ in sides]
        rows = {row[0]: row[1:] for row in has["rows"]}
        expected = {name: [*new.get(name, [0, 0, 0]), *old.get(name, [0, 0, 0])] for name in {*new, *old}}
        check(rows == expected, f"difference {state}: rows {rows}, not {expected}")
        totals = [sum(row[0] for row in side.values()) for side in (new, old)]
        check(has["totals"] == totals, f"difference {state}: totals {has['totals']}, not {totals}")
        if state.get("stacks") or state.get("group"):
            continue
        new, old = [renamed(stacks["cycles"]) for _, stacks in sides]
        flame = {path: weights for path, *weights in has["stacks"]}
        expected = {path: [*new.get(path, [0, 0]), *old.get(path, [0, 0])] for path in {*new, *old}}
        check(flame == expected, f"difference {state}: stacks {flame}, not {expected}")
    changes = model("both", [{}])["shown"][0]["changes"]
    check(changes["vanished"].startswith("−") and changes["vanished"].endswith("(gone)"), f"vanished: {changes}")
    check(changes["leaf"][0] in "+−" and "gone" not in changes["leaf"], f"leaf: {changes}")


def check_groups():
    """Of a large profile with many threads, the heaviest have trees of their own, and the others share one."""
    lines = [sample(i, STACKS[i % 4], PLAIN, 2) for i in range(300)]
    lines = [re.sub(r" tid=\d+", f" tid={100 + min(i % 97, 29)}", line) for i, line in enumerate(lines)]
    write_kallsyms("crowd.syms", PLAIN)
    record("crowd", lines)
    page_of("crowd")
    for state, other in (({"group": "thread"}, False), ({"group": "thread", "nodes": 300000}, True)):
        has = model("crowd", [state])["shown"][0]
        groups = {path.split(";")[0] for path, *_ in has["stacks"]}
        check(("other threads" in groups) == other and len(groups) == (25 if other else 30), f"groups: {sorted(groups)}")
        sums = [sum(weights[i] for _, *weights in has["stacks"]) for i in (0, 1)]
        check(sums == [sum(1000 + i * i for i in range(300)), 300], f"sums of groups: {sums}")


def check_doubts():
    """What is damaged or lost is on the page, for each recording."""
    with open("plain.data", "rb") as file:
        data = file.read()
    with open("cut.data", "wb") as file:
        file.write(data[:len(data) * 2 // 3])
    done = run(PFX, "export", "html", "-q", "-i", "cut.data", "--diff", "cut.data", "-o", "cut.html")
    check(done.returncode == 0, f"export of a recording that is cut short: {done.stderr}")
    with open("cut.html", encoding="utf-8") as file:
        text = file.read()
    for said in ('{"text":"the recording ', '{"text":"Old recording: the recording '):
        check(said in text, f"{said} is not in the notes: {text[text.find('notes'):][:400]}")


def check_unnamed():
    """Few samples without a symbol are a fact, many are a note as well."""
    for nr, fact, notes in ((1, "0.50%", []), (2, "1.00%", ["2 samples (1.0%) in prog have no symbol"]),
                            (200, "100.00%", ["200 samples (100.0%) in prog have no symbol"])):
        write_kallsyms("unnamed.syms", PLAIN)
        record("unnamed", [sample(i, ("user",) if i < nr else ("outer", "leaf"), PLAIN, 2) for i in range(200)])
        page_of("unnamed")
        with open("unnamed.html", encoding="utf-8") as file:
            text = file.read()
        check(f'["Without symbol","{fact}"]' in text, f"{nr} of 200 samples have no symbol: {text[text.find('facts'):][:400]}")
        said = re.findall(r'"text":"([^"]* no symbol)"', text)
        check(said == notes, f"notes about {nr} of 200 samples without a symbol: {said}")


def check_broken():
    """Return addresses that are in no map, where frame pointers are not kept, are one root: of the page and of an SVG, not
    of what keeps addresses."""
    chains = [("0x401000", "0x1234", "0x99"), ("0x401000", "0x7fff0000"), ("0x401000", "0x7fff0000", "0x402000"),
              ("0x401000", "0x7fff0000", "0x402000", "0x1"), ("0x402000",), ("0x5", "0x6", "0x7")]
    write_kallsyms("broken.syms", PLAIN)
    record("broken", [f"sample ip={of[0]} pid=7 tid=7 time={1000000 + i} period={1 << i} id=2 cpu=0 chain=user,{','.join(of)}\n"
                      for i, of in enumerate(chains)])
    page_of("broken")
    flame = {path: weights[0] for path, *weights in model("broken", [{}])["shown"][0]["stacks"]}
    root = "[broken chain]"
    expected = {f"{root};0x401000": 15, "0x402000": 16, f"{root};0x5": 32}
    check(flame == expected, f"roots of broken chains: {flame}, not {expected}")
    rows = {row[0]: row[1:] for row in model("broken", [{}])["shown"][0]["rows"]}
    check(rows[root] == [0, 47, 0] and "0x1234" not in rows and rows["0x5"][0] == 32, f"functions of broken chains: {rows}")
    for words, nr in ((("export", "svg"), 1), (("export", "folded"), 0), (("report", "--stdio"), 0)):
        done = run(PFX, *words, "-q", "-i", "broken.data")
        check(done.returncode == 0 and done.stdout.count(f"<title>{root}") == nr and (root in done.stdout) == bool(nr), f"{words}: {done}")


def check_refused():
    with open("plain.txt", encoding="utf-8") as file:
        text = file.read()
    with open("renamed.txt", "w", encoding="utf-8") as file:
        file.write(re.sub(r"type=hw config=(\d)", r"type=raw config=0x10\1", text))
    check(run(KIT, "renamed.txt", "renamed.data").returncode == 0, "renamed.txt")
    for words, said in ((["folded", "--diff", "before.data"], "--diff does not work with folded"),
                        (["html", "--diff", "nosuch.data"], "nosuch.data"),
                        (["html", "--diff", "renamed.data", "-o", "refused.html"], "the recordings have no event in common"),
                        (["html", "--diff", "renamed.data", "-e", "cycles", "-o", "refused.html"],
                         "'cycles' is not an event of 'renamed.data'"),
                        (["html", "--diff", "before.data", "-o", "before.data"], "'before.data' is the recording itself")):
        done = run(PFX, "export", *words, "-i", "plain.data")
        check(done.returncode != 0 and said in done.stderr, f"{words}: {done.returncode} {done.stderr}")
    check(not os.path.exists("refused.html"), "a refused comparison left a file")


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
    write_kallsyms("now.syms", OLDER)
    write_kallsyms("before.syms", OLDER)
    record("now", [sample(i, STACKS[i % len(STACKS)], OLDER, 2) for i in range(120)])
    record("before", [sample(i, OLD_STACKS[i % len(OLD_STACKS)], OLDER, 2) for i in range(100)])
    done = run(PFX, "export", "html", "--kallsyms", "now.syms", "-i", "now.data", "--diff", "before.data", "-o", "both.html")
    check(done.returncode == 0, f"export of both: {done.stderr}")
    check_difference()
    check_refused()
    check_groups()
    check_doubts()
    check_unnamed()
    check_broken()
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
