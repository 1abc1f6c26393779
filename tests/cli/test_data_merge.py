# SPDX-License-Identifier: MIT
"""`pfx data merge`: what the merged recording has of each input, in both byte orders; perf reads it, too,
where it is installed; what cannot be merged."""
import os
import re
import shutil
import subprocess
import tempfile

from checks import KIT, PFX, check, finish, run

KERNEL = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff00010203"
OTHER = "00f1f2f3f4f5f6f7f8f9fafbfcfdfeff00010203"
BUILDS = ("000102030405060708090a0b0c0d0e0f10111213", "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3")
CLOCK = "feature clock_data u32=1 u32=1 u64={wall} u64={clock}\n"
HEAD = """feature hostname str={host}
feature osrelease str=6.1
feature arch str=x86_64
feature event_desc
feature nrcpus u32={cpus} u32={cpus}
dso "[kernel.kallsyms]" build_id={kernel} mode=kernel
dso /nowhere/prog build_id={build}
"""
BODY = """mmap pid=-1 tid=0 addr={text} len=0x1000000 pgoff={text} mode=kernel "[kernel.kallsyms]_text"
mmap pid=-1 tid=0 addr={module} len=0x10000 mode=kernel "[mod]"
comm pid={pid} tid={pid} "prog"
mmap2 pid={pid} tid={pid} addr=0x400000 len=0x1000 prot=5 flags=2 /nowhere/prog
"""
SAMPLES = """sample event=0 ip=0x400010 pid={pid} time={start} period=3 chain=user,0x400010,0x400020
sample event=0 ip={text_ip} pid={pid} time={next} mode=kernel period=5 chain=kernel,{text_ip},{module_ip},user,0x400010
round
"""
EVENT = "event cpu-clock type=sw config=0 freq=1000 sample=ip,tid,time,period,callchain{ids}\n"
FAULTS = "event page-faults type=sw config=2 period=1 sample=ip,tid,time,period,callchain,identifier ids=8\n"


def recording(name, order="--le", event=EVENT.format(ids=""), more="", extra="", **values):
    text, module = values.pop("text", 0xffffffff81000000), values.pop("module", 0xffffffffc0000000)
    known = {"host": "one", "cpus": 2, "kernel": KERNEL, "build": BUILDS[0], "pid": 100, "start": 1000, **values}
    known.update(text=hex(text), module=hex(module), text_ip=hex(text + 0x10), module_ip=hex(module + 0x20),
                 next=known["start"] + 1000)
    with open("description", "w", encoding="utf-8") as file:
        file.write(event + extra + (HEAD + BODY + SAMPLES).format(**known) + more)
    done = run(KIT, order, "description", name)
    check(done.returncode == 0, f"{name}: {done.stderr}")


def merge(*words):
    done = run(PFX, "data", "merge", "-o", "out.data", *words)
    check(done.returncode == 0, f"merge {words}: {done.stderr}")
    return done.stderr


def samples(name="out.data", program=PFX):
    """(event, pid, time in ns, address, period) of each, in order, and the frames."""
    done = run(program, "script", "-f", "--ns", "-F", "comm,pid,time,period,event,ip", "-i", name)
    check(done.returncode == 0, f"{program} script {name}: {done.stderr}")
    found = []
    for block in filter(str.strip, done.stdout.split("\n\n")):
        line, *frames = block.strip().splitlines()
        pid, seconds, ns, period, event = re.match(r"prog +(\d+) +(\d+)\.(\d{9}): +(\d+) +(\S+):", line).groups()
        found.append((event, int(pid), int(seconds) * 10**9 + int(ns), int(period),
                      *(int(frame.split()[0], 16) for frame in frames)))
    return found


def both_agree(what):
    mine = samples()
    if shutil.which("perf"):
        theirs = samples(program="perf")
        check(mine == theirs, f"{what}: perf reads {theirs}, pfx {mine}")
    check([s[2] for s in mine] == sorted(s[2] for s in mine), f"{what}: not in order of time: {mine}")
    return mine


def test_processes(order):
    """Equal numbers stay apart, others stay as they are; the order is that of time; one event."""
    recording("a.data", order)
    recording("b.data", order, start=1500, build=BUILDS[1], host="two", cpus=8)
    recording("c.data", order, start=1200, pid=300)
    said = merge("a.data", "b.data", "c.data")
    check("'b.data' has processes with numbers of another recording: they are written as NUMBER + 10000000" in said
          and "'c.data'" not in said, said)
    check("6 samples of 3 recordings, 1 event)" in said, said)
    kernel, module = 0xffffffff81000010, 0xffffffffc0000020
    check(both_agree("processes") == [
        ("cpu-clock", 100, 1000, 3, 0x10, 0x20), ("cpu-clock", 300, 1200, 3, 0x10, 0x20),
        ("cpu-clock", 10000100, 1500, 3, 0x10, 0x20), ("cpu-clock", 100, 2000, 5, kernel, module, 0x10),
        ("cpu-clock", 300, 2200, 5, kernel, module, 0x10),
        ("cpu-clock", 10000100, 2500, 5, kernel, module, 0x10)], f"samples: {samples()}")
    header = run(PFX, "report", "--header-only", "-i", "out.data").stdout
    check("# hostname : one,two\n" in header and "# nrcpus avail : 8\n" in header, header)
    check("# cmdline : pfx data merge a.data b.data c.data" in header, header)
    dump = run(PFX, "script", "--show-mmap-events", "-i", "out.data").stdout
    for pid, build in ((100, BUILDS[0]), (10000100, BUILDS[1]), (300, BUILDS[0])):
        check(re.search(rf"MMAP2 {pid}/{pid}: \[0x400000\(0x1000\) @ 0 <{build}>\]: r-xp /nowhere/prog", dump),
              f"the build of {pid}: {dump}")
    check(dump.count("[kernel.kallsyms]_text") == 1, f"one kernel: {dump}")


