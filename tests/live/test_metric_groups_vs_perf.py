#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Metrics of all models that perf 6.1 knows, on machines that seem to have their PMUs: a metric is in the
groups that perf lists, and one of the same formula opens the same groups of counters in the kernel."""
import json
import os
import re
import sys

from live import PERF, PFX, check, finish, in_parallel, run, skip
from pmu_fake import CORE_TYPES, FAKE, counters, on_machine

# A CPU of each model of perf 6.1 that has metrics: how many perf lists, of how many we have the groups (by
# name), and how many have the same formula with all that it uses (under any name).
MODELS = {
    "AuthenticAMD-23-1-1": (11, 11, 11), "AuthenticAMD-23-31-0": (11, 11, 11),
    "AuthenticAMD-25-1-1": (13, 13, 13), "GenuineIntel-6-2A-7": (61, 39, 24),
    "GenuineIntel-6-2D-7": (61, 40, 25), "GenuineIntel-6-3A-9": (117, 72, 42),
    "GenuineIntel-6-3C-3": (111, 70, 35), "GenuineIntel-6-3D-4": (135, 79, 47),
    "GenuineIntel-6-3E-4": (120, 74, 43), "GenuineIntel-6-3F-2": (148, 103, 51),
    "GenuineIntel-6-4F-1": (172, 112, 63), "GenuineIntel-6-55-4": (218, 129, 74),
    "GenuineIntel-6-55-7": (227, 133, 75), "GenuineIntel-6-56-3": (135, 78, 46),
    "GenuineIntel-6-5E-3": (169, 92, 57), "GenuineIntel-6-6A-6": (225, 130, 82),
    "GenuineIntel-6-7E-5": (174, 94, 65), "GenuineIntel-6-8C-1": (176, 94, 65),
    "GenuineIntel-6-8F-6": (236, 137, 87), "GenuineIntel-6-96-1": (11, 11, 11),
    "GenuineIntel-6-97-2": (234, 109, 1),
}
# Groups that the vendor's newer files, and with them ours, name or fill in another way: perf's group,
# ours in its place ("" for none), and the metrics.
MOVED = (
    ("BigFoot", "BigFootprint", r"tma_(icache_misses|itlb_misses|unknown_branches)"),
    ("CacheMisses", "CacheHits", r"tma_l[123]_bound"),
    ("Ret", "Pipeline", r"IPC"),
    ("Mem|Pipeline", "", r"CPI"),
    ("HPC|Summary", "", r"CPU_Utilization"),
    ("TopdownL[56]", "TopdownL[34]", r"tma_(amx_busy|serializing_operation|memory_fence|slow_pause)"),
    ("tma_ports_utilized_0_group", "tma_core_bound_group", r"tma_(amx_busy|serializing_operation)"),
    ("TopdownL3", "TopdownL4", r"tma_(nop_instructions|cisc)"),
    ("tma_light_operations_group", "tma_other_light_ops_group", r"tma_nop_instructions"),
    ("tma_load_store_bound_group", "tma_memory_bound_group", r"tma_(l[123]_bound|store_bound)"),
    ("tma_frontend_bandwidth_group", "tma_(ifetch_bandwidth|microcode_sequencer)_group",
     r"tma_(decode|other_fb|predecode|cisc)"),
    ("tma_dram_bound_group", "tma_l3_miss_bound_group", r"tma_mem_(bandwidth|latency)"),
    ("tma_frontend_latency_group", "tma_ifetch_latency_group", r"tma_branch_(detect|resteer)"),
    ("tma_backend_bound_aux_group", "tma_backend_bound_group", r"tma_resource_bound"),
)
# What the vendor does not want counted as a group any more, and what each kind of core of a hybrid CPU has:
# perf knows only that of one.
APART = {"GenuineIntel-6-3A-9": {"tma_split_loads"}, "GenuineIntel-6-3E-4": {"tma_split_loads"},
         "GenuineIntel-6-97-2": {"L1MPKI", "L2MPKI", "L3MPKI", "Branch_Mispredict_Ratio"}}
CHUNK = 40  # metrics that are opened at a time


def perf_metrics(cpuid):
    """By name: perf's groups of a metric, and its formula."""
    text = on_machine(cpuid, PERF, "list", "--details").stdout.partition("\nMetric Groups:\n")[2]
    found, group, name, notes = {}, None, None, []
    for line in text.split("\n") + ["end:"]:
        if line.startswith("       ["):
            notes.append(line.strip()[1:-1])
            continue
        if name and notes:
            row = found.setdefault(name, (set(), notes[-1].replace(" ", "")))
            row[0].add(group)
        notes, name = [], None
        if re.match(r"\S.*:", line):
            group = line.partition(":")[0]
        elif re.match(r"  \S", line):
            name = line.strip()
    return found


