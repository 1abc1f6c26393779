# SPDX-License-Identifier: MIT
"""pfx diff has the rows and the numbers of perf diff 6.1, on pairs of recordings made by perf and by
the kit."""
import collections
import os
import re
import shutil

from live import (DEMO, KIT, LINKAGE, PERF, PFX, WORK, check, equal, finish, in_parallel, need_perf, part_of,
                  record_by_perf, run, skip)

CLOCK = ["-F", "997", "-e", "cpu-clock"]
RECORDINGS = {
    "flat": [*CLOCK, "--", "./work", "0.4"],
    "again": [*CLOCK, "--", "./work", "0.3"],
    "chain": [*CLOCK, "-g", "--", "./work", "0.3"],
    "user": ["-F", "997", "-e", "cpu-clock:u", "--", "./work", "0.2"],
    "user2": ["-F", "499", "-e", "cpu-clock:u", "--", "./work", "0.3"],
    "other": [*CLOCK, "--", "sh", "-c", f"{DEMO} 0.2 >/dev/null; ./work 0.1; ls >/dev/null"],
    "two": ["-e", "cpu-clock,page-faults", "--", "./work", "0.2"],
    "two2": ["-e", "page-faults,cpu-clock", "--", "sh", "-c", "./work 0.2; ls >/dev/null"],
}
PAIRS = ["flat again", "again flat", "flat flat", "flat other", "other flat", "user user2", "two two2",
         "two2 two", "flat chain", "other again", "flat again other", "two flat", "chain other",
         "made made2", "made2 made", "user2 user", "again other", "two two", "other other", "chain flat"]
LINES = """
-c delta-abs
-c delta
-c ratio
-c wdiff:1,2
-p
-F
-s comm
-s dso
-s comm,dso,symbol
-s symbol
-s pid,symbol
-o 0
-C work -s comm,symbol
-d work --percentage relative
-S mix
-p -F -c ratio
--time 10%-60%
""".split("\n")[1:-1]

MADE = """event cycles type=hw config=0 period=100 sample=ip,tid,time,cpu,period flags=sample_id_all
comm pid=10 tid=10 "one"
mmap2 pid=10 tid=10 addr=0x400000 len=0x10000 maj=8 min=1 ino=77 prot=5 flags=2 /no/such/bin/one
comm pid=11 tid=11 "{comm}"
mmap2 pid=11 tid=11 addr=0x400000 len=0x10000 maj=8 min=1 ino=78 prot=5 flags=2 /no/such/bin/two
"""


def make(name, comm, step):
    """A recording without any symbol, whose periods differ."""
    text = MADE.format(comm=comm)
    for i in range(60):
        text += (f"sample ip={0x401000 + i % 7 * 16:#x} pid={10 + (i % step == 0)} time={1000 + i * 10} "
                 f"cpu={i % 2} period={100 + i * step}\n")
    with open(f"{name}.txt", "w", encoding="utf-8") as file:
        file.write(text + "round\n")
    equal(run(KIT, f"{name}.txt", f"{name}.data").returncode, 0, name)


def tables(text):
    """By event, by the texts of a row: its numbers. Code that perf does not name is left out."""
    found, rows, head = {}, None, None
    for line in text.split("\n"):
        event = re.match(r"# Event '(.*)'", line)
        if event:
            rows, head = found.setdefault(event.group(1), {}), None
        elif line.startswith("# ") and ";" in line:
            head = [word.strip() for word in line[2:].split(";")]
        elif line and not line.startswith("#") and head:
            cells = dict(zip(head, (cell.strip() for cell in line.split(";"))))
            keys = tuple(cells[k] for k in head if k in ("Command", "Shared Object", "Symbol", "Pid:Command"))
            if not re.search(rf"\] (?:{LINKAGE}|\[unresolved\])$", keys[-1]):
                rows[keys] = [v for k, v in cells.items() if not k.startswith(("Command", "Shared", "Symbol", "Pid"))]
    return found


def number(cell):
    match = re.fullmatch(r"([+-]?[\d.]+)%?", cell)
    return float(match.group(1)) if match else cell


