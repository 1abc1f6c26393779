# SPDX-License-Identifier: MIT
"""The output and control side of record: compression, limits, several files, delays, commands."""
import glob
import os
import re
import signal
import stat
import subprocess
import time

from live import (PATIENCE, PERF, PFX, check, children, equal, finish, need_recording, record_to, run,
                  samples, wait_for, wait_for_work)

SPIN = ["sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"]
CALLS = ["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=50000"]
CLOCK = ["-e", "cpu-clock", "-F", "9000"]
# until the recorder goes on in a third file
UNTIL_TWO = ["sh", "-c", "until set -- sw.data.2*; [ $# -ge 2 ]; do sleep 0.1; done"]


def recorded(*words, command=SPIN, data="out.data", **kw):
    done = run(PFX, "record", "-o", data, *words, "--", *command, **kw)
    equal(done.returncode, 0, f"{words}: {done.stderr}")
    return done


def recorded_for_perf(*words):
    """The same for a reader that looks at the maps."""
    done = record_to(PFX, "out.data", *words, "--", *SPIN)
    equal(done.returncode, 0, f"{words}: {done.stderr}")
    return done


def said(done):
    """The number of samples in the last line."""
    match = re.search(r"\((\d+) samples\)", done.stderr)
    return int(match.group(1)) if match else -1


def same_samples(data, count, what):
    equal(samples(data), count, f"{what}: samples by pfx")
    if PERF:
        equal(samples(data, PERF), count, f"{what}: samples by perf")


def header(data, tool=PFX):
    return run(tool, "report", "--header-only", "-i", data).stdout


def compression():
    for level in ("-z", "-z9", "--compression-level=3"):
        done = recorded(*CLOCK, "-g", level)
        check(re.search(r"compressed \(original [\d.]+ MB, ratio is \d+\.\d+\) \]", done.stderr),
              f"{level}: {done.stderr}")
        same_samples("out.data", said(done), level)
        for tool in filter(None, (PFX, PERF)):
            check(re.search(r"# compressed : Zstd, level = \d+, ratio = [1-9]", header("out.data",
                  tool)), f"{level}: header by {tool}")
    done = recorded("-e", "raw_syscalls:sys_enter", "-c", "1", "-z", command=CALLS)
    same_samples("out.data", said(done), "many samples, compressed")
    check(said(done) > 100000, f"all calls are there: {done.stderr}")
    with open("stream.data", "wb") as stream:
        done = run(PFX, "record", *CLOCK, "-z", "-o", "-", *SPIN, stdout=stream)
    equal(samples("stream.data"), said(done), "a compressed stream")


def limits():
    # A busy machine keeps the recorder waiting: it may find full rings, which are small for that.
    done = run(PFX, "record", *CLOCK, "-m", "32K", "--mmap-flush", "8K", "--max-size", "100K", "-o", "out.data",
               "sh", "-c", "while :; do :; done")
    equal(done.returncode, -signal.SIGTERM, "--max-size ends the command")
    check("size limit reached" in done.stderr, f"--max-size: {done.stderr}")
    same_samples("out.data", said(done), "--max-size")
    size, most = os.path.getsize("out.data"), (200 << 10) + os.cpu_count() * (32 << 10)
    check(100 << 10 <= size < most, f"--max-size: {size} bytes")


def threads():
    for words in (["--threads"], ["--threads=core"], ["--threads=numa", "-z"], ["--threads=0/0"]):
        done = recorded("-e", "raw_syscalls:sys_enter", "-c", "1", *words, command=CALLS,
                        data="dir.data")
        check(said(done) > 100000, f"{words}: {done.stderr}")
        same_samples("dir.data", said(done), str(words))
        names = sorted(os.listdir("dir.data"))
        equal(names[:2], ["data", "data.0"], f"{words}: files")
        equal(stat.S_IMODE(os.stat("dir.data").st_mode), 0o700, f"{words}: mode")
        check("directory data version : 1" in header("dir.data", PERF or PFX), f"{words}: header")
        text = run(PFX, "report", "--stdio", "--sort", "comm", "-i", "dir.data").stdout
        check("dd" in text, f"{words}: {text}")
    check(os.path.isdir("dir.data.old"), "the earlier directory is kept")
    with open("dir.data.old/mine", "w", encoding="utf-8") as f:
        f.write("not a recording")
    before = sorted(os.listdir("dir.data"))
    done = run(PFX, "record", *CLOCK, "--threads", "-o", "dir.data", "true")
    equal(done.returncode, 255, "nothing of the user's is removed to make way")
    equal(sorted(os.listdir("dir.data")), before, "the recording is still there")
    os.unlink("dir.data.old/mine")


