#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Python scripts are told the same by pfx and by perf: a script that prints all it is handed, and
perf's own scripts where they are installed.

What may differ is taken out: inlined functions (perf of Debian does not find them), where the
kernel's map ends (perf reads it from symbols), and the third of three numbers in `values`, which
perf leaves undefined for samples without. The programs are linked statically: perf does not know
all entries of linkage tables."""
import glob
import os
import re
import shutil

from live import DEMO, PERF, PFX, WORK, check, equal, finish, need_perf, need_recording, record_to, run, skip

SHOW = """
import os
import perf_trace_context as asked
def process_event(d):
    print(d)
    context = asked.perf_script_context
    print(asked.perf_sample_insn(context))
    for ask in (asked.perf_sample_srcline, asked.perf_sample_srccode):
        name, line = ask(context)[:2]
        # perf takes the name of a file in the symbol table for what has no line
        print(line and (os.path.basename(name), line))
def trace_unhandled(name, context, fields, d):
    print(name, fields)
    print(d)
def context_switch(*a):
    print("switch", a)
def trace_end():
    print("end")
"""
# Chains of copied stacks, whose frames tell their lines where inlined functions are wanted.
CHAINS = """
def process_event(d):
    chain = [frame for frame in d["callchain"] if "pfx-demo" in frame.get("dso", "")]
    lines = [frame.get("sym_srcline", ":0") for frame in chain]
    print([(frame["ip"], line if line[-2:] != ":0" else "") for frame, line in zip(chain, lines)])
"""
RECORDINGS = {
    "clock": ["-e", "cpu-clock:u", "-F", "9999", "-g"],
    "fault": ["-e", "page-faults:u", "-c", "1", "-d", "--intr-regs=ax,ip", "--user-regs=sp,ip"],
    "group": ["-e", "{cpu-clock,page-faults}:S", "-F", "999"],
    "switch": ["-e", "cpu-clock:u", "-F", "999", "--switch-events"],
    "trace": ["-e", "sched:sched_switch,sched:sched_process_exec,syscalls:sys_enter_openat,"
              "raw_syscalls:sys_enter,raw_syscalls:sys_exit,signal:signal_generate", "-g"],
}
# perf's scripts, which of the recordings they are for
SCRIPTS = {"stackcollapse": "clock", "check-perf-trace": "trace", "mem-phys-addr": "fault",
           "futex-contention": "trace", "failed-syscalls-by-pid": "trace",
           "intel-pt-events": "switch"}


def has_python():
    perf = run(PERF, "version", "--build-options").stdout
    ours = run(PFX, "version", "--build-options").stdout
    return bool(re.search(r"libpython: \[ on", perf) and re.search(r"python3-embed: \[ on", ours))


def told(tool, *argv):
    done = run(tool, "script", *argv)
    check(done.returncode == 0, f"{os.path.basename(tool)} script {' '.join(argv)}: {done.stderr}")
    text = re.sub(r"('(?:addr_)?dso_map_end': )\d+", r"\1N", done.stdout)
    return re.sub(r"\(0, 0, (0|<NULL>)\)", "(0, 0)", text)


COUNT = """
def trace_begin(): print("begin")
def stat__interval(*a): print("interval", a)
def teller(name):
    return lambda *a: print(name, a)
for name in ("task-clock", "cpu-clock_u", "faults", "dummy", "na_me"):
    globals()["stat__" + name] = teller(name)
"""
EVENTS = "task-clock,cpu-clock:u,faults,dummy,cpu-clock/name=na:me/"
COUNTED = {
    "all": ["-a"], "cpu": ["-a", "-A", "-I", "100"], "core": ["-a", "--per-core"], "command": [],
    "intervals": ["-I", "100"],
}


def compare_counts():
    """Counts, recorded by either of the two."""
    with open("count.py", "w", encoding="utf-8") as file:
        file.write(COUNT)
    for tool, letter in ((PFX, "x"), (PERF, "p")):
        for name, options in COUNTED.items():
            data = f"{name}-{letter}.data"
            done = run(tool, "stat", "record", "-o", data, *options, "-e", EVENTS, "--", "sleep", "0.25")
            if done.returncode:
                continue
            theirs = told(PERF, "-i", data, "-s", "count.py")
            equal(told(PFX, "-i", data, "-s", "count.py"), theirs, data)
            check("interval" in theirs, f"{data} has counts")
            if name != "intervals":  # perf before 6.2 shows sums there
                equal(run(PFX, "script", "-i", data).stdout, run(PERF, "script", "-i", data).stdout,
                      data + " as text")


def compare_chains():
    """What the stacks of a recording come to, and the lines of the frames."""
    with open("chains.py", "w", encoding="utf-8") as file:
        file.write(CHAINS)
    done = record_to(PFX, "stack.data", "-e", "cpu-clock:u", "-F", "999", "--call-graph", "dwarf",
                           "--", DEMO, "0.1")
    if done.returncode:
        return
    for options in ([], ["--no-inline"]):
        ours, theirs = (told(tool, *options, "-i", "stack.data", "-s", "chains.py") for tool in (PFX, PERF))
        equal(ours, theirs, f"chains of stacks {options}")
        check(re.search(r"\(.*\), \(", ours), f"chains of stacks: {ours[:200]}")
        check(("demo.c:" in ours) == (not options), f"lines of frames: {ours[:200]}")


def main():
    need_perf()
    need_recording()
    if not has_python():
        skip("Python is not built in")
    with open("show.py", "w", encoding="utf-8") as file:
        file.write(SHOW)
    shutil.copy(WORK, "work")
    recorded = set()
    for name, options in RECORDINGS.items():
        done = record_to(PFX, name + ".data", *options, "--", "./work", "0.1")
        if done.returncode:
            continue
        recorded.add(name)
        theirs = told(PERF, "-i", name + ".data", "-s", "show.py")
        equal(told(PFX, "--no-inline", "-i", name + ".data", "-s", "show.py"), theirs, name)
        check(theirs.count("\n") > 5, f"{name} has samples")
    for path in glob.glob("/usr/*/perf*/scripts/python/*.py"):
        name = os.path.basename(path)[:-3]
        if SCRIPTS.get(name) in recorded:
            data = SCRIPTS[name] + ".data"
            theirs = told(PERF, "-i", data, "-s", path)
            ours = told(PFX, "--no-inline", "-i", data, "-s", path)
            # perf names system calls by a package that may be missing
            if "audit-libs" not in theirs:
                equal(sorted(ours.split("\n")), sorted(theirs.split("\n")), name)
    compare_chains()
    compare_counts()
    finish()


main()
