# SPDX-License-Identifier: MIT
"""Recordings in directories (--threads) that go on in another one, or end by their size."""
import glob
import os
import re
import shutil
import signal
import subprocess
import time

from live import PATIENCE, PERF, PFX, check, cpu_seconds, equal, finish, need_recording, run, samples

CALLS = ["-e", "raw_syscalls:sys_enter", "-c", "1", "--mmap-flush", "64K", "--threads"]
DD = ["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=60000"]


def clean():
    for name in glob.glob("sw.data*"):
        shutil.rmtree(name)


def said(stderr):
    match = re.search(r"\((\d+) samples\)", stderr)
    return int(match.group(1)) if match else -1


def check_directories(stderr, what, least, commands="dd|sh|sleep|pfx"):
    names = sorted(glob.glob("sw.data.*"))
    check(len(names) >= least, f"{what}: {names}: {stderr}")
    total = 0
    for i, name in enumerate(names):
        check(re.fullmatch(r"sw\.data\.\d{16}", name), f"{what}: {name}")
        check(f"[ pfx record: Dump {name} ]" in stderr, f"{what}: {name} was not told")
        files = sorted(os.listdir(name))
        equal(files, ["data"] + [f"data.{i}" for i in range(len(files) - 1)], f"{what}: {name}")
        count = samples(name)
        total += count
        if PERF:
            equal(samples(name, PERF), count, f"{what}: {name} by perf")
        text = run(PFX, "report", "--stdio", "--sort", "comm", "-i", name).stdout
        # The name of a thread that ended while its samples waited is in a file before; its end is here,
        # or where the last of them are.
        unnamed = re.findall(r"%  :(\d+) ", text)
        ends = "".join(run(PFX, "script", "--show-task-events", "-i", later).stdout
                       for later in names[i:] if unnamed)
        ended = unnamed and all(f"PERF_RECORD_EXIT({tid}:" in ends for tid in unnamed)
        check(not count or ended or re.search(rf"%  ({commands}) ", text), f"{what}: {name}: {text}")
    return names, total


def by_size():
    for extra, size in (([], "2M"), (["-z"], "100K"), (["-a", "-z"], "100K"), (["-a"], "2M")):
        clean()
        done = run(PFX, "record", *CALLS, *extra, f"--switch-output={size}", "-o", "sw.data", *DD)
        equal(done.returncode, 0, f"{extra}: {done.stderr}")
        # A directory of the whole system may hold nothing but what others did.
        commands = {"commands": "[^ :].*"} if "-a" in extra else {}
        _, total = check_directories(done.stderr, f"by size {extra}", 2, **commands)
        equal(total, said(done.stderr), f"by size {extra}: samples of all")
        check(total >= 120000, f"by size {extra}: all calls: {total}")
    clean()
    done = run(PFX, "record", *CALLS, "--switch-output=1s", "--switch-max-files", "2", "-o", "sw.data",
               "sh", "-c", "for i in 1 2 3 4; do sleep 1; done")
    check(done.stderr.count("Dump") > 2, f"--switch-max-files: {done.stderr}")
    check_directories(done.stderr, "--switch-max-files", 2)
    equal(len(glob.glob("sw.data.*")), 2, "--switch-max-files")


def by_signal():
    clean()
    script = "echo ready; read go; " + " ".join(DD) + " 2>/dev/null"
    with subprocess.Popen([PFX, "record", *CALLS, "--switch-output", "-o", "sw.data", "sh", "-c",
                           script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as recorder:
        recorder.stdout.readline()
        recorder.send_signal(signal.SIGUSR2)
        stderr = ""
        while "Dump" not in stderr:
            stderr += recorder.stderr.readline()
        rest = recorder.communicate("go\n", timeout=PATIENCE)[1]
    equal(recorder.returncode, 0, "SIGUSR2 does not end it")
    names, total = check_directories(stderr + rest, "by signal", 2)
    equal(len(names), 2, "one signal, two directories")
    equal(total, said(rest), "by signal: samples of both")


def asleep():
    """After it went on in another directory, the recorder sleeps while there is nothing to do."""
    clean()
    script = " ".join(DD) + " 2>/dev/null; echo idle; read go"
    with subprocess.Popen([PFX, "record", *CALLS, "--switch-output=1M", "-o", "sw.data", "sh", "-c", script],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as recorder:
        recorder.stdout.readline()
        first_thread = f"{recorder.pid}/task/{recorder.pid}"
        used = cpu_seconds(first_thread)
        time.sleep(2)
        used = cpu_seconds(first_thread) - used
        stderr = recorder.communicate("go\n", timeout=PATIENCE)[1]
    check_directories(stderr, "asleep", 2)
    check(used < 1, f"the recorder worked for {used} s while nothing happened")


def overwritten():
    clean()
    done = run(PFX, "record", *CALLS, "--overwrite", "-m", "16", "--switch-output=1s", "-o",
               "sw.data", "sh", "-c", "sleep 1.3; " + " ".join(DD) + " 2>/dev/null")
    equal(done.returncode, 0, f"--overwrite: {done.stderr}")
    _, total = check_directories(done.stderr, "--overwrite", 2)
    equal(total, said(done.stderr), "--overwrite: samples of both")


def size_limit():
    for extra in ([], ["-z"]):
        clean()
        done = run(PFX, "record", *CALLS, *extra, "--max-size", "200K", "-o", "sw.data",
                   *DD[:-1], "count=99999999")
        equal(done.stderr.count("size limit reached"), 1, f"--max-size: {done.stderr}")
        count = samples("sw.data")
        equal(count, said(done.stderr), f"--max-size {extra}: samples")
        if PERF:
            equal(samples("sw.data", PERF), count, f"--max-size {extra}: samples by perf")
        size = sum(os.path.getsize(os.path.join("sw.data", f)) for f in os.listdir("sw.data"))
        check(size >= 200 << 10, f"--max-size {extra}: {size} bytes")


def full_disk():
    """A lane that cannot write does not hold up the others, nor the end."""
    os.makedirs("small", exist_ok=True)
    if run("mount", "-t", "tmpfs", "-o", "size=6m", "none", "small").returncode:
        return  # not permitted here
    try:
        done = run(PFX, "record", *CALLS, "-a", "--switch-output=1M", "-o", "small/x", "sh", "-c",
                   " ".join(DD) + " count=200000 2>/dev/null; echo went on")
        equal((done.returncode, done.stdout), (255, "went on\n"), f"full disk: {done.stderr}")
        check("No space left" in done.stderr, f"full disk: {done.stderr}")
        # The disk may be full just when a directory has begun: that one has no samples, and is readable.
        names = sorted(glob.glob("small/x*"))
        check(len(names) > 1, f"full disk: {names}: {done.stderr}")
        counts = [samples(name) for name in names]
        equal(sum(counts), said(done.stderr), f"full disk: samples in {counts}")
        for name in names:
            read = run(PFX, "report", "--stats", "-i", name)
            check(read.returncode == 0 and "TOTAL events" in read.stdout, f"full disk: {name}: {read.stderr}")
    finally:
        run("umount", "small")


def main():
    need_recording()
    for test in (by_size, by_signal, asleep, overwritten, size_limit, full_disk):
        test()
    finish()


main()
