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

# A CPU of each model of perf 6.1 that has metrics.
MODELS = {
    "amdzen1": "AuthenticAMD-23-1-1", "amdzen2": "AuthenticAMD-23-31-0", "amdzen3": "AuthenticAMD-25-1-1",
    "sandybridge": "GenuineIntel-6-2A-7", "jaketown": "GenuineIntel-6-2D-7", "ivybridge": "GenuineIntel-6-3A-9",
    "haswell": "GenuineIntel-6-3C-3", "broadwell": "GenuineIntel-6-3D-4", "ivytown": "GenuineIntel-6-3E-4",
    "haswellx": "GenuineIntel-6-3F-2", "broadwellx": "GenuineIntel-6-4F-1", "skylakex": "GenuineIntel-6-55-4",
    "cascadelakex": "GenuineIntel-6-55-7", "broadwellde": "GenuineIntel-6-56-3", "skylake": "GenuineIntel-6-5E-3",
    "icelakex": "GenuineIntel-6-6A-6", "icelake": "GenuineIntel-6-7E-5", "tigerlake": "GenuineIntel-6-8C-1",
    "sapphirerapids": "GenuineIntel-6-8F-6", "elkhartlake": "GenuineIntel-6-96-1",
    "alderlake": "GenuineIntel-6-97-2",
}
# What differs: a reason, a metric of perf and the models. "metrics.txt write" writes what it is today.
DIFFERENCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "events", "perf_metrics.txt")
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
CHUNK = 60  # metrics that are opened at a time


def perf_metrics(cpuid):
    """By name: perf's groups of a metric, and its formula."""
    text = on_machine(cpuid, PERF, "list", "--details").stdout.partition("\nMetric Groups:\n")[2]
    found, group, name, notes = {}, None, None, []
    for line in text.split("\n") + ["end:"]:
        if line.startswith("       ["):
            notes.append(line.strip()[1:-1])
            continue
        if name and notes:
            row = found.setdefault(name, (set(), notes[-1]))
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
                              m["MetricExpr"]) for m in listed}, formulas_by_kind(listed)


def formulas_by_kind(listed):
    """Metrics of a hybrid CPU that have another formula on each kind of core."""
    found = {}
    for metric in listed:
        found.setdefault(metric["MetricName"], set()).add(metric["MetricExpr"])
    return {name for name, formulas in found.items() if len(formulas) > 1}


def check_membership(cpuid, theirs, ours):
    """A metric that both have is in perf's groups."""
    by_name = {name.lower(): row for name, row in ours.items()}
    shared = [name for name in theirs if name.lower() in by_name]
    for name in shared:
        mine = by_name[name.lower()][0]
        for group in theirs[name][0] - mine - {"No_group"}:
            moved = any(re.fullmatch(was, group) and re.fullmatch(metrics, name)
                        and (not now or any(re.fullmatch(now, g) for g in mine))
                        for was, now, metrics in MOVED)
            check(moved, f"{cpuid} {name}: perf has it in {group}, pfx only in {sorted(mine)}")


NAME = re.compile(r"(?:[A-Za-z_]|\\.)(?:[\w.:@]|\\.)*")


def expanded(name, metrics, depth=0):
    """The formula with those of all metrics in it."""
    return NAME.sub(lambda m: f"({expanded(m[0], metrics, depth + 1)})"
                    if m[0] in metrics and m[0] != name and depth < 12 else m[0], metrics[name][1].replace(" ", ""))


def news(theirs, ours):
    """What the vendor's newer file makes of a metric of perf: {name: (reason, our name with the same formula)}."""
    mine, lower = {}, {name.lower(): name for name in ours}
    for name in ours:
        mine.setdefault(expanded(name, ours), name)
    found = {}
    for name in theirs:
        same = mine.get(expanded(name, theirs))
        new = [n for n in lower if re.fullmatch(rf"tma_(info|bottleneck)_(\w+_)?{re.escape(name.lower())}", n)]
        if same:
            found[name] = "", same
        elif name.lower() in lower:
            found[name] = "formula", None
        else:
            found[name] = f"named {sorted(new)[0]}" if new else "gone", None
    return found


def write_own(cpuid, theirs):
    """A directory of events for pfx that has the metrics of perf, as own_NAME."""
    top = os.path.abspath(f"own-{cpuid}")
    os.makedirs(f"{top}/own", exist_ok=True)
    with open(f"{top}/mapfile.csv", "w", encoding="ascii") as file:
        file.write(f"Family-model,Version,Filename,EventType\n{cpuid},v1,own,core\n")
    rows = [{"MetricName": "own_" + name, "MetricGroup": "Own",
             "MetricExpr": NAME.sub(lambda m: "own_" + m[0] if m[0] in theirs else m[0], text)}
            for name, (_, text) in theirs.items()]
    with open(f"{top}/own/metrics.json", "w", encoding="ascii") as file:
        json.dump(rows, file)
    return top


