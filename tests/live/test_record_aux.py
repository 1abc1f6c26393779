# SPDX-License-Identifier: MIT
"""Traces of a PMU that is not there: sysfs and the PMU's memory are made (fake_aux.c), everything
else is the kernel's. What comes into the file, who can read it, and the attributes beside perf's."""
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import time

from live import PATIENCE, PERF, PFX, QUICK, check, equal, finish, need_recording, run, skip, wait_for

SHIM = os.environ.get("PFX_FAKE_AUX", "build/dev/tests/live/libfake-aux.so")
DEVICES = "/sys/bus/event_source/devices"
TYPE = {"intel_pt": 8, "intel_bts": 12}
FILES = {
    "intel_pt/type": "8", "intel_bts/type": "12", "intel_pt/nr_addr_filters": "2",
    "intel_pt/max_nonturbo_ratio": "32", "intel_pt/caps/mtc": "1", "intel_pt/caps/psb_cyc": "1",
    "intel_pt/caps/mtc_periods": "249", "intel_pt/caps/psb_periods": "3f",
    "intel_pt/caps/cycle_thresholds": "1fff", "intel_pt/caps/event_trace": "0",
    "intel_pt/caps/ip_filtering": "1", "intel_pt/caps/num_address_ranges": "2",
    "intel_pt/format/pt": "config:0", "intel_pt/format/cyc": "config:1",
    "intel_pt/format/mtc": "config:9", "intel_pt/format/tsc": "config:10",
    "intel_pt/format/noretcomp": "config:11", "intel_pt/format/branch": "config:13",
    "intel_pt/format/mtc_period": "config:14-17", "intel_pt/format/cyc_thresh": "config:19-22",
    "intel_pt/format/psb_period": "config:24-27",
}
SLEEP = ["sleep", "0.2"]
AUXTRACE = 71


def in_fake_machine():
    """Again in a mount namespace of our own, where the PMU exists."""
    if "PFX_IN_FAKE_MACHINE" in os.environ:
        return
    if os.geteuid() or not shutil.which("unshare"):
        skip("a file system of our own needs root and unshare")
    if not os.path.exists(SHIM):
        skip("the PMU that is not there was not built")
    here = os.path.abspath("devices")
    shutil.rmtree(here, ignore_errors=True)
    shutil.copytree(DEVICES, here, symlinks=True)
    for name, text in FILES.items():
        os.makedirs(os.path.dirname(f"{here}/{name}"), exist_ok=True)
        with open(f"{here}/{name}", "w", encoding="ascii") as file:
            file.write(text + "\n")
    done = subprocess.run(["unshare", "-m", "sh", "-c", f'mount --bind "$0" {DEVICES} && exec "$@"',
                           here, sys.executable, *sys.argv], check=False,
                          env=dict(os.environ, PFX_IN_FAKE_MACHINE="1"))
    sys.exit(done.returncode)


def faked(amount, cpuid="", pmu="intel_pt"):
    shims = ":".join([os.path.abspath(SHIM), *([QUICK["LD_PRELOAD"]] if QUICK else [])])
    return ["env", f"LD_PRELOAD={shims}", "FAKE_AUX_LOG=opened.log",
            f"FAKE_AUX_TYPE={TYPE[pmu]}", f"FAKE_AUX_BYTES={amount}", f"FAKE_AUX_CPUID={cpuid}",
            "ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0"]


def record(*words, amount=300000, command=SLEEP, tool=PFX, cpuid="", pmu="intel_pt", **kw):
    if os.path.exists("opened.log"):
        os.unlink("opened.log")
    return run(*faked(amount, cpuid, pmu), tool, "record", *words, "--", *command, **kw)


