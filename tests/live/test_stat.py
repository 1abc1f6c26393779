#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`pfx stat` beside perf: the same words, the same counts (those of a library that plays the
counters), the same lines. Then what counters of this machine say, and files both ways."""
import json
import os
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from live import (PERF, PFX, check, children, equal, finish, need_perf, need_recording, run, skip,
                  wait_for)
from stat_fake import FAKE, fake, on_machine, put, same

HW = "cycles,instructions,branches,branch-misses,cache-references,cache-misses"
MIX = "cycles,cpu-clock,page-faults,branches,branch-misses,cache-misses,instructions"
SAME = [
    [], ["-d"], ["-dd"], ["-ddd"], ["-x,", "-d"], ["-x;"], ["-j", "-d"], ["-n"], ["-a"],
    ["-a", "-A"], ["-e", HW], ["-d", "-e", "cycles"], ["-n", "-d"], ["-j", "-e", "task-clock," + HW], ["-e", "cycles:u,instructions:u,cycles:k,branches"],
    ["-e", "context-switches,instructions,cycles,task-clock"], ["-r2", "-x,", "-e", "cycles"],
    ["-r2", "-j", "-e", "cycles"], ["-I1000", "-x,", "-e", "cycles,instructions"],
    ["-I1000", "-j", "-e", "cycles,instructions"], ["-I1000", "-e", "cycles"],
    ["-I1000", "-x,", "--summary", "-e", "cycles"], ["-I1000", "--summary", "-e", "cycles"],
    ["-e", "sched:sched_switch,mem:0x10:rw,page-faults:u"], ["-e", "task-clock/name=foo/u"],
    ["-C", "0"], ["-C", "0-1"] if os.cpu_count() > 1 else ["-C", "0"],
    ["-a", "-e", "cycles,task-clock", "-G", "/"], ["-x,", "-a", "-e", "cycles", "-G", "/"],
    ["-j", "-a", "-e", "cycles", "-G", "/"], ["-B"], ["--no-big-num"],
] + [["-a", row] + form + ["-e", MIX]
     for row in ("-A", "--per-core", "--per-die", "--per-socket", "--per-node")
     for form in ([], ["-x,"], ["-j"], ["-I1000"], ["-I1000", "-x,"])]


def last_grouping_wins():
    """Of words that say what rows are by the last one counts, as in perf."""
    for tool in filter(None, (PFX, PERF)):
        for words, pattern in ((["--per-thread", "--per-socket"], r"S\d+,"), (["--per-thread", "-A"], r"CPU\d+,"),
                               (["--per-socket", "--per-thread"], r".*-\d+,")):
            for _ in range(20):  # perf gives up when a thread ends while it lists them
                done = run(tool, "stat", "-x,", "-a", *words, "-e", "context-switches", "--", "true")
                if tool == PFX or "failed to parse CPUs map" not in done.stderr:
                    break
            rows_told = [line for line in done.stderr.split("\n") if ",context-switches," in line]
            check(rows_told and all(re.match(pattern, row) for row in rows_told),
                  f"{tool}: {words}: {rows_told[:1]} {done.stderr[:200]}")


def beside_perf():
    if not FAKE or not os.path.exists(FAKE):
        print("the library that plays counters is missing: lines are not compared")
        return
    if fake(PERF, "-e", "cycles")[0]:
        print("perf does not run with the library that plays counters")
        return
    for words in SAME:
        same(words)
    for words in ([], ["-x,"], ["--no-scale"], ["-a", "-A"], ["-a", "--per-socket"]):
        same(words, percent="50")
    same(["--per-thread", "-p", str(os.getpid()), "-e", HW])
    last_grouping_wins()
    same([], command="false")


def stat(*words, code=0):
    done = run(PFX, "stat", *words)
    equal(done.returncode, code, "exit code of stat " + " ".join(str(w) for w in words))
    return done.stderr


def rows(text):
    return [json.loads(line) for line in text.split("\n") if line.startswith("{")]


def counts():
    """What this machine's own counters say."""
    shell = ["sh", "-c", "i=0; while [ $i -lt 50 ]; do /bin/true; i=$((i+1)); done"]
    row = rows(stat("-j", "-e", "page-faults,task-clock,context-switches", *shell))
    equal([r["event"] for r in row], ["page-faults", "task-clock", "context-switches"], "events")
    check(float(row[0]["counter-value"]) > 1000, "page faults of children are counted")
    alone = rows(stat("-j", "-i", "-e", "page-faults", *shell))
    check(float(alone[0]["counter-value"]) < float(row[0]["counter-value"]) / 4, "-i leaves them out")
    text = stat("-e", "task-clock", "-I", "20", "--interval-count", "3", "sleep", "2")
    equal(len([line for line in text.split("\n") if "task-clock" in line]), 3, "three intervals")
    text = stat("--timeout", "50", "-e", "task-clock", "sleep", "5")
    check("seconds time elapsed" in text, "--timeout prints the counts")
    text = stat("-r", "2", "-I", "600000", "-e", "page-faults", "true")
    equal(text.count("page-faults"), 2, "the intervals of each run")
    text = stat("-r", "3", "--table", "-e", "page-faults", "true")
    check("(3 runs)" in text and "Final result" in text, "-r and --table")
    tools = rows(stat("-j", "-e", "duration_time,user_time,system_time", "true"))
    check(float(tools[0]["counter-value"]) > 0, "duration_time")
    facts = rows(stat("-j", "-e", "num_cpus_online,tool/num_cores/,{smt_on,num_dies,num_packages}:u", "true"))
    equal(float(facts[0]["counter-value"]), os.sysconf("SC_NPROCESSORS_ONLN"), "num_cpus_online")
    check(all(float(r["counter-value"]) >= 1 for r in facts[:2]) and facts[1]["unit"] == "", "facts")
    equal([r["event"] for r in facts[1:]], ["tool/num_cores/", "smt_on", "num_dies", "num_packages"],
          "names of tools are as typed")
    text = stat("-D", "100", "-e", "task-clock", "sleep", "2")
    check("Events enabled" in text, "-D")
    pre = stat("--pre", "echo before", "--post", "echo after", "-S", "-e", "page-faults", "true")
    check("page-faults" in pre, "--pre, --post, --sync")
    check("page-faults" in stat("-v", "-e", "page-faults,cycles", "true"), "-v")
    for events in ("task-clock,cs:k", "task-clock:u,cs", "cpu-clock:k,page-faults:u"):
        unit = rows(stat("-j", "-e", events, "true"))[1].get("metric-unit", "")
        check(unit.endswith("/sec"), f"{events}: a rate by a clock of another level: {unit!r}")


