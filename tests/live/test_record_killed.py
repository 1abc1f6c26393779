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

from live import (PERF, PFX, check, children, cpu_seconds, equal, finish, need_recording, run, samples,
                  times, wait_for)

FEATURES = ("# hostname : ", "# cpudesc : ", "# cmdline : ", "# event : ", "# total memory : ")
ROUNDS = times(24)
COUNTED = times(9)  # rounds where the system calls are watched
HEADER_DATA, HEADER_SIZE = 40, 48  # where the header tells of the records
RECORD_SAMPLE = 9
KILLS, STEPS = times(60), 500
STACK_KILLS = times(21)
CALLS = "raw_syscalls:sys_enter"
RESCUE = "record-rescue"
OURS = f"PFX_TEST_OF={os.getpid()}"  # in the environment of our recorders
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


def rescues():
    """The processes that finish files of recorders of this test and still run."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
                name, _, rest = f.read().partition("(")[2].rpartition(")")
            if name == RESCUE and rest.split()[0] != "Z":
                with open(f"/proc/{pid}/environ", encoding="ascii", errors="replace") as f:
                    found += [pid] if OURS in f.read().split("\0") else []
        except OSError:
            pass
    return found


def nothing_in_the_rings_is_lost():
    """All that happened before the recorder was killed is in the file, if nothing woke it since the start."""
    if run(PFX, "record", "-e", CALLS, "-c", "1", "-o", "probe.data", "--", "true").returncode:
        print("no tracepoints here: what is in the rings was not counted")
        return
    for i in range(KILLS):
        options = (["-z"], [], ["-g"], ["--tail-synthesize"])[i % 4]
        recorder = subprocess.Popen(
            [PFX, "record", "-N", "-e", CALLS, "-c", "1", "-o", "killed.data", *options, "--", "sh", "-c",
             f"dd if=/dev/zero of=/dev/null bs=1 count={STEPS} 2>/dev/null; echo done; sleep 900"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
        before = set(rescues())
        equal(recorder.stdout.readline(), b"done\n", "the workload's line")
        recorder.kill()
        recorder.wait()
        wait_for(lambda known=before: not known & set(rescues()), "the end of the rescue")
        os.killpg(recorder.pid, signal.SIGKILL)
        what = f"kill {i} {options}"
        found = check_left("killed.data", what, with_perf=i % 16 == 1)
        check(found >= 2 * STEPS, f"{what}: {found} samples, not {2 * STEPS}")


def with_files_of_many_rings():
    """Where nobody takes over, the rings are looked at ten times a second."""
    recorder = subprocess.Popen([PFX, "record", "-N", "-e", "cpu-clock", "--threads", "-o", "killed.dir", "--",
                                 "sh", "-c", "while :; do :; done"], stderr=subprocess.DEVNULL,
                                start_new_session=True)
    wait_for(lambda: sum(map(cpu_seconds, children(recorder.pid))) > 0.6, "the workload's work")
    recorder.kill()
    recorder.wait()
    os.killpg(recorder.pid, signal.SIGKILL)
    check(samples("killed.dir") > 0, "--threads: no sample of the first 0.6 seconds")


def no_rescue_is_left():
    """Neither a recording that ended nor one that could not start leaves the process behind."""
    before = set(rescues())
    for words in (["true"], ["./unloadable"]):
        run(PFX, "record", "-o", "ended.data", *words)
    check(not set(rescues()) - before, "a process was left")


def state_of(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
            return f.read().rpartition(")")[2].split()[0]
    except OSError:
        return "gone"


def start_with_stopped(data):
    """A recorder whose rescue process was stopped by somebody, when its workload has worked."""
    recorder = subprocess.Popen([PFX, "record", "-N", "-e", "cpu-clock", "-F", "5000", "-o", data, "--", "python3", "-c",
                                 "import time\nwhile time.process_time() < 0.3: pass\nprint('works', flush=True)\n"
                                 "time.sleep(900)"],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
    equal(recorder.stdout.readline(), b"works\n", "the workload's line")
    stopped = [pid for pid in rescues() if parent_of(pid) == str(recorder.pid)]
    equal(len(stopped), 1, "rescue processes of the recorder")
    os.kill(int(stopped[0]), signal.SIGSTOP)
    wait_for(lambda: state_of(stopped[0]) == "T", "the stop of the rescue")
    return recorder, stopped[0]


def parent_of(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
            return f.read().rpartition(")")[2].split()[1]
    except OSError:
        return "gone"


def a_stopped_rescue():
    """It neither keeps the recorder from ending, nor is it left when that is killed."""
    recorder, rescue = start_with_stopped("stopped.data")
    recorder.send_signal(signal.SIGINT)
    wait_for(lambda: recorder.poll() is not None, "the end of a recorder whose rescue was stopped")
    equal(state_of(rescue), "gone", "the rescue of a recorder that ended")
    check(samples("stopped.data") > 0, "a stopped rescue: no samples")
    recorder, rescue = start_with_stopped("stopped.data")
    recorder.kill()
    recorder.wait()
    wait_for(lambda: state_of(rescue) in ("gone", "Z"), "the end of a stopped rescue")
    os.killpg(recorder.pid, signal.SIGKILL)
    check_left("stopped.data", "a stopped rescue", with_perf=False)


def killed_with_stacks():
    """Whoever is killed after the workload has worked leaves samples, with copied stacks, too."""
    for i in range(STACK_KILLS):
        recorder = subprocess.Popen([PFX, "record", "-N", "-e", "cpu-clock", "-F", "997", "--call-graph", "dwarf", "-o",
                                     "stacks.data", "--", "python3", "-c",
                                     "import time\nwhile time.process_time() < 0.2: pass\n"
                                     "print('works', flush=True)\ntime.sleep(900)"],
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
        equal(recorder.stdout.readline(), b"works\n", "the workload's line")
        ours = [pid for pid in rescues() if parent_of(pid) == str(recorder.pid)]
        recorder.kill()
        recorder.wait()
        wait_for(lambda known=ours: all(state_of(pid) in ("gone", "Z") for pid in known), "the end of the rescue")
        os.killpg(recorder.pid, signal.SIGKILL)
        check(check_left("stacks.data", f"stacks, kill {i}", with_perf=False) > 10, f"stacks, kill {i}: no samples")


def killed_with_a_disk_that_hangs():
    """What the recorder took from the rings and could not write yet is in the file, once. The workload's calls come in
    pieces, each smaller than a ring: what a full ring loses last is told by no record after it."""
    preload = os.environ.get("PFX_STUCK_WRITES")
    if not preload or run(PFX, "record", "-e", CALLS, "-c", "1", "-o", "probe.data", "--", "true").returncode:
        print("nothing was killed with a disk that hangs")
        return
    steps = 10 * STEPS
    piece = f"dd if=/dev/zero of=/dev/null bs=1 count={steps // 10} 2>/dev/null; sleep 0.1"
    for options in (["-m", "256K"], ["-m", "256K", "-z"]):
        if os.path.exists("hangs"):
            os.unlink("hangs")
        recorder = subprocess.Popen(
            [PFX, "record", "-N", "-e", CALLS, "-c", "1", "-o", "stuck.data", *options, "--", "sh", "-c",
             f"echo ready; read go; for i in 0 1 2 3 4 5 6 7 8 9; do {piece}; done; echo done; sleep 900"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
            env={**os.environ, "LD_PRELOAD": preload, "STUCK_MARK": "hangs"})
        equal(recorder.stdout.readline(), b"ready\n", "the workload's first line")
        with open("hangs", "w", encoding="ascii"):
            pass
        recorder.stdin.write(b"go\n")
        recorder.stdin.flush()
        equal(recorder.stdout.readline(), b"done\n", "the workload's line")
        ours = [pid for pid in rescues() if parent_of(pid) == str(recorder.pid)]
        equal(len(ours), 1, "rescue processes of the recorder")
        recorder.kill()
        recorder.wait()
        wait_for(lambda known=ours: all(state_of(pid) in ("gone", "Z") for pid in known), "the end of the rescue")
        os.killpg(recorder.pid, signal.SIGKILL)
        check_left("stuck.data", f"stuck, {options}", with_perf="-z" not in options)
        calls = run(PFX, "script", "-i", "stuck.data", "-F", "comm,trace").stdout
        reads = len(re.findall(r"(?m)^ *dd .*NR 0 ", calls))
        lost = "LOST" in run(PFX, "report", "--stats", "-i", "stuck.data").stdout
        check(reads >= steps or lost, f"stuck, {options}: {reads} reads, not {steps}")
        check(reads < steps + 50, f"stuck, {options}: {reads} reads, not {steps}: some are there twice")


def names_of_events():
    """The file of a killed recorder names its events, without records that say so; a stream has those."""
    record_and_kill("named.data", 0.1, "-e", "cpu-clock/name=ours/,page-faults", once_it_writes=True)
    for tool in filter(None, (PFX, PERF)):
        out = run(tool, "evlist", "-i", "named.data").stdout.split("\n")
        check(out[0].startswith("ours") and "page-faults" in out[1], f"events by {tool}: {out}")
    dump = run(PFX, "script", "-D", "-i", "named.data").stdout
    check("PERF_RECORD_ID_INDEX" in dump, "the dump of a killed recorder's file")
    check("PERF_RECORD_EVENT_UPDATE" not in dump, "a file names its events in records")
    with open("stream.data", "wb") as out:
        run(PFX, "record", "-o", "-", "-e", "cpu-clock/name=ours/", "--", "true", stdout=out)
    dump = run(PFX, "script", "-D", "-i", "stream.data").stdout
    check("PERF_RECORD_EVENT_UPDATE" in dump, "a stream does not name its events in records")


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
    os.environ.update([OURS.split("=")])
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
    nothing_in_the_rings_is_lost()
    with_files_of_many_rings()
    no_rescue_is_left()
    a_stopped_rescue()
    killed_with_stacks()
    killed_with_a_disk_that_hangs()
    names_of_events()
    all_that_was_written()
    check(nr_left > ROUNDS / 2, f"{nr_left} of {ROUNDS} rounds left a file")
    finish()


main()
