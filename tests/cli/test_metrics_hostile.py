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
    circle()
    too_many()
    signals()
    finish()


main()
