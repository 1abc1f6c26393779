# SPDX-License-Identifier: MIT
"""The same words on the command line, the same attributes for the kernel as perf's: also those that
this machine's CPU or kernel cannot do. Both are made to believe that every opening succeeds. Every second line; all of them
with PFX_WHOLE=1."""
import os
import pwd
import shlex
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

from live import PERF, PFX, check, finish, need_perf, part_of, run, skip
from record_attrs import opened

USER = "games"  # perf wants one that has a name; processes of nobody are those of other tests
TARGET = subprocess.Popen(["sleep", "6000"])
JOBS = 8

# One command line each. PID is a process that sleeps, USER the user whom another one belongs to.
COMMANDS = r"""
--buildid-mmap
--buildid-mmap -a -e page-faults
--buildid-mmap -e cpu-clock,page-faults -g
--buildid-mmap -d -p PID
-b
-b -a
-b -e cpu-clock,page-faults
-b --all-user
-b -e cycles:u
-b -e cycles:k
-b -a -e dummy
-b -e '{cycles,instructions}:S'
-b -e '{cycles/branch_type=any_call/,instructions}'
-b --call-graph lbr
-b -e cycles/call-graph=lbr/
-b -e cycles/call-graph=no/
-j any,u
-j k,any
-j any_call
-j any_ret,ind_call,ind_jmp,call,cond
-j abort_tx,in_tx,no_tx
-j stack,u
-j any,save_type
-j any,priv
-j any,hv
-j any -e cycles:u
-j any,u -a -g
-e cycles/branch_type=any/
-e cycles/branch_type=u/
-e cpu-clock/branch_type=any/
-e cycles/branch_type=any/ -j any_call
--per-thread
--per-thread -p PID
--per-thread -t PID
--per-thread -T
--per-thread -g
--per-thread --inherit
--per-thread -C 0
--per-thread -a
--per-thread -e cpu-clock,page-faults
--per-thread -e '{cpu-clock,page-faults}:S'
--per-thread -e cpu-clock/time/
--per-thread -T -e cpu-clock/time=0/
--per-thread -e sched:sched_switch -e cpu-clock
-u USER
-u USER -g -c 1000
-u USER -C 0
-u USER -a
-u USER -p PID
-u USER --per-thread
-u USERID
-t PID
-t PID --sample-cpu
-t PID -p PID
-p PID -P -T
-p PID --inherit
-p PID -C 0,1
-p PID -a -F 100
-p PID --switch-events -e cpu-clock
-p PID -e '{cpu-clock,page-faults}:S' -s
-C 1 -g
-C 0 -e '{cpu-clock,page-faults}:S'
-C 0 --switch-events
-a -i
-a --inherit
-a --no-timestamp
-n
-n -a
-n -c 100
-n -g -d
-n -e cpu-clock,page-faults
-n -e cpu-clock/period=100/
-n -e cpu-clock/freq=7/
-n -e sched:sched_switch
-n -e '{cpu-clock,page-faults}:S'
-F 1000000000
--strict-freq -F 100
--phys-data
--phys-data -a
--data-page-size
--code-page-size
--data-page-size --code-page-size -a
-W
-W -a
-W -d
-W --per-thread -e '{cpu-clock,page-faults}:S'
--transaction
--transaction -a
-d --phys-data --data-page-size --code-page-size -P --transaction -W -s -T
-P
-P -a
-P -c 1000
-P -F 100
-P -e cpu-clock/period=7/
-P -e sched:sched_switch
--no-period
--no-period -c 100
--no-period -F 100
--no-period -a -e cpu-clock/period=10/
--no-period -a -e cpu-clock/freq=10/
--no-period -e sched:sched_switch
--no-period -e cpu-clock,sched:sched_switch
--sample-cpu
--sample-cpu -a
--no-sample-cpu -a
--sample-identifier
--sample-identifier -a
--sample-identifier -P -a -c 5
--sample-identifier -e cpu-clock,page-faults
--sample-identifier -e '{cpu-clock,page-faults}:S'
--running-time
--running-time -s
--running-time -a
--running-time -e '{cycles,instructions}:S'
-I
-I -a
-I -e cpu-clock,page-faults -a
-I -e cpu-clock:pp
-I -a --call-graph dwarf
-I --user-regs=ip
--intr-regs=ax,ip
--intr-regs=xmm0,sp
--user-regs
--user-regs=ax
--user-regs=sp,IP -a
--user-regs=ip --call-graph dwarf
--user-regs=ax --call-graph dwarf -a
-P --per-thread -e cpu-clock --user-regs
--call-graph fp,10
--call-graph fp,64
--call-graph fp,0
--call-graph fp,126
--call-graph fp,127
--call-graph fp,300
--call-graph dwarf,1000
--call-graph dwarf,65528 -a
--call-graph dwarf -e cpu-clock:k
--call-graph dwarf -e cpu-clock:u
--call-graph dwarf -e sched:sched_switch
--call-graph dwarf --user-callchains
--call-graph dwarf --kernel-callchains
--call-graph dwarf -d
--call-graph lbr
--call-graph lbr -a
--call-graph lbr -j any,k
--call-graph lbr -e cycles:u
--call-graph lbr -e cycles:k
--call-graph lbr -e cpu-clock
--call-graph lbr --all-kernel
--call-graph lbr -e cycles/call-graph=fp/
--call-graph lbr -e cycles/call-graph=no/
-g --kernel-callchains
-g --user-callchains
-g --user-callchains --kernel-callchains
-g --kernel-callchains -a
-g --all-user
-g -e cpu-clock:u
-g -e cpu-clock:k
-g --no-call-graph
--kernel-callchains
--kernel-callchains -e cpu-clock/call-graph=fp/
--user-callchains --kernel-callchains -e cpu-clock/call-graph=fp/
-e cpu-clock/call-graph=fp/
-e cpu-clock/call-graph=fp/,page-faults
-e cpu-clock/call-graph=no/ -g
-e cpu-clock/call-graph=dwarf/
-e cpu-clock/call-graph=dwarf,stack-size=1024/
-e cpu-clock/call-graph=dwarf,stack-size=1001/
-e cpu-clock/call-graph=dwarf/,page-faults -g
-e cpu-clock/call-graph=lbr/
-e cpu-clock/call-graph=fp,max-stack=5/
-e cpu-clock/max-stack=5/
-e cpu-clock/max-stack=5/ -g
-e cpu-clock/max-stack=200/
-e cpu-clock/stack-size=1024/
-e cpu-clock/call-graph=no/,page-faults/call-graph=fp/
-e cycles/call-graph=lbr,branch_type=any/
-e cycles/call-graph=lbr/ -g
-e sched:sched_switch/call-graph=fp/
-e sched:sched_switch/call-graph=no/ -g
-e sched:sched_switch/call-graph=dwarf/ -a
-e sched:sched_switch/stack-size=8/
--call-graph fp,20 -e cpu-clock/max-stack=10/
--call-graph fp,20 -e cpu-clock/call-graph=fp/
-e cpu-clock/time=0/
-e cpu-clock/time/
-e cpu-clock/time=1/ --no-timestamp
-e cpu-clock/time=0/ -a -T
-e cpu-clock/time=0/ -R
-e sched:sched_switch -e cpu-clock/time=0/
-e cpu-clock/inherit/ -i
-e cpu-clock/inherit=0/
-e cpu-clock/nr=5/
-e cpu-clock/percore/
-e cpu-clock/config1=5,config2=7/
--all-cgroups --synth cgroup -e cpu-clock
-e cpu-clock/no-inherit/
-e cpu-clock/no-inherit=0/ -i
-e cpu-clock/inherit=0/,page-faults
-e '{cpu-clock/inherit/,page-faults}:S'
-e cpu-clock/no-overwrite/
-e cpu-clock/no-overwrite/ --overwrite
-e cpu-clock/overwrite/
-e cpu-clock/overwrite/,page-faults
-e '{cpu-clock/overwrite/,page-faults}:S'
-e sched:sched_switch/overwrite/ -a
--overwrite
--overwrite -a
--overwrite -a -g -e cpu-clock,page-faults
--overwrite -e cpu-clock,page-faults/no-overwrite/
--overwrite -e '{cpu-clock,page-faults}:S'
--overwrite -e '{cpu-clock,page-faults/overwrite/}:S'
--overwrite -e '{cpu-clock,page-faults/period=5/}:S'
--overwrite -D 100
--overwrite --per-thread
--overwrite -p PID
--tail-synthesize
--tail-synthesize -a
--switch-output-event sched:sched_switch
-a --num-thread-synthesize 2
-e cpu-clock/aux-output/
-e cpu-clock/name=foo,period=5/
-e cpu-clock/freq=5,period=7/
-e cpu-clock/period=7,freq=5/
-e cpu-clock/period=7/ -F 100
-e cpu-clock/period=7/ -c 100
-e cpu-clock/freq=7/ -c 100
-e cpu-clock/freq=50/,page-faults -c 100
-e cpu-clock/period=0/
-e cycles/period=1000/,instructions
-e cpu-clock/config=1/
-e cpu-clock/config1=3/
-e software/config=1/
-e bpf-output
-e bpf-output/no-inherit=1,name=x/
-e mem:0x1000
-e mem:0x1000:rw
-e mem:0x1000/4:x
-e mem:0x1000/4:w:u
-e mem:0x1000 -g -c 10
-e r1a8
-e r1a8:u,cycles:pp
-e L1-dcache-load-misses -d
-e cycles:ukhGH
-e cycles:uG
-e cycles:Gp
-e cycles:I
-e cycles:D
-e cycles:e
-e cycles:S
-e cycles:S -e page-faults
-e '{cycles,instructions}'
-e '{cycles,instructions}:u'
-e '{cycles:u,instructions}' -i
-e '{cycles,instructions}:D'
-e '{cycles,instructions}:e'
-e '{cycles,instructions}:W'
-e '{cycles,instructions}' -s
-e '{cycles,instructions}:S'
-e '{cycles,instructions,cpu-clock}:S' -a
-e '{cpu-clock,page-faults}' -c 1000
-e '{cpu-clock,page-faults}:S' -c 1000
-e '{cpu-clock,page-faults}:S' -F 100 -g
-e '{cpu-clock,page-faults}:S' -s
-e '{cpu-clock,page-faults}:S' -d --phys-data -R
-e '{cpu-clock,page-faults}:S' --all-cgroups
-e '{cpu-clock,page-faults}:S' --no-period
-e '{cpu-clock,page-faults}:S' --inherit
-e '{cpu-clock,page-faults}:S,context-switches'
-e cpu-clock -e '{page-faults,context-switches}:S'
-e cpu-clock -e '{page-faults,context-switches}' -s
-e '{cpu-clock:S,page-faults}'
-e '{cpu-clock,page-faults:S}'
-e '{cpu-clock:u,page-faults:k}:S'
-e '{cpu-clock:u,page-faults:u}:Sk'
-e '{cpu-clock,page-faults}:SP'
-e '{cpu-clock,page-faults}:ppS'
-e '{cpu-clock/freq=10/,page-faults}:S'
-e '{cpu-clock/period=1000/,page-faults/freq=5/}'
-e '{cpu-clock/period=1000/,page-faults/freq=5/}:S'
-e '{cpu-clock/call-graph=fp/,page-faults}:S'
-e '{cpu-clock,page-faults/call-graph=fp/}:S'
-e '{cpu-clock,page-faults/call-graph=fp/}:S' -g
-e '{cpu-clock,page-faults,dummy}:S' -a
-e '{cpu-clock,mem:0x1000:rw}:S'
-e '{mem:0x1000:rw,cpu-clock}:S'
-e '{mem:0x1000:rw,cpu-clock}'
-e '{cpu-clock,sched:sched_switch}:S'
-e '{sched:sched_switch,cpu-clock}:S'
-e '{sched:sched_switch,cpu-clock}:S' -F 99
-e '{sched:sched_switch,cpu-clock}'
-e '{sched:sched_switch,sched:sched_wakeup}:S' -a
--group -e cycles,instructions
--switch-events
--switch-events -a
--switch-events -a -e dummy
--switch-events -e cpu-clock,page-faults
--namespaces
--namespaces -a
--all-cgroups
--all-cgroups -a
--all-cgroups -e cpu-clock,page-faults
--no-bpf-event
--no-bpf-event -a
-R -e cpu-clock,page-faults
-R -a -e cpu-clock,sched:sched_switch
-d -a -e cpu-clock
-s -a -e cpu-clock
-e dummy:u -a
-e dummy:u,cpu-clock -a
-e dummy,cpu-clock -a -g
-k mono
-k monotonic
-k raw
-k monotonic_raw
-k real
-k realtime
-k boot
-k boottime
-k tai
-k CLOCK_MONOTONIC
-k 0
-k 1
-k 7
-k 11
-k mono -a
-k mono -e cpu-clock,page-faults
-e sched:sched_switch --filter 'prev_pid > 0'
-e sched:sched_switch --filter 'prev_pid > 0' --filter 'next_pid > 5'
-e sched:sched_switch -e sched:sched_wakeup --filter 'pid > 0'
-a -e cpu-clock -G /
-a -e cpu-clock,page-faults -G /
-a -e cpu-clock,page-faults -G /,/
-a -e cpu-clock,page-faults -G ,/
-a -e cpu-clock,page-faults,cs -G /,/
-a -e cpu-clock -G / -e page-faults
-a -e cpu-clock -G / -e page-faults -G /
-a -e '{cpu-clock,page-faults}' -G /
--call-graph dwarf,16384 -g
-g --call-graph dwarf,16384
--call-graph lbr -g
-g --call-graph lbr
--call-graph fp,10 -g
-g --call-graph fp,10
--call-graph fp --call-graph dwarf
--call-graph dwarf,16384 --call-graph dwarf
--call-graph fp,10 --call-graph fp
--call-graph fp,10 --call-graph dwarf
--call-graph fp,10 --call-graph lbr
--call-graph fp,10 --call-graph fp,20
--call-graph lbr --call-graph fp
--call-graph lbr --call-graph dwarf
--call-graph dwarf,16384 --no-call-graph --call-graph dwarf
-g --no-call-graph -g
--no-call-graph -g
--no-call-graph --call-graph dwarf
-g -g
--call-graph fp,10 --no-call-graph -g
-F 99 -F 100
-F 99 -F max
-F max -F 99
-c 100 -c 200
-c 100 --no-count
-e cpu-clock -c 100 --no-count
--no-branch-any -b
-d --data
-d --no-data
--no-data -d
-d --phys-data --no-phys-data
--phys-data --no-data
--data-page-size --no-data-page-size
-T --no-timestamp
--no-timestamp -T
--no-timestamp --no-timestamp
-P --no-period
--no-period -P
--no-period -F 100
-P -c 1000
--no-period -c 1000
-c 1000 -P
-R --no-raw-samples
--no-raw-samples -R
-s --no-stat
--no-stat -s
-n --no-samples
-n --samples
-n --no-no-samples
-s -n
-n -s
-a --no-all-cpus
-a --no-all-cpus -g
-C 0 -C 1
-C 0 -a
-a -C 0
-C 0 --no-cpu
-a --no-cpu
-p PID -p PID
-p PID --no-pid
-t PID --no-tid
-p PID -t PID
-t PID -p PID
-p PID -a
-a -p PID
-p PID -u USER
-u USER -p PID
-u USER -u USER
-u USER --no-uid
-a -u USER
--per-thread --no-per-thread
--per-thread -a
-a --per-thread
--kernel-callchains --user-callchains -g
--user-callchains --no-user-callchains -g
--kernel-callchains --no-kernel-callchains -g
-i --inherit
--inherit -i
--no-inherit --no-inherit
-i --inherit -p PID
-t PID --inherit -i
-t PID -i --inherit
-k mono --no-clockid
--overwrite --no-overwrite
--no-overwrite --overwrite
--tail-synthesize --no-tail-synthesize
-e cpu-clock -e page-faults
-e cpu-clock -e cpu-clock
--all-user --no-all-user
--all-kernel --no-all-kernel
--switch-events --no-switch-events
--namespaces --no-namespaces
--all-cgroups --no-all-cgroups
--no-bpf-event --bpf-event
-W --no-weight
--transaction --no-transaction
--sample-cpu --no-sample-cpu
--sample-identifier --no-sample-identifier
--running-time --no-running-time -e '{cpu-clock,cs}:S'
--buildid-mmap --no-buildid-mmap
--buildid-all --no-buildid-all
--buildid-mmap --buildid-all
--strict-freq --no-strict-freq
--group --no-group -e cpu-clock,page-faults
-g -e cpu-clock --no-call-graph -e page-faults
-a -e cpu-clock -G / -e page-faults -G /
-e sched:sched_switch --filter 'prev_pid > 0' -e sched:sched_wakeup --filter 'pid > 1' --filter 'pid > 2'
--switch-output-event sched:sched_switch --switch-output-event sched:sched_wakeup
--snapshot --no-snapshot
--code-page-size --no-code-page-size
-s -T --no-timestamp
-d --no-timestamp -R
-d -T --no-data
--no-samples -F 100
--no-samples -c 100
--weight -d --no-data
"""
# What perf refuses because a later word would undo an earlier one.
REFUSED = r"""
-b -j any
-j any -b
-b -j any_call
-j any_call -b
-j any_call -j any_ret
-j any,u -j any_ret
-j any_call,u -j u
-D 10 -D 0
-D 0 -D 10
-k mono -k raw
-I -Iax
-Iax -Iip
-Iax -I
-a -e cpu-clock -G / -G /
-a -e cpu-clock,cs -G / -G ,/
--all-user --all-kernel
--user-regs=ax --user-regs=ip
--user-regs=ax --user-regs
"""


