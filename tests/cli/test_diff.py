#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`pfx diff`: rules and exit codes, several runs a side, counts, and files that cannot be compared."""
import json
import os
import random
import re
import sys

from checks import KIT, PFX, check, finish, run

sys.path.insert(0, os.path.join(os.environ["PFX_SOURCE_DIR"], "tests", "kit"))
from json_schema import Schema  # noqa: E402

HEAD = """event cpu-clock type=sw config=0 period=1000000 sample=ip,tid,time,period{more} flags=sample_id_all
comm pid=10 tid=10 "one"
mmap2 pid=10 tid=10 addr=0x400000 len=0x10000 maj=8 min=1 ino=77 prot=5 flags=2 /no/such/bin/{dso}
"""
RULE = "self > +5%"


def write(name, text):
    with open(f"{name}.txt", "w", encoding="utf-8") as file:
        file.write(text)
    made = run(KIT, f"{name}.txt", f"{name}.data")
    check(made.returncode == 0, f"{name}: {made.stderr}")
    return f"{name}.data"


def record(name, seed, weights, nr=4000, chains=False):
    """Samples in the binaries, by weight: what the kit makes has no symbols, so that rows are binaries."""
    rand = random.Random(seed)
    text = HEAD.format(more=",callchain" if chains else "", dso="a")
    for i, dso in enumerate(list(weights)[1:]):
        text += (f"mmap2 pid=10 tid=10 addr={0x500000 + i * 0x100000:#x} len=0x10000 maj=8 min=1 ino={80 + i} "
                 f"prot=5 flags=2 /no/such/bin/{dso}\n")
    for i in range(nr):
        at = rand.choices(range(len(weights)), weights.values())[0]
        ip = 0x401000 + at * 0x100000
        chain = f" chain=user,{ip:#x},0x401000" if chains else ""
        text += f"sample ip={ip:#x} pid=10 tid=10 time={1000 + i * 1000000} period=1000000{chain}\n"
    return write(name, text + "round\n")


def diff(*words):
    return run(PFX, "diff", "-s", "dso", *words)


def check_rules(old, new):
    for words, code, said in (
            (("--fail-on", RULE), 2, ["rule 'self > +5%' is broken: b +"]),
            (("--fail-on", "self > +900%"), 0, []),
            (("--fail-on", "self:a > +1%"), 0, []),
            (("--fail-on", "self > +1%", "--fail-on", "total-time < -50%", "--fail-on", "self > +5 points"), 2,
             ["rule 'self > +1%'", "rule 'self > +5 points'"]),
            (("--fail-on", RULE, "--min-samples", "3000"), 0, [f"rule '{RULE}' checks nothing: no function that it is about has enough samples"]),
            (("--rules", "rules"), 2, ["rule 'self > +5%' is broken: b +"]),
            (("--fail-on", RULE, "--weight", "samples", "--no-noise"), 2, ["rule 'self > +5%' is broken: b +"])):
        done = diff(old, new, *words)
        check(done.returncode == code, f"{words}: {done.returncode} {done.stderr}")
        check([line.startswith(f"pfx diff: {one}") for line, one in zip(done.stderr.splitlines(), said)] ==
              [True] * len(said) and len(done.stderr.splitlines()) == len(said), f"{words}: {done.stderr}")
        check("Baseline" in done.stdout, f"{words}: no table")
    same = diff(old, old.replace("old", "old2"), "--fail-on", "self > +0.1%")
    check(same.returncode == 0 and "within noise" in same.stdout, f"noise breaks a rule: {same.stderr}")
    same = diff(old, old.replace("old", "old2"), "--fail-on", "self > +0.1%", "--ignore-noise")
    check(same.returncode == 2, "--ignore-noise does not count noise")
    check_kept_rules(old)


