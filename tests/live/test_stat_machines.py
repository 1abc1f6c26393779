#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`pfx stat` on machines that this one is not: cores of several threads, of several kinds, top-down
events. The PMUs are those of a directory, the counts those of a library that plays counters."""
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from live import PERF, PFX, check, equal, finish, run, skip
import pmu_fake
from stat_fake import FAKE, clean, on_machine, put


NO_EVENTS = "GenuineIntel-6-1-1"  # a CPU whose events nobody lists


def rows(text):
    return [json.loads(line) for line in text.split("\n") if line.startswith("{")]


def make_machines():
    for machine in ("smt", "hybrid", "old", "stalls"):
        put(f"{machine}/software/type", "1")
        put(f"{machine}/tracepoint/type", "2")
    for pmu, number in (("smt/cpu", 4), ("old/cpu", 4), ("stalls/cpu", 4), ("hybrid/cpu_core", 4), ("hybrid/cpu_atom", 10)):
        put(pmu + "/type", str(number))
        put(pmu + "/format/event", "config:0-7")
        put(pmu + "/format/umask", "config:8-15")
    put("smt/cpu/format/any", "config:21")
    put("smt/cpu/format/cmask", "config:24-31")
    put("smt/cpu/freeze_on_smi", "0")
    put("smt/msr/type", "9")
    put("smt/msr/format/event", "config:0-63")
    for name, code in (("aperf", 1), ("smi", 4)):
        put(f"smt/msr/events/{name}", f"event={code}")
    for i, name in enumerate(("retiring", "bad-spec", "fe-bound", "be-bound", "heavy-ops",
                              "br-mispredict", "fetch-lat", "mem-bound")):
        put(f"smt/cpu/events/topdown-{name}", f"event=0x00,umask={0x80 + i:#x}")
    put("smt/cpu/events/slots", "event=0x00,umask=0x4")
    for name in ("cycles-t", "cycles-ct", "tx-start", "el-start"):
        put(f"smt/cpu/events/{name}", f"event={len(name)},umask={ord(name[-4])}")
    for i, name in enumerate(("total-slots", "slots-retired", "recovery-bubbles",
                              "fetch-bubbles", "slots-issued")):
        put(f"old/cpu/events/topdown-{name}", f"event={(i * 7) % 5 + 1},umask=2")
    put("old/cpu/events/topdown-total-slots.scale", "4")
    for i in range(3):
        put(f"smt/uncore_cha_{i}/type", str(20 + i))
        put(f"smt/uncore_cha_{i}/cpumask", "0")
        put(f"smt/uncore_cha_{i}/format/event", "config:0-7")
        put(f"smt/uncore_cha_{i}/format/umask", "config:8-15")
        put(f"smt/uncore_cha_{i}/format/config1", "config1:0-63")
    for i, name in enumerate(("retiring", "bad-spec", "fe-bound", "be-bound")):
        put(f"hybrid/cpu_core/events/topdown-{name}", f"event=0x00,umask={0x80 + i:#x}")
    put("hybrid/cpu_core/events/slots", "event=0x00,umask=0x4")
    for i, name in enumerate(("retiring", "bad-spec", "fe-bound", "be-bound")):
        put(f"stalls/cpu/events/topdown-{name}", f"event=0x00,umask={0x80 + i:#x}")
    put("stalls/cpu/events/slots", "event=0x00,umask=0x4")
    put("stalls/cpu/events/stalled-cycles-frontend", "event=0xa9")
    put("stalls/cpu/events/stalled-cycles-backend", "event=0xd1")
    put("hybrid/cpu_core/cpus", "0")
    put("hybrid/cpu_atom/cpus", "1")


def with_perf(machine, *words):
    """The same lines as perf's, but for what it says above them."""
    ours = theirs = None
    for _ in range(3):
        ours, theirs = (clean(on_machine(tool, machine, *words, "true", siblings=machine == "smt",
                                         cpuid=NO_EVENTS))
                        for tool in (PFX, PERF))
        theirs = [line for line in theirs if not line.startswith(("Topdown", "Please", "The ev"))]
        if ours == theirs:
            return
    equal(ours, theirs, " ".join(words))