def latency():
    """The modifier R: samples of a clock say that nothing had to wait for its retirement."""
    spin = ["sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"]
    if run(PFX, "record", "-q", "-W", "-o", "w.data", "-e", "cpu-clock:p", "true").returncode:
        return
    for words in ([], ["-a"], ["-r", "2"], ["-i"]):
        row = rows(stat("-j", *words, "-e", "cpu-clock:R,page-faults", *spin))
        equal([(r["event"], float(r["counter-value"]), r["unit"]) for r in row[:1]],
              [("cpu-clock:R", 0, "")], f"latency {words}")
        check(float(row[1]["counter-value"]) > 0, f"counted beside it {words}")
    text = stat("-D", "50", "-I", "100", "-e", "cpu-clock:uR", *spin)
    check("cpu-clock:uR" in text, "-D and -I")


def whole_system():
    if run(PFX, "stat", "-a", "-e", "context-switches", "true").returncode:
        return
    text = stat("-a", "-I", "10", "--interval-count", "27", "-e", "context-switches")
    equal([i for i, line in enumerate(text.split("\n")) if line.startswith("#")], [0, 26],
          "the heading comes again after 25 intervals")
    check("'system wide'" in stat("--timeout", "50", "-e", "task-clock"), "nothing said: all")


def filters():
    if run(PFX, "stat", "-e", "sched:sched_process_exec", "true").returncode:
        return
    text = stat("-x,", "-e", "sched:sched_process_exec", "--filter", "pid == 0", "sh", "-c", "exec true")
    check(text.startswith("0,,sched:"), "--filter leaves out what does not fit")
    text = stat("-x,", "-e", "sched:sched_process_exec", "--filter", "pid > 0", "sh", "-c", "exec true")
    check(int(text.split(",", 1)[0]) > 0, "and counts what does")
    text = stat("-e", "sched:sched_switch", "--filter", "nofield==1", "true", code=255)
    check("prev_pid" in text, "the fields of a tracepoint whose filter is wrong")


