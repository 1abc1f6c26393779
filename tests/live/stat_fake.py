# SPDX-License-Identifier: MIT
"""Counts of a library that plays counters, on this machine or on one that seems to have other PMUs
and other cores: what `pfx stat` and perf print about them."""
import os
import re
import subprocess

from live import PATIENCE, PERF, PFX, equal

FAKE = os.environ.get("PFX_FAKE_COUNTERS", "")


def put(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text + "\n")


def clean(text):
    """Lines without times."""
    text = re.sub(r"\d+\.\d+ (seconds|\+-)", r"T \1", text)
    text = re.sub(r" +[\d.]+( CPUs utilized) *", r" N\1", text)
    text = re.sub(r"[\d.]+([^\d]CPUs utilized)", r"N\1", text)
    text = re.sub(r'[\d.]+(, "metric-unit" : "CPUs)', r"N\1", text)
    text = re.sub(r"(?m)^ +\d+\.\d{9}", " T", text).replace("Ghz", "GHz")
    text = re.sub(r'"interval" : [\d.]+', "T", text)
    return [line.rstrip() for line in text.split("\n")]


def fake(tool, *words, percent=None, command="true"):
    """Exit code and lines of the tool about counts of the library."""
    env = dict(os.environ, LC_ALL="C", PERF_CONFIG="/dev/null", LD_PRELOAD=FAKE)
    env.pop("FAKE_PERCENT", None)
    if percent:
        env["FAKE_PERCENT"] = percent
    done = subprocess.run([tool, "stat", *words, command], env=env, capture_output=True, text=True,
                          timeout=PATIENCE, check=False)
    return done.returncode, clean(done.stderr)


def on_machine(tool, devices, *words, siblings=False, cpuid=None):
    """The text of the tool on a machine that seems to have the PMUs of a directory. @siblings: CPUs
    0 and 1 are of one core. None: there are no mount namespaces."""
    mounts = ["mount --bind \"$DEVICES\" /sys/bus/event_source/devices"]
    if siblings:
        put("zero", "0")
        put("both", "0-1")
        cpus = "/sys/devices/system/cpu/cpu"
        mounts += [f"mount --bind {text} {cpus}{cpu}/topology/{name}" for cpu in (0, 1)
                   for text, name in (("zero", "core_id"), ("both", "thread_siblings_list"),
                                      ("both", "core_cpus_list"))]
    script = " && ".join(mounts) + f' && LD_PRELOAD={FAKE} exec "$0" stat "$@"'
    env = dict(os.environ, LC_ALL="C", PERF_CONFIG="/dev/null", DEVICES=os.path.abspath(devices))
    if cpuid:
        env.update(PFX_CPUID=cpuid, PERF_CPUID=cpuid)
    done = subprocess.run(["unshare", "-m", "sh", "-c", script, os.path.abspath(tool), *words],
                          env=env, capture_output=True, text=True, timeout=PATIENCE, check=False)
    return done.stderr


def same(words, **kw):
    """perf now and then misses the end of a command that is over at once: it gets another chance."""
    ours = theirs = None
    for _ in range(6):
        ours, theirs = fake(PFX, *words, **kw), fake(PERF, *words, **kw)
        if ours == theirs:
            return
    equal(ours, theirs, " ".join(words) + f" {kw}")
