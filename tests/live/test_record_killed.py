#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A recorder that is killed at any moment leaves a recording that pfx and perf read, with the
header's features, and with what had been written."""
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import time

from live import PERF, PFX, check, equal, finish, need_recording, run, samples, wait_for

FEATURES = ("# hostname : ", "# cpudesc : ", "# cmdline : ", "# event : ", "# total memory : ")
ROUNDS = 50
COUNTED = 8  # rounds where the system calls are watched
HEADER_DATA, HEADER_SIZE = 40, 48  # where the header tells of the records
RECORD_SAMPLE = 9
PERF_LOOKS_AT = 5  # one round of so many: it takes its time


def record_and_kill(data, after, *options, once_it_writes):
    """Some time after the start, which on a busy machine may be before anything is there, or after
    the file has appeared."""
    argv = [PFX, "record", "-o", data, *options, "--", "sh", "-c",
            "while :; do read line < /proc/self/stat; done"]
    recorder = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                start_new_session=True)
    if once_it_writes:
        wait_for(lambda: os.path.exists(data) and os.path.getsize(data), "the recording")
    time.sleep(after)
    recorder.send_signal(signal.SIGKILL)
    recorder.wait()
    try:  # the workload, which nobody waits for now
        os.killpg(recorder.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def check_left(data, what, with_perf):
    """Returns how many samples there are."""
    ours = samples(data)
    out = run(PFX, "script", "-i", data)
    equal(out.returncode, 0, f"{what}: script's exit code")
    check("damaged" not in out.stderr, f"{what}: damage: {out.stderr.strip()}")
    header = run(PFX, "report", "--header-only", "-i", data).stdout
    for line in FEATURES:
        check(line in header, f"{what}: the header has no '{line}'")
    if PERF and ours and with_perf:
        equal(samples(data, PERF), ours, f"{what}: samples that perf counts")
        header = run(PERF, "report", "--header-only", "-i", data).stdout
        for line in FEATURES:
            check(line in header, f"{what}: perf sees no '{line}'")
    return ours


def records_in(data):
    """Bytes of records by the header, and how many samples stand in them."""
    with open(data, "rb") as f:
        content = f.read()
    start, size = struct.unpack_from("<QQ", content, HEADER_DATA)
    at, nr_samples = start, 0
    while at < start + size:
        kind, _, length = struct.unpack_from("<IHH", content, at)
        check(8 <= length <= start + size - at, f"a record of {length} bytes")
        nr_samples += kind == RECORD_SAMPLE
        at += max(length, 8)
    return size, nr_samples


def all_that_was_written():
    """Of every piece of records that the kernel took, each byte is in the file and is read."""
    if not shutil.which("strace") or sys.byteorder != "little":
        print("how much was written is not seen here")
        return
    done = 0
    for i in range(COUNTED):
        with open("calls", "w", encoding="ascii"):
            pass
        tracer = subprocess.Popen(["strace", "-f", "-xx", "-e", "trace=pwrite64,pwritev", "-o", "calls",
                                   PFX, "record", "-N", "-o", "killed.data", "--mmap-flush", "8K",
                                   "-e", "cpu-clock", "-F", "9000", "--", "sh", "-c",
                                   "while :; do :; done"], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, start_new_session=True)
        wait_for(lambda i=i: len(sizes_in("calls")) >= 3 + i, "writes")
        with open("calls", encoding="ascii") as f:
            recorder = process_of(f.readline().split()[0])
        os.kill(int(recorder), signal.SIGKILL)
        wait_for(lambda pid=recorder: has_ended(pid), "the recorder's end")
        try:
            os.killpg(tracer.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        tracer.wait()
        published = sizes_in("calls")[-1]
        size, nr_samples = records_in("killed.data")
        check(size >= published, f"{published} bytes were written, {size} are in the file")
        for tool in filter(None, (PFX, PERF)):
            equal(samples("killed.data", tool), nr_samples, f"{published} bytes: samples by {tool}")
        done += nr_samples
    check(done > 0, "no samples were written")


def process_of(tid):
    with open(f"/proc/{tid}/status", encoding="ascii", errors="replace") as f:
        return re.search(r"Tgid:\t(\d+)", f.read()).group(1)


def has_ended(pid):
    """No thread of it runs any more; its tracer may not have asked for its status yet."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
            state = f.read().rpartition(")")[2].split()[0]
        return state == "Z" and os.listdir(f"/proc/{pid}/task") == [pid]
    except OSError:
        return True


def sizes_in(log):
    """What the header said after each piece, in order: completed writes of its size."""
    with open(log, encoding="ascii") as f:
        found = re.findall(rf'pwrite64\(\d+, "((?:\\x..){{8}})", 8, {HEADER_SIZE}\) += 8', f.read())
    return [int.from_bytes(bytes.fromhex(text.replace("\\x", "")), "little") for text in found]


def main():
    need_recording()
    random.seed(1)
    total = nr_left = 0
    events = (["-F", "5000"], ["-e", "raw_syscalls:sys_enter", "-c", "1"])
    if run(PFX, "record", "-o", "probe.data", *events[1], "--", "true").returncode:
        events = events[:1]
    for i in range(ROUNDS):
        options = events[i % len(events)]
        if os.path.exists("killed.data"):
            os.unlink("killed.data")
        record_and_kill("killed.data", 0.05 + random.random() / 2, *options, once_it_writes=i % 4 > 0)
        if os.path.exists("killed.data"):
            total += check_left("killed.data", f"round {i} ({' '.join(options)})",
                                i % PERF_LOOKS_AT == 0)
            nr_left += 1
    check(total > 0, "no round left a sample")
    all_that_was_written()
    check(nr_left > ROUNDS / 2, f"{nr_left} of {ROUNDS} rounds left a file")
    finish()


main()
