#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Metrics from a directory that anyone may have written: metrics that share others, that are too long
together, that need themselves; and signals, which end `pfx stat` whatever it computes."""
import json
import os
import signal
import subprocess
import time

from checks import PFX, check, finish

CPUID = "GenuineIntel-6-55-4"
TICKS = os.sysconf("SC_CLK_TCK")


def write(metrics):
    """The directory "events" with these metrics: name to formula. All are of the group "Ours"."""
    os.makedirs("events/ours", exist_ok=True)
    with open("events/mapfile.csv", "w", encoding="utf-8") as f:
        f.write(f"Family-model,Version,Filename,EventType\n{CPUID},v1,ours,core\n")
    rows = [{"MetricName": name, "MetricExpr": text, "MetricGroup": "Ours"}
            for name, text in metrics.items()]
    with open("events/ours/metrics.json", "w", encoding="utf-8") as f:
        json.dump(rows, f)


def start(*words):
    env = {**os.environ, "PFX_CONFIG": "/dev/null", "HOME": os.getcwd(), "LC_ALL": "C",
           "PFX_CPUID": CPUID, "PFX_PMU_EVENTS": os.path.abspath("events")}
    return subprocess.Popen([PFX, "stat", *words], env=env, stderr=subprocess.PIPE,
                            stdout=subprocess.DEVNULL, text=True)


def stat(*words):
    """Exit code and text; a run that takes a minute hangs."""
    process = start(*words)
    try:
        _, text = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        return None, process.communicate()[1]
    return process.returncode, text


def shared():
    """Ten uses of the metric before, fifteen times: 10^15 evaluations, one after another."""
    metrics = {"M0": "task\\-clock / task\\-clock * 3"}
    for i in range(1, 16):
        metrics[f"M{i}"] = "(" + " + ".join([f"M{i - 1}"] * 10) + ") / 10"
    write(metrics)
    code, text = stat("-M", "M15", "--", "true")
    check(code == 0 and "3.00 M15" in " ".join(text.split()), f"shared metrics: {code} {text!r}")


def too_long():
    metrics = {"M0": "task\\-clock"}
    for i in range(1, 16):
        metrics[f"M{i}"] = f"M{i - 1}" + " + 1" * 49990
    write(metrics)
    code, text = stat("-M", "M15", "--", "true")
    check(code not in (0, None) and code > 0, f"long metrics: exit code {code}")
    check(text == "pfx stat: metric 'M14' is too long with all metrics that it needs\n",
          f"long metrics: {text!r}")


def deep():
    """More metrics in each other than a stack has room for."""
    metrics = {"M0": "task\\-clock / task\\-clock * 7"}
    for i in range(1, 5001):
        metrics[f"M{i}"] = f"M{i - 1}"
    write(metrics)
    code, text = stat("-M", "M5000", "--", "true")
    check(code == 0 and "7.00 M5000" in " ".join(text.split()), f"deep metrics: {code} {text!r}")


def constant():
    """A metric that needs no event is shown all the same, in the row of the time."""
    write({"Five": "2 + 3", "None": "task\\-clock if 1 > 2 else 4"})
    for name, value in (("Five", 5), ("None", 4)):
        code, text = stat("-M", name, "--", "true")
        words = " ".join(text.split())
        check(code == 0 and f"ns duration_time # {value}.00 {name}" in words and "cycles" not in words,
              f"{name}: {code} {text!r}")


def mistakes():
    """What cannot be read is left out, with its file and line; nothing of it reaches the terminal."""
    place = os.path.abspath("events")
    rows = [
        ('{"EventName": "A.B", "EventCode": "zz"}', "event 'A.B': 'zz' of 'EventCode' is not a number"),
        ('{"EventName": "A.B", "EventCode": "1", "UMask": "-1"}', "event 'A.B': '-1' of 'UMask' is not a number"),
        ('{"EventName": "A.B", "EventCode": "1", "MSRIndex": "0x999"}',
         "event 'A.B': register '0x999' of 'MSRIndex' has no term"),
        ('{"EventName": "A.B", "EventCode": "1", "Filter": "zzz"}', "event 'A.B': the filter 'zzz' is not a term"),
        ('{"EventName": "", "EventCode": "1"}', "event '': it has no name"),
        ('{"ArchStdEvent": "NOPE"}', "event 'NOPE': no file beside mapfile.csv has this 'ArchStdEvent'"),
        ('{"MetricName": "M"}', "metric 'M': it has no formula"),
        ('{"MetricName": "M", "MetricExpr": "#foo"}', "metric 'M': formula '#foo': there is no such fact at character 2"),
        ('{"MetricName": "M", "MetricExpr": "' + "(" * 10000 + '"}', "it is nested too deeply at character 200"),
        ('{"MetricName": "\\u001b[31mM", "MetricExpr": "1"}', "metric '\\x1b[31mM': control characters in 'MetricName'"),
    ]
    for text, wanted in rows:
        write({})
        with open("events/ours/metrics.json", "w", encoding="utf-8") as f:
            f.write('[\n{"EventName": "GOOD", "EventCode": "1"},\n' + text + "\n]\n")
        code, said = stat("-e", "task-clock", "--", "true")
        first = said.split("\n")[0]
        check(code == 0 and first.startswith(f"pfx events: {place}/ours/metrics.json:3: ") and
              first.endswith(wanted), f"{text[:60]}: {code} {first[-200:]!r}, not {wanted!r}")
    with open("events/ours/metrics.json", "w", encoding="utf-8") as f:
        f.write("[\n" + ",\n".join(row[0] for row in rows) + "\n]\n")
    check(stat("-e", "task-clock", "--", "true")[1].split("\n")[0] ==
          f"pfx events: {place}/ours/metrics.json:2: {rows[0][1]} (and {len(rows) - 1} more mistakes)", "the number of mistakes")
    with open("events/ours/metrics.json", "w", encoding="utf-8") as f:
        f.write('[\n{"EventName": "GOOD"\n')
    check(stat("-e", "task-clock", "--", "true")[1].startswith(
        f"pfx events: {place}/ours/metrics.json:3: not valid JSON: it ends too early\n"), "a file that ends too early")
    write({})
    with open("events/mapfile.csv", "a", encoding="utf-8") as f:
        f.write("(((,v1,ours,core\n")
    os.replace("events/mapfile.csv", "events/lines")
    with open("events/lines", encoding="utf-8") as f, open("events/mapfile.csv", "w", encoding="utf-8") as to:
        head, good, bad = f.read().splitlines()
        to.write(f"{head}\n{bad}\n{good}\n")
    check(stat("-e", "task-clock", "--", "true")[1].startswith(
        f"pfx events: {place}/mapfile.csv:2: '(((' is not a regular expression for a CPU\n"), "a wrong expression")


def circle():
    write({"One": "Two + task\\-clock", "Two": "1 - (One if #smt_on else 3)"})
    code, text = stat("-M", "Two", "--", "true")
    check(code == 255 and text == "pfx stat: metric 'One' needs itself\n", f"a circle: {code} {text!r}")


def too_many():
    """Metrics that are not too long one by one."""
    metrics = {f"M{i}": "task\\-clock" + " + 1" * 49990 for i in range(60)}
    write(metrics)
    code, text = stat("-M", "Ours", "--", "true")
    check(code == 255 and text == "pfx stat: the metrics are too long together\n",
          f"many metrics: {code} {text!r}")


def cpu_ticks(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def wait_until(condition, what):
    """Without a limit of its own: CTest has one."""
    while not condition():
        time.sleep(0.01)
    return what


def ends(process, sig, what):
    os.kill(process.pid, sig)
    try:
        process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        check(False, f"{signal.Signals(sig).name} does not end {what}")
        process.kill()
        process.communicate()
        return
    check(process.returncode == -sig or process.returncode > 0,
          f"{what} after {signal.Signals(sig).name}: exit code {process.returncode}")


def signals():
    """While metrics are put together, which takes half a minute here, and while --pre runs."""
    metrics = {f"M{i}": "Base + no_such_event" for i in range(5000)}
    metrics["Base"] = "task\\-clock" + " + 1" * 49900
    write(metrics)
    for sig in (signal.SIGINT, signal.SIGTERM):
        process = start("-M", "Ours", "--", "true")
        wait_until(lambda: process.poll() is not None or cpu_ticks(process.pid) > TICKS // 2, "work")
        check(process.poll() is None, "putting metrics together ended before the signal")
        ends(process, sig, "putting metrics together")
        process = start("--pre", "echo > started; exec sleep 1000", "--", "true")
        wait_until(lambda: process.poll() is not None or os.path.exists("started"), "start")
        ends(process, sig, "--pre")
        os.unlink("started")


def main():
    shared()
    too_long()
    deep()
    constant()
    mistakes()
    circle()
    too_many()
    signals()
    finish()


main()