def percore():
    """Counts of a core: one row for its threads, or the sum in the row of each."""
    events = "cpu/event=1,percore/,cycles"
    row = rows(on_machine(PFX, "smt", "-j", "-a", "-A", "-e", events, "true", siblings=True))
    cores = [r["core"] for r in row if "core" in r]
    check("S0-D0-C0" in cores and len(set(cores)) == len(cores), "rows of cores")
    row = rows(on_machine(PFX, "smt", "-j", "-a", "-A", "--percore-show-thread", "-e", events,
                          "true", siblings=True))
    equal(row[0]["counter-value"], row[1]["counter-value"], "both threads tell the sum")
    if not PERF:
        return
    for form in ([], ["-x,"], ["-I1000"]):
        with_perf("smt", *form, "-a", "-e", events)
        for more in ([], ["--percore-show-thread"]):
            with_perf("smt", *form, *more, "-a", "-A", "-e", events)


def slots():
    """What became of the slots of the pipeline, by the counters of newer and of older CPUs."""
    newer = ["-e", "{slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,topdown-be-bound}"]
    if PERF:
        for form in ([], ["-x,"], ["-A"]):
            with_perf("smt", "-a", *form, *newer)
        for form in ([], ["-x,"], ["-I1000"]):
            with_perf("old", "-a", "--topdown", "--no-metric-only", *form)
    row = rows(on_machine(PFX, "stalls", "-j", "true", cpuid=NO_EVENTS))
    equal([r["event"] for r in row if "event" in r], [
        "task-clock", "context-switches", "cpu-migrations", "page-faults", "cycles",
        "stalled-cycles-frontend", "stalled-cycles-backend", "instructions", "branches",
        "branch-misses", "slots", "topdown-retiring", "topdown-bad-spec", "topdown-fe-bound",
        "topdown-be-bound"], "the usual events")
    row = rows(on_machine(PFX, "smt", "-j", "-a", "--topdown", "true", cpuid=NO_EVENTS))
    equal(len(row[0]), 12, "four of level 1, eight of level 2")
    check(abs(sum(float(row[0][name]) for name in ("Retiring", "Bad Speculation", "Frontend Bound",
                                                   "Backend Bound")) - 100) < 0.3, "all slots")
    row = rows(on_machine(PFX, "smt", "-j", "-a", "--topdown", "--td-level=1", "true", cpuid=NO_EVENTS))
    equal(len(row[0]), 4, "--td-level")
    text = on_machine(PFX, "smt", "-a", "--topdown", "--td-level=7", "true", cpuid=NO_EVENTS)
    check("level 7" in text, "a level that is not there")
    text = on_machine(PFX, "old", "--topdown", "true", cpuid=NO_EVENTS)
    check("whole core" in text, "counters of cores need the whole system")
    text = on_machine(PFX, "smt", "-x,", "-T", "true", cpuid=NO_EVENTS)
    check("transactional cycles" in text and "aborted cycles" in text, "-T")


def hybrid():
    def on_hybrid(*words):
        return on_machine(PFX, "hybrid", *words, "true", cpuid=NO_EVENTS)

    row = rows(on_hybrid("-j", "-a", "-e", "cycles,instructions"))
    equal([r["event"] for r in row], ["cpu_core/cycles/", "cpu_atom/cycles/",
                                      "cpu_core/instructions/", "cpu_atom/instructions/"],
          "a row for each kind of core")
    equal([r["metric-unit"] for r in row[2:]], ["insn per cycle"] * 2, "each has its own share")
    row = rows(on_hybrid("-j", "-a", "--hybrid-merge", "-e", "cycles,instructions"))
    equal([r["event"] for r in row], ["cycles", "instructions"], "--hybrid-merge")
    row = rows(on_hybrid("-j", "-a", "-A", "--hybrid-merge", "-e", "cycles"))
    equal([(r["event"], r["cpu"]) for r in row], [("cycles", "0"), ("cycles", "1")],
          "--hybrid-merge by CPU")
    row = rows(on_hybrid("-j", "-a", "-e", "cycles/name=x/"))
    equal([r["event"] for r in row], ["cpu_core/x/", "cpu_atom/x/"], "a name of the user's own")
    row = rows(on_hybrid("-j", "-a", "--cputype", "atom", "-e", "cycles,instructions"))
    equal([r["event"] for r in row], ["cpu_atom/cycles/", "cpu_atom/instructions/"], "--cputype")