def same(one, two):
    one, two = number(one), number(two)
    if {one, two} == {0, ""}:  # perf leaves a weighted difference of 0 out
        return True
    if isinstance(two, str) and "NAN" in two:  # a total of 0
        return True
    if isinstance(one, str) or isinstance(two, str):
        return str(one).strip() == str(two).strip()
    return abs(one - two) <= 0.0101


def compare(pair, words):
    files = [f"{name}.data" for name in pair.split()]
    ours = run(PFX, "diff", "--exact", "--no-noise", "-t;", *words.split(), *files)
    theirs = run(PERF, "diff", "-f", "-t;", *words.split(), *files)
    what = f"diff {words} {pair}"
    if theirs.returncode < 0:
        return  # perf crashed
    equal(ours.returncode, 0, what + ours.stderr)
    mine, other = tables(ours.stdout), tables(theirs.stdout)
    check(mine and set(mine) <= set(other), f"{what}: events {sorted(mine)}, perf {sorted(other)}")
    for event, rows in mine.items():
        theirs_rows = other.get(event, {})
        equal(sorted(rows), sorted(theirs_rows), f"{what}: rows of {event}")
        for keys, cells in rows.items():
            their_cells = theirs_rows.get(keys, [])
            check(len(cells) == len(their_cells) and all(map(same, cells, their_cells)),
                  f"{what}: {keys}: {cells} is not {their_cells}")


