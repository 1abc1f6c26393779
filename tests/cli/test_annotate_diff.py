# SPDX-License-Identifier: MIT
"""`pfx annotate --diff`: two builds of a program, with samples on chosen instructions, side by side as text
and as JSON; recordings of both byte orders; what cannot be compared."""
import json
import os
import re
import shutil

from annotating import annotate, build, document, make, refuses, run, symbol
from checks import PFX, check, finish
from libraries import built_in

BASE = 0x555555554000
OLD = """volatile unsigned table[8];
__attribute__((noinline)) unsigned other(unsigned n) { return n / 9; }
__attribute__((noinline)) unsigned work(unsigned n)
{
	unsigned sum = table[0];

	sum += other(n);
	table[1] = sum;
	return sum * 3;
}
__attribute__((noinline)) unsigned gone(unsigned n) { return n / 11; }
int main(int argc, char **argv) { return work(argc + !argv) == gone(7); }
"""
# Another function before it moves all addresses; two lines are new in work().
NEW = OLD.replace("__attribute__((noinline)) unsigned gone(unsigned n) { return n / 11; }\n", "").replace("gone(7)", "7").replace(
    "__attribute__((noinline)) unsigned work", """__attribute__((noinline)) unsigned first(unsigned n) { return n / 13; }
__attribute__((noinline)) unsigned work""").replace("	table[1] = sum;\n", "	sum ^= table[2] << 5;\n	table[1] = sum;\n")


def samples(program, path, order, counts, event="cpu-clock"):
    """A recording with so many samples at the first instructions of functions."""
    text = (f"event {event} type=sw config=0 period=1000 sample=ip,tid,time,period\nfeature arch str=x86_64\n"
            "feature event_desc\ncomm pid=1 tid=1 time=1 \"prog\"\n"
            f"mmap2 pid=1 tid=1 time=1 addr={BASE:#x} len=0x100000 pgoff=0 maj=8 min=1 ino=77 prot=5 flags=2 "
            f"{os.path.abspath(program)}\n")
    for name, (number, period) in counts.items():
        text += f"sample ip={BASE + symbol(program, name)[0]:#x} pid=1 tid=1 time=5 period={period}\n" * number
    make(path, text + "round\n", order)


def prepare():
    build("before", OLD, "-O1")
    build("after", NEW, "-O1")
    samples("before", "old.data", "le", {"work": (4, 1000), "other": (4, 1000), "gone": (2, 1000)})
    samples("after", "new.data", "be", {"work": (6, 1000), "other": (2, 1000), "first": (2, 1000)})
    samples("after", "precise.data", "le", {"work": (6, 1000)}, "cpu-clock:ppp")
    samples("after", "other.data", "le", {"work": (6, 1000)}, "task-clock")


def check_json():
    found = document("new.data", "--diff", "old.data", "work", schema="annotate-diff")
    check(found["events"] == [{"name": "cpu-clock", "old": {"period": 10000, "samples": 10}, "new": {"period": 10000, "samples": 10}}],
          f"events: {found['events']}")
    (function,) = found["functions"]
    check(function["old"]["costs"][0]["samples"] == 4 and function["new"]["costs"][0]["samples"] == 6, f"totals: {function['old']}")
    rows = function["rows"]
    for side, program in (("old", "before"), ("new", "after")):
        addresses = [int(row[side]["address"], 16) for row in rows if side in row]
        check(addresses == sorted(addresses) and addresses[0] == symbol(program, "work")[0], f"{side}: {addresses}")
    check(rows[0]["state"] == "same" and rows[0]["old"]["costs"][0]["samples"] == 4 and rows[0]["new"]["costs"][0]["samples"] == 6,
          f"the first instruction: {rows[0]}")
    states = [row["state"] for row in rows]
    check(states.count("same") >= 4, f"few are the same: {states}")
    check(all(("old" in row, "new" in row) == {"old": (True, False), "new": (False, True)}.get(row["state"], (True, True)) for row in rows),
          "sides of rows")
    shifts = [row["new"]["text"] for row in rows if row["state"] == "new"]
    check(any(re.match(r"(sal|shl)l?\b", text) for text in shifts), f"what is new: {shifts}")
    if not built_in("libdw"):
        return
    lines = {line["new"]["text"].strip(): line for line in function["lines"] if "new" in line}
    added = lines["sum ^= table[2] << 5;"]
    check("old" not in added, f"a new line: {added}")
    moved = lines["table[1] = sum;"]
    check(moved["old"]["line"] + 2 == moved["new"]["line"] and "text" not in moved["old"], f"a line that moved: {moved}")
    check(sum(line["new"]["costs"][0]["samples"] for line in function["lines"] if "costs" in line.get("new", {})) == 6, "costs of lines")


