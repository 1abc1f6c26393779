# SPDX-License-Identifier: MIT
"""Each option of record does what it says: the field is in the samples, the record in the file, the
counter on the right task. perf, where it is installed, reads every file to the same samples."""
import os
import pwd
import re
import shutil
import subprocess
import sys
import threading
import time

from live import (DEMO, PERF, PFX, check, equal, finish, need_recording, run, samples, skip,
                  wait_for, wait_for_work)

BUSY = "for i in $(seq 20); do ls / >/dev/null; done"
SPIN = ["sh", "-c", "while :; do :; done"]
WINDOW = (DEMO, "0.15")  # how long others are looked at: who competes for the CPUs comes to work, too
TRACEFS = "/sys/kernel/tracing/events/raw_syscalls"
FIELD = re.compile(r"PERF_RECORD_SAMPLE")


class Data:
    """A recording, its dump and its attrs."""

    def __init__(self, *words, command=("sh", "-c", BUSY), name="e.data"):
        self.words = " ".join(words)
        self.path = name
        self.done = run(PFX, "record", "-q", "-N", "-o", name, *words,
                        *(("--", *command) if command else ()))
        equal(self.done.returncode, 0, f"{self.words}: {self.done.stderr}")
        self.dump = run(PFX, "script", "-D", "-i", name).stdout
        self.events = run(PFX, "evlist", "-v", "-i", name).stdout
        self.samples = self.dump.split("PERF_RECORD_SAMPLE")[1:]
        if PERF:
            equal(samples(name), samples(name, PERF), f"{self.words}: samples as perf counts them")

    def every_sample(self, pattern):
        found = [s for s in self.samples if re.search(pattern, s)]
        check(self.samples and len(found) == len(self.samples),
              f"{self.words}: {len(found)} of {len(self.samples)} samples have '{pattern}'")

    def no_sample(self, pattern):
        found = [s for s in self.samples if re.search(pattern, s)]
        check(self.samples and not found, f"{self.words}: a sample has '{pattern}'")

    def has(self, pattern, text=None):
        check(re.search(pattern, self.dump if text is None else text),
              f"{self.words}: no '{pattern}'")

    def lacks(self, pattern, text=None):
        check(not re.search(pattern, self.dump if text is None else text),
              f"{self.words}: '{pattern}' is there")

    def column(self, fields):
        out = run(PFX, "script", "-F", fields, "-i", self.path).stdout
        return [line.split() for line in out.split("\n") if line.strip()]


def fields():
    data = Data("--phys-data", "--data-page-size", "--code-page-size", "-W", "--transaction",
                "--sample-mem-info", "--sample-cpu", "-P", "-c", "100000")
    for pattern in ("phys_addr: ", "data page size: ", "code page size: ", "weight: ",
                    "transaction: ", "data_src: ", "period: 100000 "):
        data.every_sample(pattern)
    data.has("CPU.*PERIOD", data.events)
    check(all(re.match(r"\[\d+\]", row[0]) for row in data.column("cpu")), "a sample has no CPU")
    data = Data("--no-period", "--sample-identifier")
    data.lacks("PERIOD", data.events)
    data.has("IDENTIFIER", data.events)
    data = Data("-I", "--user-regs=sp")
    data.every_sample(r"intr regs: mask 0x[0-9a-f]{4,}")
    data.every_sample(r"user regs: mask 0x[0-9a-f]+ ABI [\s\S]*\.\.\.\. (SP|sp) ")


def maps():
    Data().lacks(r"PERF_RECORD_MMAP2.*: r--p ")
    Data("--data-mmap").has(r"PERF_RECORD_MMAP2.*: r[w-]-p ")
    Data("-d").has(r"PERF_RECORD_MMAP2.*: r[w-]-p ")


def no_samples():
    data = Data("-n")
    equal(len(data.samples), 0, "-n: samples")
    data.has("PERF_RECORD_COMM")


