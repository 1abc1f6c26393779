# SPDX-License-Identifier: MIT
"""`pfx annotate` of recordings with weights: sums and averages for each instruction in JSON, columns in text, in
both byte orders, of one number or of three."""
import os
import re

from annotating import annotate, build, document, make, symbol
from checks import check, finish

HEAD = """event cpu/mem-loads/ type=raw config=0x1cd period=100 sample=ip,tid,time,id,period{fields} ids=1
event cycles type=hw period=100 sample=ip,tid,time,id,period ids=2
feature arch str=x86_64
feature event_desc
comm pid=10 tid=10 "weighed"
mmap2 pid=10 tid=10 addr={base:#x} len=0x100000 pgoff=0 maj=8 min=1 ino=77 prot=5 flags=2 {path}
"""
BASE = 0x555555554000


def write(path, fields, weights, order="le"):
    """Samples of work() with these words, and one of another event that has no weights."""
    start = BASE + symbol("weighed", "work")[0]
    text = HEAD.format(fields=fields, base=BASE, path=os.path.abspath("weighed"))
    for time, words in enumerate(weights):
        text += f"sample ip={start:#x} pid=10 tid=10 time={1000 + time} id=1 period=100 {words}\n"
    make(path, text + f"sample ip={start:#x} pid=10 tid=10 time=2000 id=2 period=100\nround\n", order)


def first(path):
    return document(path, "-s", "work")["functions"][0]["instructions"][0]


def test_one_number():
    for order in ("le", "be"):
        write(f"{order}.data", ",weight", ["weight=10", "weight=13", "weight=4000000000"], order)
        check(first(f"{order}.data")["weights"] == [
            {"samples": 3, "weight": {"sum": 4000000023, "mean": 1333333341}}, {"samples": 0}],
            f"weights: {first(f'{order}.data')}")
    text = annotate("-i", "le.data", "work").stdout
    check(text == annotate("-i", "be.data", "work").stdout, "the byte order changes the text")
    write("le.data", ",weight", ["weight=10", "weight=13"])
    text = annotate("-i", "le.data", "work").stdout
    check(text.startswith(" Percent   Weight |\tSource code"), f"title: {text[:200]}")
    check(re.search(r"^  100\.00     11\.5 :   ", text, re.M), f"average: {text}")
    check(re.search(r"^    0\.00          :   ", text, re.M), f"without samples: {text}")
    text = annotate("-i", "le.data", "--group", "work").stdout
    check(re.search(r"^  100\.00  100\.00     11\.5 :   ", text, re.M), f"two events: {text}")
    short = annotate("-i", "le.data", "--stdio2", "work").stdout
    check("\nPercent    Weight\n" in short and "\n  100.00     11.5  " in short, f"--stdio2: {short}")


def test_three_numbers():
    write("parts.data", ",weight_struct", ["weight=30 weight2=8 weight3=2", "weight=31 weight2=8 weight3=4"])
    found = first("parts.data")["weights"][0]
    check(found == {"samples": 2, "weight": {"sum": 61, "mean": 30.5}, "ins_lat": {"sum": 16, "mean": 8},
                    "p_stage_cyc": {"sum": 6, "mean": 3}}, f"parts: {found}")
    text = annotate("-i", "parts.data", "work").stdout
    check(text.startswith(" Percent   Weight  Latency    Stage |\t"), f"title: {text[:200]}")
    check(re.search(r"^  100\.00     30\.5      8\.0      3\.0 :   ", text, re.M), f"averages: {text}")


def test_memory():
    hit, miss = 0x2 | 0xa << 5, 0x2 | 0x22 << 5  # loads: a hit of the first level, of the second one
    write("memory.data", ",weight,data_src", [f"weight=4 data_src={hit:#x}", f"weight=14 data_src={miss:#x}",
                                              f"weight=5 data_src={hit | 1 << 20:#x}"])
    check(first("memory.data")["memory"] == [
        {"event": 0, "access": "LOAD", "level": "L1 hit", "samples": 2, "weight": 9},
        {"event": 0, "access": "LOAD", "level": "L2 hit", "samples": 1, "weight": 14}], f"{first('memory.data')}")


def test_two_processes():
    """The same program at two addresses: its instructions have the samples of both."""
    start, other = symbol("weighed", "work")[0], BASE + 0x10000000
    text = HEAD.format(fields=",weight,data_src", base=BASE, path=os.path.abspath("weighed"))
    text += (f"comm pid=11 tid=11 \"weighed\"\nmmap2 pid=11 tid=11 addr={other:#x} len=0x100000 pgoff=0 maj=8 min=1 "
             f"ino=77 prot=5 flags=2 {os.path.abspath('weighed')}\n")
    for pid, base in ((10, BASE), (11, other)):
        text += (f"sample ip={base + start:#x} pid={pid} tid={pid} time={1000 + pid} id=1 period=100 weight={pid} "
                 "data_src=0x142\n")
    make("two.data", text + "round\n")
    found = first("two.data")
    check(found["memory"] == [{"event": 0, "access": "LOAD", "level": "L1 hit", "samples": 2, "weight": 21}],
          f"accesses of two processes: {found}")
    check(found["weights"][0] == {"samples": 2, "weight": {"sum": 21, "mean": 10.5}}, f"weights of both: {found}")


def test_none():
    write("none.data", "", ["", ""])
    check(not {"weights", "memory"} & first("none.data").keys(), "weights of nothing")
    check(annotate("-i", "none.data", "work").stdout.startswith(" Percent |\t"), "a column of nothing")


build("weighed", "int work(int n) { return n * 3; }\nint main(int n, char **v) { return work(n); }\n", "-O1")
test_one_number()
test_three_numbers()
test_memory()
test_two_processes()
test_none()
finish()