def check_text():
    out = annotate("-i", "new.data", "--diff", "old.data", "work").stdout
    first = symbol("before", "work")[0], symbol("after", "work")[0]
    check(re.search(r"<work>: 40\.00% -> 60\.00% \(\+20\.00\)", out), f"title: {out[:600]}")
    check(re.search(rf"^    40\.00    60\.00   \+20\.00 :   {first[0]:x} {first[1]:x}:   ", out, re.M), f"first: {out[:900]}")
    if built_in("libdw"):
        check(re.search(r"^ +: \+ \d+ +sum \^= table\[2\] << 5;", out, re.M), f"the new line: {out}")
    check(re.search(rf"^     0\.00     0\.00          : \+ {' ' * len(f'{first[0]:x}')} [0-9a-f]+:   s[ah]l", out, re.M), f"a new instruction: {out}")
    for words, wanted in ((["-n"], r"^        4        6       \+2 : "), (["--show-total-period"], r"^         4000         6000        \+2000 : "),
                          (["--percent-type", "local-period"], r"^   100\.00   100\.00          : "),
                          (["-l"], r"^    40\.00    60\.00   \+20\.00  after\.c:5$"),
                          (["--asm-raw"], r":   ([0-9a-f]{2} )+ +\w"), (["--context", "0"], r"^ +:        \.\.\.$"),
                          (["--stdio-color", "always"], r"\x1b\[31m   \+20\.00\x1b\[m"), (["-P"], re.escape(os.path.abspath("after"))),
                          (["-M", "intel"], r":   mov +eax, dword ptr \[rip")):
        done = annotate("-i", "new.data", "--diff", "old.data", "work", *words)
        check(re.search(wanted, done.stdout, re.M), f"{words}: no {wanted!r} in {done.stdout[:1500]} {done.stderr}")


def two_events(program, path, counts):
    """Samples of (event, function)."""
    text = "".join(f"event {name} type=sw config={config} period=1000 sample=ip,tid,time,period,id ids={config + 1}\n"
                   for config, name in enumerate(("cpu-clock", "task-clock")))
    text += (f"feature arch str=x86_64\nfeature event_desc\ncomm pid=1 tid=1 time=1 \"prog\"\nmmap2 pid=1 tid=1 time=1 addr={BASE:#x} "
             f"len=0x100000 pgoff=0 maj=8 min=1 ino=77 prot=5 flags=2 {os.path.abspath(program)}\n")
    for (event, name), number in counts.items():
        text += f"sample ip={BASE + symbol(program, name)[0]:#x} pid=1 tid=1 time=5 period=1000 id={event + 1}\n" * number
    make(path, text + "round\n", "le")


def check_events():
    """A function is shown for the events that it has samples of, and if its share of one reaches the limit."""
    two_events("before", "old2.data", {(0, "work"): 4, (1, "other"): 3, (1, "main"): 1})
    two_events("after", "new2.data", {(0, "work"): 4, (1, "other"): 1, (1, "main"): 3})
    words = ("-i", "new2.data", "--diff", "old2.data")
    titles = re.findall(r"<(\w+)>: (.*)$", annotate(*words).stdout, re.M)
    check(titles == [("other", "75.00% -> 25.00% (-50.00)"), ("main", "25.00% -> 75.00% (+50.00)"), ("work", "100.00% -> 100.00% (+0.00)")] or
          titles == [("main", "25.00% -> 75.00% (+50.00)"), ("other", "75.00% -> 25.00% (-50.00)"), ("work", "100.00% -> 100.00% (+0.00)")],
          f"two events: {titles}")
    limited = re.findall(r"<(\w+)>:", annotate(*words, "--percent-limit", "80").stdout)
    check(limited == ["work"], f"two events, a limit: {limited}")
    check(len(document("new2.data", "--diff", "old2.data", schema="annotate-diff")["functions"]) == 3, "two events: functions")
    two_events("before", "half.data", {(1, "other"): 3})
    done = document("half.data", "--diff", "half.data", schema="annotate-diff")
    check([event["name"] for event in done["events"]] == ["task-clock"], f"events without samples: {done['events']}")
    done = run(PFX, "diff", "half.data", "half.data", "--json")
    check([event["name"] for event in json.loads(done.stdout)["events"]] == ["task-clock"], f"events of diff: {done.stdout}")
    check("cpu-clock" not in run(PFX, "diff", "half.data", "half.data", "--markdown").stdout.split("Event")[1], "events of --markdown")