def metrics():
    """Each kind of core has its own events in a metric, and its own metrics in that; a value of
    several PMUs says of how many it is."""
    def on(machine, cpuid, *words):
        return rows(on_machine(PFX, machine, "-j", "-a", *words, "true", cpuid=cpuid))

    adl, skx = "GenuineIntel-6-97-2", "GenuineIntel-6-55-4"
    row = on("hybrid", adl, "-M", "IPC")
    equal([r["event"] for r in row], ["cpu_atom/INST_RETIRED.ANY/", "cpu_atom/CPU_CLK_UNHALTED.CORE/",
                                      "cpu_core/INST_RETIRED.ANY/",
                                      "cpu_core/CPU_CLK_UNHALTED.THREAD/"], "IPC of both cores")
    row = on("hybrid", adl, "-M", "tma_frontend_bound,tma_backend_bound")
    equal(sum(r["event"] == "cpu_core/topdown-be-bound/" for r in row), 1, "events are shared")
    row = on("hybrid", adl, "--cputype", "core", "-M", "IPC")
    equal([r["event"][:9] for r in row], ["cpu_core/"] * 2, "IPC of one kind")
    row = on("hybrid", adl, "-M", "tma_backend_bound")
    cores = [r["event"].split("/")[0] for r in row if r.get("metric-unit", "").endswith("_bound")]
    equal(cores, ["cpu_atom", "cpu_core"], "a metric of each kind")
    row = on("hybrid", adl, "-M", "tma_bad_speculation")
    names = [r["event"] for r in row]
    equal([n for n in names if n.startswith("cpu_atom")],
          ["cpu_atom/CPU_CLK_UNHALTED.CORE/", "cpu_atom/TOPDOWN_FE_BOUND.ALL/",
           "cpu_atom/TOPDOWN_BE_BOUND.ALL/", "cpu_atom/TOPDOWN_RETIRING.ALL/"],
          "metrics in a metric are of the same kind")
    text = on_machine(PFX, "smt", "-a", "-M", "IoBW", "true", cpuid=skx)
    check("cannot count the metrics 'IoBW'" in text, "a group without its PMU")
    text = on_machine(PFX, "smt", "-a", "-M", "tma_dram_bound", "true", cpuid=skx)
    check(re.search("metric 'tma_dram_bound' needs 7 generic counters and a core has [34].* and 3 fixed ones", text),
          f"more events than counters: {text}")
    text = on_machine(PFX, "old", "-a", "-M", "IPC", "true", cpuid=skx)
    check("needs" not in text, "two events have counters")
    text = on_machine(PFX, "old", "-a", "-M", "Memory", "true", cpuid=skx)
    check("load_miss_latency" in text and "llc_read" not in text, "what can be counted of a group")
    for words, wanted in (((), ["CPU_CLK_UNHALTED.THREAD", "CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE",
                                "CPU_CLK_UNHALTED.REF_XCLK"]),
                          (("-a",), ["CPU_CLK_UNHALTED.THREAD_ANY"])):
        row = rows(on_machine(PFX, "smt", "-j", *words, "-M", "tma_info_core_clks", "true",
                              siblings=True, cpuid=skx))
        equal([r["event"] for r in row], wanted, "only what the machine needs is counted")
    row = on("smt", "GenuineIntel-6-AD-1", "-e", "MEM_INST_RETIRED.LOCK_LOADS:R")
    equal([r["counter-value"] for r in row], ["64.000000"], "the table's latency of retirement, without samples")
    threshold = [({r.get("metric-threshold") for r in row if r.get("metric-unit") == "tma_fetch_latency"}, len(row))
                 for row in (on("smt", skx, *words, "-M", "tma_fetch_latency") for words in ((), ("--metric-no-threshold",)))]
    equal(threshold, [({"good"}, 3), ({None}, 2)], "a threshold about another metric has an event of its own")
    row = on("smt", skx, "-M", "tma_dram_bound")
    check(not any("metric-threshold" in r for r in row), "a threshold for which the core has no counters")
    once, twice = (on("smt", skx, "-e", ",".join(["UNC_CHA_CLOCKTICKS", "cycles"] * n) +
                      ",UNC_CHA_CLOCKTICKS" * (n - 1)) for n in (1, 2))
    equal([r["counter-value"] for r in twice if r["event"].startswith("UNC")],
          [once[0]["counter-value"]] * 3, "an event of several PMUs that is named again")
    group = "uncore_cha/event=4/,uncore_cha/event=5/"
    apart_, together = (on("smt", skx, "-e", words) for words in (group, "{" + group + "}"))
    equal([(r["event"], r["counter-value"]) for r in together],
          [(r["event"], r["counter-value"]) for r in apart_], "groups on several PMUs")
    if PERF:
        with_perf("smt", "-a", "-e", "{" + group + "}")
    row = on("smt", skx, "-M", "llc_read_miss_latency")
    counts = [float(r["counter-value"]) for r in row if "counter-value" in r]
    events = [r["event"] for r in row if "event" in r]
    equal(events[:4], ["UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD", "UNC_CHA_TOR_INSERTS.IA_MISS_DRD",
                       "UNC_CHA_CLOCKTICKS", "duration_time"], "events of the latency")
    packages = len({read(f"/sys/devices/system/cpu/cpu{i}/topology/physical_package_id")
                    for i in range(os.cpu_count())})
    ns = counts[0] / counts[1] / (counts[2] / (3 * packages)) * counts[3]
    value = next(float(r["metric-value"]) for r in row if "llc_read" in r.get("metric-unit", ""))
    check(abs(value - ns) <= 0.001 * ns + 0.06, f"{value} of three PMUs is {ns}")


