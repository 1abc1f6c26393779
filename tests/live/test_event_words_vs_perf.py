# SPDX-License-Identifier: MIT
"""The words of tests/events/accepted.txt on the machines of machines.txt: perf makes the same events
of them, as far as an attribute shows it. sysfs is one of our own making in a mount namespace.
That pfx makes these events of them, tests/unit/pmu/test_events.c checks; here are a quarter of the words, or all
with PFX_WHOLE=1."""
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from live import PERF_WORDS, check, finish, need_perf, part_of, run, skip
from record_attrs import opened

HERE = os.path.dirname(os.path.abspath(__file__))
EVENTS = os.path.join(HERE, "..", "events")
DEVICES = "/sys/bus/event_source/devices"
NUMBERS = {"PERF_TYPE_HARDWARE": 0, "PERF_TYPE_SOFTWARE": 1, "PERF_TYPE_HW_CACHE": 3,
           "PERF_TYPE_RAW": 4, "PERF_TYPE_BREAKPOINT": 5}
EXCLUDED = {"u": "exclude_user", "k": "exclude_kernel", "h": "exclude_hv", "I": "exclude_idle",
            "H": "exclude_host", "G": "exclude_guest"}
EVENT = re.compile(r"(\d+):([0-9a-f]+)((?: [123]=[0-9a-f]+)*)(?: bp=(\d+))? -([ukhIHG]*)(.*)$")
ROWS_MIN = 250


def make_machines():
    with open(f"{EVENTS}/machines.txt", encoding="ascii") as lines:
        for line in lines:
            if line.startswith("#"):
                continue
            machine, name, text = line.rstrip("\n").split(" ", 2)
            if name.endswith(("/cpus", "/cpumask")):
                text = "0"  # a CPU that this machine has
            path = f"machines/{machine}/{name}"
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="ascii") as file:
                file.write(text + "\n")