def make_branches(name, nr_slow, cycles):
    """Samples at the ends of chains of branches in live-work, whose lines are known."""
    at = {line.split()[2]: int(line.split()[0], 16) for line in run("nm", "work").stdout.splitlines()
          if len(line.split()) == 3}
    text = ("event cycles type=hw freq=4000 sample=ip,tid,time,period,branch_stack branch=any,user\n"
            "feature hostname str=testhost\nfeature osrelease str=0.0.0-test\nfeature arch str=x86_64\n"
            "feature branch_stack\ncomm pid=10 tid=10 \"work\"\nmmap2 pid=10 tid=10 addr=0x401000 len=0x81000 "
            f"pgoff=0x1000 maj=0 min=0 ino=0 prot=5 flags=2 {os.path.abspath('work')}\n")
    chains = (("add", (("add", 12, "add", 2, 5), ("both", 11, "add", 0, 9)), 40),
              ("mix", (("mix", 40, "mix", 12, cycles), ("both", 25, "mix", 0, 3)), 30),
              ("both", (("add", 38, "both", 16, 4), ("add", 36, "add", 12, 6)), nr_slow),
              ("deep", (("deep", 20, "deep", 2, 11),), 12), ("odd", (("even", 4, "odd", 0, 2),), 9),
              ("even", (("odd", 4, "even", 0, 1),), nr_slow // 3))
    time = 1000
    for leaf, branches, nr in chains:
        words = ",".join(f"{at[f] + i:#x},{at[t] + j:#x},{n << 4 | 2:#x}" for f, i, t, j, n in branches)
        for _ in range(nr):
            time += 10
            text += f"sample ip={at[leaf] + 2:#x} pid=10 time={time} period=100 branch={words}\n"
    with open(f"{name}.txt", "w", encoding="utf-8") as file:
        file.write(text + "round\n")
    equal(run(KIT, f"{name}.txt", f"{name}.data").returncode, 0, name)


def streams():
    """Hot chains of branches, those of one side only, and both together, as perf prints them."""
    make_branches("few", 20, 7)
    make_branches("many", 60, 9)
    for pair in (("few", "many"), ("many", "few"), ("few", "few")):
        files = [f"{name}.data" for name in pair]
        ours, theirs = (run(tool, "diff", *more, "--stream", *files) for tool, more in ((PFX, ()), (PERF, ("-f",))))
        check("hot chain pair 1:" in theirs.stdout, theirs.stderr)
        equal(ours.stdout, theirs.stdout, f"diff --stream {pair}")


BLOCKS = {  # by the sampled function: branches (from, to, cycles, and how much the second recording has more), newest first
    "add": (("add", 12, "add", 2, 5, 4), ("both", 11, "add", 0, 9, 0), ("both", 2, "both", 0, 4, 0)),
    "mix": (("mix", 40, "mix", 12, 7, 8), ("both", 25, "mix", 0, 3, 0)),
    "both": (("both", 30, "both", 16, 14, 4), ("both", 20, "both", 12, 6, 0), ("add", 4, "both", 2, 1, 0)),
    "deep": (("deep", 60, "deep", 20, 11, -4), ("deep", 16, "deep", 2, 8, 0)),
}


def make_blocks(name, times):
    """perf 6.1 gives a thread back once too often with each branch: here every sample has a process of its own."""
    at = {line.split()[2]: int(line.split()[0], 16) for line in run("nm", "work").stdout.splitlines()
          if len(line.split()) == 3}
    text = ("event cycles type=hw freq=4000 sample=ip,tid,time,period,branch_stack branch=any,user\n"
            "feature hostname str=testhost\nfeature osrelease str=0.0.0-test\nfeature arch str=x86_64\nfeature branch_stack\n")
    samples = ""
    for i in range(9):
        for pid, (leaf, branches) in enumerate(BLOCKS.items(), 100 + 10 * i):
            text += (f"comm pid={pid} tid={pid} \"work\"\nmmap2 pid={pid} tid={pid} addr=0x401000 len=0x81000 pgoff=0x1000 maj=0 "
                     f"min=0 ino=0 prot=5 flags=2 {os.path.abspath('work')}\n")
            words = ",".join(f"{at[f] + i:#x},{at[t] + j:#x},{(n + times * more) << 4 | 2:#x}" for f, i, t, j, n, more in branches)
            samples += f"sample ip={at[leaf] + 2:#x} pid={pid} tid={pid} time={10 * pid} period=100 branch={words}\n"
    with open(f"{name}.txt", "w", encoding="utf-8") as file:
        file.write(text + samples + "round\n")
    equal(run(KIT, f"{name}.txt", f"{name}.data").returncode, 0, name)


def cycles():
    """Cycles by block. perf reads the threads after it has freed them, and dies: nothing is freed here. It has the oldest
    branch of each stack, too, as a block from the start of its function, though nothing says where that began."""
    compiler = shutil.which("cc")
    if not compiler:
        return
    with open("keep.c", "w", encoding="ascii") as file:
        file.write("void free(void *at) { (void)at; }\n")
    equal(run(compiler, "-shared", "-fPIC", "-o", "keep.so", "keep.c").returncode, 0, "keep.so")
    make_blocks("before", 0)
    make_blocks("after", 1)
    for pair in (("before", "after"), ("after", "before"), ("after", "after")):
        files = [f"{name}.data" for name in pair]
        done = run("env", f"LD_PRELOAD={os.path.abspath('keep.so')}", PERF, "diff", "-f", "-c", "cycles", *files)
        theirs = collections.Counter(re.findall(r"\[(\S+ -> \S+)\] +(-?\d+) +work +\[\.\] (\S+)", done.stdout))
        rows = [line.split(";") for line in run(PFX, "diff", "-c", "cycles", "-q", "-t;", *files).stdout.splitlines()]
        ours = collections.Counter((where.strip("[]"), str(round(float(by))), name) for _, by, where, _, name in rows)
        check(len(rows) == 6 and not ours - theirs, f"diff -c cycles {pair}: {ours - theirs} of {theirs} {done.stderr}")
        more = collections.Counter(name for _, by, name in (theirs - ours).elements() if by == "0")
        equal(more, collections.Counter(branches[-1][0] for branches in BLOCKS.values()), f"diff -c cycles {pair}")


def main():
    need_perf()
    shutil.copy(WORK, "work")
    streams()
    cycles()
    made = {name for name, options in RECORDINGS.items() if record_by_perf(name, options)}
    if not made:
        skip("perf cannot record here")
    make("made", "two", 3)
    make("made2", "three", 4)
    made |= {"made", "made2"}
    pairs = [pair for pair in PAIRS if set(pair.split()) <= made]
    equal(len(pairs), 20 if made > set(RECORDINGS) else len(pairs), "pairs")
    in_parallel(compare, [(pair, line) for nr, pair in enumerate(pairs) for line in part_of(LINES, nr, 6)])
    finish()


if __name__ == "__main__":
    main()
