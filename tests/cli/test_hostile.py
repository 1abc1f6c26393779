# SPDX-License-Identifier: MIT
"""Recordings that are made to hurt: sizes and counts beyond all measure, sections that overlap, holes
of gigabytes, compressed input that grows without end, letters that steer a terminal, the longest
records, very many of the shortest, very many events, tasks and maps. Each within a bound of memory
and time."""
import gzip
import lzma
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tarfile

from libraries import built_in

sys.path.insert(0, os.path.join(os.environ["PFX_SOURCE_DIR"], "tests", "kit"))
import small_elf  # noqa: E402

PFX = os.environ["PFX"]
ASAN = b"__asan_init" in open(PFX, "rb").read()
MEMORY = 3 << 30     # bytes of address space
# CPU time, so that a busy machine does not count. What takes a step for each pair of a quarter of a
# million takes longer, what is right a second.
SECONDS = 20 * (6 if ASAN else 1)
MANY = 40 if ASAN else 4  # the numbers below are divided by it; sanitizers take time
SAMPLE_TYPE = 1 | 2 | 4 | 256  # ip, tid, time, period
HAS_ZSTD = built_in("libzstd") and shutil.which("zstd")
FAILURES = []

RUNS = (("report", "--stdio"), ("script",), ("report", "--header-only", "-I"))
READERS = (("report", "--stdio"), ("report", "--json"), ("report", "--stats"), ("script",), ("script", "--json"),
           ("script", "-D"), ("evlist", "-v"), ("buildid-list",), ("buildid-list", "-H"))
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


def mmap(path, addr, pid=1, time=1, pgoff=0):
    text = path.encode() + b"\0"
    text = text.ljust((len(text) + 7) & ~7, b"\0")
    return record(1, struct.pack("<IIQQQ", pid, pid, addr, 0x1000, pgoff) + text + trailer(time))


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
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    if not ASAN:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(name, data, runs=RUNS, path="hostile.data", before=None):
    """Returns all that was printed."""
    printed = b""
    if data is not None:
        with open(path, "wb") as f:
            f.write(data)
    for command in runs:
        what = f"{name}: {' '.join(command)}"
        try:
            done = subprocess.run([PFX, *command, "-i", path], stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=1200,
                                  preexec_fn=before or limits,
                                  env={**os.environ, "PFX_CONFIG": "/dev/null", "PAGER": "cat"},
                                  check=False)
        except subprocess.TimeoutExpired:
            check(False, f"{what}: it waits for something")
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
    if not HAS_ZSTD:
        return
    with open("zeros", "wb") as f:
        f.truncate(1 << 30)
    packed = subprocess.run(["zstd", "--long=27", "-c", "zeros"] if not ASAN else
                            ["zstd", "-c", "zeros"], capture_output=True, check=True).stdout
    os.unlink("zeros")
    data = b"".join(record(81, packed[i:i + 60000]) for i in range(0, len(packed), 60000))
    out = run("bomb in a record", recording(sample(1, 1) + data, {27: struct.pack("<5I", 0, 1, 1, 9, 4096)}),
              runs=(("script",),))
    check(b"after the damage skipped" in out, "a bomb is damage")
    inner = sample(1, 1)
    for _ in range(20):
        inner = record(81, subprocess.run(["zstd", "-qc"], input=inner * 20, capture_output=True,
                                          check=True).stdout)
    out = run("packed again and again", recording(sample(1, 1) + inner, {27: struct.pack("<5I", 0, 1, 1, 9, 4096)}))
    check(b"malformed record" in out, "what is packed twice is mentioned")


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