def rows():
    """(machine, words, lines of events) of those that perf takes like we do."""
    found = []
    with open(f"{EVENTS}/accepted.txt", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("\t"):
                found[-1][2].append(line.strip("\n\t"))
            elif not line.startswith("#"):
                machine, words = line.rstrip("\n").split("\t", 1)
                found.append((machine, words, []))
    return [row for row in found if not row[0].startswith("!")
            and not any(re.search(r" 2:[0-9a-f]+ -", line) for line in row[2])]


def wanted(line):
    """What a line of the table says about an attribute."""
    match = EVENT.search(line)
    kind, config, more, access, excluded, rest = match.groups()
    event = {"type": int(kind), "config": int(config, 16)}
    for pair in more.split():
        event[f"config{pair[0]}"] = int(pair[2:], 16)
    event.update({EXCLUDED[c]: 1 for c in excluded})
    for pattern, key in ((r" p(\d)", "precise_ip"), (r" period=(\d+)", "sample_period"),
                         (r" freq=(\d+)", "sample_freq")):
        found = re.search(pattern, rest)
        if found and int(found.group(1)):
            event[key] = int(found.group(1))
    event.update({key: 1 for key in ("pinned", "exclusive") if f" {key}" in rest})
    if access:
        event["bp_type"] = int(access)
    return event


CACHES = ("L1D", "L1I", "LL", "DTLB", "ITLB", "BPU", "NODE")
CONSTANTS = {
    "PERF_TYPE": NUMBERS,
    "PERF_COUNT_HW": {n: i for i, n in enumerate((
        "CPU_CYCLES INSTRUCTIONS CACHE_REFERENCES CACHE_MISSES BRANCH_INSTRUCTIONS BRANCH_MISSES "
        "BUS_CYCLES STALLED_CYCLES_FRONTEND STALLED_CYCLES_BACKEND REF_CPU_CYCLES").split())},
    "PERF_COUNT_SW": {n: i for i, n in enumerate((
        "CPU_CLOCK TASK_CLOCK PAGE_FAULTS CONTEXT_SWITCHES CPU_MIGRATIONS PAGE_FAULTS_MIN "
        "PAGE_FAULTS_MAJ ALIGNMENT_FAULTS EMULATION_FAULTS DUMMY BPF_OUTPUT CGROUP_SWITCHES"
    ).split())},
    "PERF_COUNT_HW_CACHE": {n: i for i, n in enumerate(CACHES)},
    "PERF_COUNT_HW_CACHE_OP": {n: i for i, n in enumerate(("READ", "WRITE", "PREFETCH"))},
    "PERF_COUNT_HW_CACHE_RESULT": {n: i for i, n in enumerate(("ACCESS", "MISS"))},
    "HW_BREAKPOINT": {"EMPTY": 0, "R": 1, "W": 2, "RW": 3, "X": 4},
}


def constant(word):
    for prefix in sorted(CONSTANTS, key=len, reverse=True):
        name = word[len(prefix) + 1:]
        if word.startswith(prefix + "_") and name in CONSTANTS[prefix]:
            return CONSTANTS[prefix][name]
    return NUMBERS[word] if word in NUMBERS else int(word, 0)


def number(text):
    """What strace made of a number: "0x1e", "PERF_COUNT_HW_CACHE_LL|PERF_..._READ<<8|0x400000000"."""
    value = 0
    for word in text.split("|"):
        base, _, shift = word.partition("<<")
        value |= constant(base) << int(shift or "0", 0)
    return value


def shown(attr, like):
    """The same of what perf opened."""
    keys = {"type", "config", "config1", "config2", "config3", "precise_ip", "pinned", "exclusive",
            "bp_type", *EXCLUDED.values()} | (like.keys() & {"sample_period", "sample_freq"})
    names = {"bp_addr": "config1", "bp_len": "config2"}
    event = {}
    for key, text in attr.items():
        key = names.get(key, key)
        if key in keys:
            event[key] = number(text)
    return {k: v for k, v in event.items() if v or k in ("type", "config")}


def perf_events(job):
    index, (machine, words, _) = job
    here = os.path.abspath(f"machines/{machine}")
    return opened(f"{index}.trace", "timeout", "120", "unshare", "-m", "sh", "-c",
                  f'mount --bind "$0" {DEVICES} && exec "$@"', here, *PERF_WORDS, "record", "-q", "-B",
                  "-o", f"{index}.data", "-e", words, "true", take_all=True)


def distinct(events):
    kept = []
    for event in events:
        if event not in kept:
            kept.append(event)
    return kept


def compare(row, counters):
    ours = [wanted(line) for line in row[2]]
    like = {k for event in ours for k in event}
    theirs = [shown(c[0], dict.fromkeys(like)) for c in counters if len(c) > 2]
    # What perf opens for itself may be more, and each event is there once for each CPU.
    mine, other = distinct(ours), distinct(theirs)
    for event in mine + other:
        event.setdefault("config", 0)
    missing = [event for event in mine if not any(event.items() <= o.items() and
               not (set(EXCLUDED.values()) & (o.keys() - event.keys())) for o in other)]
    check(not missing and len(other) >= len(mine),
          f"{row[0]} {row[1]}: {missing or mine} is not in {other}")


def main():
    if not shutil.which("strace") or not shutil.which("unshare"):
        skip("strace or unshare is not installed")
    need_perf()
    if os.geteuid():
        skip("a file system of our own needs root")
    if run("strace", "-e", "inject=perf_event_open:retval=1000", "true").returncode:
        skip("this strace cannot change what system calls return")
    if subprocess.run(["unshare", "-m", "true"], check=False).returncode:
        skip("no mount namespace can be made here")
    shutil.rmtree("machines", ignore_errors=True)
    make_machines()
    table = rows()
    check(len(table) >= ROWS_MIN, f"only {len(table)} rows can be compared")
    table = part_of(table, 0, 4)
    with ThreadPoolExecutor(4) as pool:
        for row, counters in zip(table, pool.map(perf_events, enumerate(table))):
            compare(row, counters)
    finish()


if __name__ == "__main__":
    sys.exit(main())