def check_kept_rules(old):
    """What is over the limit but does not count is said: noise, and functions that are too small."""
    done = diff(old, old.replace("old", "old2"), "--fail-on", "self > +0.1%")
    line = done.stderr.strip()
    check(done.returncode == 0 and re.fullmatch(r"pfx diff: rule 'self > \+0.1%' is kept: within noise: \w \+[\d.]+% "
                                                r"\([\d.]+% -> [\d.]+%, \+[\d.]+ points\)(, and \d more)?", line), f"noise: {line}")
    check(not diff(old, old.replace("old", "old2"), "--fail-on", "self > +0.1%", "-q").stderr, "noise with -q")
    small = record("small", 11, {"a": 500, "b": 499, "tiny": 1}, nr=8000)
    grown = record("grown", 12, {"a": 500, "b": 493, "tiny": 7}, nr=8000)
    least = ("--min-share", "1")
    for words, code, said in (
            (("--fail-on", "self:tiny > +50%", *least), 0, "no function that it is about has enough samples (--min-samples, --min-share)"),
            (("--fail-on", "self > +50%", *least), 0, "rule 'self > +50%' is kept: below 1% of all samples: tiny +"),
            (("--fail-on", "self > +50%"), 2, "rule 'self > +50%' is broken: tiny +"),
            (("--fail-on", "self > +50%", "--min-share", "0"), 2, "rule 'self > +50%' is broken: tiny +"),
            (("--fail-on", "self > +0.1 points", *least), 2, "rule 'self > +0.1 points' is broken: tiny +"),
            (("--fail-on", "self > +50%", "--min-share", "x"), 129, "--min-share: 'x' is not a percentage"),
            (("--fail-on", "self > +0x5%"), 129, "numbers are decimal\nself > +0x5%\n         ^")):
        done = diff(small, grown, *words)
        check(done.returncode == code and said in done.stderr, f"{words}: {done.returncode} {done.stderr}")
    rule = json.loads(diff(small, grown, "--fail-on", "self > +50%", "--json", *least).stdout)["rules"][0]
    check(not rule["broken"] and rule["min_share"] == 1 and rule["below_min_share"]["name"] == "tiny", f"{rule}")
    rule = json.loads(diff(old, old.replace("old", "old2"), "--fail-on", "self > +0.1%", "--json").stdout)["rules"][0]
    check(not rule["broken"] and rule["within_noise"]["rows"] >= 1 and rule["min_share"] == 0.5, f"{rule}")
    text = diff(old, old.replace("old", "old2"), "--fail-on", "self > +0.1%", "--markdown").stdout
    check("* kept: `self > +0.1%`: `within noise: " in text, text)


def check_forms(old, new):
    done = diff(old, new, "--fail-on", RULE, "--json")
    found = json.loads(done.stdout)
    check(done.returncode == 2 and found["rules"][0]["broken"] and found["rules"][0]["name"] == "b", f"{done.stdout}")
    rows = {row["keys"]["dso"]: row["sides"][1] for row in found["events"][0]["rows"]}
    check(not rows["b"]["within_noise"] and rows["c"]["within_noise"], f"{rows}")
    was = {row["keys"]["dso"]: row["sides"][0]["samples"] for row in found["events"][0]["rows"]}
    check(abs(rows["b"]["delta"] - 100 * (rows["b"]["samples"] - was["b"]) / 4000) < 1e-6, f"{rows}")
    text = diff(old, new, "--fail-on", RULE, "--markdown").stdout
    check("**1 of 1 rules broken**" in text and "* broken: `self > +5%`: `b +" in text, text)
    check("| `b` |" in text and "| `c` |" not in text, f"rows within noise: {text}")
    text = diff(old, new, "--beyond-noise", "-q").stdout
    check("b" in text.split() and "c" not in text.split(), text)


def check_runs(old, new):
    olds = [record(f"run{i}", 100 + i, {"a": 50, "b": 20, "c": 30}) for i in range(3)]
    news = [record(f"new{i}", 200 + i, {"a": 50, "b": 28, "c": 30}) for i in range(3)]
    done = diff("--old", *olds, "--new", *news, "--fail-on", RULE)
    check(done.returncode == 2 and "One run a side" not in done.stdout and "b +" in done.stderr, done.stdout + done.stderr)
    other = diff("--fail-on", RULE, "--old=" + olds[0], "--old", *olds[1:], "--new", *news)
    check((other.returncode, other.stdout) == (done.returncode, done.stdout), "other forms of --old")
    done = diff("--old", *olds, "--new", record("other", 300, {"a": 50, "b": 20, "c": 30}), "--fail-on", RULE)
    check(done.returncode == 0, f"noise between runs: {done.stderr}")
    check("One run a side cannot show noise between runs" in diff(old, new).stdout, "one run a side")


def check_as_perf(old, new):
    """Under the name perf the columns are perf's."""
    os.symlink(PFX, "perf")
    for words, shown in (((), False), (("--noise",), True), (("--beyond-noise",), True)):
        head = run("./perf", "diff", *words, old, new).stdout
        check(("Noise" in head) == shown, f"perf diff {words}: {head}")
    done = run("./perf", "diff", "-s", "dso", "--fail-on", RULE, old, new)
    check(done.returncode == 2 and "perf diff: rule" in done.stderr, f"rules as perf: {done.stderr}")


