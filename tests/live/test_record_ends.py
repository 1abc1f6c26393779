# SPDX-License-Identifier: MIT
"""How recordings end: exit codes, signals, files, and what a reader finds in them."""
import os
import re
import signal
import stat
import subprocess

from live import (PATIENCE, PERF, PFX, check, children, cpu_seconds, equal, finish, need_recording, run,
                  samples, wait_for, work)

# Says "ready" when it runs, then burns time until it is killed.
BUSY = ["sh", "-c", "echo ready; while :; do :; done"]
SPIN = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"
RECORD = [PFX, "record", "-e", "cpu-clock", "-o"]


def code_of(*words, data="end.data"):
    return run(*RECORD, data, *words).returncode


def start(*argv, **kw):
    """A recorder whose workload runs already."""
    process = subprocess.Popen(list(argv), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, **kw)
    line = process.stdout.readline()
    equal(line, "ready\n", f"{argv}: the workload's first line")
    return process


def has_samples(data, what):
    check(samples(data) > 0, f"{what}: pfx finds no samples")
    if PERF:
        equal(samples(data, PERF), samples(data), f"{what}: samples by perf")


def exit_codes():
    equal(code_of("true"), 0, "a workload that exits with 0")
    equal(code_of("sh", "-c", "exit 7"), 7, "a workload that exits with 7")
    equal(code_of("--", "sh", "-c", "exit 255"), 255, "a workload that exits with 255")
    equal(code_of("sh", "-c", "kill -KILL $$"), -signal.SIGKILL, "a killed workload")
    equal(code_of("sh", "-c", "kill -SEGV $$"), -signal.SIGSEGV, "a crashed workload")
    equal(code_of("sh", "-c", "kill -TERM $$"), -signal.SIGTERM, "a terminated workload")
    check(not [n for n in os.listdir(".") if n.startswith("core")], "a core file was left")


def our_signals():
    """A signal for the recorder alone ends the workload with SIGTERM, and both die of it."""
    for number in (signal.SIGINT, signal.SIGTERM):
        process = start(*RECORD, "end.data", *BUSY)
        wait_for(lambda: cpu_time(process.pid) > 0.2, "the workload's work")
        process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE)
        equal(process.returncode, -signal.SIGTERM, f"signal {number} to the recorder")
        check("Captured and wrote" in err, f"signal {number}: {err}")
        has_samples("end.data", f"signal {number}")


def cpu_time(recorder):
    """Seconds that the children of a process have run."""
    return sum(map(cpu_seconds, children(recorder)))


def key_in_terminal():
    """Ctrl-C reaches recorder and workload at once: both die of SIGINT."""
    master, slave = os.openpty()
    script = f"exec {' '.join(RECORD)} end.data sh -c 'echo ready >ready; while :; do :; done'"
    if os.path.exists("ready"):
        os.unlink("ready")
    process = subprocess.Popen(["setsid", "-c", "sh", "-c", script], stdin=slave, stdout=slave,
                               stderr=subprocess.PIPE)
    os.close(slave)
    wait_for(lambda: os.path.exists("ready"), "the workload's start")
    wait_for(lambda: cpu_time(process.pid) > 0.2, "the workload's work")
    os.write(master, b"\x03")
    process.communicate(timeout=PATIENCE)
    os.close(master)
    equal(process.returncode, -signal.SIGINT, "Ctrl-C in a terminal")
    has_samples("end.data", "Ctrl-C")


def system_wide():
    """Without a workload the recorder dies of the signal that ended it."""
    for number in (signal.SIGINT, signal.SIGTERM):
        process = subprocess.Popen([*RECORD, "end.data", "-a"], stderr=subprocess.PIPE)
        wait_for(lambda: os.path.exists("end.data") and os.path.getsize("end.data") > 1000,
                 "the recording")
        work(0.3)
        process.send_signal(number)
        process.communicate(timeout=PATIENCE)
        if process.returncode == 255:
            return  # not permitted here
        equal(process.returncode, -number, f"-a and signal {number}")
        has_samples("end.data", "-a")
        os.unlink("end.data")


