# SPDX-License-Identifier: MIT
"""pfx script prints what perf script 6.1 prints, byte for byte, on recordings made by perf."""
import difflib

from collapse import collapse
from live import (DEMO, PERF, PFX, check, check_json, equal, finish, in_parallel, need_perf, part_of, record_by_perf,
                  run, skip, without_linkage)

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
    "registers": ["-F", "997", "-e", "cpu-clock", "--intr-regs", "--user-regs=ax,bx,cx,ip,sp", "--",
                  DEMO, "0.1"],
    "times": ["-F", "997", "-k", "CLOCK_MONOTONIC", "-e", "cpu-clock", "--", DEMO, "0.1"],
    "places": ["-d", "--phys-data", "--data-page-size", "--code-page-size", "-W", "-e",
               "page-faults", "--", "ls"],
    "cgroups": ["--all-cgroups", "-e", "cpu-clock,page-faults", "--", *SHELL],
    "group": ["-e", "{task-clock,page-faults,context-switches}:S", "-c", "10000000", "--", "dd",
              "if=/dev/zero", "of=/dev/null", "bs=1", "count=300000"],
    "stacks": ["-F", "200", "-e", "cpu-clock", "--call-graph", "dwarf,4096", "--", DEMO, "0.2"],
}

# Of the same kind, made by `perf stat record`.
COUNTS = {
    "counts": ["-e", "task-clock,page-faults", "--", DEMO, "0.1"],
    "counts-by-cpu": ["-A", "-a", "-e", "cpu-clock,page-faults", "--", DEMO, "0.1"],
}