def check_levels():
    """A name in the kernel and in a program: each event has the level of its own samples."""
    pid = os.getpid()
    head = ("event cpu-clock type=sw config=0 period=1 sample=ip,tid,time,id,period flags=sample_id_all ids=1\n"
            "event faults type=sw config=2 period=1 sample=ip,tid,time,id,period flags=sample_id_all ids=2\n"
            f"feature event_desc\ncomm pid={pid} tid={pid} \"one\"\n"
            "ksymbol addr=0xffffffffc0000000 len=0x1000 type=1 \"work\"\n"
            f"sample ip=0xffffffffc0000010 pid={pid} tid={pid} time=1 id=1 period=1 mode=kernel\n")
    jit = f"/tmp/perf-{pid}.map"
    path = write("levels", head + f"mmap2 pid={pid} tid={pid} addr=0x500000 len=0x1000 maj=0 min=0 ino=0 prot=5 flags=2 //anon\n"
                 f"sample ip=0x500010 pid={pid} tid={pid} time=2 id=2 period=1\nround\n")
    with open(jit, "w", encoding="ascii") as file:
        file.write("500000 1000 work\n")
    out = diff("-s", "sym", "--no-noise", path, path).stdout
    os.remove(jit)
    check(re.findall(r"\[(.)\] work", out) == ["k", "."], f"levels: {out}")


def check_precision():
    """Of two events that differ in precision only, that with the same name is taken, in each order and in the page."""
    event = "event {name} type=sw config=0 period=1 sample=ip,tid,time,period,id ids={id} flags=sample_id_all\n"
    plain, precise = event.format(name="cpu-clock", id=1), event.format(name="cpu-clock:ppp", id=2)
    rest = "".join(HEAD.format(more="", dso="a").splitlines(True)[1:])
    first, second = (f"sample ip=0x401000 pid=10 tid=10 time={i} period={10 * i} id={i}\n" for i in (1, 2))
    both = write("both", f"{plain}{precise}feature event_desc\n{rest}{first}{second}round\n")
    one = write("precise-one", f"{precise}feature event_desc\n{rest}{second}round\n")
    for words in ((both, one), (one, both)):
        done = diff(*words, "--json", "--no-noise")
        events = json.loads(done.stdout)["events"]
        check([event["name"] for event in events] == ["cpu-clock:ppp"] and "precision" not in done.stderr, f"{words}: {done.stderr} {events}")
        made = run(PFX, "export", "html", "-q", "-i", words[1], "--diff", words[0], "-o", "precision.html")
        with open("precision.html", encoding="utf-8") as file:
            data = json.loads(re.search(r'type="application/json">([^<]*)<', file.read()).group(1))
        pairs = {of["name"]: data["events"][of["other"]]["name"] for of in data["events"] if of.get("role") != "old" and of.get("other", -1) >= 0}
        check(made.returncode == 0 and pairs == {"cpu-clock:ppp": "cpu-clock:ppp"}, f"{words}: {made.stderr} {data['events']}")


