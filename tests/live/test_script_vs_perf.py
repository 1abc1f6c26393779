# SPDX-License-Identifier: MIT
"""pfx script prints what perf script 6.1 prints, byte for byte, on recordings made by perf."""
import difflib
import re

from live import DEMO, PERF, PFX, check, equal, finish, need_perf, run, skip

SHELL = ["sh", "-c", f"ls >/dev/null; {DEMO} 0.2 >/dev/null; ls >/dev/null"]

RECORDINGS = {
    "flat": ["-F", "997", "-e", "cpu-clock", "--", DEMO, "0.4"],
    "chain": ["-F", "997", "-e", "cpu-clock", "-g", "--", DEMO, "0.4"],
    # of other programs only the kernel frames: perf drops a whole chain that has one wild address
    "all": ["-F", "197", "-e", "cpu-clock", "-g", "--kernel-callchains", "-a", "--", DEMO, "0.4"],
    "tracepoint": ["-e", "sched:sched_switch,sched:sched_process_exec", "--", *SHELL],
    "tracechain": ["-g", "-e", "sched:sched_switch,syscalls:sys_enter_openat", "--", *SHELL],
    "several": ["-g", "-e", "cpu-clock,page-faults,context-switches", "--", *SHELL],
    "mixed": ["-e", "cpu-clock,sched:sched_switch,page-faults", "--", *SHELL],
    "data": ["-d", "-e", "page-faults,minor-faults", "--", "sh", "-c", "ls; ls"],
    "sideband": ["--switch-events", "--namespaces", "-a", "-e", "cpu-clock", "--", *SHELL],
    "thread": ["--per-thread", "-e", "task-clock", "--", DEMO, "0.2"],
    "user": ["-e", "cpu-clock:u", "-g", "--", DEMO, "0.2"],
}

# Every line is compared for every recording that is named in front of it.
LINES = """
* : -F comm,tid,pid,time,event,period
* : -F comm,tid,pid,ip,sym,dso
flat chain all tracepoint tracechain several mixed data sideband user :
flat chain all tracechain several mixed data sideband user : -G
flat chain several mixed : --ns
flat chain : --reltime
flat tracepoint : --deltatime
flat chain all : -F ip
flat chain all : -F ip,sym
flat chain all : -F ip,dso
flat chain all several : -F ip,sym,symoff,dso
flat chain mixed : -F +pid
flat chain : -F -comm,-time
flat all tracechain : -F +misc
flat several mixed : -F sw:comm,tid,ip,sym
flat chain : -F time
flat chain : -F event
mixed : -F sw: -F trace:comm,trace
mixed : -F trace:comm,tid,event,trace
mixed : -F -period
tracepoint tracechain : -F trace:trace
tracepoint tracechain mixed : -F +period
tracechain : -F trace:ip,sym
data : -F +addr
data : -F comm,addr
data : -F comm,addr,sym,dso
data : -F ip,addr,sym
chain all several user : --max-stack 1
chain all : --max-stack 2
chain : --max-stack 0
several mixed sideband : -c sh
several mixed sideband : --comms ls,pfx-demo
flat chain : -S prime_thread
flat several : -S text_thread,by_count
all sideband : -C 0
all sideband : -C 0-1
all : --tid 0
flat chain : --time 0%-10%
flat all : --time 10%/2
flat : --time 0%-5%,50%-60%
flat : --time 10%
sideband several all : --show-task-events
sideband flat : --show-mmap-events
sideband : --show-switch-events
sideband : --show-namespace-events
sideband : --show-lost-events --show-bpf-events
sideband : --show-task-events --show-mmap-events --show-switch-events -F +misc
flat chain tracepoint : --header-only
flat : --header
"""

# perf fails here too, with the same exit code.
FAILURES = """
flat : -F +addr
flat : -F cpu
flat : -C 0
flat : -F comm,nonsense
flat : -F nonsense:comm
flat : -F comm,+ip
"""


def lines(text):
    for line in text.strip().split("\n"):
        names, options = line.split(" :")
        for name in names.split() if names != "*" else RECORDINGS:
            yield name, options.split()


def record():
    made = set()
    for name, options in RECORDINGS.items():
        done = run(PERF, "record", "-o", f"{name}.data", *options)
        if done.returncode == 0:
            made.add(name)
        else:
            print(f"not recorded here: {name}: {done.stderr.strip()[:200]}")
    if not made:
        skip("perf cannot record here")
    return made


def text_of(done):
    """perf knows some entries of a procedure linkage table without the function's name."""
    return re.sub(r" [\w.*@]+@plt\b", " @plt", done.stdout)


def compare(name, options):
    argv = ["script", "-i", f"{name}.data", *options]
    theirs, ours = run(PERF, *argv), run(PFX, *argv)
    what = " ".join(argv)
    equal(ours.returncode, theirs.returncode, f"{what}: exit code ({ours.stderr.strip()[:200]})")
    if text_of(ours) == text_of(theirs):
        return
    diff = difflib.unified_diff(text_of(theirs).split("\n"), text_of(ours).split("\n"), "perf",
                                "pfx", n=0, lineterm="")
    check(False, f"{what}\n" + "\n".join(list(diff)[:12]))


HEADER = re.compile(r"^(\S.+?)\s+(\d+)/*(\d+)*\s+")
EVENT = re.compile(r":\s*(\d+)*\s+(\S+):\s*$")
FRAME = re.compile(r"^\s*(\w+)\s*(.+) \((.*)\)")


def stacks(text):
    """What FlameGraph's stackcollapse-perf.pl makes of the text: periods by stack."""
    found, comm, period, frames = {}, None, 0, []
    for line in text.split("\n"):
        if not line:
            if comm:
                key = ";".join([comm] + frames[::-1])
                found[key] = found.get(key, 0) + period
            comm, frames = None, []
        elif FRAME.match(line) and comm:
            frames.append(FRAME.match(line).group(2))
        elif HEADER.match(line):
            comm = HEADER.match(line).group(1)
            period = int(EVENT.search(line).group(1))
    return found


def main():
    need_perf()
    made = record()
    compared = 0
    for name, options in lines(LINES):
        if name in made:
            compare(name, options)
            compared += 1
    for name, options in lines(FAILURES):
        if name in made:
            argv = ["script", "-i", f"{name}.data", *options]
            ours, theirs = run(PFX, *argv), run(PERF, *argv)
            equal(ours.returncode, theirs.returncode, " ".join(argv))
            check(ours.stderr.count("\n") in (1, 2), f"{argv}: {ours.stderr!r}")
            equal(ours.stdout, "", f"{argv}: output")
    if "chain" in made:
        text = text_of(run(PFX, "script", "-i", "chain.data"))
        perf_text = text_of(run(PERF, "script", "-i", "chain.data"))
        check(text.endswith("\n\n"), "the last sample ends with an empty line")
        check(stacks(text) == stacks(perf_text), "stacks differ")
        check(sum(stacks(text).values()) > 0, "periods of the stacks")
    full = run("sh", "-c", f"{PFX} script -i flat.data >/dev/full")
    equal(full.returncode, 255, "a full disk")
    head = run("sh", "-c", f"{PFX} script -i flat.data | head -1")
    equal((head.stdout.count("\n"), head.stderr), (1, ""), "a reader that leaves")
    print(f"{compared} command lines compared")
    finish()


main()
