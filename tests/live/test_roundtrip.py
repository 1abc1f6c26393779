# SPDX-License-Identifier: MIT
"""What pfx records perf reads, and what perf records pfx reads: the same samples, the same table.
Every second mode; all of them with PFX_WHOLE=1."""
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

from both_read import compare
from live import DEMO, PERF, PFX, check, equal, finish, need_perf, need_recording, part_of, record_to, run

RUN = ["--", DEMO, "0.15"]
CPU = str(min(os.sched_getaffinity(0)))
AT_ONCE = 4  # most of the time a recording is waited for
CLOCK = ["-e", "cpu-clock"]
MODES = {
    "default": [*RUN],
    "callgraph": ["-g", *RUN],
    "system": ["-a", *RUN],
    "two-events": ["-e", "cpu-clock,page-faults", *RUN],
    "count": ["-e", "task-clock", "-c", "500000", *RUN],
    "user": ["-e", "cpu-clock:u", *RUN],
    "tracepoint": ["-e", "sched:sched_switch", *RUN],
    "raw": ["-e", "cpu-clock", "-R", "-d", *RUN],
    "stacks": [*CLOCK, "-F", "500", "--call-graph", "dwarf,4096", *RUN],
    "compressed": [*CLOCK, "-z", "-g", *RUN],
    "compressed-system": [*CLOCK, "-z9", "-a", *RUN],
    "directory": [*CLOCK, "--threads", *RUN],
    "directory-compressed": [*CLOCK, "--threads", "-z", "-a", *RUN],
    "per-thread": [*CLOCK, "--per-thread", "-T", *RUN],
    "one-cpu": [*CLOCK, "-C", CPU, "--", "taskset", "-c", CPU, *RUN[1:]],
    "group-read": ["-e", "{cpu-clock,page-faults}:S", *RUN],
    "no-inherit": [*CLOCK, "-i", *RUN],
    "registers": [*CLOCK, "-I", "--user-regs=ip,sp", *RUN],
    "fields": [*CLOCK, "--phys-data", "--data-page-size", "--code-page-size", "-W", "--transaction",
               "--sample-cpu", "-P", *RUN],
    "identifier": [*CLOCK, "--sample-identifier", *RUN],
    "no-time": ["-e", "page-faults", "-c", "1", "--no-timestamp", *RUN],
    "clock": [*CLOCK, "-k", "mono", *RUN],
    "side-records": [*CLOCK, "--switch-events", "--namespaces", "--all-cgroups", *RUN],
    "counts-of-threads": [*CLOCK, "-s", *RUN],
    "overwritten": [*CLOCK, "--overwrite", *RUN],
    "tail": [*CLOCK, "-a", "--tail-synthesize", *RUN],
    "delayed": [*CLOCK, "-D", "50", *RUN],
    "small-rings": [*CLOCK, "-F", "9000", "-m", "2", "--no-buffering", *RUN],
    "build-ids": [*CLOCK, "--buildid-all", *RUN],
    "no-build-ids": [*CLOCK, "-B", *RUN],
}
def pipes():
    """record -o - into report -i - and script -i -, with pfx and perf at either end."""
    for writer in (PFX, PERF):
        record_to(writer, "stream.data", *CLOCK, "--", DEMO, "0.2", stream=True)
        with open("stream.data", "rb") as f:
            recorded = f.read()
        check(len(recorded) > 1000, f"pipe of {writer}: {len(recorded)} bytes")
        counts = set()
        for reader in (PFX, PERF):
            out = subprocess.run([reader, "script", "-F", "comm,ip", "-i", "-"], input=recorded,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False).stdout
            counts.add(out.count(b"\n"))
            saved = run(reader, "script", "-F", "comm,ip", "-i", "stream.data").stdout
            counts.add(saved.count("\n"))
        check(len(counts) == 1 and counts.pop() > 100, f"pipe of {writer}: {counts}")


def permitted(mode, done):
    """Whether the recordings were made; both may lack permission only where we are not root."""
    if os.geteuid() and all(d.returncode for d in done.values()):
        print(f"not recorded here: {mode}: {done[PFX].stderr.splitlines()[0]}")
        return False
    for recorder, d in done.items():
        equal(d.returncode, 0, f"{mode}: exit code of {recorder} ({d.stderr.strip()})")
    return True


def there_and_back(mode):
    data = {PFX: f"{mode}.pfx.data", PERF: f"{mode}.perf.data"}
    # The copies of binaries are the matter of one mode.
    cache = [] if mode == "default" else ["-N"]
    done = {tool: record_to(tool, data[tool], *cache, *MODES[mode]) for tool in data}
    if permitted(mode, done):
        for name in data.values():
            compare(name, name)


def main():
    need_recording()
    need_perf()
    modes = part_of(MODES, 0, 2)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(there_and_back, modes))
    pipes()
    print(f"{len(modes)} modes and both directions of a pipe")
    finish()


main()