def check_bad(old, new):
    empty = write("empty", HEAD.format(more="", dso="a") + "round\n")
    other = write("other-event", HEAD.format(more="", dso="a").replace("cpu-clock", "faults").replace(
        "config=0", "config=2") + "sample ip=0x401000 pid=10 tid=10 time=1 period=1\nround\n")
    named = HEAD.format(more="", dso="a") + "feature event_desc\nsample ip=0x401000 pid=10 tid=10 time=1 period=1\nround\n"
    plain, precise = write("plain", named), write("precise", named.replace("cpu-clock", "cpu-clock:ppp"))
    with open("bad.rules", "w", encoding="ascii") as file:
        file.write("# what must hold\n\nself > \n")
    with open(old, "rb") as file:
        data = file.read()
    with open("cut.data", "wb") as file:
        file.write(data[:len(data) // 2])
    for words, code, said in (
            ((old, "absent.data"), 255, "'absent.data': No such file or directory\n'pfx record' makes one, and renames the one before to "
             "perf.data.old; or name two: pfx diff OLD NEW"),
            ((old, other), 255, "no event in common"),
            ((old, empty), 0, "'empty.data' has no samples"),
            ((empty, old), 0, "'empty.data' has no samples"),
            ((old, "cut.data"), 0, "the recording ends in the middle of a record"),
            ((old, "cut.data", "--strict"), 255, "is cut short"),
            ((old, new, "--fail-on", "total > 5%"), 255, "has no call chains, which rules about total need"),
            ((old, new, "--fail-on", "cycles > 5%"), 255, "the files have no 'cycles' on both sides"),
            ((old, new, "--fail-on", "self > "), 129, "a number is missing"),
            ((old, new, "--fail-on", "self >> +5%"), 129, "a number is missing"),
            ((old, new, "--rules", "absent"), 129, "absent"),
            ((old, new, "--rules", "bad.rules"), 129, "'bad.rules', line 3: 'self >' is not a rule: a number is missing"),
            ((old, new, "--fail-on", "self:nobody_.* > +1%"), 0,
             "rule 'self:nobody_.* > +1%' checks nothing: no function matches its pattern"),
            ((plain, precise), 0, "event 'cpu-clock' is compared with 'cpu-clock:ppp': they differ in precision only"),
            ((old, new, "--json", "--markdown"), 129, "exclude each other"),
            ((old, new, "--tui"), 255, "--tui: "),
            ((old, new, new, "--tui"), 255, "--tui compares two recordings, an old one and a new one"),
            (("--old", old), 129, "one side has no files"),
            (("--old", old, "--new", new, "-q", old), 129, "belongs to no side")):
        done = diff(*words)
        check(done.returncode == code and said in done.stderr, f"{words}: {done.returncode} {done.stderr}")
    chained = [record("chain1", 1, {"a": 5, "b": 5}, chains=True), record("chain2", 2, {"a": 2, "b": 8}, chains=True)]
    check_tree(*chained)
    done = diff(*chained, "--fail-on", "total > +1%", "--fail-on", "self > +1%")
    check(done.returncode == 2 and "rule 'self" in done.stderr, f"total: {done.stderr}")


def check_tree(old, new):
    made = json.loads(run(PFX, "diff", "--tree", "--json", old, new).stdout)
    wrong = Schema("diff").wrong(made)
    check(not wrong and made["events"][0]["rows"] and "subtrees" in made["events"][0], f"--tree --json: {wrong} {made}")
    for words, said in ((("--tree=99",), "beyond noise by at least 99 points"), (("--tree=1", "--no-noise"), "by at least 1 point\n"),
                        (("--tree=7", "--weight", "samples"), "beyond noise by at least 7 samples")):
        text = run(PFX, "diff", *words, old, new).stdout
        check(f"# No subtree changed {said}" in text, f"{words}: {text}")


def check_baseline(old, new):
    kept = diff("--baseline", "kept", "--keep", "v1", old)
    check(kept.returncode == 0 and "1 run kept as 'v1'" in kept.stderr, kept.stderr)
    kept = diff("--baseline", "kept", "--keep", "v1", old)
    check(kept.returncode == 0 and "KB, instead of what was kept under this name" in kept.stderr, kept.stderr)
    check(os.path.getsize("kept/v1.baseline") < os.path.getsize(old), "a baseline is smaller")
    for words in ((), ("--weight", "samples"), ("-s", "comm,symbol"), ("-s", "chain"), ("--tree", "--weight", "samples")):
        from_file = run(PFX, "diff", "--no-noise", *words, old, new).stdout
        from_kept = run(PFX, "diff", "--no-noise", *words, "--baseline", "kept", "v1", new).stdout
        check(from_kept == from_file, f"baseline {words}: {from_kept} is not {from_file}")
    done = diff("--baseline", "kept", "v1", new, "--fail-on", RULE)
    check(done.returncode == 2 and "b +" in done.stderr, f"rules with a baseline: {done.stderr}")
    with open("kept/v1.baseline", encoding="utf-8") as file:
        text = file.read()
    for i, (name, bad, said) in enumerate((
            ("kind", text.replace("\nr ", "\nq "), "line 2 of the baseline: no run has begun"),
            ("cut", text[:text.index("\nx ") + 8], "of the baseline: not an event, a thread"),
            ("head", text[2:], "line 1 of the baseline: it is not 'pfx-baseline 1'"),
            ("many", text + "x 0 0 0 0 99999999999 1\n", "not an event, a thread"),
            ("none", "pfx-baseline 1\n", "no run follows"))):
        with open(f"kept/bad{i}.baseline", "w", encoding="utf-8") as file:
            file.write(bad)
        done = diff("--baseline", "kept", f"bad{i}", new)
        check(done.returncode == 255 and said in done.stderr, f"{name}: {done.stderr}")
    for words, code, said in (
            (("--baseline", "kept", "v2", new), 255, "v2.baseline"),
            (("--baseline", "kept", "../v1", new), 255, "'../v1' is not a name of a baseline"),
            (("--baseline", "kept"), 129, "the name of a baseline is missing"),
            (("--keep", "v1", old), 129, "--keep needs a directory"),
            (("--baseline", "kept", "--old", old, "--new", new), 129, "--baseline and --old exclude each other"),
            (("-s", "cpu", "--baseline", "kept", "v1", new), 129, "a baseline has no 'cpu'")):
        done = diff(*words)
        check(done.returncode == code and said in done.stderr, f"{words}: {done.returncode} {done.stderr}")
    for words in (("--stream",), ("-c", "cycles")):
        done = run(PFX, "diff", *words, old, new)
        check(done.returncode == 255 and f"has no branch stacks, which {' '.join(words)} compares" in done.stderr,
              done.stderr)


def check_cycles():
    """Blocks by the cycles of one execution: of our own program, whose symbols are read."""
    symbols = {}
    for line in run("nm", PFX).stdout.splitlines():
        symbols[line.split()[-1]] = line.split()[0]
    if "main" not in symbols:
        return
    start = int(symbols["main"], 16)
    for name, cycles in (("slow", 12), ("slower", 20)):
        text = ("event cycles type=hw config=0 freq=4000 sample=ip,tid,time,period,branch_stack branch=any,user "
                "flags=sample_id_all\nfeature branch_stack\ncomm pid=10 tid=10 \"pfx\"\n"
                f"mmap2 pid=10 tid=10 addr=0 len=0x10000000 maj=8 min=1 ino=77 prot=5 flags=2 {PFX}\n")
        for i in range(10):
            branch = ",".join(f"{at:#x},{to:#x},{count << 4:#x}" for at, to, count in (
                (start + 0x14, start + 2, cycles + i % 2), (start + 0x20, start + 4, 1)))
            text += f"sample ip={start + 2:#x} pid=10 tid=10 time={1000 + i} period=1 branch={branch}\n"
        write(name, text + "round\n")
    done = run(PFX, "diff", "-c", "cycles", "-q", "-t;", "--cycles-hist", "slow.data", "slower.data")
    cells = done.stdout.split(";")
    check(cells[:2] == ["12.5", "+8.0"] and cells[3:] == [
        "+-0.5 -> +-0.5", "8-15:10 -> 16-31:10", os.path.basename(PFX), "main\n"], f"{cells} {done.stderr}")
    schema = Schema("diff-branches")
    found = {}
    for words in (("-c", "cycles"), ("--stream",)):
        done = run(PFX, "diff", *words, "--json", "slow.data", "slower.data")
        found.update(json.loads(done.stdout))
        problem = schema.wrong(json.loads(done.stdout)) or schema.second_opinion(json.loads(done.stdout))
        check(done.returncode == 0 and not problem, f"{words} --json: {problem} {done.stderr}")
    block = found["blocks"][0]
    check((block["function"], block["difference"], [side["executions"] for side in block["sides"]], block["sides"][0]["histogram"]) ==
          ("main", 8, [10, 10], [{"from": 8, "executions": 10}]), f"blocks: {found['blocks']}")
    streams = found["events"][0]["streams"]
    check(len(streams) == 1 and [side["percent"] for side in streams[0]["sides"]] == [100, 100] and streams[0]["lines"],
          f"streams: {streams}")
    for words, said in ((("-c", "cycles", "-s", "dso"), "-s and filters exclude it"),
                        (("-c", "cycles", "--markdown"), "-c cycles has text and JSON"),
                        (("--stream", "-s", "dso"), "-s and filters exclude it"),
                        (("--stream", "-c", "delta"), "--stream and -c exclude each other"),
                        (("--stream", "--folded"), "--stream has text and JSON"),
                        (("--stream", "slow.data"), "--stream compares two files, not 3"),
                        (("--cycles-hist",), "--cycles-hist needs -c cycles")):
        done = run(PFX, "diff", *words, "slow.data", "slower.data")
        check(done.returncode == 129 and said in done.stderr, f"{words}: {done.stderr}")


def main():
    old = record("old", 1, {"a": 50, "b": 20, "c": 30})
    record("old2", 2, {"a": 50, "b": 20, "c": 30})
    new = record("new", 3, {"a": 50, "b": 35, "c": 36})
    with open("rules", "w", encoding="utf-8") as file:
        file.write(f"# ours\n\n  {RULE}  \nself < -90%\n")
    check_rules(old, new)
    check_forms(old, new)
    check_runs(old, new)
    check_as_perf(old, new)
    check_bad(old, new)
    check_levels()
    check_precision()
    check_baseline(old, new)
    check_cycles()
    check(os.path.exists("old.data"), "old.data")
    finish()


if __name__ == "__main__":
    main()
