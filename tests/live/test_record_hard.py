# SPDX-License-Identifier: MIT
"""What is hard for a recorder: thousands of threads, storms of processes, programs that become
others, namespaces, disks that fail while it records, limits. Nothing is lost, the workload's result
is its own, and what cannot be done is said in a sentence."""
import os
import re
import shutil
import stat
import subprocess
import sys
import time

from live import PATIENCE, PERF, PFX, check, equal, finish, need_recording, run, samples

NOBODY = 65534
THREADS = 4000
PROCESSES = 20000
STORM = os.environ.get("PFX_STORM", "build/dev/tests/live/live-storm")
SPIN = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done"

COMING_AND_GOING = """
import threading, time
print("ready", flush=True)
end = time.time() + 1500
while time.time() < end:
    threads = [threading.Thread(target=sum, args=([1],)) for _ in range(20)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
"""

def counts(data):
    out = run(PFX, "report", "--stats", "-i", data).stdout
    return {kind: int(n) for kind, n in re.findall(r"(\w+) events:\s+(\d+)", out)}


def column(data, fields):
    out = run(PFX, "script", "-F", fields, "-i", data).stdout
    return [line.split() for line in out.split("\n") if line.strip()]


def many_threads():
    """-p of a process with thousands of threads: each of them is recorded."""
    target = subprocess.Popen([STORM, "threads", str(THREADS)], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    if target.stdout.readline() != "ready\n":
        print("this machine does not allow that many threads")
        return
    recorder = subprocess.Popen([PFX, "record", "-N", "-e", "cpu-clock:u", "-o", "threads.data", "-p",
                                 str(target.pid), "--control", "fd:0,1"], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    recorder.stdin.write("ping\n")
    recorder.stdin.flush()
    equal(recorder.stdout.read(5), "ack\n\0", f"{THREADS} threads: it records")
    target.communicate("\n", timeout=PATIENCE)
    _, text = recorder.communicate(timeout=PATIENCE)
    equal(recorder.returncode, 0, f"{THREADS} threads: {text}")
    found = counts("threads.data")
    equal(found.get("EXIT"), THREADS + 1, f"{THREADS} threads: ends ({found})")
    check(found.get("COMM", 0) > THREADS, f"{THREADS} threads: names ({found})")
    check("Lost" not in text, f"{THREADS} threads: {text}")
    if PERF:
        equal(samples("threads.data", PERF), samples("threads.data"), "threads, by perf")


def threads_come_and_go():
    target = subprocess.Popen([sys.executable, "-c", COMING_AND_GOING], stdout=subprocess.PIPE)
    target.stdout.readline()
    found = 0
    for i in range(8):
        done = run(PFX, "record", "-N", "-e", "cpu-clock", "-o", "come.data", "-p", target.pid, "--",
                   "sleep", "0.1")
        equal(done.returncode, 0, f"threads that come and go, round {i}: {done.stderr}")
        found += samples("come.data")
    check(found > 0, "threads that come and go: no samples")
    target.kill()
    target.wait()


def storm_of_processes():
    """Each of thousands of short processes begins and ends in the recording."""
    done = run(PFX, "record", "-N", "-o", "storm.data", "--", STORM, "processes", PROCESSES)
    equal(done.returncode, 0, f"a storm of processes: {done.stderr}")
    found = counts("storm.data")
    equal((found.get("FORK"), found.get("EXIT"), found.get("LOST")),
          (PROCESSES, PROCESSES + 1, None), "a storm of processes: begins, ends, losses")
    if PERF:
        equal(samples("storm.data", PERF), samples("storm.data"), "a storm of processes, by perf")


def one_after_another():
    """A process that becomes one program after another: each has its name and its maps."""
    depth = 30
    script = ('i=$1; j=0; while [ $j -lt 3000 ]; do j=$((j+1)); done; [ $i -eq 0 ] && exit 7; '
              'exec sh "$0" $((i-1))')
    with open("chain.sh", "w", encoding="utf-8") as f:
        f.write(script)
    done = run(PFX, "record", "-N", "-e", "cpu-clock", "-F", "9000", "-o", "chain.data", "--", "sh",
               "chain.sh", depth)
    equal(done.returncode, 7, f"a chain of programs: {done.stderr}")
    dump = run(PFX, "script", "--show-task-events", "-i", "chain.data").stdout
    equal(len(re.findall(r"PERF_RECORD_COMM exec: sh", dump)), depth + 1, "a chain: names")
    rows = column("chain.data", "ip,sym,dso")
    unknown = [row for row in rows if "[unknown]" in row[-1]]
    check(rows and not unknown, f"a chain: {len(unknown)} of {len(rows)} samples have no map")


def other_users():
    """A child that becomes another user is recorded on; a set-user-ID program runs as it should."""
    if os.geteuid() or not shutil.which("setpriv"):
        print("not root: nobody else's processes")
        return
    done = run(PFX, "record", "-N", "-e", "cpu-clock", "-o", "user.data", "--", "setpriv", "--reuid",
               NOBODY, "--clear-groups", "sh", "-c", SPIN + "; exit 3")
    equal(done.returncode, 3, f"another user's child: {done.stderr}")
    comms = [row[0] for row in column("user.data", "comm")]
    check(comms.count("sh") > 20, f"another user's child: {len(comms)} samples")
    shutil.rmtree("users", ignore_errors=True)
    os.makedirs("users")
    os.chown("users", NOBODY, NOBODY)
    shutil.copy(shutil.which("id"), "setuid-id")
    os.chmod("setuid-id", 0o755 | stat.S_ISUID)
    command = ["setpriv", "--reuid", NOBODY, "--clear-groups"]
    plain = run(*command, "./setuid-id", "-u")
    done = run(*command, PFX, "record", "-q", "-N", "-e", "cpu-clock:u", "-o", "users/s.data", "--",
               "./setuid-id", "-u")
    if plain.returncode == 0 and "users" in os.listdir(".") and not run(*command, PFX, "--version"
                                                                        ).returncode:
        equal((done.returncode, done.stdout), (0, plain.stdout), f"set-user-ID: {done.stderr}")
        shutil.copy(shutil.which("sleep"), "setuid-sleep")
        os.chmod("setuid-sleep", 0o755 | stat.S_ISUID)
        done = run(*command, PFX, "record", "-N", "-e", "cpu-clock:u", "-o", "users/s.data", "--",
                   "./setuid-sleep", "1")
        equal(done.returncode, 0, f"set-user-ID: it was not let run to its end: {done.stderr}")
        check("'./setuid-sleep' runs on and is not recorded" in done.stderr,
              f"set-user-ID: {done.stderr}")


def namespaces():
    """Processes in namespaces of their own: their libraries are found."""
    command = ["unshare", "--mount", "--pid", "--fork", "--mount-proc"]
    if not shutil.which("unshare") or run(*command, "true").returncode:
        print("no namespaces can be made here")
        return
    done = run(PFX, "record", "-N", "--namespaces", "-e", "cpu-clock", "-o", "ns.data", "--",
               *command, "sh", "-c", SPIN + "; exit 4")
    equal(done.returncode, 4, f"namespaces: {done.stderr}")
    rows = [row for row in column("ns.data", "comm,ip,sym,dso") if row[0] == "sh"]
    unknown = [row for row in rows if "[unknown]" in row[-1]]
    check(len(rows) > 20 and not unknown, f"namespaces: {unknown} of {len(rows)}")
    ids = run(PFX, "buildid-list", "-i", "ns.data").stdout
    check("libc" in ids or "dash" in ids, f"namespaces: build ids: {ids}")


def failing_disk():
    """A write that fails half-way: one sentence, what was written can be read, the command ends."""
    if not shutil.which("strace"):
        print("strace is not installed")
        return
    # It runs until the file has stopped to grow, since a busy machine writes more at once.
    workload = ["sh", "-c", "same=0; n=0; last=; while [ $same -lt 4 ] && [ $n -lt 200 ]; do "
                f"{SPIN}; now=$(stat -c %s bad.data); if [ \"$now\" = \"$last\" ]; then same=$((same+1)); "
                "else same=0; fi; last=$now; n=$((n+1)); done; echo end; exit 6"]
    for error, words in (("EIO", "Input/output error"), ("ENOSPC", "No space left"),
                         ("EDQUOT", "quota")):
        when = 6
        done = run("strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=pwrite64,pwritev", "-e",
                   f"inject=pwrite64,pwritev:error={error}:when={when}+", PFX, "record", "-N", "-e",
                   "cpu-clock", "-F", "9000", "--mmap-flush", "1K", "-o", "bad.data", "--", *workload)
        equal((done.returncode, done.stdout), (255, "end\n"), f"{error}: {done.stderr}")
        check(done.stderr.count("cannot write") == 1 and words.lower() in done.stderr.lower(),
              f"{error}: {done.stderr}")
        report = run(PFX, "report", "--stats", "-i", "bad.data")
        equal(report.returncode, 0, f"{error}: what was written: {report.stderr}")


def vanishing_directory():
    """The directory of a recording goes away: the command runs on, the next file cannot begin."""
    os.makedirs("gone", exist_ok=True)
    done = run(PFX, "record", "-N", "-e", "cpu-clock", "-o", "gone/x.data", "--timestamp-filename",
               "--", "sh", "-c", f"{SPIN}; rm -r gone; {SPIN}; echo end")
    equal((done.returncode, done.stdout), (255, "end\n"), f"a directory that goes: {done.stderr}")
    check("'gone/x.data' was removed while it was written" in done.stderr, done.stderr)
    os.makedirs("gone", exist_ok=True)
    done = run(PFX, "record", "-N", "-e", "cpu-clock", "-F", "9000", "-o", "gone/x.data",
               "--switch-output=16K", "--mmap-flush", "4K", "--", "sh", "-c",
               f"{SPIN}; while [ -e gone ]; do rm -rf gone; done; {SPIN}; {SPIN}; echo end")
    equal((done.returncode, done.stdout), (255, "end\n"), f"a directory that goes: {done.stderr}")


def few_files():
    """A limit of open files that cannot be raised: what to do is said."""
    if os.geteuid() or not shutil.which("setpriv"):
        return
    events = ",".join(["cpu-clock:u", "page-faults:u", "task-clock:u", "minor-faults:u"] * 4)
    done = run("setpriv", "--reuid", NOBODY, "--clear-groups", "bash", "-c",
               f"ulimit -n 20; exec {PFX} record -e {events} -o /dev/null true")
    if "Permission" in done.stderr:
        return
    equal(done.returncode, 255, f"few open files: {done.stderr}")
    check("too many open files" in done.stderr and "ulimit -Hn" in done.stderr, done.stderr)


def as_without():
    """Standard input, process group, signals and open files are as without pfx."""
    done = subprocess.run([PFX, "record", "-q", "-N", "-o", "in.data", "--", "cat"], input="words\n",
                          stdout=subprocess.PIPE, text=True, check=False)
    equal(done.stdout, "words\n", "standard input")
    facts = ("import os, signal; print(os.getpgrp(), os.getsid(0), os.getcwd(), "
             "signal.pthread_sigmask(0, []), [signal.getsignal(s) for s in (2, 13, 15, 17)], "
             "os.nice(0), os.sched_getscheduler(0), sorted(os.listdir('/proc/self/fd')), "
             "open('/proc/self/limits').read())")
    with open("facts.py", "w", encoding="utf-8") as f:
        f.write(facts)
    both = run("bash", "-c", f"{sys.executable} facts.py; echo =; "
               f"{PFX} record -q -N -o in.data -- {sys.executable} facts.py").stdout.split("=\n")
    equal(both[1:], both[:1], "what the command sees of its surroundings")


def main():
    need_recording()
    for test in (many_threads, threads_come_and_go, storm_of_processes, one_after_another,
                 other_users, namespaces, failing_disk, vanishing_directory, few_files, as_without):
        start = time.monotonic()
        test()
        print(f"{test.__name__}: {time.monotonic() - start:.1f} s")
    finish()


main()