def cpus():
    """cpu= of one event: it counts there only, and is not scaled up for the time elsewhere."""
    here, *others = sorted(os.sched_getaffinity(0))
    if not others:
        return
    done = run("taskset", "-c", str(here), PFX, "stat", "-x,",
               "-e", f"cpu-clock/cpu={here}/,cpu-clock/cpu={others[0]}/", "true")
    there = done.stderr.split("\n")
    check(float(there[0].split(",", 1)[0]) > 0, f"on its own CPU: {done.stderr}")
    check(there[1].startswith("<not counted>,"), f"on another CPU: {done.stderr}")


def output():
    stat("-o", "counts.txt", "-e", "page-faults", "true")
    stat("-o", "counts.txt", "--append", "-e", "task-clock", "true")
    with open("counts.txt", encoding="utf-8") as f:
        text = f.read()
    equal(text.count("# started on"), 2, "-o and --append")
    with open("fd.txt", "w", encoding="utf-8") as f:
        done = subprocess.run([PFX, "stat", "--log-fd", str(f.fileno()), "-e", "page-faults",
                               "true"], pass_fds=[f.fileno()], capture_output=True, check=False)
    equal((done.returncode, done.stderr), (0, b""), "--log-fd says nothing elsewhere")
    with open("fd.txt", encoding="utf-8") as f:
        check("page-faults" in f.read(), "--log-fd")
    if os.path.exists("/dev/full"):
        for words in ((), ("-x,",), ("-I", "10")):
            text = stat("-o", "/dev/full", "-e", "page-faults", *words, "true", code=255)
            check("cannot write the counts to '/dev/full': No space" in text, f"full disk: {text}")
        with open("/dev/full", "w", encoding="utf-8") as f:
            equal(subprocess.run([PFX, "stat", "true"], stderr=f, check=False).returncode, 255,
                  "nothing could be shown")
    equal(stat("record", "--quiet", "-o", "q.data", "true"), "", "--quiet")


def control():
    read_fd, write_fd = os.pipe()
    ack_read, ack_write = os.pipe()
    child = subprocess.Popen([PFX, "stat", "-D", "-1", "-e", "task-clock,{faults,cs}", "--control",
                              f"fd:{read_fd},{ack_write}", "sleep", "30"], stderr=subprocess.PIPE,
                             pass_fds=[read_fd, ack_write], text=True)
    for words in (b"enable", b"evlist -g", b"evlist -v", b"disable faults", b"enable nosuch"):
        os.write(write_fd, words + b"\n")
        equal(os.read(ack_read, 16).rstrip(b"\0"), b"ack\n", f"an answer to {words}")
    os.write(write_fd, b"stop\n")
    text = child.stderr.read()
    equal(child.wait(), 0, "exit code after stop")
    check("Events enabled" in text and "task-clock" in text, "--control")
    for said in ("task-clock\n{faults,cs}\n", "faults: type: 1,", "Event faults disabled\n",
                 "there is no event 'nosuch'"):
        check(said in text, f"--control: {said!r} is not in {text!r}")
    for fd in (read_fd, write_fd, ack_read, ack_write):
        os.close(fd)