def apart():
    """What a tree of ours says of metrics: those whose events the vendor does not want counted
    together, and slots that the PMU tells."""
    put("tree/arch/x86/mapfile.csv", "h\nGenuineIntel-6-EE,v1,small,core")
    events = [{"EventName": name, "EventCode": code} for name, code in (("A", "1"), ("B", "2"))]
    both = "page\\-faults / context\\-switches"
    metrics = [{"MetricName": "together", "MetricExpr": both},
               {"MetricName": "apart", "MetricExpr": both, "MetricConstraint": "NO_GROUP_EVENTS"},
               {"MetricName": "slots", "MetricExpr": "A / B + #slots"}]
    put("tree/arch/x86/small/a.json", json.dumps(events + metrics))
    os.environ.update(PFX_PMU_EVENTS=os.path.abspath("tree"), PFX_CPUID="GenuineIntel-6-EE-1")
    for name, members in (("together", 1), ("apart", 0)):
        text = run("strace", "-e", "trace=perf_event_open", PFX, "stat", "-M", name, "true").stderr
        if "json-c" in text:
            os.environ.pop("PFX_PMU_EVENTS")
            os.environ.pop("PFX_CPUID")
            return
        groups = re.findall(r"\}, -?\d+, -?\d+, (-?\d+), PERF_FLAG_FD_CLOEXEC", text)
        equal(sum(g != "-1" for g in groups), members, f"{name}: groups {groups}")
    os.makedirs("power", exist_ok=True)
    for path, text in (("type", "8"), ("format/domain", "config:0-3"), ("format/chip", "config:16-31"),
                       ("format/core", "config:16-31"), ("events/PM_X", "domain=1,chip=?"),
                       ("events/PM_Y", "domain=2,core=?"), ("interface/sockets", "2"),
                       ("interface/coresperchip", "3"), ("cpumask", "0")):
        put(f"power/hv_24x7/{path}", text)
    for name, metric in (("Chips", "2 * hv_24x7@PM_X\\,chip\\=?@"), ("Cores", "hv_24x7@PM_Y\\,core\\=?@"),
                         ("Both", "Chips + 1")):
        metrics.append({"MetricName": name, "MetricExpr": metric})
    put("tree/arch/x86/small/a.json", json.dumps(events + metrics))
    for name, parts, key in (("Chips", 2, "chip"), ("Cores", 3, "core")):
        row = rows(on_machine(PFX, "power", "-j", "-a", "-M", name, "true", cpuid="GenuineIntel-6-EE-1"))
        equal([r.get("metric-unit") for r in row], [f"{name}_{i}" for i in range(parts)], f"a metric of each {key}")
        equal([r["event"][-8:] for r in row], [f",{key}={i}/" for i in range(parts)], f"counts of each {key}")
    put("smt/armv8_pmuv3_0/caps/slots", "0x00000005")
    row = rows(on_machine(PFX, "smt", "-j", "-a", "-M", "slots", "true", cpuid="GenuineIntel-6-EE-1"))
    os.environ.pop("PFX_PMU_EVENTS")
    os.environ.pop("PFX_CPUID")
    value = float(row[0]["counter-value"]) / float(row[1]["counter-value"]) + 5
    check(abs(float(row[0]["metric-value"]) - value) < 0.01, "#slots")


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def sensors():
    """Numbers of files: of a chip that is not there."""
    for name, text in (("name", "coretemp"), ("temp1_input", "-4500"), ("temp1_label", "Core 0"),
                       ("fan1_input", "1200")):
        put(f"class/hwmon/hwmon0/{name}", text)

    def on(*words):
        return run("unshare", "-m", "sh", "-c", 'mount --bind class /sys/class && exec "$0" "$@"',
                   os.path.abspath(PFX), *words)

    row = rows(on("stat", "-j", "-e", "temp_core_0,hwmon_coretemp/fan1/,tool/has_pmem/,core_wide", "true").stderr)
    equal([(float(r["counter-value"]), r["unit"]) for r in row[:2]], [(-4.5, "'C"), (1200, "rpm")],
          "numbers of sensors")
    check(all(float(r["counter-value"]) in (0, 1) for r in row[2:4]), "facts of the machine")
    text = on("stat", "-r2", "-a", "-e", "temp1", "true").stderr
    check("-4.50 'C   temp1" in text, f"the mean of two runs: {text}")
    on("stat", "record", "-I", "50", "-o", "s.data", "-e", "temp_core_0,num_cpus_online", "sleep", "0.12")
    row = rows(run(PFX, "stat", "report", "-j", "-i", "s.data").stdout)
    check(len(row) > 3, f"a round for each interval: {row}")
    equal({(r["event"], float(r["counter-value"])) for r in row},
          {("temp_core_0", -4.5), ("num_cpus_online", os.sysconf("SC_NPROCESSORS_ONLN"))},
          "sensors and facts in a file")
    listed = json.loads(on("list", "-j", "sensor").stdout)
    equal([e["EventName"] for e in listed], ["hwmon_coretemp/fan1/", "hwmon_coretemp/temp1/"], "list")
    text = on("stat", "-e", "slots", "true").stderr
    check("<not counted>" in text and "slots" in text, f"slots of a machine that does not tell: {text}")


