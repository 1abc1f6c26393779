#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Metrics of all models that perf 6.1 knows, on machines that seem to have their PMUs: a metric is in the
groups that perf lists, and one of the same formula opens the same groups of counters in the kernel."""
import json
import os
import re
import subprocess
import sys

from live import PATIENCE, PERF, PFX, check, finish, in_parallel, run, skip

FAKE = os.environ.get("PFX_FAKE_COUNTERS", "")
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
CORE_TYPES = (24, 25)
MAKE_PMUS = """mount -t tmpfs none /sys/bus/event_source/devices || exit 9
number=23
for pmu in software $PMUS; do
	dir=/sys/bus/event_source/devices/$pmu
	mkdir -p $dir/format $dir/events
	case $pmu in
	software) echo 1 >$dir/type; continue ;;
	cpu) ;;
	cpu_core) echo 0 >$dir/cpus ;;
	cpu_atom) echo 1 >$dir/cpus ;;
	*) [ $number -lt 30 ] && number=30; echo 0 >$dir/cpumask ;;
	esac
	number=$((number + 1))
	echo $number >$dir/type
	for format in $FORMATS; do
		echo ${format#*=} >$dir/format/${format%=*}
	done
	for event in $EVENTS; do
		case $event in $pmu/*) echo event=${event##*=} >$dir/events/${event#*/} ;; esac
	done
done
for file in /sys/bus/event_source/devices/*/events/*=*; do
	[ -e "$file" ] && mv "$file" "${file%=*}"
done
exec "$@"
"""
FORMATS = ("event=config:0-7,32-37 umask=config:8-15,40-63 edge=config:18 any=config:21 inv=config:23 cmask=config:24-31 "
           "ldlat=config1:0-15 offcore_rsp=config1:0-63 frontend=config1:0-23 "
           "filter_opc=config1:52-60")
TOPDOWN = ("slots", "topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound",
           "topdown-heavy-ops", "topdown-br-mispredict", "topdown-fetch-lat", "topdown-mem-bound")
EVENTS = {"msr": ("tsc", "aperf", "mperf", "smi"), "power": ("energy-pkg", "energy-ram"),
          "cstate_core": ("c1-residency", "c3-residency", "c6-residency", "c7-residency"),
          "cstate_pkg": tuple(f"c{i}-residency" for i in (2, 3, 6, 7, 8, 9, 10)),
          "cpu": TOPDOWN, "cpu_core": TOPDOWN}
PMUS = ("msr", "power", "cstate_core", "cstate_pkg", "uncore_imc_0", "uncore_cha_0", "uncore_cbox_0",
        "uncore_arb_0", "uncore_upi_0", "uncore_pcu", "uncore_iio_0", "uncore_ha_0", "amd_l3", "amd_df")


def is_hybrid(cpuid):
    return cpuid.startswith("GenuineIntel-6-97")


def on_machine(cpuid, *argv, log=None):
    """The tool's run on a machine that seems to have the PMUs; None: it cannot be made."""
    cores = ("cpu_core", "cpu_atom") if is_hybrid(cpuid) else ("cpu",)
    env = dict(os.environ, LC_ALL="C", PFX_CPUID=cpuid, PERF_CPUID=cpuid, PFX_PMU_EVENTS="",
               PERF_CONFIG="/dev/null", FORMATS=FORMATS, PMUS=" ".join(cores + PMUS),
               EVENTS=" ".join(f"{pmu}/{name}={code}" for pmu, names in EVENTS.items()
                               for code, name in enumerate(names, 1)))
    if log:
        argv = ("env", f"LD_PRELOAD={FAKE}", f"FAKE_LOG={log}", *argv)
    done = subprocess.run(["unshare", "-m", "sh", "-c", MAKE_PMUS, "sh", *argv], env=env,
                          capture_output=True, text=True, timeout=PATIENCE, check=False)
    return None if done.returncode == 9 else done


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
    log = os.path.abspath(f"log-{cpuid}")
    if os.path.exists(log):
        os.unlink(log)
    more = ["--metric-no-threshold"] if tool == PFX else []
    done = on_machine(cpuid, os.path.abspath(tool), "stat", "-a", "--metric-no-merge", *more, "-M",
                      ",".join(names), "true", log=log)
    if done.returncode or not os.path.exists(log):
        return "stopped: " + done.stderr[:300]
    groups, apart = {}, set()
    with open(log, encoding="ascii") as file:
        for line in file:
            _, leader, kind, *config = map(int, line.split())
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
    if on_machine("GenuineIntel-6-55-4", "true") is None:
        skip("there are no mount namespaces")
    in_parallel(compare, MODELS.items() if len(sys.argv) < 2 else [(c, (0, 0, 0)) for c in sys.argv[1:]])
    finish()


main()