def opened(cpuid, tool, names, events=""):
    """The groups of counters that the tool opens, as a set of sets. perf 6.1 puts those of different PMUs
    into one, which kernels refuse (newer perf does not); here they are one group of each."""
    more = ["--metric-no-threshold"] if tool == PFX else []
    found = counters(cpuid, tool, "-a", "--metric-no-merge", *more, "-M", ",".join(names), events=events)
    if isinstance(found, str):
        return found
    groups = {}
    for _, leader, kind, *config, flags in found:
        if kind >= min(CORE_TYPES):  # only the first of a group is disabled, whichever it is
            groups.setdefault((leader, kind), set()).add((kind, *config, flags & ~1))
    return {frozenset(g) for g in groups.values()}


def reason_of(perfs, pfxs):
    """Why the groups of one formula differ; "": none."""
    if perfs == pfxs:
        return ""
    if isinstance(pfxs, str):
        return "event" if "unknown event" in pfxs or "has no event" in pfxs else pfxs
    if not pfxs:
        return "constant"
    if len(perfs) == sum(map(len, pfxs)) and frozenset().union(*perfs) == frozenset().union(*pfxs):
        return "apart"
    return "bits"


def check_opened(cpuid, theirs, words, events):
    """Why metrics do not open the same groups in both tools, of those that do not: {name: reason}."""
    found = {}
    # A name that is also one of a group means all metrics of the group.
    named = {group for groups, _ in theirs.values() for group in groups}
    words = [(name, word) for name, word in words if name not in named]
    for at in range(0, len(words), CHUNK):
        part = words[at:at + CHUNK]
        if opened(cpuid, PERF, [p[0] for p in part]) == opened(cpuid, PFX, [p[1] for p in part], events):
            continue
        for one, two in part:
            reason = reason_of(opened(cpuid, PERF, [one]), opened(cpuid, PFX, [two], events))
            if reason:
                found[one] = reason
    return found


def compare(model, cpuid, seen):
    """Add what differs to @seen: {(reason, metric): models}."""
    theirs, (ours, by_kind) = perf_metrics(cpuid), our_metrics(cpuid)
    check_membership(cpuid, theirs, ours)
    new, events = news(theirs, ours), write_own(cpuid, theirs)
    differs = [*((reason, name) for name, (reason, _) in new.items() if reason)]
    # perf opens metrics of a hybrid CPU on both kinds of cores. Where our table has a formula for each kind, its own
    # formula is compared; metrics of other names refer to those of a kind, which perf's list does not show.
    words = [(name, "own_" + name if not same or same in by_kind else same) for name, (_, same) in new.items()
             if same or model != "alderlake"]
    known = {row: models for row, models in DIFFERS.items() if row[0] in GROUPS and model in models}
    if not WHOLE:  # each of them is opened alone
        differs += known
        words = [word for word in words if word[0] not in {name for _, name in known}]
    differs += [(reason, name) for name, reason in check_opened(cpuid, theirs, words, events).items()]
    for row in differs:
        seen.setdefault(row, set()).add(model)
    return len(theirs)


WHOLE = sys.argv[1:] == ["write"] or os.environ.get("PFX_WHOLE")
GROUPS = ("apart", "bits", "constant", "event")


def read_differences():
    found = {}
    with open(DIFFERENCES, encoding="ascii") as file:
        for line in file:
            if not line.startswith("#") and line.strip():
                reason, name, models = line.rstrip("\n").split("\t")
                found[reason, name] = set(models.split())
    return found


DIFFERS = read_differences()


def main():
    if not PERF or "6.1." not in run(PERF, "--version").stdout or os.geteuid():
        skip("no perf 6.1, or not root")
    made = on_machine("GenuineIntel-6-55-4", "true")
    if made is None or made.returncode or not os.path.exists(FAKE):
        skip("there are no mount namespaces, or no library that plays counters")
    seen = {}
    in_parallel(lambda *row: compare(*row, seen), MODELS.items())
    if sys.argv[1:] == ["write"]:
        for (reason, name), models in sorted(seen.items()):
            print(f"{reason}\t{name}\t{' '.join(sorted(models))}")
        return
    for row in {**seen, **DIFFERS}:
        more, less = seen.get(row, set()) - DIFFERS.get(row, set()), DIFFERS.get(row, set()) - seen.get(row, set())
        check(not more, f"{' '.join(row)}: not in perf_metrics.txt for {sorted(more)}")
        check(not less, f"{' '.join(row)}: no longer so for {sorted(less)}")
    finish()


main()
