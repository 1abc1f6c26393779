# SPDX-License-Identifier: MIT
"""The page and the picture of two recordings say of each function and call path what `pfx diff` finds: samples that come in
bursts are noise in all of them, and where the page shows something that was not compared, it says that noise is not known."""
import json
import os
import random
import re
import subprocess

from checks import KIT, PFX, check, finish, run
from page_recordings import need_node

HERE = os.path.dirname(os.path.abspath(__file__))
HEAD = """event cpu-clock type=sw config=0 period=1000000 sample=ip,tid,time,cpu,period,callchain
comm pid=10 tid=10 "prog"
comm pid=10 tid=11 "helper"
mmap2 pid=-1 tid=0 addr=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 prot=5 misc=1 [kernel.kallsyms]_text
"""
FUNCTIONS = ["root", "steady", "burst", "grows", "fresh", "gone"]


def address(function):
    return 0xffffffff81000100 + 0x100 * FUNCTIONS.index(function)


def record(name, seed, bursts, weights, two_threads=False, varies=False):
    """`burst` runs in so many bursts of 40 samples; the others whenever."""
    rand = random.Random(seed)
    own = [rand.choices(list(weights), weights.values())[0] for _ in range(4000)]
    for first in rand.sample(range(0, 4000, 100), bursts):
        own[first:first + 40] = ["burst"] * 40
    text = HEAD
    for i, function in enumerate(own):
        ip = f"{address(function) + 16:#x}"
        period = 500000 + rand.randrange(1000000) if varies else 1000000
        text += (f"sample ip={ip} pid=10 tid={10 + i % 2 * two_threads} time={1000 + i * 1000000} period={period} misc=1 "
                 f"chain=kernel,{ip},{address('root') + 16:#x}\n")
    with open(f"{name}.txt", "w", encoding="utf-8") as file:
        file.write(text + "round\n")
    made = run(KIT, "--le", f"{name}.txt", f"{name}.data")
    check(made.returncode == 0, f"{name}: {made.stderr}")


def found_by_diff(new, *words):
    done = run(PFX, "diff", "old.data", f"{new}.data", "--kallsyms", "syms", "--json", *words)
    check(done.returncode == 0, f"diff: {done.stderr}")
    rows = json.loads(done.stdout)["events"][0]["rows"]
    return {row["keys"]["symbol"]: (not row["sides"][1]["within_noise"], row["sides"][1]["noise"], row["sides"][1]["delta"]) for row in rows}


def tree_of_diff(new):
    done = run(PFX, "diff", "old.data", f"{new}.data", "--kallsyms", "syms", "--tree=0", "-q")
    check(done.returncode == 0, f"diff --tree: {done.stderr}")
    return {line.split("  ")[-1].split(" (")[0] for line in done.stdout.splitlines()}


def page_states(new, states):
    done = run(PFX, "export", "html", "-q", "-i", f"{new}.data", "--diff", "old.data", "--kallsyms", "syms", "-o", f"{new}.html")
    check(done.returncode == 0, f"page: {done.stderr}")
    done = subprocess.run(["node", os.path.join(HERE, "page_model.js"), f"{new}.html"], input=json.dumps(states), capture_output=True,
                          encoding="utf-8", check=False, timeout=60)
    check(done.returncode == 0, f"the script of the page: {done.stderr}")
    return [of["noise"] for of in json.loads(done.stdout)["shown"]]