def chains():
    data = Data("--call-graph", "fp,3", "-e", "page-faults", "-c", "1")
    deepest = max(int(nr) for nr in re.findall(r"FP chain: nr:(\d+)", data.dump))
    # The kernel counts markers of levels separately: one or two of them come on top.
    check(2 <= deepest <= 5, f"fp,3: {deepest} frames")
    data = Data("-g", "--kernel-callchains", "-e", "page-faults", "-c", "1")
    data.no_sample(r"\.\.\.\.\.  \d: fffffffffffffe00")
    data = Data("-g", "--user-callchains", "-e", "page-faults", "-c", "1")
    data.no_sample(r"\.\.\.\.\.  \d: ffffffffffffff80")
    data = Data("-e", "page-faults/call-graph=fp,period=1/,minor-faults/period=1/")
    with_chain = [s for s in data.samples if "FP chain" in s]
    check(with_chain and len(with_chain) < len(data.samples), "a term about one event's chains")
    data = Data("-e", "page-faults/call-graph=dwarf,stack-size=512,period=1/")
    data.every_sample(r"ustack: size \d+, offset")
    data.has("sample_stack_user: 512", data.events)
    data = Data("--call-graph", "dwarf", "-e", "page-faults/call-graph=fp,period=1/")
    data.lacks("STACK_USER|exclude_callchain_user", data.events)


def records():
    Data().lacks("PERF_RECORD_(SWITCH|NAMESPACES|CGROUP)")
    data = Data("--switch-events", "--namespaces", "--all-cgroups")
    data.has("PERF_RECORD_SWITCH")
    data.has("PERF_RECORD_NAMESPACES")
    data.every_sample(r"cgroup: \d+")
    if os.path.exists("/sys/fs/cgroup/cgroup.procs"):
        data.has("PERF_RECORD_CGROUP")
        check(all(row[-1].startswith("/") for row in data.column("comm,cgroup")), "cgroup names")
    data = Data("--no-bpf-event")
    data.lacks("bpf_event", data.events)
    data = Data("-a", "--switch-events", "--namespaces", command=("sleep", "0.1"))
    data.has("PERF_RECORD_SWITCH_CPU_WIDE")
    data.has("PERF_RECORD_NAMESPACES")


def clocks():
    for name, clock, number in (("mono", time.CLOCK_MONOTONIC, 1), ("real", time.CLOCK_REALTIME, 0),
                                ("raw", time.CLOCK_MONOTONIC_RAW, 4), ("tai", time.CLOCK_TAI, 11),
                                ("CLOCK_BOOTTIME", time.CLOCK_BOOTTIME, 7)):
        start = time.clock_gettime(clock)
        data = Data("-k", name)
        end = time.clock_gettime(clock)
        times = [float(row[0].rstrip(":")) for row in data.column("time")]
        check(times and all(start - 1e-5 <= t <= end + 1e-5 for t in times), f"-k {name}: times")
        for tool in (PFX, PERF) if PERF else (PFX,):
            header = run(tool, "report", "--header-only", "-i", data.path).stdout
            data.has(rf"clockid: \w+ \({number}\)", header)
            data.has(r"clockid frequency: \d+ MHz", header)
            data.has("reference time: ", header)


def groups():
    data = Data("-e", "{cpu-clock,page-faults}:S", "--running-time")
    data.every_sample(r"time enabled [0-9a-f]+[\s\S]*group nr 2\n.*value [0-9a-f]+.*\n.*value ")
    data = Data("-e", "cpu-clock,page-faults", "--group")
    header = run(PFX, "report", "--header-only", "-i", data.path).stdout
    data.has(r"group: \{cpu-clock,page-faults\}", header)


def terms():
    data = Data("-e", "page-faults/name=mine,period=10/")
    check({row[0] for row in data.column("event")} == {"mine:"}, "the name of an event")
    data.every_sample("period: 10 ")
    data = Data("-e", "page-faults/time=0/")
    data.lacks(r"\|TIME", data.events)
    data = Data("-e", "page-faults/no-inherit,period=1/")
    own = {row[0] for row in data.column("pid")}
    equal(len(own), 1, "no-inherit: processes")
    check(len({row[0] for row in Data("-e", "page-faults/period=1/").column("pid")}) > 1, "inherit")


def modifiers():
    for modifier, level in (("u", "user"), ("k", "kernel")):
        data = Data("-e", f"page-faults:{modifier}", "-c", "1")
        data.every_sample(r"^\(IP, 0x[0-9a-f]*2\)" if level == "user" else
                          r"^\(IP, 0x[0-9a-f]*1\)")