def records(data):
    """(type, place, bytes, bytes behind it) of each record, features left out. Of a file, only the
    published bytes are read: while it is being recorded, it may grow faster than it is read."""
    with open(data, "rb") as file:
        content = file.read(104)
        if struct.unpack_from("<Q", content, 8)[0] == 16:
            content += file.read()
            at, end = 16, len(content)
        else:
            at, size = struct.unpack_from("<QQ", content, 40)
            end = at + size
            content += file.read(end - len(content))
    while at < end:
        kind, _, size = struct.unpack_from("<IHH", content, at)
        more = struct.unpack_from("<Q", content, at + 8)[0] if kind == AUXTRACE else 0
        yield kind, at, content[at:at + size], content[at + size:at + size + more]
        at += size + more


def traces(data):
    """What each ring's area gave: {index: [(offset, bytes)]}."""
    found = {}
    for kind, _, head, more in records(data):
        if kind != AUXTRACE:
            continue
        size, offset, reference, index = struct.unpack_from("<QQQI", head, 8)
        equal(size, len(more), "the data is there")
        check(reference, "a trace has a reference")
        found.setdefault(index, []).append((offset, more))
    return found


def is_stream(offset, more):
    """The word at place p is p; the last one may be cut off by padding."""
    words = struct.unpack(f"<{len(more) // 8}Q", more)
    return all(word == offset + 8 * i for i, word in enumerate(words))


def dump(data, tool):
    done = run(tool, "script", "-D", "-i", data)
    return re.findall(r"PERF_RECORD_AUXTRACE size: (0x[0-9a-f]+)\s+offset: (0x[0-9a-f]+|0)",
                      done.stdout)


def whole_traces(amount=300000):
    for words in (["-e", "intel_pt//"], ["-a", "-e", "intel_pt//u"], ["-e", "intel_pt//", "-z"],
                  ["-e", "intel_pt//", "--per-thread"], ["-e", "intel_pt//", "-m", "16,4"],
                  ["-e", "intel_bts//", "--per-thread"], ["-e", "cpu-clock,intel_pt//", "-m,8K"]):
        pmu = "intel_bts" if "intel_bts//" in words else "intel_pt"
        done = record(*words, "-o", "out.data", amount=amount, pmu=pmu)
        equal(done.returncode, 0, f"{words}: {done.stderr}")
        found = traces("out.data")
        equal(len(found), 1 if "--per-thread" in words else os.cpu_count(), f"{words}: areas")
        for pieces in found.values():
            at = 0
            for offset, more in pieces:
                equal(offset, at, f"{words}: nothing is missing")
                check(is_stream(offset, more), f"{words}: the bytes of the trace")
                at += len(more)
            check(at >= 8192, f"{words}: {at} bytes")
        who_reads("out.data", sum(map(len, found.values())), words)


def who_reads(data, nr, words):
    for tool in filter(None, (PFX, PERF)):
        equal(len(dump(data, tool)), nr, f"{words}: AUXTRACE by {tool}")
        check("contains AUX area data" in run(tool, "report", "--header-only", "-i", data).stdout,
              f"{words}: the feature by {tool}")
    done = run(PFX, "inject", "-i", data, "-o", "copy.data")
    equal(done.returncode, 0, f"{words}: inject: {done.stderr}")
    equal(traces("copy.data"), traces(data), f"{words}: a copy has the trace")


def index():
    """The feature points to the records."""
    record("-e", "intel_pt//", "-o", "out.data")
    places = [at for kind, at, _, _ in records("out.data") if kind == AUXTRACE]
    with open("out.data", "rb") as file:
        content = file.read()
    at, size = struct.unpack_from("<QQ", content, 40)
    bits = int.from_bytes(content[72:104], "little")
    before = sum(bits >> i & 1 for i in range(18))
    check(bits >> 18 & 1, "AUXTRACE is among the features")
    section = struct.unpack_from("<QQ", content, at + size + 16 * before)
    count = struct.unpack_from("<Q", content, section[0])[0]
    pairs = [struct.unpack_from("<QQ", content, section[0] + 8 + 16 * i) for i in range(count)]
    equal(pairs, [(place, 48) for place in places], "the index")