def check_functions():
    """All functions: those that changed most first, new and vanished ones, too."""
    out = annotate("-i", "new.data", "--diff", "old.data").stdout
    titles = re.findall(r"<(\w+)>: (.*)$", out, re.M)
    check(sorted(titles) == sorted([("work", "40.00% -> 60.00% (+20.00)"), ("other", "40.00% -> 20.00% (-20.00)"), ("first", "new"),
                                    ("gone", "gone")]), f"functions: {titles}")
    found = document("new.data", "--diff", "old.data", schema="annotate-diff")["functions"]
    check(["old" in f and "new" in f for f in found].count(False) == 2, "functions of one side")
    check(len(document("new.data", "--diff", "old.data", "--top", "1", schema="annotate-diff")["functions"]) == 1, "--top")
    limited = re.findall(r"<(\w+)>:", annotate("-i", "new.data", "--diff", "old.data", "--percent-limit", "30").stdout)
    check(sorted(limited) == ["other", "work"], f"--percent-limit: {limited}")
    same = annotate("-i", "old.data", "--diff", "old.data").stdout
    check(not re.search(r" : [-+~]", same), f"with itself: {same}")
    check("<work>: 40.00% -> 100.00%" in annotate("-i", "precise.data", "--diff", "old.data", "work").stdout, "another precision")
    named = run("./perf", "annotate", "-i", "new.data", "--diff", "old.data", "work").stdout
    check("<work>: 40.00% -> 60.00%" in named, f"as perf: {named[:300]}")


def check_bad():
    two = ("-i", "new.data", "--diff", "old.data")
    refuses("neither recording has samples in a function 'wrk'\ndid you mean 'work'?", *two, "wrk")
    refuses("cannot open 'absent.data'", "-i", "new.data", "--diff", "absent.data", "work")
    refuses("the recordings have no event in common: the old one has 'cpu-clock', the new one 'task-clock'", "-i", "other.data",
            "--diff", "old.data", "work")
    refuses("both recordings are standard input: name one of them", "-i", "-", "--diff", "-", "work")
    for words in (["-D"], ["--lines"], ["--stdio2"], ["--code-with-type"], ["--data-type"], ["--tui"]):
        refuses("--diff shows instructions of two builds: it does not go with " +
                ("types of data" if words == ["--data-type"] else words[0]), *two, *words)
    with open("new.data", "rb") as whole, open("cut.data", "wb") as cut:
        cut.write(whole.read()[:-40])
    done = annotate("-i", "new.data", "--diff", "cut.data", "work")
    check("'cut.data'" in done.stderr, f"a damaged old recording: {done.stderr}")
    os.rename("before", "away")
    for words in ((), ("work",)):
        done = annotate(*two, *words)
        check(not done.returncode and "in the old recording 'old.data', no symbols for" in done.stderr and "<work>: new" in done.stdout,
              f"a build that is gone: {done.stderr}")
    os.rename("away", "before")


if not built_in("capstone"):
    print("SKIP: no disassembler is built in")
    raise SystemExit(77)
os.symlink(os.path.abspath(PFX), "perf")
prepare()
check_json()
check_text()
check_functions()
check_bad()
for name in ("before", "after", "perf"):
    os.remove(name)
shutil.rmtree("root", ignore_errors=True)
finish()