def repeated():
    """Names that are printed for each sample: a small file must not become very much text."""
    samples = b"".join(sample(0x1000 * i, 9 + i) for i in range(1, 2001))
    name = "\x01" * 65000
    runs = (("report", "--json"), ("report", "--stdio", "-s", "comm,dso,sym"), ("script",), ("script", "--json"))
    out = run("a long name of a thread", recording(comm(name) + samples), runs)
    check(100_000 < len(out) < 20_000_000, f"a long name of a thread: {len(out)} bytes")
    event = struct.pack("<II", 1, 128) + attr() + struct.pack("<I", 0) + string(name * 15)
    out = run("a long name of an event", recording(comm("x") + samples, {12: event}), runs)
    check(100_000 < len(out) < 40_000_000, f"a long name of an event: {len(out)} bytes")


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


def fields():
    """Samples whose parts claim more than the record has, and the deepest that it can have."""
    kinds = {"callchain": (1 << 5, 0), "read": (1 << 4, 15), "raw": (1 << 10, 0), "branch": (1 << 11, 0),
             "regs": (1 << 12, 0), "stack": (1 << 13, 0), "aux": (1 << 20, 0), "intr": (1 << 18, 0)}
    for name, (bit, read_format) in kinds.items():
        kind = struct.pack("<IIQQQQQ", 1, 128, 0, 1, SAMPLE_TYPE & ~256 | bit, read_format, 1 << 18)
        kind = kind.ljust(128, b"\0")
        start = struct.pack("<QIIQ", 0x1000, 1, 1, 5)
        deep = b"".join(record(9, start + struct.pack("<Q", 8187 - 8) +
                               struct.pack("<Q", 0x400000 + i) * (8187 - 8)) for i in range(50))
        records = deep + b"".join(
            record(9, start + struct.pack("<QQ", value, value) * 4)
            for value in (65000, 0xffff, 2**31, 2**32 - 1, 2**61 - 1, 2**61, 2**63, 2**64 - 1))
        data = bytearray(recording(records))
        data[104:104 + 128] = kind
        run(f"sample with {name}", bytes(data), runs=RUNS[:2] + (("script", "-D"),))