def streams():
    with open("stream.data", "wb") as stream:
        done = record("-e", "intel_pt//", "-o", "-", stdout=stream)
    equal(done.returncode, 0, f"a stream: {done.stderr}")
    found = traces("stream.data")
    check(all(is_stream(*piece) for pieces in found.values() for piece in pieces), "a stream")
    for tool in filter(None, (PFX, PERF)):
        done = run("sh", "-c", 'cat stream.data | "$0" script -D -i -', tool)
        equal(done.stdout.count("PERF_RECORD_AUXTRACE size"), sum(map(len, found.values())),
              f"a stream by {tool}")


def snapshots():
    done = record("-e", "intel_pt//", "-S", "-o", "out.data")
    equal(traces("out.data"), {}, f"nothing without a request: {done.stderr}")
    record("-e", "intel_pt//", "-Se", "-m,4", "-o", "out.data", amount=40000)
    for pieces in traces("out.data").values():
        equal([len(more) for _, more in pieces], [16384], "all of the area at the end")
        first = struct.unpack_from("<Q", pieces[0][1])[0]
        check(is_stream(first, pieces[0][1]), "the newest bytes, oldest first")
        equal(first + 16384, 40000, "the newest bytes")
    record("-e", "intel_pt//", "-Se4096", "-o", "out.data", amount=10000)
    for pieces in traces("out.data").values():
        equal([len(more) for _, more in pieces], [4096], "a snapshot of that size")
    on_signal()
    on_command()


def forget():
    if os.path.exists("out.data"):
        os.unlink("out.data")


def on_signal():
    forget()
    words = [*faked(100000), PFX, "record", "-e", "intel_pt//", "-S", "-o", "out.data", "--",
             "sleep", "6000"]
    with subprocess.Popen(words, stderr=subprocess.DEVNULL) as child:
        wait_for(lambda: published("out.data"), "the recording")
        time.sleep(0.3)
        child.send_signal(signal.SIGUSR2)
        wait_for(lambda: traces("out.data"), "a snapshot")
        child.send_signal(signal.SIGTERM)
    check(all(len(pieces) == 1 for pieces in traces("out.data").values()) and traces("out.data"),
          f"one snapshot for a signal: {traces('out.data').keys()}")


def least_snapshots(data):
    """Of the areas of all CPUs."""
    found = traces(data) if published(data) else {}
    return min(map(len, found.values())) if len(found) == os.cpu_count() else 0


def on_command():
    for name in ("control", "ack"):
        if os.path.exists(name):
            os.unlink(name)
        os.mkfifo(name)
    words = [*faked(1 << 30), PFX, "record", "-e", "intel_pt//", "-S", "-o", "out.data", "--control",
             "fifo:control,ack", "--", "sleep", "6000"]
    with subprocess.Popen(words, stderr=subprocess.DEVNULL):
        with open("control", "wb", buffering=0) as control, open("ack", "rb") as ack:
            nr = 0
            for command in (b"ping\n", b"snapshot\n", b"ping\n", b"snapshot\n", b"stop\n"):
                control.write(command)
                equal(ack.read(5), b"ack\n\0", f"{command} is answered")
                nr += command == b"snapshot\n"
                wait_for(lambda nr=nr: least_snapshots("out.data") >= nr, f"{nr} snapshots")
    for pieces in traces("out.data").values():
        equal(len(pieces), 2, "two snapshots for two commands")


def published(data):
    """The bytes of records that the head of the file vouches for."""
    if not os.path.exists(data):
        return 0
    with open(data, "rb") as file:
        head = file.read(56)
    return struct.unpack_from("<Q", head, 48)[0] if len(head) == 56 else 0


def killed():
    forget()
    words = [*faked(1 << 30), PFX, "record", "-e", "intel_pt//", "-o", "out.data", "--",
             "sleep", "6000"]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          start_new_session=True) as child:
        wait_for(lambda: published("out.data") > 1 << 20, "a megabyte of the trace")
        child.kill()
        child.wait()
        try:  # the command, which would hold on to CTest's pipe
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    found = traces("out.data")
    check(found and all(is_stream(*piece) for pieces in found.values() for piece in pieces),
          "what was written before the kill")
    equal(len(dump("out.data", PFX)), sum(map(len, found.values())), "pfx reads it")


