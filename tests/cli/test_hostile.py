# SPDX-License-Identifier: MIT
"""Recordings that are made to hurt: sizes and counts beyond all measure, sections that overlap, a
compressed record that grows without end, letters that steer a terminal, the longest records, very
many of the shortest, very many tasks and maps. Each within a bound of memory and time."""
import os
import resource
import shutil
import struct
import subprocess
import sys

PFX = os.environ["PFX"]
ASAN = b"__asan_init" in open(PFX, "rb").read()
MEMORY = 3 << 30     # bytes of address space
SECONDS = 60 * (6 if ASAN else 1)
MANY = 10 if ASAN else 1  # sanitizers take time: fewer of what is many
SAMPLE_TYPE = 1 | 2 | 4 | 256  # ip, tid, time, period
FAILURES = []

RUNS = (("report", "--stdio"), ("script",), ("report", "--header-only", "-I"))
DUMPS = RUNS + (("script", "-D"), ("report", "--stats"))


def check(good, what):
    if not good:
        FAILURES.append(what)
        print(f"FAIL: {what}")


def attr(sample_type=SAMPLE_TYPE):
    flags = 1 << 18  # sample_id_all
    return struct.pack("<IIQQQQQ", 1, 128, 0, 1, sample_type, 4, flags).ljust(128, b"\0")


def record(kind, body=b"", misc=2, size=None):
    return struct.pack("<IHH", kind, misc, 8 + len(body) if size is None else size) + body


def trailer(time=0):
    return struct.pack("<IIQ", 1, 1, time)


def comm(name, tid=1, time=1):
    text = name.encode() + b"\0"
    text = text.ljust((len(text) + 7) & ~7, b"\0")
    return record(3, struct.pack("<II", 1, tid) + text + trailer(time))


def mmap(path, addr, pid=1, time=1):
    text = path.encode() + b"\0"
    text = text.ljust((len(text) + 7) & ~7, b"\0")
    return record(1, struct.pack("<IIQQQ", pid, pid, addr, 0x1000, 0) + text + trailer(time))


def sample(ip, time, tid=1):
    return record(9, struct.pack("<QIIQQ", ip, 1, tid, time, 1))


def string(text):
    text = text.encode() + b"\0"
    return struct.pack("<I", len(text)) + text


def recording(records, features=None, ids=b"", **patch):
    """The bytes of a file. @patch: header words to overwrite, as at_OFFSET=value."""
    features = features or {}
    start = 104 + len(ids) + 144
    data = bytearray(struct.pack("<8sQQQQQQQQ", b"PERFILE2", 104, 144, 104 + len(ids), 144, start,
                                 len(records), 0, 0))
    bits = sum(1 << bit for bit in features)
    data += struct.pack("<QQQQ", bits, 0, 0, 0) + ids + attr() + struct.pack("<QQ", 104, len(ids))
    data += records
    at = len(data) + 16 * len(features)
    for bit in sorted(features):
        data += struct.pack("<QQ", at, len(features[bit]))
        at += len(features[bit])
    for bit in sorted(features):
        data += features[bit]
    for name, value in patch.items():
        struct.pack_into("<Q", data, int(name[3:]), value)
    return bytes(data)


def limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not ASAN:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(name, data, runs=RUNS, path="hostile.data"):
    """Returns all that was printed."""
    printed = b""
    if data is not None:
        with open(path, "wb") as f:
            f.write(data)
    for command in runs:
        what = f"{name}: {' '.join(command)}"
        try:
            done = subprocess.run([PFX, *command, "-i", path], stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=SECONDS, preexec_fn=limits,
                                  env={**os.environ, "PFX_CONFIG": "/dev/null", "PAGER": "cat"},
                                  check=False)
        except subprocess.TimeoutExpired:
            check(False, f"{what}: no end after {SECONDS} s")
            continue
        check(done.returncode in (0, 255), f"{what}: exit {done.returncode} {done.stderr[-300:]}")
        check(b"out of memory" not in done.stderr, f"{what}: {done.stderr[-300:]}")
        printed += done.stdout + done.stderr
    if path == "hostile.data" and os.path.exists(path):
        os.unlink(path)
    return printed


def numbers():
    """Every word of the header, and the counts of features and records, beyond all measure."""
    good = comm("x") + sample(0x1000, 5)
    for at in (8, 16, 24, 32, 40, 48, 56, 64):
        for value in (0, 1, 7, 103, 2**31, 2**32 - 1, 2**63, 2**64 - 8, 2**64 - 1):
            run(f"header word {at} is {value:#x}", recording(good, **{f"at_{at}": value}),
                runs=(("report", "--stdio"),))
    huge = struct.pack("<I", 0xffffffff)
    for bit in range(1, 35):
        for body in (huge, huge * 2, huge * 8, struct.pack("<Q", 2**63) * 4, b"\1\0\0\0" + huge * 3):
            run(f"feature {bit}", recording(good, {bit: body}), runs=(("report", "--header-only", "-I"),))
    for kind in list(range(1, 23)) + list(range(64, 87)):
        body = struct.pack("<QQ", 2**64 - 1, 2**61) * 4
        run(f"record {kind}", recording(good + record(kind, body) + good), runs=DUMPS)


