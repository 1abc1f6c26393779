# SPDX-License-Identifier: MIT
"""The attributes that a recorder hands to perf_event_open(2), as strace shows them."""
import re
import subprocess

from live import QUICK

CALL = re.compile(r"perf_event_open\(\{(.*)\}, (-?\d+), (-?\d+), (-?\d+), (\S+)\) = (-?\d+)")
FILTER = re.compile(r"ioctl\((\d+), PERF_EVENT_IOC_SET_FILTER, (\".*\")\)")
# Where pfx differs on purpose: the kernel wakes it by bytes in the ring.
IGNORED = ("watermark", "wakeup_watermark", "wakeup_events")
# A kernel and a CPU that take everything, as far as the recorder can tell before it maps a ring: no
# descriptor has this number.
TAKE_ALL = ["-e", "inject=perf_event_open:retval=1000"]


def fast():
    """The system calls that are not shown cost nothing, where strace and the kernel can do that."""
    try:
        done = subprocess.run(["strace", "-f", "--seccomp-bpf", "-e", "trace=ioctl", "true"],
                              capture_output=True, check=False)
    except FileNotFoundError:
        return []
    return ["--seccomp-bpf"] if done.returncode == 0 and b"seccomp" not in done.stderr else []


FAST = fast()


def fields(text):
    pairs = re.sub(r" /\*.*?\*/", "", text).split(", ")
    found = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
    return {k: v for k, v in found.items() if v != "0" and k not in IGNORED}


def is_probe(attr):
    """Openings that only ask what the kernel can do, and perf's extra channel for BPF."""
    return attr.get("sample_type", "") in ("", "PERF_SAMPLE_IDENTIFIER", "PERF_SAMPLE_REGS_INTR")


def whose(task, flags, tasks):
    if "PID_CGROUP" in flags:
        return "cgroup"
    return tasks.setdefault(task, f"task {len(tasks)}") if task > 0 else task


def opened(trace_file, *argv, shell=False, take_all=False):
    """The counters that stayed: (attr, whose, CPU, in a group, flags), in order, and behind each
    other the filters that were set."""
    command = ["sh", "-c", argv[0]] if shell else [str(a) for a in argv]
    quick = [word for name, path in QUICK.items() for word in ("-E", f"{name}={path}")]
    subprocess.run(["strace", "-f", *FAST, "-v", "-s", "256", "-e", "trace=perf_event_open,ioctl",
                    *(TAKE_ALL if take_all else []), *([] if shell else quick), "-o", trace_file,
                    *command],
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=False)
    counters, filters, tasks = [], [], {}
    with open(trace_file, encoding="utf-8", errors="replace") as trace:
        for line in trace:
            found = FILTER.search(line)
            if found:
                filters.append(found.group(2))
            match = CALL.search(line)
            attr = fields(match.group(1)) if match else {}
            if not match or int(match.group(6)) < 0 or is_probe(attr):
                continue
            counters.append((attr, whose(int(match.group(2)), match.group(5), tasks),
                             int(match.group(3)), int(match.group(4)) >= 0, match.group(5)))
    return counters + [({"filter": text}, 0) for text in filters]
