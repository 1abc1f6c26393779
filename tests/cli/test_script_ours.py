#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The scripts that come with pfx, over a recording of which all is known."""

import sys

import script_world as world

FAILURES = []
KERNEL = 0xffffffff81000000
EVIL = 'outer<&>"\'</script>'


def check(name, condition, shown=""):
    if not condition:
        FAILURES.append(name)
        print("FAILED:", name, shown)


def report(name, *argv):
    code, out, err = world.run("-i", "world.data", "--kallsyms", "kallsyms", "report", name, *argv)
    check(name + " runs", code == 0 and not err, err)
    return out


def make_recording():
    w = world.World()
    w.comm(10, "one")
    w.comm(11, "two")
    for _ in range(3):
        w.chain(10, [KERNEL + 0x110, KERNEL + 0x210], period=5)
    w.chain(11, [KERNEL + 0x210, KERNEL + 0x310, 0x1000], period=1)
    for number, result in ((0, 100), (0, -9), (1, -9), (1, -9), (9, -4096)):
        w.trace(302, 10, number, (0, 0, 0, 0, 0, 0))
        w.trace(303, 10, number, result)
    w.trace(302, 11, 9999, (0, 0, 0, 0, 0, 0))
    # 10 runs 3 ms, is pushed aside for 5 ms by 11, which then sleeps for 2 ms
    w.trace(300, 0, "swapper/0", 0, 120, 0, "one", 10, 120)
    w.trace(300, 10, "one", 10, 120, 256, "two", 11, 120, after=3000000)
    w.trace(300, 11, "two", 11, 120, 1, "one", 10, 120, after=5000000)
    w.trace(301, 10, "two", 11, 120, 0, after=2000000)
    w.trace(300, 10, "one", 10, 120, 1, "two", 11, 120, after=1000000)
    w.write("world.data")
    world.write_symbols("kallsyms")


def test_stackcollapse():
    out = report("stackcollapse")
    stacks = [line for line in out.splitlines() if "leaf" in line or "outer" in line]
    check("stacks", stacks == ["one;middle;leaf 3", "two;[unknown];" + EVIL + ";middle 1"], out)
    out = report("stackcollapse", "--include-pid", "--kernel")
    check("with pid", "one-10;middle_[k];leaf_[k] 3" in out, out)
    out = report("stackcollapse", "--no-comm")
    check("without comm", out.startswith("[") and "\nmiddle;leaf 3\n" in out, out)


def words(text):
    return [line.split() for line in text.splitlines()]


def test_syscalls():
    out = report("syscall-counts")
    check("counts", words(out)[3:] == [["one", "[10]", "5"], ["read", "2"], ["write", "2"],
                                       ["mmap", "1"], ["two", "[11]", "1"], ["9999", "1"]], out)
    out = report("syscall-counts", "two")
    check("one command", words(out)[3:] == [["two", "[11]", "1"], ["9999", "1"]], out)
    out = report("failed-syscalls")
    check("failures", words(out)[3:] == [["one", "[10]", "3"], ["write", "EBADF", "2"],
                                         ["read", "EBADF", "1"]], out)
    out = report("failed-syscalls", "11")
    check("none of another", len(words(out)) == 3, out)


def test_latency():
    rows = words(report("sched-latency"))[1:]
    check("one", rows[0][:5] == ["one:10", "4.000", "1", "5.000", "5.000"]
          or rows[0][:5] == ["one:10", "6.000", "1", "5.000", "5.000"], str(rows))
    check("two", rows[1][:5] == ["two:11", "5.000", "1", "1.000", "1.000"], str(rows))
    check("of one command", len(words(report("sched-latency", "two"))) == 2)


def test_histogram():
    out = report("event-histogram", "4")
    check("event", "# cpu-clock: 4 samples" in out and "# sched:sched_switch: 4 samples" in out, out)
    numbers = [int(line.split()[1]) for line in out.splitlines() if line and line[0] == " "]
    check("all counted", sum(numbers) == 4 + 5 + 6 + 4 + 1 and len(numbers) == 5 * 4, out)
    code, _, err = world.run("-i", "world.data", "report", "event-histogram", "0")
    check("wrong number", code == 1 and "number of bars" in err, err)


def main():
    if not world.has_python():
        print("Python is not built in")
        return world.SKIP
    make_recording()
    test_stackcollapse()
    test_syscalls()
    test_latency()
    test_histogram()
    print("%d failed" % len(FAILURES))
    return 1 if FAILURES else 0


sys.exit(main())