def overlapping():
    good = comm("x") + sample(0x1000, 5)
    run("data over the header", recording(good, at_40=0, at_48=104), runs=DUMPS)
    run("data over all", recording(good, at_40=0, at_48=2**62), runs=DUMPS)
    run("attrs in the data", recording(good, at_24=248), runs=DUMPS)
    data = bytearray(recording(good, {3: string("box"), 4: string("1"), 11: b"", 12: b""}))
    table = 248 + len(good)
    for i in range(4):  # each section is the whole file, the table that says so included
        struct.pack_into("<QQ", data, table + 16 * i, 0, len(data))
    run("features over all", bytes(data))
    data = recording(good, ids=b"\1" * 65536)
    run("ids over the header", data[:104 + 65536 + 128] + struct.pack("<QQ", 0, len(data)) +
        data[104 + 65536 + 144:])


def bomb():
    if not shutil.which("zstd"):
        return
    with open("zeros", "wb") as f:
        f.truncate(1 << 30)
    packed = subprocess.run(["zstd", "-19", "--long=27", "-c", "zeros"] if not ASAN else
                            ["zstd", "-c", "zeros"], capture_output=True, check=True).stdout
    os.unlink("zeros")
    data = b"".join(record(81, packed[i:i + 60000]) for i in range(0, len(packed), 60000))
    out = run("bomb in a record", recording(sample(1, 1) + data, {27: struct.pack("<5I", 0, 1, 1, 9, 4096)}),
              runs=(("script",),))
    check(b"after the damage skipped" in out, "a bomb is damage")


def escapes():
    bad = "a\x1b[31m\x1b]0;title\x07\x9b2J\rb\nc\x7f"
    records = (comm(bad[:15]) + mmap("/tmp/" + bad, 0x1000) + sample(0x1010, 5) +
               record(17, struct.pack("<QIHH", 0x5000, 16, 1, 0) + bad.encode().ljust(40, b"\0") + trailer(6)) +
               record(19, struct.pack("<Q", 7) + bad.encode().ljust(40, b"\0") + trailer(6)))
    desc = struct.pack("<II", 1, 128) + attr() + struct.pack("<I", 0) + string(bad)
    features = {bit: string(bad) for bit in (3, 4, 5, 6, 8, 9)}
    features[11] = struct.pack("<I", 2) + string(bad) * 2
    features[12] = desc
    features[16] = struct.pack("<II", 1, 1) + string(bad)
    features[17] = struct.pack("<I", 1) + string(bad) + struct.pack("<II", 0, 1)
    features[28] = struct.pack("<I", 1) + string(bad) * 2
    runs = DUMPS + (("evlist", "-v"), ("report", "--stdio", "-s", "comm,dso,sym"), ("script", "--header"),
                    ("report", "--stdio", "--header", "-I"), ("buildid-list",))
    data = recording(records, features)
    path = "x\x1b[31my.data"
    with open(path, "wb") as f:
        f.write(data)
    out = run("escapes", None, runs, path)
    out += run("no such file", None, RUNS, "\x1b[31mnothing")
    with open(path, "wb") as f:
        f.write(b"PERFILE2" + b"\xff" * 200)
    out += run("damaged file", None, RUNS, path)
    os.unlink(path)
    for byte in (b"\x1b", b"\x07", b"\r", b"\x7f"):
        where = out.find(byte)
        check(where < 0, f"raw {byte!r} in the output: {out[max(0, where - 60):where + 20]!r}")


def longest():
    body = struct.pack("<QIIQQ", 1, 1, 1, 5, 1).ljust(65535 - 8, b"\xff")
    run("longest records", recording(record(9, body) * 3000), runs=RUNS)
    name = b"n" * (65528 - 8 - 8 - 16)
    run("longest names", recording(b"".join(
        record(3, struct.pack("<II", i, i) + name[:-1] + b"\0" + trailer(i)) for i in range(1, 500))))


def many():
    nr = 10_000_000 // MANY
    run("tiny records", recording(record(14) * nr), runs=(("report", "--stdio"),))
    run("tiny rounds", recording(record(68) * nr), runs=(("report", "--stdio"),))
    nr = 1_000_000 // MANY
    run("comms", recording(b"".join(comm(f"c{i}", i, i) for i in range(1, nr))),
        runs=(("report", "--stdio"),))
    run("maps", recording(b"".join(mmap(f"/m{i}", i << 12, 1, i) for i in range(1, nr))),
        runs=(("report", "--stdio"),))
    run("maps over each other", recording(b"".join(mmap("/m", (i * 7919 % 4096) << 11, 1, i)
                                                   for i in range(1, nr))),
        runs=(("report", "--stdio"),))
    run("forks", recording(b"".join(record(7, struct.pack("<IIIIQ", i, i - 1, i, i - 1, i) + trailer(i))
                                    for i in range(1, nr))), runs=(("report", "--stdio"),))


for part in (numbers, overlapping, bomb, escapes, longest, many):
    part()
if FAILURES:
    print(f"{len(FAILURES)} checks failed")
    sys.exit(1)
print("all checks passed")