def signals():
    child = subprocess.Popen([PFX, "stat", "-e", "task-clock", "sleep", "30"],
                             stderr=subprocess.PIPE, text=True)
    wait_for(lambda: children(child.pid), "the command")
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    text = child.stderr.read()
    equal(child.wait(), -signal.SIGINT, "ends as the signal wants")
    check("task-clock" in text, "prints what was counted before")
    stat("-e", "task-clock", "sh", "-c", "kill -9 $$", code=137)
    stat("-e", "task-clock", "sh", "-c", "exit 7", code=7)


def refused():
    for words, code, said in (
            (["-e", "bogus", "true"], 129, "bogus"),
            (["-p", "4194303"], 255, "4194303"),
            (["nonexistent-command"], 255, "nonexistent-command"),
            (["-B", "-x,", "true"], 129, "-B"),
            (["--metric-only", "--per-thread", "-p", "1", "true"], 129, "exclude"),
            (["-e", "duration_time,bogus", "true"], 129, "  duration_time,bogus\n"),
            (["-e", "durationtime", "true"], 129, "did you mean 'duration_time'"),
            (["-e", "tool/nothing/", "true"], 129, "num_packages"),
            (["-e", "tool/smt_on=1/", "true"], 129, "one name"),
            (["-e", "cycles/freq=5/", "true"], 129, "about samples"),
            (["--filter", "x==1", "true"], 129, "event before it"),
            (["-e", "task-clock", "--filter", "x==1", "true"], 129, "takes no --filter"),
            (["--cputype", "nocore", "-e", "cycles", "true"], 129, "nocore"),
            (["-e", "cycles", "--cputype", "core", "true"], 129, "write it before -e"),
            (["--td-level", "2", "true"], 129, "--topdown"),
            (["--percore-show-thread", "-a", "true"], 129, "rows by CPU"),
            (["--bpf-counters", "true"], 129, "BPF"), (["-b", "1", "true"], 129, "BPF"),
            (["--iostat", "true"], 129, "I/O"), (["-e", "cycles:RR", "true"], 129, "twice"),
            (["-r2", "-I100", "--summary", "true"], 129, "-r"),
            (["--per-core", "true"], 129, "whole system"),
            (["-M", "nosuchmetric", "true"], 255, "metric"),
            (["-C", "4000", "true"], 255, "4000"),
            (["report", "-i", "nonexistent.data"], 255, "nonexistent.data")):
        check(said in stat(*words, code=code), f"{words} says '{said}'")


def bare(tool, *words):
    """The rows of a report."""
    done = run(tool, "stat", "report", *words)
    both = done.stdout + done.stderr
    return [" ".join(line.split()) for line in both.split("\n")
            if "Performance" not in line and line.strip()]


def unsupported():
    """Events that this machine cannot count stay in the file: in reports and in scripts."""
    events = "branch-load-misses,task-clock,node-prefetch-misses"
    counted = run(PFX, "stat", "-e", events, "true").stderr
    for words in ([], ["-a"], ["-a", "-A"]):
        for writer in (PFX, PERF):
            run(writer, "stat", "record", *words, "-e", events, "-o", "stat.data", "sleep", "0.05")
            ours = bare(PFX, "-i", "stat.data")
            equal(ours, bare(PERF, "-i", "stat.data"), f"unsupported events of {writer} {words}")
            for event in events.split(","):
                check(any(event in line for line in ours), f"{event} is not in {ours}")
            lines = run(PFX, "script", "-i", "stat.data").stdout
            equal(lines, run(PERF, "script", "-i", "stat.data").stdout, f"script, unsupported events of {writer} {words}")
            for event in events.split(","):
                check(event in lines, f"{event} is not in {lines}")
    if "<not supported>" not in counted:
        print("this machine counts all of these events")