def test_kernels(order):
    """The same build elsewhere is moved to the first; another one has its own place and no symbols."""
    moved, text = 0xffffffff9a000000, 0xffffffff81000000
    recording("a.data", order)
    recording("b.data", order, pid=200, start=1500, text=moved, module=0xffffffffc0008000)
    recording("c.data", order, pid=300, start=1200, kernel=OTHER)
    said = merge("a.data", "b.data", "c.data")
    check("the kernel of 'b.data' is at other addresses" in said, said)
    check("'c.data' has another kernel: its code is [other-kernel], without symbols" in said, said)
    by_pid = {s[1]: s for s in both_agree("kernels") if len(s) == 7}
    check(by_pid[100][4:] == (text + 0x10, 0xffffffffc0000020, 0x10), f"the first: {by_pid}")
    check(by_pid[200][4] == text + 0x10 and by_pid[200][5] == 0xffffffffc0008020 - (1 << 36), f"moved: {by_pid}")
    check(by_pid[300][4] == text + 0x10 - (2 << 36), f"another kernel: {by_pid}")
    rows = run(PFX, "report", "-i", "out.data", "--stdio", "--no-children", "-g", "none", "-s", "pid,dso", "-F",
               "sample,pid,dso").stdout
    check(re.search(r"1 +300:prog +\[other-kernel\]", rows), f"the other kernel's samples: {rows}")
    check(re.search(r"1 +200:prog +\[kernel.kallsyms\]", rows), f"the moved kernel's samples: {rows}")


def test_events(order):
    """Ids of all recordings are told apart; events are never added up unless they count the same."""
    recording("a.data", order)
    two = EVENT.format(ids=",identifier ids=7") + FAULTS
    recording("b.data", order, event=two, pid=200, start=1500,
              more="sample event=1 ip=0x400030 pid=200 time=3000 period=1 chain=user,0x400030\nround\n")
    recording("c.data", order, event=EVENT.format(ids="").replace("freq=1000", "freq=99"), pid=300, start=1200)
    said = merge("a.data", "b.data", "c.data")
    check("7 samples of 3 recordings, 3 events)" in said, said)
    names = [(s[0], s[1], s[2]) for s in both_agree("events")]
    check(names == [("cpu-clock", 100, 1000), ("cpu-clock", 300, 1200), ("cpu-clock", 200, 1500), ("cpu-clock", 100, 2000),
                    ("cpu-clock", 300, 2200), ("cpu-clock", 200, 2500), ("page-faults", 200, 3000)], f"events: {names}")
    listed = run(PFX, "evlist", "-F", "-i", "out.data").stdout
    check(listed.split("\n")[:3] == ["cpu-clock: sample_freq=1000", "page-faults: sample_period=1", "cpu-clock: sample_freq=99"],
          f"evlist: {listed}")
    run(PFX, "data", "merge", "-q", "-o", "again.data", "out.data", "a.data")
    check(len(samples("again.data")) == 9, "a merged recording cannot be merged again")


def test_times(order):
    """Two clocks, of which the second started 5 s earlier by the wall."""
    recording("a.data", order, more="", extra=CLOCK.format(wall=10**18, clock=10**10))
    recording("b.data", order, pid=200, extra=CLOCK.format(wall=10**18, clock=15 * 10**9), start=5 * 10**9 + 1500)
    said = merge("a.data", "b.data")
    check("times of 'a.data' are moved by 5.000000 s to the clock of the others" in said, said)
    check("times are those of each machine's clock" not in said, said)
    second = 5 * 10**9
    check([(s[1], s[2] - second) for s in both_agree("times")] == [(100, 1000), (200, 1500), (100, 2000), (200, 2500)],
          f"times: {samples()}")
    recording("c.data", order, pid=300)
    said = merge("a.data", "c.data")
    check("times are those of each machine's clock: record with -k mono" in said, f"no clock: {said}")