def several_files():
    done = record("-e", "intel_pt//", "--switch-output=1M", "-o", "many.data",
                  amount=1 << 20, command=["sleep", "1.5"])
    names = re.findall(r"Dump (\S+) ", done.stderr)
    check(len(names) > 1, f"several files: {done.stderr}")
    total = 0
    for name in names:
        check(any(kind == 70 for kind, *_ in records(name)), f"{name} says which trace it is")
        total += sum(len(more) for pieces in traces(name).values() for _, more in pieces)
        os.unlink(name)
    equal(total, os.cpu_count() << 20, f"{total} bytes in all files")


def fake_kcore():
    """The kernel's memory, as far as a file can be it."""
    symbols = {}
    with open("/proc/kallsyms", encoding="ascii", errors="replace") as lines:
        for line in lines:
            address, _, name = line.split()[:3]
            symbols.setdefault(name, int(address, 16))
    start, end = symbols.get("_stext", 0), symbols.get("_etext", 0)
    if not start or end <= start:
        return None
    start, end = start & ~4095, (end + 8191) & ~4095
    head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 4, 62, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    head += struct.pack("<IIQQQQQQ", 1, 7, 4096, start, 0, end - start, end - start, 4096)
    with open("kcore", "wb") as file:
        file.write(head)
        file.seek(4096)
        file.write(b"code")
        file.truncate(4096 + end - start)
    return start


def kernel_copy():
    start = fake_kcore()
    if not start:
        return
    shutil.rmtree("dir.data", ignore_errors=True)
    os.environ["FAKE_KCORE"] = "kcore"
    done = record("-e", "cpu-clock", "--kcore", "-o", "dir.data")
    equal(done.returncode, 0, f"--kcore: {done.stderr}")
    equal(sorted(os.listdir("dir.data/kcore_dir")), ["kallsyms", "kcore", "modules"], "the copies")
    with open("dir.data/kcore_dir/kcore", "rb") as file:
        content = file.read()
    kind, _, place, address = struct.unpack_from("<IIQQ", content, 64)
    equal((kind, address, content[place:place + 4]), (1, start, b"code"), "the text")
    with open("/proc/kallsyms", "rb") as ours, open("dir.data/kcore_dir/kallsyms", "rb") as copy:
        equal(len(copy.read()), len(ours.read()), "the symbols")
    for tool in filter(None, (PFX, PERF)):
        check("cpu-clock" in run(tool, "evlist", "-i", "dir.data").stdout, f"read by {tool}")
        check("text_poke" in run(tool, "evlist", "-v", "-i", "dir.data").stdout, f"pokes by {tool}")
    done = record("-e", "cpu-clock", "--kcore", "--switch-output=1s", "--switch-max-files=2", "-o",
                  "dirs.data", command=["sleep", "3.5"])
    names = re.findall(r"Dump (\S+) ", done.stderr)
    check(len(names) > 2, f"--kcore in several directories: {done.stderr}")
    equal([os.path.exists(name) for name in names], [False] * (len(names) - 2) + [True] * 2,
          "the last two are kept")
    for name in names[-2:]:
        with open(f"{name}/kcore_dir/kcore", "rb") as file:
            check(file.read() == content, f"{name} has its own copy")
        shutil.rmtree(name)
    done = record("-e", "cpu-clock", "--kcore", "-o", "dir2.data", command=["./not-there"])
    check(done.returncode and not os.path.exists("dir2.data"), "nothing is left of a bad start")
    del os.environ["FAKE_KCORE"]


