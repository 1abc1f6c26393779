# SPDX-License-Identifier: MIT
"""What pfx records perf reads, and what perf records pfx reads: the same samples, the same top ten."""
import os
import subprocess

from live import DEMO, PERF, PFX, check, equal, finish, need_perf, need_recording, rows, run, samples

MODES = {
    "default": ["--", DEMO, "0.3"],
    "callgraph": ["-g", "--", DEMO, "0.3"],
    "system": ["-a", "--", DEMO, "0.3"],
    "two-events": ["-e", "cpu-clock,page-faults", "--", DEMO, "0.3"],
    "count": ["-e", "task-clock", "-c", "500000", "--", DEMO, "0.3"],
    "user": ["-e", "cpu-clock:u", "--", DEMO, "0.3"],
    "tracepoint": ["-e", "sched:sched_switch", "--", DEMO, "0.3"],
    "raw": ["-e", "cpu-clock", "-R", "-d", "--", DEMO, "0.3"],
}


def top_ten(data, what):
    options = ["--no-children", "-g", "none", "-s", "comm,dso,sym"]
    ours, theirs = rows(data, PFX, *options), rows(data, PERF, *options)
    for (percent, name), (perf_percent, perf_name) in zip(ours[:10], theirs[:10]):
        equal(name, perf_name, f"{what}: a row of the top ten")
        check(abs(percent - perf_percent) < 0.011, f"{what}: {name} {percent} {perf_percent}")
    equal(len(ours), len(theirs), f"{what}: rows")


def compare(data, what):
    ours, theirs = samples(data), samples(data, PERF)
    check(ours > 0, f"{what}: no samples")
    equal(ours, theirs, f"{what}: samples")
    top_ten(data, what)


def pipes():
    """record -o - into report -i - and script -i -, with pfx and perf at either end."""
    for writer in (PFX, PERF):
        recorded = subprocess.run([writer, "record", "-e", "cpu-clock", "-o", "-", "--", DEMO, "0.2"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False).stdout
        check(len(recorded) > 1000, f"pipe of {writer}: {len(recorded)} bytes")
        with open("stream.data", "wb") as f:
            f.write(recorded)
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


def main():
    need_recording()
    need_perf()
    for mode, args in MODES.items():
        data = {PFX: f"{mode}.pfx.data", PERF: f"{mode}.perf.data"}
        done = {tool: run(tool, "record", "-o", data[tool], *args) for tool in data}
        if permitted(mode, done):
            for name in data.values():
                compare(name, name)
    pipes()
    finish()


main()
