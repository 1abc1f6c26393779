# SPDX-License-Identifier: MIT
"""The same words on the command line, the same attributes for the kernel as perf's."""
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

from live import PERF, PERF_IN_SHELL, PFX, check, finish, need_perf, need_recording, run, skip
from record_attrs import opened

TARGET = subprocess.Popen(["sleep", "6000"])
PID = str(TARGET.pid)
SHORT = ["sleep", "0.05"]
JOBS = 8  # the kernel makes everyone wait when counters come and go, and it can wait for many

# No clock may tick every few microseconds here: a virtual CPU has no time for anything else then. Such
# rates are in test_record_attrs_all, which opens nothing.
COMMANDS = [
    [], ["-g"], ["-c", "1000000"], ["-F", "99"], ["-R"], ["-d"], ["-s"], ["-T"],
    ["--no-timestamp"], ["-i"], ["--all-user"], ["--all-kernel"],
    ["-e", "cpu-clock:u", "--all-kernel"], ["-e", "cpu-clock:k", "--all-user"],
    ["-e", "cpu-clock:h", "--all-user"], ["-d", "-R", "-s", "-T", "-g"],
    ["--call-graph", "fp"], ["--call-graph", "dwarf"], ["--call-graph", "dwarf,16384"],
    ["-e", "cpu-clock,page-faults"], ["-e", "cpu-clock", "-e", "page-faults:u", "-e", "cs"],
    ["-e", "cpu-clock:u"], ["-e", "cpu-clock:k"], ["-e", "cpu-clock:uk"], ["-e", "cpu-clock:p"],
    ["-e", "cpu-clock:pp"], ["-e", "cpu-clock:P"], ["-e", "cpu-clock:G"], ["-e", "cpu-clock:H"],
    ["-e", "cycles"], ["-e", "cycles:u"], ["-e", "cycles:pp"], ["-e", "task-clock"],
    ["-e", "dummy"], ["-e", "context-switches", "-c", "1"], ["-e", "page-faults", "-c", "1", "-g"],
    ["-e", "faults", "-F", "50", "-g", "-T"], ["-e", "mem:0x1000:rw"], ["-e", "mem:0x1000/8:w"],
    ["-e", "cpu-clock/period=1000000/"], ["-e", "cpu-clock/freq=100/"],
    ["-e", "{cpu-clock,page-faults}"], ["-e", "{cpu-clock,page-faults}:S"],
    ["-e", "{cpu-clock:u,cs}:SD,faults"], ["-e", "{cpu-clock,faults,cs}:W"], ["-e", "cpu-clock:S"],
    ["-a", "-e", "{cpu-clock,page-faults}:S"], ["-e", "cpu-clock:DeI"],
    ["-a"], ["-a", "-g"], ["-a", "-F", "99"], ["-a", "-c", "1000000"], ["-a", "-i"], ["-a", "-s"],
    ["-a", "-d"], ["-a", "--all-user"], ["-a", "-e", "dummy"], ["-a", "-e", "cpu-clock,dummy"],
    ["-a", "-g", "-e", "cpu-clock,page-faults"], ["-a", "--call-graph", "dwarf"],
    ["-C", "0"], ["-C", "0", "-e", "page-faults"],
    ["-p", PID], ["-p", PID, "-i"], ["-p", PID, "-C", "0"], ["-p", PID, "-e", "cpu-clock,dummy"],
    ["-t", PID], ["-t", PID, "--inherit"], ["-t", PID, "-g"],
]
TRACEPOINTS = [
    ["-e", "sched:sched_switch"], ["-e", "sched:sched_switch:u"],
    ["-e", "sched:sched_switch", "-F", "99"], ["-e", "cpu-clock,sched:sched_switch"],
    ["-e", "raw_syscalls:sys_enter,sched:sched_switch"], ["-a", "-e", "sched:sched_switch", "-g"],
    ["-C", "0", "-e", "sched:sched_switch,page-faults"],
]


def differences(ours, theirs):
    for mine, other in zip(ours, theirs):
        if mine != other:
            keys = {k for k in mine[0] | other[0] if mine[0].get(k) != other[0].get(k)}
            return (f"pfx {({k: mine[0].get(k) for k in keys})} {mine[1:]}, "
                    f"perf {({k: other[0].get(k) for k in keys})} {other[1:]}")
    return f"{len(ours)} counters, perf {len(theirs)}"


def both(job):
    """What pfx and perf open for the words; the number keeps the files of parallel runs apart."""
    number, words = job
    attached = "-p" in words or "-t" in words
    command = SHORT if attached else ["true"]
    return words, [opened(f"{number}.trace", tool, "record", "-q", "-B", "-o", f"{number}.data",
                          *words, *command) for tool in (PFX, PERF)]


def has_tracepoints():
    done = subprocess.run([PFX, "record", "-q", "-o", "t.data", "-e", "sched:sched_switch", "true"],
                          stderr=subprocess.DEVNULL, check=False)
    return done.returncode == 0


def main():
    if not shutil.which("strace"):
        skip("strace is not installed")
    need_recording()
    need_perf()
    if run(PFX, "record", "-q", "-a", "-o", "a.data", "true").returncode:
        skip("the whole system cannot be recorded without more permission")
    commands = COMMANDS + (TRACEPOINTS if has_tracepoints() else [])
    with ThreadPoolExecutor(JOBS) as pool:
        for words, (ours, theirs) in pool.map(both, enumerate(commands)):
            check(ours and ours == theirs, f"{' '.join(words)}: {differences(ours, theirs)}")
    ours = opened("pipe.trace", f"{PFX} record -q -o - true | cat", shell=True)
    theirs = opened("pipe.trace", f"{PERF_IN_SHELL} record -q -o - true | cat", shell=True)
    check(ours and ours == theirs, f"a pipe: {differences(ours, theirs)}")
    print(f"{len(commands) + 1} command lines compared")
    finish()


try:
    main()
finally:
    TARGET.kill()
