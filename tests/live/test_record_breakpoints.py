# SPDX-License-Identifier: MIT
"""Breakpoints count each access at the place that makes it, a group that reads has the counts of all
its members, and what a CPU cannot watch gets a sentence."""
import os
import platform
import re

from live import PERF, PFX, check, equal, finish, need_recording, run, samples, skip

STEPS = os.environ.get("PFX_STEPS", "build/dev/tests/live/live-fixed")
DATA = "breakpoints.data"


def address(symbol):
    return int(re.search(rf"([0-9a-f]+) \w {symbol}\b", run("nm", STEPS).stdout).group(1), 16)


def record(*events, options=()):
    words = [word for event in events for word in ("-e", event)]
    done = run(PFX, "record", "-q", "-N", "-o", DATA, *options, *words, "--", STEPS, "watch")
    equal(done.returncode, 0, f"{events}: {done.stderr}")
    if PERF:
        equal(samples(DATA), samples(DATA, PERF), f"{events}: samples as perf counts them")
    return samples(DATA)


def symbols():
    return set(re.findall(r"[0-9a-f]+ (\w+)", run(PFX, "script", "-i", DATA, "-F", "ip,sym").stdout))


def accesses():
    watched = f"mem:{address('step_watched'):#x}"
    equal(record(f"{watched}/8:w:u"), 7, "writes")
    equal(symbols(), {"step_write"}, "who writes")
    equal(record(f"{watched}/8:rw:u"), 18, "writes and reads")
    equal(symbols(), {"step_write", "step_look"}, "who writes and reads")
    equal(record(f"{watched}:u"), 18, "writes and reads unless said otherwise")
    equal(record(f"{watched}/1:w:u"), 7, "a single byte")
    equal(record(f"{watched}/8:w:u", options=("-c", "7")), 1, "every seventh write")
    code = f"mem:{address('step_look'):#x}"
    equal(record(f"{code}:x:u"), 11, "calls")
    equal(symbols(), {"step_look"}, "who is called")
    equal(record(f"{code}:x:u", f"{watched}/8:w:u"), 18, "two breakpoints")
    equal(record(f"{code}:x:u", options=("-g",)), 11, "calls with chains")
    check("__libc_start" in run(PFX, "script", "-i", DATA).stdout, "the caller is in the chain")


def groups():
    watched = f"mem:{address('step_watched'):#x}"
    code = f"mem:{address('step_look'):#x}"
    # Each call of the leader reads how often the memory was written and read by then. Elsewhere there
    # is a counter for each CPU.
    equal(record(f"{{{code}:x:u,{watched}/8:rw:u}}:S", options=("--per-thread",)), 11,
          "samples of the leader alone")
    dump = run(PFX, "script", "-D", "-i", DATA).stdout
    values = [int(v, 16) for v in re.findall(r"\.{5} id [0-9a-f]+, value ([0-9a-f]+)", dump)]
    equal(values[1::2], list(range(7, 18)), "what the member had counted at each call")


def refused():
    for event, sentence in ((f"mem:{address('step_watched') + 1:#x}/8:w", "address a multiple of it"),
                            (f"mem:{address('step_watched'):#x}/3:w", "length must be 1, 2, 4 or 8"),
                            ("mem:0x1000/0:w", "watches 1 to"), ("mem:0x1000:ww", "letter twice")):
        done = run(PFX, "record", "-o", DATA, "-e", event, "--", "true")
        check(done.returncode in (129, 255), event)
        check(sentence in done.stderr, f"{event}: {done.stderr}")
    many = [word for i in range(6) for word in ("-e", f"mem:{0x1000 + 8 * i:#x}/8:w")]
    done = run(PFX, "record", "-o", DATA, *many, "--", "true")
    equal(done.returncode, 255, "six breakpoints")
    check("not enough hardware registers" in done.stderr, done.stderr)


def main():
    need_recording()
    if platform.machine() != "x86_64":
        skip("what can be watched differs by CPU")
    probe = run(PFX, "record", "-q", "-o", DATA, "-e", "mem:0x1000/8:w:u", "--", "true")
    if probe.returncode:
        skip(f"no breakpoints here: {probe.stderr.strip()}")
    accesses()
    groups()
    refused()
    finish()


main()