# Every line is compared for every recording that is named in front of it.
LINES = """
* : -F comm,tid,pid,time,event,period
* : -F comm,tid,pid,ip,sym,dso
flat chain all tracepoint tracechain several mixed data sideband user :
flat chain tracechain several mixed data sideband user : -G
all : -G --comms pfx-demo,swapper
flat chain several mixed : --ns
flat chain : --reltime
flat chain : --reltime --time 0.01,0.05
flat all : --reltime --time ,0.02
flat : --reltime --time 100,
flat tracepoint : --deltatime
flat chain all : -F ip
flat chain all : -F ip,sym
flat chain all : -F ip,dso
flat chain all several : -F ip,sym,symoff,dso
flat chain mixed : -F +pid
flat chain : -F -comm,-time
tracechain : -F -dso
flat : -F +brstack
flat tracepoint : -F brstacksym,ip
flat all tracechain : -F +misc
flat several mixed : -F sw:comm,tid,ip,sym
flat mixed : -F sw:comm,ip,addr,weight,iregs
tracepoint mixed : -F trace:comm,addr,trace
mixed : -F sw:+addr,-ip
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
flat chain tracepoint : --header --show-info
all sideband : --header-only -I
counts counts-by-cpu :
counts : -F comm,event,metric
counts counts-by-cpu : -F comm,cpu,addr
registers times places cgroups group stacks :
group : -F comm,event,period
group : -F +ip -G
registers : -F comm,iregs
registers : -F comm,uregs,iregs
registers : -F ip,sym,uregs
times : -F +tod
times : -F comm,tod,time --ns
times : -F tod,ip
places : -F +phys_addr,+data_page_size,+code_page_size
places : -F comm,addr,phys_addr
places : -F +weight,+addr
places : -F ip,addr,data_page_size,code_page_size
cgroups : --show-cgroup-events
cgroups several : --show-task-events --show-mmap-events
stacks : -F ip,sym --max-stack 3
stacks : -G -F comm,ip,sym
flat chain tracepoint mixed all : -L
flat chain all tracepoint : --call-trace
flat chain all tracepoint : --call-ret-trace
flat chain : --itrace=i0ns
flat chain : --no-itrace
flat all : -a
flat all : --show-kernel-path
data : --symfs /
flat all : --demangle
flat all chain : --no-demangle
flat all : --demangle-kernel
flat all : --guest-code
flat all : --guestmount /
flat chain : --dsos pfx-demo
flat chain all : --dsos pfx-demo,nothing
flat chain : -F ip,sym,srcline --dsos pfx-demo
flat : -F ip,sym,srcline --dsos pfx-demo --full-source-path
flat chain : -F comm,ip,insn
flat chain : -F ip,insnlen
flat : --insn-trace
flat : -F +flags,+synth,+callindent,+ipc
flat tracepoint : -F +bpf-output
flat tracepoint chain : -F +metric
flat : -S hash_word --addr-range 4
chain : --stop-bt count_word
chain : --stop-bt main,is_prime
chain : --stop-bt nothing
tracepoint : --switch-on sched:sched_process_exec
tracepoint : --switch-on sched:sched_process_exec --show-on-off-events
tracepoint : --switch-on sched:sched_process_exec --switch-off sched:sched_switch
flat chain all : --switch-on cpu-clock --time 50%-90%
chain : --switch-on cpu-clock --dsos pfx-demo
mixed : --switch-on sched:sched_switch --comms pfx-demo
flat : -d
flat chain : --time 0%-10%,90%-100%
flat chain : --time 3,
all several : -F hw:comm -F sw:ip,sym
flat several : -F comm -F +ip
flat several : -F+ip -F-comm
several mixed : -F sw:-comm
tracechain : -F trace:ip,sym,dso
tracechain : -F trace:+ip,-event
sideband cgroups : -F +cpu,+misc --show-mmap-events -G
all : --cpu 0 --comms pfx-demo
all : --tid 0 -C 0
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


def lines(text, made):
    for nr, line in enumerate(text.strip().split("\n")):
        names, options = line.split(" :")
        names = [name for name in (names.split() if names != "*" else RECORDINGS) if name in made]
        for name in part_of(names, nr, 5):
            yield name, options.split()


def record():
    made = {name for name, options in RECORDINGS.items() if record_by_perf(name, options)}
    for name, options in COUNTS.items():
        done = run(PERF, "stat", "record", "-o", f"{name}.data", *options)
        if done.returncode == 0:
            made.add(name)
    if not made:
        skip("perf cannot record here")
    return made


def compare(name, options):
    argv = ["script", "--no-inline", "-i", f"{name}.data", *options]
    theirs, ours = run(PERF, *argv), run(PFX, *argv)
    what = " ".join(argv)
    equal(ours.returncode, theirs.returncode, f"{what}: exit code ({ours.stderr.strip()[:200]})")
    # what perf calls the vdso of somebody's 32-bit program
    one, other = without_linkage(ours.stdout, theirs.stdout.replace("[vdso32]", "[vdso]"))
    if one == other:
        return
    diff = difflib.unified_diff(other.split("\n"), one.split("\n"), "perf", "pfx", n=0, lineterm="")
    check(False, f"{what}\n" + "\n".join(list(diff)[:12]))


def main():
    need_perf()
    made = record()
    jobs = list(lines(LINES, made))
    in_parallel(compare, jobs)
    for name in made:
        check_json(f"{name}.data", ("script",) if name in COUNTS else ("report", "script"))
    for name, options in lines(FAILURES, made):
        argv = ["script", "--no-inline", "-i", f"{name}.data", *options]
        ours, theirs = run(PFX, *argv), run(PERF, *argv)
        equal(ours.returncode, theirs.returncode, " ".join(argv))
        check(ours.stderr.count("\n") in (1, 2, 3), f"{argv}: {ours.stderr!r}")
        equal(ours.stdout, "", f"{argv}: output")
    if "chain" in made:
        text, perf_text = without_linkage(*(run(tool, "script", "--no-inline", "-i", "chain.data").stdout
                                            for tool in (PFX, PERF)))
        check(text.endswith("\n\n"), "the last sample ends with an empty line")
        check(collapse(text) == collapse(perf_text), "stacks differ")
        check(sum(collapse(text).values()) > 0, "periods of the stacks")
    full = run("sh", "-c", f"{PFX} script -i flat.data >/dev/full")
    equal(full.returncode, 255, "a full disk")
    head = run("sh", "-c", f"{PFX} script -i flat.data | head -1")
    equal((head.stdout.count("\n"), head.stderr), (1, ""), "a reader that leaves")
    different = {" ".join(options) for _, options in jobs}
    check(len(different) >= 60, f"only {len(different)} command lines differ")
    print(f"{len(jobs)} command lines compared, {len(different)} different ones")
    finish()


main()