def full_disk():
    """What was written stays whole; --on-full says what becomes of the command."""
    os.makedirs("small", exist_ok=True)
    if run("mount", "-t", "tmpfs", "-o", "size=2m", "none", "small").returncode:
        return  # not permitted here
    script = " ".join(CALLS) + " count=100000 2>/dev/null; echo went on"
    try:
        for words, went_on in ((["--on-full=stop"], ""), (["--on-full=continue"], "went on\n"),
                               (["--threads"], "went on\n")):
            # A command that is to be stopped must not have ended by itself before.
            waits = "sleep 60; " if not went_on else ""
            done = run(PFX, "record", "--mmap-flush", "64K", "-e", "raw_syscalls:sys_enter", "-c",
                       "1", "-o", "small/x.data", *words, "--", "sh", "-c",
                       script.replace("echo went on", waits + "echo went on"))
            equal((done.returncode, done.stdout), (255, went_on), f"full disk, {words}")
            check("No space left" in done.stderr, f"full disk, {words}: {done.stderr}")
            check(said(done) > 1000, f"full disk, {words}: {done.stderr}")
            same_samples("small/x.data", said(done), f"full disk, {words}")
            for name in glob.glob("small/x.data*"):
                if os.path.isfile(name):
                    os.unlink(name)
    finally:
        run("umount", "small")


def boundary():
    recorded(*CLOCK)
    check("time of first sample" in header("out.data"), "times of the samples are told")
    recorded(*CLOCK, "--no-timestamp-boundary")
    check("time of first sample" not in header("out.data"), "--no-timestamp-boundary")


def clean(pattern):
    for name in glob.glob(pattern):
        os.unlink(name)


def check_files(done, what, at_least, total=None):
    names = sorted(glob.glob("sw.data.*"))
    check(len(names) >= at_least, f"{what}: {names} {done.stderr}")
    check(not os.path.exists("sw.data"), f"{what}: sw.data is left")
    for name in names:
        check(re.fullmatch(r"sw\.data\.\d{16}", name), f"{what}: {name}")
        check(f"[ pfx record: Dump {name} ]" in done.stderr, f"{what}: {name} was not told")
        if PERF:
            equal(samples(name, PERF), samples(name), f"{what}: {name}")
    check("sw.data.<timestamp>" in done.stderr, f"{what}: {done.stderr}")
    if total is not None:
        equal(sum(samples(name) for name in names), total, f"{what}: samples of all files")
    return names


def several_files():
    clean("sw.data*")
    check_files(recorded(*CLOCK, "--timestamp-filename", data="sw.data"),
                "--timestamp-filename", 1)
    for extra in ([], ["-z"]):
        clean("sw.data*")
        size = "100K" if extra else "1M"
        done = recorded("-e", "raw_syscalls:sys_enter", "-c", "1", "--mmap-flush", "64K",
                        f"--switch-output={size}", *extra, command=CALLS, data="sw.data")
        names = check_files(done, f"by size {extra}", 2, said(done))
        for name in names[1:]:
            text = run(PFX, "report", "--stdio", "--sort", "comm", "-i", name).stdout
            check("dd" in text or not samples(name), f"{name} knows the command's name: {text}")
    clean("sw.data*")
    done = recorded("-e", "raw_syscalls:sys_enter", "-c", "1", "--mmap-flush", "64K",
                    "--switch-output=1M", "--switch-max-files", "2", command=CALLS, data="sw.data")
    check(done.stderr.count("Dump") > 2, f"--switch-max-files: {done.stderr}")
    equal(len(glob.glob("sw.data.*")), 2, "--switch-max-files")
    clean("sw.data*")
    start = time.monotonic()
    done = recorded(*CLOCK, "--switch-output=1s", command=UNTIL_TWO, data="sw.data")
    nr, most = len(check_files(done, "by time", 3)), int(time.monotonic() - start) + 1
    check(nr <= most, f"one file a second: {nr} files, not {most}")