def breakpoints():
    """A program writes a word a hundred times a second, and tells where it is."""
    code = ("import ctypes, time\nword = ctypes.c_uint32()\n"
            "print(ctypes.addressof(word), flush=True)\n"
            "while True:\n    word.value += 1\n    time.sleep(0.01)\n")
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as writer:
        address = int(writer.stdout.readline())
        # until it has slept ten times more, however long that takes
        slept = f"slept() {{ sed -n 's/^voluntary.*:\\s*//p' /proc/{writer.pid}/status; }}; "
        data = Data("-p", str(writer.pid), "-e", f"mem:{address:#x}/4:w:u", command=(
            "sh", "-c", slept + "end=$(($(slept) + 10)); while [ $(slept) -lt $end ]; do sleep 0.05; done"))
        writer.kill()
    check(len(data.samples) > 3, f"breakpoint: {len(data.samples)} samples")
    equal({int(row[0]) for row in data.column("pid")}, {writer.pid}, "breakpoint: processes")


def threads():
    code = ("import threading\n"
            "def spin():\n    for i in range(3000000): pass\n"
            "t = [threading.Thread(target=spin) for i in range(3)]\n"
            "[x.start() for x in t]\n[x.join() for x in t]\n")
    target = subprocess.Popen([sys.executable, "-c", "input()\n" + code + "spin()\n"], stdin=subprocess.PIPE)
    for name in ("ctl", "ack"):
        if os.path.exists(name):
            os.unlink(name)
        os.mkfifo(name)
    ctl, ack = os.open("ctl", os.O_RDWR), os.open("ack", os.O_RDWR)
    os.write(ctl, b"ping\n")  # the answer says that it records
    starter = threading.Thread(target=lambda: (os.read(ack, 5), target.communicate(b"\n")))
    starter.start()
    data = Data("--per-thread", "-p", str(target.pid), "--control", "fifo:ctl,ack", command=())
    starter.join()
    os.close(ctl)
    os.close(ack)
    equal({int(row[0]) for row in data.column("tid")}, {target.pid}, "--per-thread: threads")
    data.lacks("TIME", data.events.replace("TOTAL_TIME", ""))
    data.lacks("inherit: 1", data.events)
    data = Data("--per-thread", "-T", command=(sys.executable, "-c", code))
    equal(len({row[0] for row in data.column("tid")}), 1, "--per-thread: a command's threads")
    data.has("TIME", data.events)


def levels():
    for option, other in (("--all-user", "1"), ("--all-kernel", "2")):
        data = Data(option, "-e", "cpu-clock,page-faults", "-F", "9000")
        data.no_sample(rf"^\(IP, 0x[0-9a-f]*{other}\)")


def inheritance():
    """A shell that starts others."""
    check(len({row[0] for row in Data("-F", "9000").column("pid")}) > 1, "what a command starts")
    for option in ("-i", "--no-inherit"):
        data = Data(option, "-F", "9000")
        equal(len({row[0] for row in data.column("pid")}), 1, f"{option}: processes")
        data.lacks("inherit: 1", data.events)
    code = ("import subprocess, sys\nsys.stdin.readline()\n"
            "subprocess.run(['sh', '-c', 'i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done'])\n")
    for words, wanted in ((["-t"], 1), (["--inherit", "-t"], 2)):
        with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE) as target:
            with subprocess.Popen([PFX, "record", "-q", "-N", "-o", "t.data", "--control", "fd:0,1",
                                   "-e", "cpu-clock", "-F", "9000", *words, str(target.pid)],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE) as recorder:
                recorder.stdin.write(b"ping\n")
                recorder.stdin.flush()
                recorder.stdout.read(4)
                target.communicate(b"\n")
                recorder.communicate()
        found = {int(p) for p in run(PFX, "script", "-F", "pid", "-i", "t.data").stdout.split()}
        check(target.pid in found and len(found) == wanted, f"{words}: {found}")


def one_cpu():
    """All that runs there, not only the command: without -C, -i would leave the child out."""
    code = ("import os, time\nos.sched_setaffinity(0, {0})\nchild = os.fork()\n"
            "while time.process_time() < 0.2: pass\nchild and os.wait()\n")
    data = Data("-C", "0", "-i", "-e", "cpu-clock", "-F", "9000",
                command=(sys.executable, "-c", code))
    equal({row[0] for row in data.column("cpu")}, {"[000]"}, "-C 0: CPUs")
    check(len({row[0] for row in data.column("pid")}) > 1, "-C 0: what else runs there")