def events():
    """As many events as there can be, at once and one after the other; more than there can be."""
    good = comm("x") + sample(0x1000, 5)

    def file_of(nr, ids):
        start = 104 + 8 * ids
        return (struct.pack("<8sQQQQQQQQ", b"PERFILE2", 104, 144, start, 144 * nr, start + 144 * nr,
                            len(good), 0, 0) + bytes(32) + struct.pack(f"<{ids}Q", *range(ids)) +
                (attr() + struct.pack("<QQ", 104, 8 * ids)) * nr + good)

    runs = RUNS[:2] + (("evlist", "-v"),)
    run("65536 events", file_of(65536, 0), runs)
    run("65536 events with the same ids", file_of(65536, 65536), runs)
    out = run("100000 events", file_of(100000, 0), runs)
    check(b"claims 100000 events" in out, "too many events are refused")
    head = b"PERFILE2" + struct.pack("<Q", 16)
    run("a stream of events", head + b"".join(record(64, attr() + struct.pack("<Q", i))
                                              for i in range(100000 // MANY)) + good, runs)
    run("events between samples", head + b"".join(record(64, attr() + struct.pack("<Q", i)) + good
                                                  for i in range(65536 // MANY)), runs)


def task(i, pid, parent):
    return record(7, struct.pack("<IIIIQ", pid, parent, pid, parent, i) + trailer(i))


def relations():
    """Tasks that are their own parents, very many threads, maps in and over each other, copies of
    large sets of maps."""
    nr = 1_000_000 // MANY
    some = nr // 50
    place = random.Random(1)
    report = (("report", "--stdio"), ("script",))
    run("its own parent", recording(b"".join(task(i, 5, 5) + sample(1, i, 5)
                                             for i in range(1, nr // 4))), report)
    run("parents in a circle", recording(b"".join(task(i, 5 + i % 3, 5 + (i + 1) % 3)
                                                  + sample(1, i, 5 + i % 3) for i in range(1, nr // 4))),
        (("report", "--tasks"), ("report", "--stdio")))
    run("threads", recording(b"".join(record(9, struct.pack("<QIIQQ", 0x1000, i, i, i, 1))
                                      for i in range(1, nr))), (("report", "--stdio", "-s", "pid"),))
    run("maps at random", recording(b"".join(mmap(f"/r{i & 1023}", place.randrange(1 << 35) << 12, 1, i)
                                             for i in range(1, nr))), (("report", "--stdio"),))
    run("maps in maps", recording(b"".join(
        record(1, struct.pack("<IIQQQ", 1, 1, i << 12, (nr - i) << 13, 0) + b"/m\0\0\0\0\0\0" + trailer(i))
        for i in range(1, nr))), (("report", "--stdio"),))
    run("copies of maps", recording(
        b"".join(mmap(f"/m{i}", i << 12, 1, i) for i in range(1, some)) +
        b"".join(task(some + i, 100 + i, 1) + mmap("/x", 1 << 40, 100 + i, some + i) +
                 sample(0x5000, some + i, 100 + i) for i in range(some))), report)


def folders():
    """A recording that is a folder, with files in it that are none: pipes, devices, links in a circle."""
    kernel = 0xffffffff81000000
    records = record(1, struct.pack("<IIQQQ", 2**32 - 1, 0, kernel, 1 << 24, kernel) +
                     b"[kernel.kallsyms]_text\0\0" + trailer(1), misc=1)
    records += record(9, struct.pack("<QIIQQ", kernel + 256, 1, 1, 9, 1), misc=1)
    os.makedirs("folder/kcore_dir")
    with open("folder/data", "wb") as f:
        f.write(recording(records, {24: struct.pack("<Q", 1)}))
    os.mkfifo("folder/data.0")
    os.symlink("/dev/zero", "folder/data.1")
    os.symlink("data.2", "folder/data.2")
    os.makedirs("folder/data.3")
    runs = (("report", "--stdio"), ("script",), ("script", "-F", "+insn"), ("report", "--header-only"))
    for name in ("kallsyms", "kcore", "modules"):
        os.mkfifo("folder/kcore_dir/" + name)
    run("pipes in a folder", None, runs, "folder")
    for name in ("kallsyms", "kcore", "modules"):
        os.unlink("folder/kcore_dir/" + name)
        os.symlink("/dev/zero", "folder/kcore_dir/" + name)
    run("devices in a folder", None, runs, "folder")
    shutil.rmtree("folder")


def jitdumps():
    """What a compiler left, with sizes beyond all measure, moves in circles, and names that lead out."""
    path = os.path.abspath("jit-1.dump")
    clock = bytearray(recording(comm("x") + mmap(path, 0x7000, time=2) + mmap("//anon", 0x10000) +
                                b"".join(sample(0x10010 + 16 * i, 100 + i) for i in range(50))))
    struct.pack_into("<Q", clock, 104 + 40, 1 << 18 | 1 << 25)  # use_clockid: CLOCK_MONOTONIC
    struct.pack_into("<i", clock, 104 + 92, 1)

    def entry(kind, body, size=None):
        return struct.pack("<IIQ", kind, 16 + len(body) if size is None else size, 5) + body

    def load(addr=0x10000, size=16, name=b"f\x1b[31m", code=b"\x90" * 16):
        return entry(0, struct.pack("<IIQQQQ", 1, 1, addr, addr, size, 1) + name + b"\0" + code)

    head = struct.pack("<IIIIIIQQ", 0x4A695444, 1, 40, 62, 0, 1, 1, 0)
    dumps = {
        "no dump": b"\xff" * 5000, "a giant function": load(size=2**62), "no end": load(addr=2**64 - 8),
        "records of nothing": entry(0, b"", 0) * 1000, "short records": entry(0, b"", 16) * 100000,
        "a giant record": entry(0, b"abc", 2**32 - 1),
        "a circle": load() + b"".join(entry(1, struct.pack(
            "<IIQQQQQ", 1, 1, 0x10000 + i % 2 * 256, 0x10000 + (i + 1) % 2 * 256,
            0x10000 + i % 2 * 256, 16, 1)) for i in range(100000)),
        "lines": entry(2, struct.pack("<QQ", 0x10000, 2**61)) + load(),
        "unwinding": entry(4, struct.pack("<QQQ", 2**63, 2**63, 2**63) + b"x" * 8) + load(),
        "a name": load(name=b"../../../evil")}
    for name, body in dumps.items():
        with open(path, "wb") as f:
            f.write(body if name == "no dump" else head + body)
        out = run(f"jitdump: {name}", clock, (("report", "--stdio"), ("inject", "-j", "-o", "jit.out")))
        check(b"\x1b" not in out, f"jitdump: {name}: names are escaped")
        check((b"jit-1.dump' cannot be used" in out) == (name == "no dump"), f"jitdump: {name}: {out[-300:]}")
    check(not os.path.exists("../evil") and not os.path.exists("../../../evil"), "no name leads out")
    os.unlink(path)


def archives():
    """An archive whose entry is longer than any file can be."""
    if not HAS_ZSTD:
        return
    for size in (b"\x80\0\1" + bytes(9), b"\xff" * 12, b"\x80\0\0\0" + b"\xff" * 8):
        head = bytearray(512)
        head[:9] = b"perf.data"
        head[124:136] = size
        head[156:157] = b"0"
        head[257:265] = b"ustar  \0"
        head[148:156] = b" " * 8
        head[148:156] = b"%06o\0 " % sum(head)
        packed = subprocess.run(["zstd", "-qc"], input=bytes(head) + bytes(1024), capture_output=True,
                                check=True).stdout
        with open("x.tar.zst", "wb") as f:
            f.write(packed)
        done = subprocess.run([PFX, "archive", "--unpack", "-o", "unpacked", "x.tar.zst"], check=False,
                              capture_output=True, env={**os.environ, "HOME": os.getcwd()})
        check(done.returncode == 255 and b"it has an invalid entry" in done.stderr, f"archive: {done.stderr}")
        check(not os.path.exists("unpacked"), "nothing of a damaged archive is kept")
        os.unlink("x.tar.zst")


def archived_links():
    """A directory recording with links to files of the user who archives it."""
    os.makedirs("links.data")
    os.makedirs("secrets")
    for path, text in (("links.data/data", recording(sample(0x1000, 2))), ("secrets/kcore", b"secret"), ("links.data/key", b"x")):
        with open(path, "wb") as f:
            f.write(text)
    os.symlink("../secrets", "links.data/kcore_dir")
    os.symlink("../secrets/kcore", "links.data/note")
    done = subprocess.run([PFX, "archive", "-o", "links.tar", "links.data"], check=False, capture_output=True,
                          env={**os.environ, "HOME": os.getcwd()})
    check(done.returncode == 0, f"archive of a directory: {done.stderr}")
    check(b"left out of the recording: 3 files that no recording has or that are links, 'links.data/" in done.stderr,
          f"archive says what it left out: {done.stderr}")
    with tarfile.open("links.tar") as archive:
        check(archive.getnames() == ["perf.data/data"], f"archive of a directory: {archive.getnames()}")
    shutil.rmtree("links.data")
    shutil.rmtree("secrets")
    os.unlink("links.tar")


class OneString(small_elf.SmallElf):
    """A program with many symbols at one address, whose names are the ends of one long string."""
    nr, length = 150000, 1000000

    def symbol_table(self):
        rows = (struct.pack("<IBBHQQ", self.nr - i, 0x12, 0, 1, small_elf.TEXT, 8) for i in range(self.nr))
        return b"\0" + b"a" * self.length + b"\0", bytes(24) + b"".join(rows)


def names_of_one_string():
    program = OneString()
    for line in ("code 9090909090909090", "symbol f 0 8", "source /src/a.c", "line 0 3"):
        program.take(line)
    with open("one-string", "wb") as f:
        f.write(program.image())
    out = run("names of one string", recording(mmap(os.path.abspath("one-string"), 0x401000, pgoff=0x1000) + sample(0x401002, 5)),
              runs=(("report", "--stdio", "-s", "sym"),))
    check(b"aaaa" in out, f"names of one string: {out[:300]}")
    os.unlink("one-string")


SHARED_RANGES = """
.text
.globl _start
_start: .skip 0x110000, 0x90
end:
.section .debug_abbrev, "", %progbits
.byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0, 0    # a unit: low_pc, high_pc
.byte 2, 0x2e, 0, 0x55, 0x17, 0, 0, 0       # a function: ranges
.section .debug_info, "", %progbits
.long 2f - 1f
1: .value 4
.long 0
.byte 8, 1
.quad _start, end - _start
.rept 400
.byte 2
.long 0
.endr
.byte 0
2:
.section .debug_ranges, "", %progbits
.set n, 16
.rept 65535
.quad n, n + 4
.set n, n + 16
.endr
.quad 0, 0
"""


def shared_ranges():
    """Debug information in which hundreds of functions have the same list of thousands of ranges."""
    with open("ranges.s", "w", encoding="ascii") as f:
        f.write(SHARED_RANGES)
    if not shutil.which("gcc") or subprocess.run(["gcc", "-nostdlib", "-static", "-Wl,-Ttext=0x401000", "-o", "ranges",
                                                  "ranges.s"], check=False, capture_output=True).returncode:
        print("skipped: no program can be built for ranges")
        return
    with open("ranges.data", "wb") as f:
        f.write(recording(mmap(os.path.abspath("ranges"), 0x401000, pgoff=0x1000) + sample(0x401012, 5)))
    code, peak = peak_of("report", "--stdio", "-s", "type", "-i", "ranges.data")
    check(code == 0, f"shared ranges: exit code {code}")
    check(ASAN or peak < 500 << 10, f"a program of {os.path.getsize('ranges')} bytes takes {peak} kB")
    for path in ("ranges", "ranges.s", "ranges.data"):
        os.unlink(path)


# The memory of a child that a large process starts begins with that of the process.
PEAK = """import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def peak_of(*words):
    """The exit code, and the largest memory in kB."""
    done = subprocess.run([sys.executable, "-c", PEAK, PFX, *words], check=True, capture_output=True, text=True)
    return map(int, done.stdout.split())


def packed_binaries():
    """A small file that unpacks to much more than real ones do."""
    path = os.path.abspath("packed.ko")
    with open("packed.data", "wb") as f:
        f.write(recording(mmap(path, 0x400000) + sample(0x400010, 5)))
    for module in (gzip, lzma):
        with module.open(path, "wb") as f:
            f.write(b"\x7fELF")
            for _ in range(192):
                f.write(bytes(1 << 20))
        code, peak = peak_of("report", "--stdio", "-i", "packed.data")
        check(code == 0, f"a packed binary: exit code {code}")
        check(ASAN or peak < 150 << 10, f"a packed binary of {os.path.getsize(path)} bytes takes {peak} kB")
    os.unlink(path)
    os.unlink("packed.data")


def unmixed(word):
    """What a mix of words without a secret turns into @word."""
    factor = pow(0xd6e8feb86659fd93, -1, 2**64)
    for _ in range(2):
        word = (word ^ word >> 32) * factor % 2**64
    return word ^ word >> 32


def collisions():
    """Ids and numbers of cgroups that all have the same place in a table, whose hash is known."""
    keys = [unmixed(i << 30) for i in range(1, 1_000_000 // MANY)]
    run("ids that collide", recording(sample(1, 1), ids=struct.pack(f"<{len(keys)}Q", *keys)), RUNS[:1])
    run("cgroups that collide", recording(b"".join(
        record(19, struct.pack("<Q", key) + b"/c\0\0\0\0\0\0" + trailer(1)) for key in keys)), RUNS[:1])


def late_frames():
    """Samples that wait for their frames: very many of very many threads, and frames that very many
    wait for."""
    nr = 1_000_000 // MANY
    kind = struct.pack("<IIQQQQQ", 1, 128, 0, 1, 1 | 2 | 4 | 32, 4, 1 << 18 | 1 << 38).ljust(128, b"\0")

    def waiting(tid, time, cookie):
        return record(9, struct.pack("<QIIQ", 0x1000, tid, tid, time) +
                      struct.pack("<QQQQ", 3, 2**64 - 128, 2**64 - 640, cookie))

    def late(tid, time, cookie, frames=1):
        return record(22, struct.pack("<QQ", cookie, frames) + struct.pack("<Q", 0x400000) * frames +
                      struct.pack("<IIQ", tid, tid, time))

    lost = b"".join(waiting(i % 1000 + 1, 2 * i + 1, i) + late(99999, 2 * i + 2, i) for i in range(nr))
    shared = b"".join(waiting(5, i, 7) for i in range(1, 65000 // MANY)) + late(5, 70000, 7, 8000)
    for name, records in (("lost", lost), ("shared", shared)):
        data = bytearray(recording(records))
        data[104:104 + 128] = kind
        run(f"{name} frames that come late", bytes(data), RUNS[:1])


def bpf():
    """Programs that name all their functions from the end of a large type information."""
    nr = 300_000 // MANY
    types = struct.pack("<HBBIIIII", 0xeb9f, 1, 0, 24, 0, 12 * nr, 12 * nr, 8)
    types += struct.pack("<III", 1, 0, 0) * nr + b"\0name\0\0\0"
    info = bytearray(232)
    for at, value in ((0, 1), (4, 5), (104, 256), (108, 256), (128, 7), (132, 8), (136, 8192), (144, 256),
                      (180, 256)):
        struct.pack_into("<I", info, at, value)
    data = bytes(8192) + struct.pack("<II", 0, nr) * 256
    program = struct.pack("<IIQ", len(info), len(data), 0) + bytes(info) + data
    out = run("BPF programs", recording(sample(1, 1), {
        25: struct.pack("<I", nr // 100) + program * (nr // 100),
        26: struct.pack("<III", 1, 7, len(types)) + types}), (("report", "--header-only"),))
    check(b"_name addr" in out, "functions of BPF programs have names")


def groups():
    """A stream that says again and again that all its events are one group."""
    stream = b"PERFILE2" + struct.pack("<Q", 16)
    stream += b"".join(record(64, attr() + struct.pack("<Q", i)) for i in range(65000 // MANY))
    group = struct.pack("<QI", 17, 1) + string("x") + struct.pack("<II", 0, 65000 // MANY)
    stream += record(80, group + bytes(-len(group) % 8)) * (1_000_000 // MANY)
    run("groups", stream + comm("x") + sample(0x1000, 5), RUNS[:1])


def program(section, name):
    """An ELF file with one segment at 0 and this section of notes."""
    names = b"\0" + name + b"\0.shstrtab\0"
    at = 64 + 56 + len(section)
    head = struct.pack("<4s5B7xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 0, 0, 3, 62, 1, 0, 64, at + len(names), 0, 64, 56, 1,
                       64, 3, 2)
    segment = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, 1 << 20, 1 << 20, 4096)
    headers = struct.pack("<IIQQQQIIQQ", 1, 7, 0, 0, 120, len(section), 0, 0, 4, 0)
    headers += struct.pack("<IIQQQQIIQQ", 2 + len(name), 3, 0, 0, at, len(names), 0, 0, 1, 0)
    return head + segment + section + names + bytes(64) + headers


def probes():
    """A program with very many static probes, each of its own name."""
    notes = bytearray()
    for i in range(800000 // MANY):
        text = struct.pack("<QQQ", 0x1000, 0, 0) + b"p\0n%d\0\0" % i
        notes += struct.pack("<III", 8, len(text), 3) + b"stapsdt\0" + text + bytes(-len(text) % 4)
    with open("probes.elf", "wb") as f:
        f.write(program(bytes(notes), b".note.stapsdt"))
    done = subprocess.run([PFX, "list", "sdt", "./probes.elf"], stdin=subprocess.DEVNULL, check=False,
                          capture_output=True, preexec_fn=limits)
    check(done.returncode == 0 and len(done.stdout.splitlines()) == 800000 // MANY,
          f"very many probes: exit {done.returncode} {done.stderr[-300:]}")
    os.unlink("probes.elf")


def wrapped_xz(zeros):
    if not built_in("liblzma"):
        return
    packer = lzma.LZMACompressor(preset=1)
    bomb_of_xz = b"".join(packer.compress(zeros) for _ in range(512)) + packer.flush()
    out = run("bomb in xz", bomb_of_xz, (("report", "--stdio"),))
    check(b"unpacks to more than" in out, f"a bomb in xz is refused: {out[-200:]}")


def wrapped():
    """Compressed as a whole: what grows beyond measure, and a full folder for temporary files."""
    zeros = bytes(1 << 20)
    wrapped_xz(zeros)
    if HAS_ZSTD:
        packed = subprocess.run(["zstd", "-c"], input=zeros * 256, capture_output=True, check=True).stdout
        out = run("bomb in zstd", packed, (("report", "--stdio"),))
        check(b"unpacks to more than" in out, f"a bomb in zstd is refused: {out[-200:]}")
    if not built_in("zlib"):
        return
    good = gzip.compress(recording(sample(0x1000, 5) * 50000))
    out = run("in gzip", good, (("report", "--stdio"),))
    check(b"100.00%" in out, "a recording in gzip is read")
    out = run("no room", good, (("report", "--stdio"),), before=no_room)
    check(b"cannot unpack" in out and b"TMPDIR" in out, f"a full folder gives a sentence: {out[-200:]}")


def no_room():
    limits()
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))


def holes():
    """Ten gigabytes of nothing in a file: neither time nor memory goes into it."""
    size = 10 << 30
    good = comm("x") + sample(0x1000, 5)
    stream = b"PERFILE2" + struct.pack("<Q", 16) + record(64, attr()) + good
    feature = bytearray(recording(good, {3: b"x", 12: b"x"}))
    for i in range(2):
        struct.pack_into("<QQ", feature, 248 + len(good) + 16 * i, 4096, size - 8192)
    shapes = {"in the data": recording(good, at_48=size), "of a killed recorder": recording(good, at_48=0),
              "as ids": recording(good, at_232=4096, at_240=size // 2), "in a stream": stream,
              "in the attrs": recording(good, at_24=4096, at_32=size // 2),
              "in features": bytes(feature), "and nothing else": b""}
    for name, data in shapes.items():
        with open("holes.data", "wb") as f:
            f.write(data)
            try:
                f.truncate(size)
            except OSError:
                print("skipped: files cannot be that large here")
                break
        if os.stat("holes.data").st_blocks > 1 << 20:
            print("skipped: files have no holes here")
            break
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        run(f"a hole {name}", None, READERS, "holes.data", before=lambda: None)
        after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        check(after < max(before + 1, 512 << 10), f"a hole {name}: {after >> 10} MB of memory")
    os.unlink("holes.data")


for part in (numbers, overlapping, bomb, escapes, longest, repeated, many, fields, events, relations, folders, jitdumps,
             archives, archived_links, names_of_one_string, packed_binaries, shared_ranges, collisions, late_frames, bpf,
             groups, probes, wrapped, holes):
    part()
if FAILURES:
    print(f"{len(FAILURES)} checks failed")
    sys.exit(1)
print("all checks passed")