def firmware():
    text = on_machine(PFX, "smt", "--smi-cost", "-a", "true")
    check("SMI cycles%" in text and "SMI#" in text, "--smi-cost")
    with open("smt/cpu/freeze_on_smi", encoding="utf-8") as f:
        check(f.read().startswith("0"), "what was switched on is switched off again")
    text = on_machine(PFX, "smt", "--smi-cost", "--no-metric-only", "-a", "true")
    check("msr/aperf/" in text, "--no-metric-only shows the counts")
    text = on_machine(PFX, "hybrid", "--smi-cost", "-a", "true")
    check("freeze_on_smi" in text, "a machine that cannot tell")


def uncore_rows():
    """Rows of several PMUs of one kind, and metrics alone, as perf's but for their order."""
    cpuid = "GenuineIntel-6-6A-6"
    if pmu_fake.on_machine(cpuid, "true") is None:
        return
    for words in (("-e", "unc_cha_clockticks,uncore_imc/cas_count_read/"),
                  ("--no-merge", "-e", "unc_cha_clockticks,INST_RETIRED.ANY,cycles"),
                  ("--no-merge", "-x,", "-e", "unc_cha_clockticks:u"),
                  ("--per-socket", "-e", "unc_cha_clockticks,cycles"), ("--per-socket", "-x;", "-e", "unc_cha_clockticks"),
                  ("--per-socket", "-j", "-e", "unc_cha_clockticks"), ("--metric-only", "-M", "loads_per_instr"),
                  ("-x,", "--metric-only", "-M", "loads_per_instr")):
        ours, theirs = (sorted(" ".join(line.replace("(null)", "").split()) for line in clean(pmu_fake.on_machine(
            cpuid, os.path.abspath(tool) if tool == PFX else tool, "stat", "-a", *words, "true",
            log=os.path.abspath("log-rows")).stderr)) for tool in (PFX, PERF))
        equal(ours, theirs, " ".join(words))


def main():
    if not FAKE or not os.path.exists(FAKE) or os.geteuid():
        skip("needs root and the library that plays counters")
    if os.cpu_count() < 2:
        skip("needs two CPUs")
    make_machines()
    if "msec" not in on_machine(PFX, "smt", "-e", "task-clock", "true", siblings=True):
        skip("no mount namespaces here, or no topology")
    percore()
    slots()
    hybrid()
    metrics()
    apart()
    sensors()
    firmware()
    if PERF and "6.1." in run(PERF, "--version").stdout:
        uncore_rows()
    finish()


main()