def files():
    """Files of each are read by the other; what was printed then is printed again."""
    events = "task-clock,page-faults,context-switches"
    for words in ([], ["-a"], ["-a", "-A"], ["-a", "--per-core"]):
        for writer in (PFX, PERF):
            done = run(writer, "stat", "record", *words, "-e", events, "-o", "stat.data", "sleep",
                       "0.05")
            equal(done.returncode, 0, f"{writer} stat record {words}")
            equal(bare(PFX, "-i", "stat.data"), bare(PERF, "-i", "stat.data"),
                  f"a file of {writer} {words}")
            if words:
                for row in ("-A", "--per-core", "--per-socket", "--per-node", "--per-die"):
                    equal(bare(PFX, "-i", "stat.data", row), bare(PERF, "-i", "stat.data", row),
                          f"a file of {writer} {words} by {row}")
    unsupported()
    # perf shows a rate of the time itself, and that other cores have none of it.
    for writer in (PFX, PERF):
        run(writer, "stat", "record", "-a", "-e", "page-faults,duration_time", "-o", "stat.data", "sleep", "0.05")
        for row in ([], ["-A"], ["--per-core"], ["--per-socket"]):
            ours, theirs = ([line.split(" #")[0] for line in bare(tool, "-i", "stat.data", *row)
                             if "<not counted>" not in line] for tool in (PFX, PERF))
            equal(ours, theirs, f"duration_time in a file of {writer} {row}")
            check(any(re.search(r" ?\d+ ns duration_time", line) for line in ours), f"its value: {ours}")
    stream = subprocess.run(f"{PFX} stat record -o - true 2>/dev/null | {PERF} stat report",
                            shell=True, capture_output=True, text=True, check=False)
    check("page-faults" in stream.stdout + stream.stderr, "a stream for perf")
    stream = subprocess.run(f"{PERF} stat record -o - true 2>/dev/null | {PFX} stat report -i -",
                            shell=True, capture_output=True, text=True, check=False)
    check("page-faults" in stream.stdout, "a stream of perf")
    run(PFX, "stat", "record", "-a", "-I", "20", "-e", events, "-o", "i.data", "sleep", "0.05")
    theirs = [line.split()[:4] for line in bare(PERF, "-i", "i.data")]
    equal([line.split()[:4] for line in bare(PFX, "-i", "i.data")], theirs, "intervals in a file")
    equal(run(PFX, "stat", "-x\\t", "--per-core", "rep", "-i", "i.data").stdout,
          run(PFX, "stat", "report", "-x\t", "--per-core", "-i", "i.data").stdout,
          "options in front of report, and three letters of it")
    check(all("interval" in r for r in rows(run(PFX, "stat", "report", "-j", "-i", "i.data").stdout)),
          "report -j")


def with_devices(*words):
    return on_machine(PFX, "devices", *words, cpuid="GenuineIntel-6-55-4")