def our_metrics(cpuid):
    """The same of ours."""
    listed = json.loads(on_machine(cpuid, PFX, "list", "-j", "metric").stdout)
    return {m["MetricName"]: (set(filter(None, re.split("[; ]+", m.get("MetricGroup", "")))),
                              m["MetricExpr"].replace(" ", "")) for m in listed}


def check_membership(cpuid, theirs, ours):
    """How many metrics of perf have a namesake; each is in perf's groups."""
    by_name = {name.lower(): row for name, row in ours.items()}
    shared = [name for name in theirs if name.lower() in by_name]
    for name in shared:
        mine = by_name[name.lower()][0]
        for group in theirs[name][0] - mine - {"No_group"}:
            moved = any(re.fullmatch(was, group) and re.fullmatch(metrics, name)
                        and (not now or any(re.fullmatch(now, g) for g in mine))
                        for was, now, metrics in MOVED)
            check(moved, f"{cpuid} {name}: perf has it in {group}, pfx only in {sorted(mine)}")
    return len(shared)


NAME = re.compile(r"(?:[A-Za-z_]|\\.)(?:[\w.:@]|\\.)*")


def expanded(name, metrics, depth=0):
    """The formula with those of all metrics in it."""
    return NAME.sub(lambda m: f"({expanded(m[0], metrics, depth + 1)})"
                    if m[0] in metrics and m[0] != name and depth < 12 else m[0], metrics[name][1])


def opened(cpuid, tool, names):
    """The groups of counters of cores that the tool opens, as a set of sets, and the other counters."""
    more = ["--metric-no-threshold"] if tool == PFX else []
    found = counters(cpuid, tool, "-a", "--metric-no-merge", *more, "-M", ",".join(names))
    if isinstance(found, str):
        return found
    groups, apart = {}, set()
    for _, leader, kind, *config in found:
        if kind in CORE_TYPES:
            groups.setdefault(leader, set()).add((kind, *config))
        elif kind > max(CORE_TYPES):
            apart.add((kind, *config))
    return {frozenset(g) for g in groups.values()}, apart


def check_opened(cpuid, theirs, ours):
    """How many metrics have the same formula; their groups of counters are the same."""
    mine = {}
    for name in ours:
        mine.setdefault(expanded(name, ours), name)
    pairs = [(name, mine[text]) for name in theirs if (text := expanded(name, theirs)) in mine]
    # A name that is also one of a group means all metrics of the group.
    named = {group for rows in (theirs, ours) for groups, _ in rows.values() for group in groups}
    pairs = [pair for pair in pairs if not named.intersection(pair) and pair[0] not in APART.get(cpuid, ())]
    for at in range(0, len(pairs), CHUNK):
        part = pairs[at:at + CHUNK]
        if opened(cpuid, PERF, [p[0] for p in part]) == opened(cpuid, PFX, [p[1] for p in part]):
            continue
        for one, two in part:
            perfs, pfxs = opened(cpuid, PERF, [one]), opened(cpuid, PFX, [two])
            check(perfs == pfxs, f"{cpuid} {one}, {two}: perf opens {perfs}, pfx {pfxs}: {theirs[one][1]}")
    return len(pairs)


def compare(cpuid, wanted):
    theirs, ours = perf_metrics(cpuid), our_metrics(cpuid)
    got = (len(theirs), check_membership(cpuid, theirs, ours), check_opened(cpuid, theirs, ours))
    check(all(have >= least for have, least in zip(got, wanted)), f"{cpuid}: {got} of {wanted} metrics")
    if len(sys.argv) > 1:
        print(cpuid, got)


def main():
    if not PERF or "6.1." not in run(PERF, "--version").stdout or os.geteuid():
        skip("no perf 6.1, or not root")
    made = on_machine("GenuineIntel-6-55-4", "true")
    if made is None or made.returncode or not os.path.exists(FAKE):
        skip("there are no mount namespaces, or no library that plays counters")
    in_parallel(compare, MODELS.items() if len(sys.argv) < 2 else [(c, (0, 0, 0)) for c in sys.argv[1:]])
    finish()


main()
