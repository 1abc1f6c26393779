# SPDX-License-Identifier: MIT
"""pfx export html: the script of the page, run by node, counts functions and stacks as pfx report --json and
pfx export csv do, with filters and without; any name stays text. Where Chromium is installed it shows the table."""
import collections
import csv
import html
import io
import json
import os
import re
import shutil
import subprocess
import sys

from checks import KIT, PFX, check, finish, run

HERE = os.path.dirname(os.path.abspath(__file__))
BROWSER = "/usr/bin/chromium"
LONG = "long_" + "x" * 65000
HOSTILE = ["</script><b>", "two\u2028lines\u2029", "quo\"te's`&amp;", "turn\u202eed", "<!--<script>", LONG]
# Long C++ names, and as they are in frames with room for 44 characters.
FITTING = {"v8::internal::(anonymous namespace)::Invoke(v8::internal::Isolate*)": "v8::internal::(anonymous namespace)::Invoke",
           "std::vector<std::pair<int, int>, std::allocator<int> >::push_back(int const&)": "std::vector::push_back",
           "(anonymous namespace)::run<(anonymous namespace)::Of>(int)": "(anonymous namespace)::run",
           "std::operator<< <std::char_traits<char> >(std::ostream&)": "std::operator<< "}
PLAIN = ["outer", "middle", "leaf", "other"]
BASE = 0xffffffff81000000
SAMPLE = "sample=ip,tid,time,period,id,cpu,callchain"
EVENTS = f"""feature cmdline u32=3 str=/usr/bin/pfx str=record str=/bin/prog
event instructions type=hw config=1 freq=1000 {SAMPLE} ids=1
event cycles type=hw config=0 freq=1000 {SAMPLE} ids=2
event branches type=hw config=4 freq=1000 {SAMPLE} ids=3
"""
START = f"""mmap2 pid=-1 tid=0 addr={BASE:#x} len=0x1000000 pgoff={BASE:#x} prot=5 misc=1 [kernel.kallsyms]_text
comm pid=7 tid=7 time=1 first
comm pid=7 tid=8 time=1 <b>&amp;
mmap2 pid=7 tid=7 addr=0x400000 len=0x10000 prot=5 time=1 /bin/prog
"""
# Functions from the caller to what it calls; "user" is code without a symbol.
STACKS = [("outer", "middle", "leaf"), ("outer", "leaf"), ("outer", "middle", "middle"), ("other",), ("user",),
          ("user", "outer", "other")]
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


def write_kallsyms(name, functions):
    symbols = ["_text", *functions, "_etext"]
    with open(name, "w", encoding="utf-8") as file:
        for i, symbol in enumerate(symbols):
            file.write(f"{BASE + i * 0x100:x} T {symbol}\n")


def sample(i, stack, functions, event):
    """A line of the kit: a stack of kernel functions, maybe on a user's."""
    kernel = [f"{BASE + (functions.index(of) + 1) * 0x100 + 0x10:#x}" for of in reversed(stack) if of != "user"]
    user = ["user", "0x401000"] if "user" in stack else []
    chain = ",".join((["kernel", *kernel] if kernel else []) + user)
    ip = kernel[0] if kernel else "0x401000"
    return (f"sample ip={ip} pid=7 tid={7 + i % 2} time={1000000 + i * 1000003} period={1000 + i * i} id={event} "
            f"cpu={i % 4} chain={chain}{' misc=1' if kernel else ''}\n")


def record(name, lines):
    with open(f"{name}.txt", "w", encoding="utf-8") as file:
        file.write("".join([EVENTS, START, *lines, "round\n"]))
    made = run(KIT, f"{name}.txt", f"{name}.data")
    check(made.returncode == 0, f"{name}: {made.stderr}")


def page_of(name):
    done = run(PFX, "export", "html", "--kallsyms", f"{name}.syms", "-i", f"{name}.data", "-o", f"{name}.html")
    check(done.returncode == 0, f"export of {name}: {done.stderr}")


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


def dom_of(name, fragment):
    words = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={os.getcwd()}/browser",
             "--virtual-time-budget=8000", "--dump-dom", f"file://{os.getcwd()}/{name}.html#{fragment}"]
    try:
        done = subprocess.run(words, capture_output=True, encoding="utf-8", check=False, timeout=100)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout if done.returncode == 0 and done.stdout else None


def check_browser(name, functions):
    if not os.access(BROWSER, os.X_OK):
        print("the page in a browser: skipped, Chromium is not installed")
        return
    dom = dom_of(name, "view=table")
    if dom is None:
        print("the page in a browser: skipped, Chromium does not run here")
        return
    check('data-ready="yes"' in dom, f"{name}: the page did not get ready")
    shown = re.search(r'<main.*?</main>', dom, re.S).group()
    check("cannot be shown" not in shown, f"{name}: {shown[:300]}")
    names = [html.unescape(of) for of in re.findall(r'<th[^>]*scope="row"[^>]*><button[^>]*>([^<]*)</button>', shown)]
    check(sorted(names) == sorted(functions), f"{name}: rows of {[of[:50] for of in names]}")
    tabs = re.findall(r'<button[^>]*role="tab"[^>]*>', dom_of(name, "view=nosuch") or "")
    check([of for of in tabs if 'aria-selected="true"' in of and 'id="tab-overview"' in of], f"no such view: {tabs}")


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
    check_browser("hostile", [of.translate({c: f"\\u{c:04x}" for c in (0x2028, 0x2029, 0x202e)})[:400]
                              + ("…" if len(of) > 400 else "") for of in HOSTILE])
    finish()


main()