def differences(ours, theirs):
    for mine, other in zip(ours, theirs):
        if mine != other:
            keys = {k for k in mine[0] | other[0] if mine[0].get(k) != other[0].get(k)}
            return (f"pfx {({k: mine[0].get(k) for k in keys})} {mine[1:]}, "
                    f"perf {({k: other[0].get(k) for k in keys})} {other[1:]}")
    return f"{len(ours)} counters, perf {len(theirs)}"


def both(job):
    """What pfx and perf open for the words; the number keeps the files of parallel runs apart."""
    number, line = job
    words = shlex.split(line.replace("PID", str(TARGET.pid))
                        .replace("USERID", str(pwd.getpwnam(USER).pw_uid)).replace("USER", USER))
    return line, [opened(f"{number}.trace", tool, "record", "-q", "-B", "-o", f"{number}.data",
                         *words, "true", take_all=True) for tool in (PFX, PERF)]


def usable(lines):
    """Without the lines that this machine has no tracepoints or cgroups for, or no x86 registers."""
    has_tracefs = os.access("/sys/kernel/tracing/events/sched/sched_switch/id", os.R_OK)
    with open("/proc/mounts", encoding="utf-8") as mounts:
        has_cgroups = " cgroup2 " in mounts.read()
    is_x86 = os.uname().machine == "x86_64"
    return [line for line in lines if (has_tracefs or "sched:" not in line)
            and (has_cgroups or "-G" not in line) and (is_x86 or "regs" not in line)]


def main():
    if not shutil.which("strace"):
        skip("strace is not installed")
    need_perf()
    if os.geteuid():
        skip("only root can record everything and start a process as another user")
    other = subprocess.Popen(["sleep", "6000"], user=USER)
    lines = part_of(usable(COMMANDS.strip().split("\n")), 0, 2)
    if run("strace", "-e", "inject=perf_event_open:retval=1000", "true").returncode:
        skip("this strace cannot change what system calls return")
    try:
        with ThreadPoolExecutor(JOBS) as pool:
            for line, (ours, theirs) in pool.map(both, enumerate(lines)):
                check(ours and ours == theirs, f"{line}: {differences(ours, theirs)}")
        for line in usable(REFUSED.strip().split("\n")):
            for tool in (PERF, PFX):
                done = run(tool, "record", "-o", "refused.data", *shlex.split(line), "true")
                check(done.returncode == 129, f"{line}: exit code {done.returncode} of {tool}")
    finally:
        other.kill()
    print(f"{len(lines)} command lines compared")
    finish()


try:
    main()
finally:
    TARGET.kill()