def counts_of_threads():
    """The kernel tells the counts of each thread that ends."""
    Data("-e", "task-clock").lacks("PERF_RECORD_READ")
    for option in ("-s", "--stat"):
        data = Data(option, "-e", "task-clock")
        data.has("PERF_RECORD_READ")
        data.has("inherit_stat: 1", data.events)
        if PERF:
            shown = run(PERF, "report", "--stdio", "-T", "-i", "e.data").stdout
            check(re.search(r"#\s+PID\s+TID\s+task-clock\s+\d+\s+\d+\s+\d+", shown), f"{option}: {shown}")


def raw_bytes():
    data = Data("-R", "-e", "page-faults", "-c", "1")
    data.has(r"sample_type: IP\|TID\|TIME\|CPU\|RAW", data.events)
    data = Data("--no-timestamp", "-e", "page-faults", "-c", "1")
    data.lacks("TIME", data.events)


def rates():
    for words in (["-F", "99"], ["-F", "99", "--strict-freq"]):
        data = Data(*words, "-e", "cpu-clock")
        data.has(r"sample_freq }: 99,.*freq: 1", data.events)
    data = Data("-F", "max", "-e", "page-faults")  # a clock at this rate can take all of a virtual CPU
    with open("/proc/sys/kernel/perf_event_max_sample_rate", encoding="ascii") as f:
        rate = int(f.read())
    found = int(re.search(r"sample_freq }: (\d+)", data.events).group(1))
    check(rate <= found, f"-F max: {found}")  # the kernel lowers the limit now and then
    done = run(PFX, "record", "-F", "max", "-o", "max.data", "--", "true")
    if "no cycle counter here" in done.stderr and rate > 20000:
        check("the clock samples 20000 times a second: a faster timer can take a whole CPU ('-e cpu-clock' takes any rate)\n" in done.stderr,
              f"a clock in place of cycles: {done.stderr}")
        shown = run(PFX, "evlist", "-v", "-i", "max.data").stdout
        check("sample_freq }: 20000," in shown, f"a clock in place of cycles: {shown}")


def time_for_maps():
    """Reading very many maps of a process is given up after a time, and the record says so."""
    code = ("import mmap, sys\nf = open(sys.executable, 'rb')\nmaps = []\n"
            "for i in range(15000):\n"
            "    maps.append(mmap.mmap(f.fileno(), 4096, mmap.MAP_PRIVATE, 5, offset=4096 * (i % 2)))\n"
            "print('ready', flush=True)\nsys.stdin.readline()\n")
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as target:
        target.stdout.readline()
        found = {}
        for ms in ("1", "60000"):
            data = Data("-p", str(target.pid), "--proc-map-timeout", ms, command=("sleep", "0.01"))
            found[ms] = data.dump.count("PERF_RECORD_MMAP2")
        target.communicate(b"\n")
    # On a busy machine a millisecond is over before the first map is read.
    check(found["1"] < found["60000"] and found["60000"] > 7000, f"--proc-map-timeout: {found}")


def users():
    if os.geteuid():
        print("not root: no other user's processes")
        return
    user = pwd.getpwnam("uucp")  # processes of nobody are those of other tests
    spinning = subprocess.Popen(SPIN, user=user.pw_name)
    wait_for_work(spinning.pid, 0.05)
    for word in (user.pw_name, str(user.pw_uid)):
        data = Data("-u", word, command=WINDOW)
        equal({int(row[0]) for row in data.column("pid")}, {spinning.pid}, f"-u {word}: processes")
    spinning.kill()
    spinning.wait()
    done = run(PFX, "record", "-u", "no-such-user", "--", "true")
    check(done.returncode and "no-such-user" in done.stderr, "an unknown user")


def mount_of_cgroups():
    with open("/proc/mounts", encoding="utf-8") as mounts:
        for line in mounts:
            if line.split()[2] == "cgroup2":
                return line.split()[1]
    return None


def is_removed(path):
    try:
        os.rmdir(path)
    except OSError:  # somebody is still in it
        pass
    return not os.path.exists(path)