def test_refused():
    recording("a.data")
    recording("b.data", pid=200)
    recording("big.data", "--be", pid=300)
    recording("arm.data", pid=300)
    for words, code, said in (
            (["a.data"], 129, "a merge needs two recordings or more\npfx data merge -o OUTPUT FILE FILE..."),
            (["a.data", "b.data", "-o", "a.data"], 129, "'a.data' is one of the recordings to be merged\nname another"),
            (["a.data", "b.data", "--to-json", "x"], 129, "--to-json is for 'pfx data convert'"),
            (["a.data", "none.data"], 255, "cannot open 'none.data': No such file or directory"),
            (["a.data", "-"], 255, "a stream cannot be merged: it is read twice"),
            (["a.data", "/dev/null"], 255, "'/dev/null' is not a file, and cannot be merged: it is read twice"),
            (["a.data", "big.data"], 255, "'big.data' is in the other byte order than the first recording"),
            (["-o", "nodir/x", "a.data", "b.data"], 255, "cannot write 'nodir/x': No such file or directory")):
        done = run(PFX, "data", "merge", *words)
        check(done.returncode == code and done.stderr.startswith(f"pfx data merge: {said}"), f"{words}: {done}")
    done = run(PFX, "data", "convert", "-o", "x")
    check(done.returncode == 129 and "--output is for 'pfx data merge'" in done.stderr, f"convert -o: {done}")
    check(not os.path.exists("perf.data"), "something is written")
    if os.path.exists("/dev/full"):
        done = run(PFX, "data", "merge", "-q", "a.data", "b.data", "-o", "/dev/full")
        check(done.returncode == 255 and "No space left on device" in done.stderr, f"a full disk: {done}")
    piped = subprocess.run([PFX, "data", "merge", "-q", "-o", "-", "a.data", "b.data"], stdout=subprocess.PIPE, check=True).stdout
    with open("stream.data", "wb") as file:
        file.write(piped)
    check(len(samples("stream.data")) == 4, "a merge to a pipe")


def test_damaged():
    """A truncated recording gives what is intact, and a note."""
    recording("a.data")
    recording("b.data", pid=200)
    with open("b.data", "rb") as file:
        data = file.read()
    for cut in range(0, len(data), 97):
        with open("cut.data", "wb") as file:
            file.write(data[:cut])
        done = run(PFX, "data", "merge", "-o", "out.data", "a.data", "cut.data")
        check(done.returncode in (0, 255), f"cut at {cut}: {done}")
        if done.returncode == 0:
            check(len(samples()) >= 2, f"cut at {cut}: {done}")


def test_short():
    """A recording that is cut short has neither a release nor build IDs: it is said, and its kernel is known by its place."""
    recording("whole.data", more="sample event=0 ip=0x400010 pid=100 time=9000 period=1 chain=user,0x400010\n" * 200 + "round\n")
    with open("whole.data", "rb") as file:
        data = file.read()
    with open("short.data", "wb") as file:
        file.write(data[:len(data) // 2])
    said = merge("whole.data", "short.data")
    check("'short.data': the recording ends " in said and "another kernel" not in said and "'whole.data': " not in said, f"damage: {said}")
    done = run(PFX, "data", "merge", "--strict", "-o", "no.data", "whole.data", "short.data")
    check(done.returncode == 255 and not os.path.exists("no.data"), f"--strict: {done}")
    done = run(PFX, "archive", "-i", "short.data", "-o", "short.tar")
    check(done.returncode == 0 and "pfx archive: the recording ends " in done.stderr, f"archive: {done}")


def test_moved():
    """Kernels without build IDs of one release: the same one at another address; of another size: another one."""
    for name, at in (("here.data", 0xffffffff81000000), ("there.data", 0xffffffff92000000)):
        with open("description", "w", encoding="utf-8") as file:
            known = {"host": "one", "cpus": 2, "build": BUILDS[0], "pid": 100, "start": 1000, "text": hex(at), "kernel": KERNEL,
                     "module": "0xffffffffc0000000", "text_ip": hex(at + 0x10), "module_ip": "0xffffffffc0000020", "next": 2000}
            text = EVENT.format(ids="") + (HEAD + BODY + SAMPLES).format(**known)
            file.write(re.sub('dso "\\[kernel.*\n', "", text))
        check(run(KIT, "--le", "description", name).returncode == 0, name)
    said = merge("here.data", "there.data")
    check("the kernel of 'there.data' is at other addresses" in said and "another kernel" not in said, f"moved: {said}")


def test_numbers():
    """A merged recording is merged again: numbers stay apart, and those that cannot are refused."""
    recording("one.data", pid=100)
    recording("two.data", pid=100)
    merge("one.data", "two.data")
    os.rename("out.data", "both.data")
    merge("both.data", "one.data", "both.data")
    pids = sorted({row[1] for row in samples()})
    check(pids == [100, 10000100, 20000100, 30000100, 40000100], f"numbers: {pids}")
    recording("high.data", pid=2147483000)
    recording("high2.data", pid=2147483000)
    done = run(PFX, "data", "merge", "-o", "no.data", "high.data", "high2.data")
    check(done.returncode == 255 and "processes of 'high2.data' have numbers of another recording, and cannot have others" in done.stderr and
          not os.path.exists("no.data"), f"high numbers: {done}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for order in ("--le", "--be"):
            test_processes(order)
            test_kernels(order)
            test_events(order)
            test_times(order)
        test_refused()
        test_damaged()
        test_short()
        test_moved()
        test_numbers()
        os.chdir("/")


main()
finish()