def vanishing_target():
    """-p ends with its process, -t with its thread."""
    for option in ("-p", "-t"):
        target = subprocess.Popen(["sh", "-c", "read line; i=0; while [ $i -lt 50000 ]; do "
                                   "i=$((i+1)); done"], stdin=subprocess.PIPE)
        recorder = subprocess.Popen([*RECORD, "end.data", "--control", "fd:0,1", option, str(target.pid)],
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        recorder.stdin.write(b"ping\n")
        recorder.stdin.flush()
        equal(recorder.stdout.read(5), b"ack\n\0", f"{option}: it records")
        target.communicate(b"\n", timeout=PATIENCE)
        _, err = recorder.communicate(timeout=PATIENCE)
        equal(recorder.returncode, 0, f"{option} of a process that ends ({err})")
        has_samples("end.data", option)
        os.unlink("end.data")


def vanishing_target_of_command():
    """With a command, the end of the recorded process ends the command, too."""
    target = subprocess.Popen(["sh", "-c", "read line"], stdin=subprocess.PIPE)
    recorder = start(*RECORD, "end.data", "-p", str(target.pid), "--", "sh", "-c",
                     "echo ready; exec sleep 1000")
    target.communicate(b"\n", timeout=PATIENCE)
    _, err = recorder.communicate(timeout=PATIENCE)
    equal(recorder.returncode, -signal.SIGTERM, f"-p of a process that ends, with a command ({err})")
    check("runs on" not in err, f"-p of a process that ends, with a command: {err}")
    os.unlink("end.data")


def killed():
    """kill -9: what had been written is there to be read."""
    process = start(*RECORD, "killed.data", *BUSY)
    pids = children(process.pid)
    wait_for(lambda: cpu_time(process.pid) > 2.5, "the workload's work")
    process.kill()
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    process.communicate(timeout=PATIENCE)
    has_samples("killed.data", "kill -9")


def files():
    """Mode 0600, the earlier recording as .old, nothing when it cannot start."""
    for name in ("f.data", "f.data.old"):
        if os.path.exists(name):
            os.unlink(name)
    equal(code_of("true", data="f.data"), 0, "the first recording")
    equal(stat.S_IMODE(os.stat("f.data").st_mode), 0o600, "mode")
    with open("f.data", "rb") as f:
        first = f.read()
    equal(code_of("true", data="f.data"), 0, "the second recording")
    with open("f.data.old", "rb") as f:
        equal(f.read() == first, True, "the earlier recording is PATH.old")
    with open("f.data", "rb") as f:
        second = f.read()
    with open("script", "w", encoding="utf-8") as f:
        f.write("#!/nosuch/interpreter\n")
    os.chmod("script", 0o755)
    for words in (["nosuchcommand"], ["./script"], ["-C", "4095", "true"], ["-p", "999999999"],
                  ["-e", "nosuch", "true"], ["-F", "9", "-c", "9", "true"]):
        check(code_of(*words, data="f.data") != 0, f"{words} could not fail")
        with open("f.data", "rb") as f:
            equal(f.read() == second, True, f"{words}: the earlier file stays")
        with open("f.data.old", "rb") as f:
            equal(f.read() == first, True, f"{words}: the older file stays")
    os.makedirs("folder", exist_ok=True)
    with open("folder/letter", "w", encoding="utf-8"):
        pass
    for words in (["true"], ["--threads", "true"], ["--overwrite", "--switch-output", "true"]):
        check(code_of(*words, data="folder") != 0, f"{words}: into somebody's directory")
        equal(os.listdir("folder"), ["letter"], f"{words}: the directory stays")
        check(not os.path.exists("folder.old"), f"{words}: the directory was moved")
    check(code_of("nosuchcommand", data="none.data") == 255, "exit code of a missing command")
    check(not os.path.exists("none.data"), "a file was made although nothing could start")


def lines():
    """The two lines, with the count of samples, and -q."""
    done = run(*RECORD, "l.data", "sh", "-c", SPIN)
    count = samples("l.data")
    check("[ pfx record: Woken up " in done.stderr, f"lines: {done.stderr}")
    check(f" MB l.data ({count} samples) ]" in done.stderr, f"{count}: {done.stderr}")
    equal(done.stdout, "", "standard output of the recorder")
    done = run(*RECORD, "l.data", "-q", "sh", "-c", "echo out; echo err >&2")
    equal((done.stdout, done.stderr), ("out\n", "err\n"), "-q leaves the workload's words alone")
    done = run(PFX, "record", "-q", "-o", "-", "sh", "-c", "echo out")
    equal(done.stderr, "out\n", "in a pipe the workload's words go to standard error")


def streams():
    """A named pipe gets a stream, and the workload's words stay where they were."""
    if os.path.exists("fifo"):
        os.unlink("fifo")
    os.mkfifo("fifo")
    with open("fifo.data", "wb") as saved, subprocess.Popen(["cat", "fifo"], stdout=saved) as cat:
        done = run(*RECORD, "fifo", "sh", "-c", f"echo out; {SPIN}")
        cat.wait(timeout=PATIENCE)
    equal(done.stdout, "out\n", "standard output beside a named pipe")
    has_samples("fifo.data", "a named pipe")


def lost_samples():
    """Rings of one page lose samples, and that is said."""
    done = run(PFX, "record", "-e", "page-faults", "-c", "1", "-m", "1", "-o", "lost.data", "python3",
               "-c", "x = [bytearray(4096) for _ in range(20000)]")
    count = samples("lost.data")
    if "Lost" in done.stderr:
        check(re.search(r"Lost \d+ samples \([\d.]+%\)", done.stderr), f"losses: {done.stderr}")
    check(count > 0, f"a ring of one page: {done.stderr}")
    done = run(PFX, "record", "-v", "-m", "1M", "-o", "lost.data", "true")
    check("ring buffers of 1024 KiB" in done.stderr, f"-v prints the size of the ring buffers: {done.stderr}")


need_recording()
exit_codes()
our_signals()
key_in_terminal()
system_wide()
vanishing_target()
killed()
files()
lines()
streams()
lost_samples()
finish()