def cgroups():
    mount = mount_of_cgroups()
    if os.geteuid() or not mount:
        print("no cgroup can be made here")
        return
    path = os.path.join(mount, f"pfx-test-{os.getpid()}")
    os.mkdir(path)
    spinning, other = subprocess.Popen(SPIN), subprocess.Popen(SPIN)
    try:
        with open(os.path.join(path, "cgroup.procs"), "w", encoding="utf-8") as procs:
            procs.write(str(spinning.pid))
        data = Data("-a", "-e", "cpu-clock", "-G", os.path.basename(path),
                    command=WINDOW)
        equal({int(row[0]) for row in data.column("pid")}, {spinning.pid}, "-G: processes")
        data = Data("-a", "-e", "cpu-clock", "--all-cgroups", command=WINDOW)
        of_group = {row[0] for row in data.column("pid,cgroup")
                    if row[-1] == f"/{os.path.basename(path)}"}
        equal(of_group, {str(spinning.pid)}, "--all-cgroups: processes of a cgroup")
    finally:
        for process in (spinning, other):
            process.kill()
            process.wait()
        wait_for(lambda: is_removed(path), "the end of the cgroup")


def filters():
    if not os.access(TRACEFS, os.R_OK):
        print("tracepoints cannot be read here")
        return
    data = Data("-e", "raw_syscalls:sys_enter", "--filter", "id == 1", "--filter", "common_pid > 0")
    check(data.samples, "--filter: samples")
    rows = run(PFX, "script", "-F", "trace", "-i", data.path).stdout.strip().split("\n")
    check(all(row.strip().startswith("NR 1 ") for row in rows), "--filter: other system calls")
    with subprocess.Popen([PFX, "record", "-q", "-N", "-a", "-o", "x.data", "-e",
                           "raw_syscalls:sys_enter", "--filter", "common_pid > 0",
                           "--exclude-perf", "--", "sleep", "0.2"]) as recorder:
        recorder.wait()
    out = run(PFX, "script", "-F", "pid", "-i", "x.data").stdout.split()
    check(out and str(recorder.pid) not in out, "--exclude-perf: pfx is there")
    done = run(PFX, "record", "-e", "raw_syscalls:sys_enter", "--filter", "nope == 1", "--", "true")
    check(done.returncode == 255 and "'nope == 1'" in done.stderr and "common_pid" in done.stderr,
          f"a wrong filter: {done.stderr}")


def names_of_libpfm():
    if "libpfm: [ on" not in run(PFX, "version", "--build-options").stdout:
        print("pfx is built without libpfm4")
        return
    data = Data("--pfm-events", "perf::CPU-CLOCK,perf::PAGE-FAULTS")
    attrs = dict(re.findall(r"^(\S+): type: (\d+).*?(?=\n|$)", data.events, re.M))
    equal(attrs, {"perf::CPU-CLOCK": "1", "perf::PAGE-FAULTS": "1"}, "--pfm-events: types")
    names = {row[0].rstrip(":") for row in data.column("event")}
    check("perf::PAGE-FAULTS" in names, f"--pfm-events: samples of {names}")


def refusals():
    """What this machine cannot do is said, with the option and with what works."""
    for words, option in ((["-b"], "-b"), (["-j", "any_call"], "-j"), (["--call-graph", "lbr"],
                                                                        "--call-graph lbr")):
        done = run(PFX, "record", "-e", "cpu-clock", *words, "-o", "r.data", "--", "true")
        check(done.returncode == 255 and option in done.stderr and "--call-graph fp" in done.stderr,
              f"{words}: {done.stderr}")
    done = run(PFX, "record", "-k", "2", "-o", "r.data", "--", "true")
    check(done.returncode == 255 and "-k does not work here" in done.stderr, f"-k 2: {done.stderr}")
    done = run(PFX, "record", "--strict-freq", "-F", "100000000", "--", "true")
    check(done.returncode == 255 and "more than the kernel allows" in done.stderr, "--strict-freq")
    check(not os.path.exists("r.data"), "a recording that failed left a file")
    for words in (["-I?"], ["--user-regs=?"]):
        done = run(PFX, "record", *words)
        check(done.returncode == 0 and done.stdout.startswith("available registers: "), words)


def main():
    need_recording()
    if not shutil.which("sh"):
        skip("there is no shell")
    for test in (fields, maps, no_samples, chains, records, clocks, groups, terms, modifiers,
                 breakpoints, threads, levels, inheritance, one_cpu, counts_of_threads, raw_bytes,
                 rates, time_for_maps, users, cgroups, filters, names_of_libpfm, refusals):
        test()
    finish()


main()
