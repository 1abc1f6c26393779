# SPDX-License-Identifier: MIT
"""The attributes that a recorder hands to perf_event_open(2), as strace shows them."""
import re
import subprocess

CALL = re.compile(r"perf_event_open\(\{(.*)\}, (-?\d+), (-?\d+), (-?\d+), (\S+)\) = (-?\d+)")
# Where pfx differs on purpose: the kernel wakes it by bytes in the ring.
IGNORED = ("watermark", "wakeup_watermark", "wakeup_events")


def fields(text):
    pairs = re.sub(r" /\*.*?\*/", "", text).split(", ")
    found = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
    return {k: v for k, v in found.items() if v != "0" and k not in IGNORED}


def is_probe(attr):
    """Openings that only ask what the kernel can do, and perf's extra channel for BPF."""
    return "sample_type" not in attr or attr["sample_type"] == "PERF_SAMPLE_IDENTIFIER"


def opened(trace_file, *argv, shell=False):
    """The counters that stayed: (attr, whose, CPU, in a group, flags), in order."""
    command = ["sh", "-c", argv[0]] if shell else [str(a) for a in argv]
    subprocess.run(["strace", "-f", "-v", "-s", "256", "-e", "trace=perf_event_open", "-o",
                    trace_file, *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=False)
    counters, tasks = [], {}
    with open(trace_file, encoding="utf-8", errors="replace") as trace:
        for line in trace:
            match = CALL.search(line)
            attr = fields(match.group(1)) if match else {}
            if not match or int(match.group(6)) < 0 or is_probe(attr):
                continue
            task = int(match.group(2))
            whose = tasks.setdefault(task, f"task {len(tasks)}") if task > 0 else task
            counters.append((attr, whose, int(match.group(3)), int(match.group(4)) >= 0,
                             match.group(5)))
    return counters