def cpuid_places():
    """Where perf asks which CPU it is on: it records traces of Intel CPUs only."""
    if not PERF or not shutil.which("objdump"):
        return None
    code = run("objdump", "-d", os.path.realpath(PERF), timeout=PATIENCE).stdout
    return ",".join(re.findall(r"^\s*([0-9a-f]+):\s+0f a2\s+cpuid", code, re.M))


def opened():
    """The attributes in the order of the log, less what differs on purpose (wake-ups)."""
    found, tasks = [], {}
    if not os.path.exists("opened.log"):
        return []
    with open("opened.log", encoding="ascii") as log:
        for line in log.read().splitlines():
            words = line.split(" ")
            if words[0] == "filter":
                found.append(line)
                continue
            attr = bytearray.fromhex(words[4])
            if int(words[3]) < 0 or len(attr) < 112:
                continue
            if struct.unpack_from("<Q", attr, 24)[0] in (0, 1 << 16, 1 << 18):
                continue  # perf asks what the kernel can do
            flags = struct.unpack_from("<Q", attr, 40)[0] & ~(1 << 14)
            struct.pack_into("<QI", attr, 40, flags, 0)
            task = int(words[0])
            task = tasks.setdefault(task, len(tasks)) if 0 < task < 1 << 31 else -1
            found.append(f"{task} {words[1]} {int(words[2]) in (-1, (1 << 32) - 1)} {attr.hex()}")
    return sorted(found)


SAME = """
-e intel_pt//
-e intel_pt//u
-e intel_pt//k
-e intel_pt//uH
-a -e intel_pt//
-a -e intel_pt//u
-a -e intel_pt/tsc=0/
-e intel_pt/tsc=0/
-e intel_pt/cyc,mtc=0,psb_period=0/k
-e intel_pt/config=0x400/
-e cpu-clock,intel_pt//
-e intel_pt// -S
-e intel_pt// -Se65536
-e intel_pt// -m 16,32
-e intel_pt// -m,16
-e {intel_pt//,cpu-clock} --aux-sample
-e {intel_pt//,cpu-clock} --aux-sample=8192
-e {intel_pt/psb_period=2/,cpu-clock} --aux-sample=8192
-e intel_pt//,cpu-clock/aux-sample-size=4096/,page-faults
-e {intel_pt//u,cpu-clock/aux-output/}
-e intel_pt//u,cpu-clock/aux-output/
-e cpu-clock,intel_pt//,page-faults/aux-output/
-e {cpu-clock,page-faults},intel_pt//
-e intel_pt// --all-user
-e intel_pt// --no-inherit
-e intel_pt// -T -P -d --sample-cpu
-e intel_pt//,cpu-clock -g
-e intel_pt// -b
-e intel_pt// -c 5
-e intel_pt// -F 100 -g
-e intel_pt// --switch-events
-e intel_pt// -D 10
-e intel_pt//,sched:sched_switch
-e intel_pt// --filter filter@0x1000/0x100@/bin/ls
-e intel_pt// --call-graph dwarf
-e intel_pt// -R
-e intel_pt// -n
-e intel_pt// --namespaces --all-cgroups
-e dummy:u,intel_pt//
-e intel_bts// --per-thread
-e intel_bts//u -S --per-thread
"""


def attributes():
    places = cpuid_places()
    if not places:
        return
    for line in SAME.strip().splitlines():
        words = [word.replace("@0x", " 0x") for word in line.split()]
        pmu = "intel_bts" if "intel_bts" in line else "intel_pt"
        record(*words, "-o", "theirs.data", tool=PERF, cpuid=places, pmu=pmu)
        theirs = opened()
        record(*words, "-o", "ours.data", pmu=pmu)
        check(theirs, f"{line}: perf opened something")
        equal("\n".join(opened()), "\n".join(theirs), line)


in_fake_machine()
need_recording()
if record("-e", "intel_pt//", "-o", "out.data").returncode:
    skip("the PMU that is not there does not go with this build")
whole_traces()
index()
streams()
snapshots()
killed()
several_files()
kernel_copy()
attributes()
finish()
