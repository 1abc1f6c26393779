#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A recorder that is killed at any moment leaves a recording that pfx and perf read, with the
header's features, and with what had been written."""
import os
import random
import signal
import subprocess
import time

from live import PERF, PFX, check, equal, finish, need_recording, run, samples

FEATURES = ("# hostname : ", "# cpudesc : ", "# cmdline : ", "# event : ", "# total memory : ")
ROUNDS = 20


def record_and_kill(data, after, *options):
    argv = [PFX, "record", "-o", data, *options, "--", "sh", "-c",
            "while :; do read line < /proc/self/stat; done"]
    recorder = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                start_new_session=True)
    time.sleep(after)
    recorder.send_signal(signal.SIGKILL)
    recorder.wait()
    try:  # the workload, which nobody waits for now
        os.killpg(recorder.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def check_left(data, what):
    """Returns how many samples there are."""
    ours = samples(data)
    out = run(PFX, "script", "-i", data)
    equal(out.returncode, 0, f"{what}: script's exit code")
    check("damaged" not in out.stderr, f"{what}: damage: {out.stderr.strip()}")
    header = run(PFX, "report", "--header-only", "-i", data).stdout
    for line in FEATURES:
        check(line in header, f"{what}: the header has no '{line}'")
    if PERF and ours:
        equal(samples(data, PERF), ours, f"{what}: samples that perf counts")
        header = run(PERF, "report", "--header-only", "-i", data).stdout
        for line in FEATURES:
            check(line in header, f"{what}: perf sees no '{line}'")
    return ours


def main():
    need_recording()
    random.seed(1)
    total = 0
    events = (["-F", "5000"], ["-e", "raw_syscalls:sys_enter", "-c", "1"])
    if run(PFX, "record", "-o", "probe.data", *events[1], "--", "true").returncode:
        events = events[:1]
    for i in range(ROUNDS):
        options = events[i % len(events)]
        record_and_kill("killed.data", 0.3 + random.random(), *options)
        total += check_left("killed.data", f"round {i} ({' '.join(options)})")
    check(total > 0, "no round left a sample")
    finish()


main()