def metrics():
    """Metrics of a vendor, PMUs outside of the cores and hardware transactions."""
    for name, terms in (("cpu/type", "4"), ("cpu/format/event", "config:0-7"),
                        ("cpu/format/umask", "config:8-15"), ("cpu/format/cmask", "config:24-31"),
                        ("cpu/format/any", "config:21"), ("cpu/format/edge", "config:18"),
                        ("cpu/format/inv", "config:23"), ("software/type", "1"),
                        ("cpu/format/frontend", "config1:0-23"), ("cpu/format/ldlat", "config1:0-15"),
                        ("cpu/format/offcore_rsp", "config1:0-63"),
                        ("cpu/events/slots", "event=0x00,umask=0x4"),
                        ("cpu/events/topdown-retiring", "event=0x00,umask=0x80")):
        put("devices/" + name, terms)
    for i in (0, 1):
        pmu = f"devices/uncore_imc_{i}/"
        put(pmu + "type", str(20 + i))
        put(pmu + "cpumask", "0")
        put(pmu + "format/event", "config:0-7")
        put(pmu + "format/umask", "config:8-15")
        put(pmu + "events/reads", "event=4")
        put(pmu + "events/reads.scale", "0.5")
        put(pmu + "events/reads.unit", "MiB")
    if "msec" not in with_devices("-e", "task-clock", "true"):
        print("no mount namespaces here: metrics are not tested")
        return
    row = rows(with_devices("-j", "-M", "IPC", "true"))
    equal([r["event"] for r in row], ["INST_RETIRED.ANY", "CPU_CLK_UNHALTED.THREAD"], "events of IPC")
    wanted = float(row[0]["counter-value"]) / float(row[1]["counter-value"])
    check(abs(row[0]["metric-value"] - wanted) < 1e-5, "IPC")
    text = with_devices("--topdown", "-a", "true")
    for name in ("retiring", "frontend_bound", "backend_bound", "bad_speculation"):
        check("tma_" + name in text, f"--topdown tells {name}")
    row = rows(with_devices("-j", "-e", "cpu/event=0xc0,metric-id=INST_RETIRED.ANY/", "-e",
                            "cpu/event=0x3c,metric-id=CPU_CLK_UNHALTED.THREAD/", "-M", "IPC", "true"))
    equal([(r["event"].count("metric-id"), "IPC" in r["metric-unit"]) for r in row],
          [(1, True), (1, False)], "a metric of events that are there")
    row = rows(with_devices("-j", "-M", "TopdownL1", "-a", "true"))
    verdicts = {r["metric-unit"]: (r["metric-value"], r["metric-threshold"]) for r in row
                if "metric-threshold" in r}
    for name, limit in (("bad_speculation", 15), ("frontend_bound", 15)):
        value, verdict = verdicts["tma_" + name]
        equal(verdict, "bad" if value > limit else "good", f"threshold of {name}")
    text = with_devices("-j", "-M", "TopdownL1", "-a", "--metric-no-threshold", "true")
    check("metric-threshold" not in text, "--metric-no-threshold")
    text = with_devices("-M", "IPC", "--metric-only", "true")
    check("IPC" in text and "INST_RETIRED" not in text, "--metric-only")
    equal(with_devices("-x,", "-M", "all", "--metric-no-group", "true").count("IPC"), 1, "-M all")
    both = with_devices("-x,", "-a", "--for-each-cgroup", "/,", "-M", "IPC", "true").split("\n")
    equal([line.split(",")[-1] for line in both if "INST" in line], ["per_cycle  IPC"],
          "a cgroup that is named twice, as the root and as nothing")
    row = rows(with_devices("-j", "-a", "-e", "uncore_imc/reads/", "true"))
    equal([(r["event"], r["unit"]) for r in row], [("uncore_imc/reads/", "MiB")], "PMUs merged")
    row = rows(with_devices("-j", "-a", "--no-merge", "-e", "uncore_imc/reads/", "true"))
    equal([r["event"] for r in row], ["uncore_imc_0/reads/", "uncore_imc_1/reads/"], "--no-merge")
    row = rows(with_devices("-j", "-a", "-A", "-e", "uncore_imc/reads/", "true"))
    equal([r["cpu"] for r in row], ["0", "0"], "rows of the CPUs that a PMU counts on")
    text = with_devices("-e", "{slots,topdown-retiring}", "true")
    check("retiring" in text and "%" in text, "top-down events of the kernel")


def threads_of_the_system():
    done = run(PFX, "stat", "--per-thread", "-e", "task-clock", "--timeout", "200")
    equal(done.returncode, 0, "--per-thread alone")
    check("Performance counter stats for 'system wide':" in done.stderr, "--per-thread alone: title")


def main():
    need_recording()
    if run(PFX, "stat", "-e", "task-clock", "true").returncode:
        skip("counting is not possible here")
    counts()
    latency()
    whole_system()
    threads_of_the_system()
    cpus()
    filters()
    output()
    control()
    signals()
    refused()
    if os.path.exists(FAKE) and os.geteuid() == 0:
        metrics()
    need_perf()
    files()
    beside_perf()
    finish()


main()