def ended_before_the_file():
    """Samples of commands that were gone when their file began have names in it, too."""
    cpu = min(os.sched_getaffinity(0))  # one ring: a command's name comes before its samples
    script = f"i=0; while [ $i -lt 60 ]; do {' '.join(CALLS)} count=300 & i=$((i+1)); done; wait"
    for extra in ([], ["-z"], ["--threads"]):
        for old in glob.glob("sw.data*"):
            run("rm", "-r", old)
        size = "50K" if extra == ["-z"] else "300K"
        done = recorded("-e", "raw_syscalls:sys_enter", "-c", "1", "--mmap-flush", "64K",
                        f"--switch-output={size}", *extra, command=["sh", "-c", f"({script}) 2>/dev/null"],
                        data="sw.data", preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
        names = sorted(glob.glob("sw.data.*"))
        check(len(names) >= 2, f"{extra}: {names}")
        equal(sum(samples(name) for name in names), said(done), f"{extra}: samples of all files")
        for name in names:
            text = run(PFX, "report", "--stdio", "--sort", "comm", "-i", name).stdout
            check(not re.search(r"%  :\d", text), f"{extra}: {name} has threads without a name: {text}")
    run("rm", "-r", *glob.glob("sw.data*"))


def by_signal():
    clean("sw.data*")
    with subprocess.Popen([PFX, "record", *CLOCK, "-o", "sw.data", "--switch-output", "--", "sh", "-c",
                           "echo ready; read go; " + SPIN[2]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGUSR2)
        stderr = ""
        while "Dump" not in stderr and process.poll() is None:
            stderr += process.stderr.readline()
        stderr += process.communicate("go\n", timeout=PATIENCE)[1]
    done = subprocess.CompletedProcess([], process.returncode, "", stderr)
    equal(done.returncode, 0, "SIGUSR2 does not end it")
    names = check_files(done, "by signal", 2)
    equal(len(names), 2, "one signal, two files")
    text = run(PFX, "report", "--stdio", "--sort", "dso", "-i", names[-1]).stdout
    check("libc" in text or "dash" in text or "sh" in text,
          f"the second file knows the maps of the command: {text}")


def times(data):
    out = run(PFX, "script", "-F", "time", "-i", data).stdout
    return [float(line.split(":")[0]) for line in out.split("\n") if line.strip()]


def overwrite():
    """Only the newest records are kept, and everything about them is known."""
    calls = ["-e", "raw_syscalls:sys_enter", "-c", "1"]
    cpu = min(os.sched_getaffinity(0))  # one ring: those of other CPUs would keep what is older
    done = recorded(*calls, "--overwrite", "-m", "4", command=CALLS,
                    preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
    same_samples("out.data", said(done), "--overwrite")
    check(10 < said(done) < 1000, f"--overwrite keeps what four pages hold: {done.stderr}")
    check("Lost" not in done.stderr, f"--overwrite: what was overwritten is not lost: {done.stderr}")
    newest = times("out.data")
    equal(newest, sorted(newest), "--overwrite: the order of time")
    # dd reads and writes all the time; what it does last it does once.
    numbers = re.findall(r"NR (\d+)", run(PFX, "script", "-F", "trace", "-i", "out.data").stdout)
    check(numbers and numbers.count(numbers[-1]) < 10, f"--overwrite: the newest {numbers[-3:]}")
    for words in (["--overwrite"], ["--overwrite", "-a"], ["--overwrite", "-z"], ["--overwrite", "-g"],
                  ["--tail-synthesize"], ["--tail-synthesize", "-a"], ["--overwrite", "--per-thread"]):
        done = recorded_for_perf(*CLOCK, *words)
        same_samples("out.data", said(done), str(words))
        for tool in filter(None, (PFX, PERF)):
            # perf filters rows by the first sample in them, so that the row has to be of one command
            text = run(tool, "report", "--stdio", "--comm", "sh", "-s", "comm,dso", "-i", "out.data").stdout
            check("libc" in text or "dash" in text, f"{words}: maps by {tool}: {text}")
    done = recorded("-e", "raw_syscalls:sys_enter/overwrite,period=1/,cpu-clock", "-m", "4",
                    command=CALLS)
    same_samples("out.data", said(done), "the term overwrite")
    kinds = run(PFX, "script", "-F", "event", "-i", "out.data").stdout.split()
    check(0 < kinds.count("raw_syscalls:sys_enter:") < 1000 and "cpu-clock:" in kinds,
          f"the term overwrite: {len(kinds)}")


def overwrite_and_switch():
    """Each file has what came since the one before, as far as the rings kept it."""
    for words, at_least in ((["--switch-output=1s"], 2), (["--switch-output=256K"], 2)):
        clean("sw.data*")
        command = ["sh", "-c", f"{' '.join(CALLS)}; sleep 1.2; {' '.join(CALLS)}"]
        done = recorded("-e", "raw_syscalls:sys_enter", "-c", "1", "-m", "4", "--overwrite", *words,
                        command=command, data="sw.data")
        names = check_files(done, f"--overwrite {words}", at_least, said(done))
        spans = [times(name) for name in names]
        spans = [span for span in spans if span]
        for earlier, later in zip(spans, spans[1:]):
            check(earlier[-1] <= later[0], f"{words}: files overlap in time")
    clean("sw.data*")
    recorder = Control("--overwrite", "--switch-output", data="sw.data")
    recorder.let_work(0.3)
    recorder.say("snapshot")
    recorder.let_work(0.3)
    recorder.say("stop")
    done = recorder.end()
    names = check_files(done, "a snapshot of --overwrite", 2, said(done))
    check(all(samples(name) > 20 for name in names), f"snapshots: {done.stderr}")
    for name in names:
        text = run(PFX, "report", "--stdio", "-s", "dso", "-i", name).stdout
        check("libc" in text or "dash" in text, f"a snapshot knows the maps: {text}")


def switch_by_event():
    clean("sw.data*")
    # each event once the file of the one before is complete
    script = ("import glob, os, time\nfor i in range(3):\n    time.sleep(0.3)\n    os.getpgid(0)\n"
              "    while len(glob.glob('sw.data.2*')) <= i: time.sleep(0.05)\ntime.sleep(0.3)")
    done = recorded(*CLOCK, "--switch-output-event", "syscalls:sys_enter_getpgid", command=[
        "python3", "-c", script], data="sw.data")
    check_files(done, "by event", 4, said(done))


def threads_that_read_proc():
    found = []
    for number in ("1", "3"):
        done = run(PFX, "record", "-e", "dummy", "-a", "--num-thread-synthesize", number, "-o",
                   "out.data", "true")
        if done.returncode:
            return  # not permitted here
        out = run(PFX, "script", "--show-task-events", "--show-mmap-events", "-i", "out.data").stdout
        found.append({line for line in out.split("\n") if f":{os.getpid()}/" in line or
                      f"{os.getpid()}/{os.getpid()}:" in line})
    check(found[0] and found[0] == found[1], f"--num-thread-synthesize: {found}")


def delay():
    done = recorded(*CLOCK, "-D", "-1")
    equal(said(done), 0, "-D -1 records nothing unless told")
    check(done.stderr.startswith("Events disabled\n"), f"-D -1: {done.stderr}")
    command = ["sh", "-c", "sleep 0.5; " + SPIN[2]]
    done = recorded(*CLOCK, "-D", "300", command=command)
    check("Events disabled\nEvents enabled\n" in done.stderr, f"-D: {done.stderr}")
    check(said(done) > 50, f"-D: {done.stderr}")
    same_samples("out.data", said(done), "-D")
    text = run(PFX, "report", "--stdio", "--sort", "dso", "-i", "out.data").stdout
    check("libc" in text or "dash" in text, f"-D: maps from before are known: {text}")
    done = recorded(*CLOCK, "-D", "100-200,300-400", command=["sleep", "2"])
    equal(done.stderr.count("Events enabled"), 2, f"ranges: {done.stderr}")
    equal(done.stderr.count("Events disabled"), 3, f"ranges: {done.stderr}")


class Control:
    """A recorder that listens on two named pipes."""

    def __init__(self, *words, data="out.data"):
        for name in ("ctl", "ack"):
            if os.path.exists(name):
                os.unlink(name)
            os.mkfifo(name)
        self.process = subprocess.Popen(
            [PFX, "record", *CLOCK, "-o", data, *words, "--control", "fifo:ctl,ack", "--",
             "sh", "-c", "while :; do :; done"], stderr=subprocess.PIPE, text=True)
        self.ctl = os.open("ctl", os.O_RDWR)
        self.ack = os.open("ack", os.O_RDWR)

    def say(self, line):
        os.write(self.ctl, line.encode() + b"\n")
        equal(os.read(self.ack, 5), b"ack\n\0", f"the answer to '{line}'")

    def let_work(self, seconds):
        """Until the recorded command has used so much CPU time."""
        wait_for(lambda: children(self.process.pid), "the command")
        wait_for_work(children(self.process.pid)[0], seconds)

    def end(self):
        _, text = self.process.communicate(timeout=PATIENCE)
        os.close(self.ctl)
        os.close(self.ack)
        return subprocess.CompletedProcess([], self.process.returncode, "", text)


def control():
    recorder = Control("-D", "-1")
    for line in ("ping", "evlist", "evlist -F", "evlist -v", "evlist -g", "enable"):
        recorder.say(line)
    recorder.let_work(0.3)
    for line in ("disable", "enable cpu-clock", "disable cpu-clock"):
        recorder.say(line)
    os.write(recorder.ctl, b"nonsense\nenable nosuch\n")
    os.read(recorder.ack, 5)
    recorder.say("stop")
    done = recorder.end()
    equal(done.returncode, -signal.SIGTERM, f"stop ends the command: {done.stderr}")
    for line in ("Events disabled\n", "Events enabled\n", "cpu-clock\n",
                 "cpu-clock: sample_freq=9000\n", "cpu-clock: type: 1,", "Event cpu-clock enabled\n",
                 "Event cpu-clock disabled\n", "'nonsense' is not a command", "no event 'nosuch'"):
        check(line in done.stderr, f"{line!r} is not in {done.stderr}")
    check(said(done) > 100, f"between enable and disable: {done.stderr}")
    same_samples("out.data", said(done), "control")


def control_by_descriptors():
    ctl, ack = os.pipe(), os.pipe()
    process = subprocess.Popen(
        [PFX, "record", *CLOCK, "-o", "out.data", "-D", "-1", "--control", f"fd:{ctl[0]},{ack[1]}",
         "--", "sleep", "30"], stderr=subprocess.PIPE, text=True, pass_fds=(ctl[0], ack[1]))
    os.close(ctl[0])
    os.close(ack[1])
    os.write(ctl[1], b"enable\nstop\n")
    equal(os.read(ack[0], 5), b"ack\n\0", "the answer by descriptor")
    os.close(ctl[1])
    _, text = process.communicate(timeout=PATIENCE)
    check("Events enabled" in text, f"descriptors: {text}")
    done = run(PFX, "record", "--control", "fd:77", "-o", "out.data", "true")
    check(done.returncode == 255 and "descriptor 77 is not open" in done.stderr, done.stderr)


def counts_of(data):
    out = run(PFX, "report", "--stats", "-i", data).stdout
    return {kind: int(n) for kind, n in re.findall(r"(\w+) events:\s+(\d+)", out)}


def wakes_of_buffers():
    wakes = []
    for words in ([], ["--mmap-flush", "4K"], ["--no-buffering"]):
        done = recorded(*CLOCK, *words)
        same_samples("out.data", said(done), str(words))
        wakes.append(int(re.search(r"Woken up (\d+) times", done.stderr).group(1)))
    return wakes


def buffers():
    for _ in range(5):  # where the recorder waits for a CPU, wake-ups become one
        wakes = wakes_of_buffers()
        if wakes[0] < wakes[1] < wakes[2]:
            break
    check(wakes[0] < wakes[1] < wakes[2], f"wakes by default, by 4K, by each record: {wakes}")
    done = recorded(*CLOCK, "-r", "3")
    same_samples("out.data", said(done), "-r")


def thread_of_recorder():
    """--affinity cpu keeps the thread that empties the rings on one CPU; --aio bounds the queue."""
    process = subprocess.Popen([PFX, "record", *CLOCK, "--affinity", "cpu", "-o", "out.data", "--",
                                "sh", "-c", "echo ready; read line"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.readline()

    def is_bound():
        with open(f"/proc/{process.pid}/status", encoding="utf-8") as f:
            return re.search(r"Cpus_allowed_list:\s+(\S+)", f.read()).group(1).isdigit()
    wait_for(is_bound, "--affinity cpu")
    _, text = process.communicate("\n", timeout=PATIENCE)
    same_samples("out.data", said(subprocess.CompletedProcess([], 0, "", text)), "--affinity")
    waiting = []
    for words in ([], ["--aio"], ["--aio=2"]):
        done = recorded(*CLOCK, "-v", *words)
        same_samples("out.data", said(done), str(words))
        waiting.append(int(re.search(r"up to (\d+) MiB may wait", done.stderr).group(1)))
    equal([4 * waiting[1], 2 * waiting[2]], [waiting[0]] * 2, "--aio")


def latency():
    done = recorded(*CLOCK, "--latency")
    same_samples("out.data", said(done), "--latency")
    check(counts_of("out.data").get("SWITCH", 0) > 0, "--latency: switches are recorded")


def told_of_us():
    """The kinds of records about this process, which ran before, and whether that of the first cgroup is there."""
    text = run(PFX, "script", "--show-task-events", "--show-mmap-events", "--show-cgroup-events", "-i",
               "out.data").stdout
    of_us = rf"PERF_RECORD_(COMM)\b.*:{os.getpid()}/{os.getpid()}\b|PERF_RECORD_(MMAP2) {os.getpid()}/"
    kinds = {kind for found in re.findall(of_us, text) for kind in found if kind}
    return kinds, bool(re.search(r"PERF_RECORD_CGROUP cgroup: \d+ /\n", text))


def what_runs_already():
    for kinds, wanted in (("no", (set(), False)), ("task", ({"COMM"}, False)), ("cgroup", (set(), True)),
                          ("all", ({"COMM", "MMAP2"}, True))):
        done = run(PFX, "record", *CLOCK, "-a", "--all-cgroups", "--synth", kinds, "-o", "out.data",
                   "sleep", "0.1")
        if done.returncode:
            return  # not permitted here
        equal(told_of_us(), wanted, f"--synth {kinds}")


def wrong_words():
    for words in (["-z0"], ["-z99"], ["--compression-level=x"], ["--max-size", "10"],
                  ["--switch-output=10"], ["--switch-output=s"], ["--switch-max-files", "3"],
                  ["-D", "x"], ["-D", "5-3"], ["-D", "5-9,7-11"], ["--control", "x"],
                  ["--control", "fd:x"], ["--control", "fifo:"], ["-r", "0"], ["-r", "100"],
                  ["--synth", "x"], ["--on-full", "x"], ["--mmap-flush", "x"],
                  ["--proc-map-timeout", "x"], ["--threads=x"], ["--affinity", "x"], ["--aio=0"],
                  ["--aio=9"], ["--threads", "--affinity", "cpu"], ["--latency", "-a"], ["--threads", "-o", "-"],
                  ["--threads=0:1"], ["--threads=:"],
                  ["--threads=99999/0"], ["--threads=0/99999"], ["--threads=0/0:0/0"], ["--switch-output", "-o", "-"],
                  ["--kcore", "-o", "-"], ["-S"], ["--aux-sample"],
                  ["--aux-sample=61K"], ["-m", "4M,8M"], ["-Sx"]):
        done = run(PFX, "record", *words, "true")
        equal(done.returncode, 129, f"{words}")
        check(1 <= done.stderr.count("\n") <= 2, f"{words}: one sentence and a hint: {done.stderr}")


need_recording()
compression()
limits()
threads()
full_disk()
boundary()
several_files()
ended_before_the_file()
by_signal()
overwrite()
overwrite_and_switch()
switch_by_event()
threads_that_read_proc()
delay()
control()
control_by_descriptors()
buffers()
thread_of_recorder()
latency()
what_runs_already()
wrong_words()
finish()