def svg_frames(new, *words):
    """By path from the root: the sign, the last line of the facts."""
    done = run(PFX, "export", "svg", "-q", "-i", f"{new}.data", "--diff", "old.data", "--kallsyms", "syms", *words)
    check(done.returncode == 0, f"svg: {done.stderr}")
    frames, above = {}, []
    for sign, y, facts in re.findall(r'<svg class="f"(?: data-sign="([^"]*)")? x="[^"]*" y="(\d+)".*?<title>([^<]*)</title>', done.stdout, re.S):
        del above[int(y) // 18:]
        above.append(facts.split("\n")[0])
        frames[";".join(above[1:])] = (sign.strip(), facts.split("\n")[-1])
    return frames


def check_verdicts(new):
    by_diff = found_by_diff(new)
    page, amounts, by_period = page_states(new, [{}, {"basis": "amount", "unit": "samples"}, {"basis": "amount"}])
    for name, (beyond, half, _) in by_diff.items():
        ours = page["functions"][name]
        check(ours[0] == beyond and abs(100 * ours[1] - half) < 2e-4, f"{new} {name}: diff {beyond} {half}, the page {ours}")
    for weight, has in (("samples", amounts), ("period", by_period)):
        for name, (beyond, half, _) in found_by_diff(new, "--weight", weight).items():
            ours = has["functions"][name]
            check(ours[0] == beyond and half <= ours[1] <= half + 1, f"{new} {name} {weight}: diff {beyond} {half}, the page {ours}")
    leaves = {path.split(";")[1]: found for path, found in page["nodes"].items() if path.count(";") == 1}
    svg = svg_frames(new)
    by_tree = {path.split(";")[1] for path in tree_of_diff(new) if ";" in path}
    for name, (is_beyond, half) in leaves.items():
        sign, facts = svg[f"root;{name}"] if f"root;{name}" in svg else ("", "")
        check(is_beyond is not None, f"{new} {name}: the page does not know")
        check(is_beyond == (name in by_tree), f"{new} {name}: page {is_beyond}, diff --tree {by_tree}")
        if facts:
            check(is_beyond == bool(sign) == ("within noise" not in facts) and f"±{100 * half:.2f}" in facts,
                  f"{new} {name}: page {is_beyond} {half}, SVG {sign} {facts}")
    return by_diff, leaves


def check_bursts():
    """Numbers of samples alone would show these as found."""
    by_diff, leaves = check_verdicts("bursts")
    beyond, half, delta = by_diff["burst"]
    check(not beyond and abs(delta) > 2 and half > delta, f"burst: {by_diff['burst']}")
    check(leaves["burst"][0] is False, f"burst in the page: {leaves['burst']}")
    by_diff, leaves = check_verdicts("changed")
    check([name for name in by_diff if by_diff[name][0]] and by_diff["grows"][0] and by_diff["fresh"][0] and by_diff["gone"][0] and
          not by_diff["burst"][0], f"changes: {by_diff}")


def check_unknown():
    """What `pfx diff` did not compare."""
    for state in ({"focus": "burst"}, {"from": 0, "to": 2000000}, {"stacks": "callers"}, {"group": "thread"}):
        found = page_states("changed", [state])[0]
        nodes = {of[0] for path, of in found["nodes"].items() if path}
        check(nodes == {None}, f"{state}: nodes {nodes}")
        known = {of[2] is not None for of in found["functions"].values()}
        check(known == {"stacks" in state or "group" in state}, f"{state}: functions {found['functions']}")


def check_threads():
    """By names of threads, and by numbers of samples whose periods differ."""
    svg = svg_frames("threads")
    check("within noise" in svg["prog;root;burst"][1] and not svg["prog;root;burst"][0], f"threads: {svg}")
    check(svg["prog"][0] == "▼" and svg["helper"][0] == "+", f"threads: {svg}")
    for words in ((), ("--weight", "samples")):
        svg = svg_frames("varying", *words)
        check(svg["root;grows"][0] == "▲" and "within noise" in svg["root;burst"][1], f"{words}: {svg}")
    page = page_states("varying", [{"unit": "samples"}])[0]
    check(page["functions"]["grows"][0] and page["functions"]["burst"][0] is False, f"by samples: {page['functions']}")


def main():
    need_node()
    with open("syms", "w", encoding="utf-8") as file:
        file.write("ffffffff81000000 T _text\n" + "".join(f"{address(name):x} T {name}\n" for name in FUNCTIONS) + "ffffffff81000800 T _etext\n")
    same = {"steady": 70, "grows": 20, "gone": 5}
    changed = {"steady": 60, "grows": 35, "fresh": 5}
    record("old", 1, 4, same)
    record("bursts", 2, 8, same)
    record("changed", 3, 5, changed)
    record("threads", 4, 8, same, two_threads=True)
    record("varying", 5, 6, changed, varies=True)
    check_bursts()
    check_unknown()
    check_threads()
    finish()


main()
