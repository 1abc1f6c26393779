# SPDX-License-Identifier: MIT
"""Names that steer a terminal, in every place of a recording that has a name and around it: whatever
prints them shows them and does not send them. Programs, their symbols, source files and lines, names
of compiled code, tracepoints with their formats and strings, features, units, file names."""
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

from libraries import built_in

PFX = os.environ["PFX"]
BAD = "a\x1b[31m\x1b]0;t\x07\u009b2J\u202e\rb\x0bc\x7f"
BYTES = BAD.encode()
RAW = (b"\x1b", b"\x07", b"\r", b"\x0b", b"\x7f", "\u009b".encode(), "\u202e".encode())
# ip, tid, time, id, cpu, period, callchain, raw, cgroup
SAMPLE_TYPE = 1 | 2 | 4 | 0x40 | 0x80 | 0x100 | 0x20 | 0x400 | 0x200000
SAMPLE_ID_ALL = 1 << 18
PID = 3999999  # no process of this machine
FAILURES = []


def check(good, what):
    if not good:
        FAILURES.append(what)
        print(f"FAIL: {what}")


def padded(data):
    return data + b"\0" * (-len(data) % 8)


def record(kind, body, misc=2):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def trailer(time):
    return struct.pack("<IIQQII", PID, PID, time, 1, 0, 0)


def named(kind, head, name, time=1, misc=2):
    return record(kind, head + padded(name + b"\0") + trailer(time), misc)


def string(name):
    return struct.pack("<I", len(name) + 1) + name + b"\0"


def attr(kind, config):
    return struct.pack("<IIQQQQQ", kind, 128, config, 1, SAMPLE_TYPE, 0, SAMPLE_ID_ALL).ljust(128, b"\0")


def mmap(path, addr, size, pid=PID, misc=2):
    return named(1, struct.pack("<IIQQQ", pid, PID, addr, size, 0), path, misc=misc)


def sample(ip, time, event, raw, chain):
    raw = padded(struct.pack("<I", (len(raw) + 11) // 8 * 8 - 4) + raw)
    return record(9, struct.pack("<QIIQQIIQQ", ip, PID, PID, time, event, 0, 0, 10, len(chain)) +
                  struct.pack(f"<{len(chain)}Q", *chain) + raw + struct.pack("<Q", 7))


FIELDS = (("unsigned short common_type", 0, 2), ("unsigned char common_flags", 2, 1),
          ("unsigned char common_preempt_count", 3, 1), ("int common_pid", 4, 4),
          ("char s[32]", 8, 32), ("int x", 40, 4))
FORMAT = ("name: ev\nID: 300\nformat:\n" + "".join(
    f"\tfield:{name};\toffset:{at};\tsize:{size};\tsigned:0;\n" for name, at, size in FIELDS) +
    '\nprint fmt: "v\x1b[31m\x07=%s %c %s", REC->s, REC->x, '
    '__print_symbolic(REC->x, { 27, "q\x1b[1m" })\n').encode()


def tracing_data():
    return (b"\x17\x08\x44tracing" + b"0.6\0\0\x08" + struct.pack("<I", 4096) +
            b"header_page\0" + bytes(8) + b"header_event\0" + bytes(8) + struct.pack("<II", 0, 1) +
            b"sys\0" + struct.pack("<IQ", 1, len(FORMAT)) + FORMAT + bytes(16))


def features():
    bad = string(BYTES)
    one = struct.pack("<I", 1)
    ret = {bit: bad for bit in (3, 4, 5, 8, 9)}
    build_id = padded(struct.pack("<i", -1) + bytes(range(1, 21)) + b"\x14\0\0\0/b/" + BYTES + b"\0")
    info = bytearray(232)
    info[64:80] = BYTES[:15].ljust(16, b"\0")
    for at in (0, 104, 108, 180):
        struct.pack_into("<I", info, at, 1)
    ret.update({
        1: tracing_data(), 2: struct.pack("<IHH", 0, 0x8002, 8 + len(build_id)) + build_id,
        6: string(b"x86_64"), 7: one * 2, 11: struct.pack("<I", 2) + bad * 2,
        12: struct.pack("<II", 2, 128) + attr(1, 0) + one + bad + struct.pack("<Q", 1) +
        attr(2, 300) + one + string(b"sys:" + BYTES) + struct.pack("<Q", 2),
        13: (one + bad) * 2 + bytes(8) + one + bad + bytes(4),
        14: one + bytes(20) + bad, 16: one * 2 + bad, 17: one + bad + struct.pack("<II", 0, 2),
        20: one * 6 + bad * 3, 25: one + struct.pack("<IIQ", 232, 64, 0) + bytes(info) + bytes(64),
        28: one + bad * 2, 30: one + bad * 2, 31: one * 2 + bad * 3,
        32: struct.pack("<IIIII", 17, 1, 0, 1, 0) + bad * 3})
    return ret


def around(elf):
    """The records that name things, samples aside."""
    kernel = 0xffffffff81000000
    return b"".join((
        named(3, struct.pack("<II", PID, PID), BYTES[:15]), named(3, struct.pack("<II", PID, PID + 1), BYTES),
        mmap(b"/tmp/" + BYTES, 0x1000, 0x1000), mmap(b"//anon", 0x100000, 0x1000),
        mmap(elf.encode(), 0x400000, 0x200000),
        mmap(b"[kernel.kallsyms]_text" + BYTES, kernel, 1 << 24, 2**32 - 1, 1),
        mmap(b"/lib/modules/x/" + BYTES + b".ko", 0xffffffffa0000000, 1 << 16, 2**32 - 1, 1),
        named(17, struct.pack("<QIHH", 0xffffffffc0000000, 4096, 1, 0), b"bpf_prog_" + BYTES),
        named(19, struct.pack("<Q", 7), b"/" + BYTES),
        record(65, struct.pack("<Q", 3) + BYTES.ljust(64, b"\0")),
        record(67, padded(struct.pack("<i", -1) + bytes(range(20)) + b"\x14\0\0\0/c/" + BYTES + b"\0"), 0x8002),
        record(72, struct.pack("<IIIIIIQQ", 1, 1, 0, PID, PID, 1, 5, 5) + BYTES.ljust(64, b"\0")),
        record(73, struct.pack("<QQ16s", 1, PID, BYTES[:16])),
        record(78, struct.pack("<QQ", 0, 1) + padded(BYTES + b"\0")),
        record(78, struct.pack("<QQ", 2, 2) + padded(BYTES + b"\0")),
        record(84, BYTES.ljust(512, b"\0") + struct.pack("<Q", 1) + BYTES.ljust(64, b"\0") +
               BYTES.ljust(256, b"\0"))))


def counts(by):
    """What `stat record` writes, each number of a thread (4) or a core (3)."""
    return (record(75, struct.pack("<QQQ", 1, 0, by)) + record(74, struct.pack("<HHHHQ", 0, 1, 0, 0, 0)) +
            b"".join(record(76, struct.pack("<QIIQQQ", i, 0, 0, 5, 6, 7)) for i in (1, 2)) +
            record(77, struct.pack("<QQ", 1, 100)))


def recording(elf, ips, by):
    raw = struct.pack("<HBBi", 300, 0, 0, PID) + BYTES[:31].ljust(32, b"\0") + struct.pack("<i", 27)
    user = [ip for ip in ips if ip < 1 << 47]
    records = around(elf)
    for i, ip in enumerate(ips):
        records += sample(ip, 10 + i, 1, raw, [2**64 - 512, ip] + user)
        records += sample(ip, 10 + i, 2, raw, [])
    records += counts(by)
    start = 120 + 2 * 144
    has = features()
    data = struct.pack("<8s8Q", b"PERFILE2", 104, 144, 120, 288, start, len(records), 0, 0)
    data += struct.pack("<4Q", sum(1 << bit for bit in has), 0, 0, 0) + struct.pack("<QQ", 1, 2)
    data += attr(1, 0) + struct.pack("<QQ", 104, 8) + attr(2, 300) + struct.pack("<QQ", 112, 8) + records
    at = len(data) + 16 * len(has)
    for bit in sorted(has):
        data += struct.pack("<QQ", at, len(has[bit]))
        at += len(has[bit])
    return data + b"".join(has[bit] for bit in sorted(has))


def make_program():
    """A program whose function, source file and line have such names: its path and an address in it."""
    source = "s\x1b[32m.c"
    with open(source, "w", encoding="utf-8") as f:
        f.write("int f(int x)\n{\n\treturn x + 1; /* \x1b[33m\x07 */\n}\n"
                "int main(void)\n{\n\treturn f(2);\n}\n")
    if not shutil.which("gcc"):
        return "/none", []
    made = subprocess.run(["gcc", "-g", "-O0", "-S", "-o", "-", source], check=True,
                          capture_output=True).stdout
    name = b'"f\x1b[35m"'
    for old, new in ((b"\nf:\n", b"\n" + name + b":\n"), (b"call\tf", b"call\t" + name),
                     (b"bl\tf", b"bl\t" + name), (b".globl\tf\n", b".globl\t" + name + b"\n"),
                     (b".global\tf\n", b".global\t" + name + b"\n"),
                     (b".type\tf,", b".type\t" + name + b","), (b".size\tf, .-f", b".size\t" + name + b", .-" + name)):
        made = made.replace(old, new)
    with open("p.s", "wb") as f:
        f.write(made)
    if subprocess.run(["gcc", "-no-pie", "-o", "program", "p.s"], check=False).returncode:
        return "/none", []
    names = subprocess.run(["nm", "program"], check=True, capture_output=True).stdout.splitlines()
    found = [int(line.split()[0], 16) + 4 for line in names if line.endswith(b" f\x1b[35m")]
    return os.path.abspath("program"), found


KEYS = ("comm", "dso", "sym", "pid", "tgid", "srcline", "srcfile", "parent", "cgroup", "trace", "time")
SHOW = [f"--show-{what}-events" for what in ("task", "mmap", "switch", "namespace", "cgroup", "lost", "bpf")]
COMMANDS = [
    ("report", "--stdio"), ("report", "--stdio", "-v"), ("report", "--stdio", "-g", "srcline,address"),
    ("report", "--json"), ("report", "--folded"), ("report", "--mmaps"), ("report", "--tasks"),
    ("report", "--stats"), ("report", "--header-only", "-I"), ("report", "-D"), ("report", "--stdio", "-H"),
    ("report", "--stdio", "-t", "|"), ("report", "--stdio", "--sort", "s,x"), ("script",), ("script", "-v"),
    ("script", "--json"), ("script", "-D"), ("script", "--header", "-I"), ("script", *SHOW),
    ("script", "-F", "comm,tid,time,event,trace,ip,sym,symoff,dso,cgroup,srcline,srccode"),
    ("script", "-F", "+brstacksym"), ("script", "--per-event-dump"), ("evlist",), ("evlist", "-v"),
    ("evlist", "-g"), ("evlist", "-F"), ("evlist", "--trace-fields"), ("buildid-list",),
    ("buildid-list", "-H"), ("buildid-list", "-v"), ("data", "convert", "--to-json", "-"),
    ("stat", "report"), ("stat", "report", "-x,"), ("stat", "report", "-j"),
    ("inject", "-b", "-v", "-o", "/dev/null"), ("inject", "-j", "-v", "-o", "/dev/null"),
    ("archive", "-v", "-o", "x.tar.zst")] + [("report", "--stdio", "--sort", key) for key in KEYS]


def look(what, out):
    for raw in RAW:
        at = out.find(raw)
        check(at < 0, f"{what}: raw {raw!r} in the output: {out[max(0, at - 60):at + 20]!r}")


def check_json(what, out, is_lines):
    try:
        for text in out.splitlines() if is_lines else [out]:
            if text.strip():
                json.loads(text)
    except ValueError as e:
        check(False, f"{what}: {e}")


def run(*command):
    what = " ".join(command)
    env = {**os.environ, "PFX_CONFIG": "/dev/null", "PAGER": "cat", "HOME": os.getcwd()}
    if "-s" in command:
        env["ASAN_OPTIONS"] = "detect_leaks=0"  # Python keeps what it has until the end
    done = subprocess.run([PFX, *command], stdin=subprocess.DEVNULL, capture_output=True, check=False, env=env)
    check(done.returncode in (0, 255), f"{what}: exit {done.returncode} {done.stderr[-300:]}")
    look(what, done.stdout + done.stderr)
    return done.stdout


def run_all():
    for command in COMMANDS:
        out = run(*command, "-i", "x.data")
        if "--json" in command or "-j" in command and command[0] == "stat" or command[0] == "data":
            check_json(" ".join(command), out, command[0] in ("script", "stat"))
    run("buildid-cache", "-M", "x.data")
    run("archive", "--unpack", "-o", "unpacked.data", "x.tar.zst")


def run_scripts():
    if not built_in("python3-embed"):
        print("without scripts: no Python is built in")
        return
    run("script", "-g", "python", "-i", "x.data")
    out = run("script", "-s", "perf-script.py", "-i", "x.data")
    check(b"a\\x1b[31m" in out, f"the script that was made shows names: {out[-300:]}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        elf, found = make_program()
        ips = [0x1010, 0x100010, 0xffffffff81000010, 0xffffffffa0000010, 0xffffffffc0000010] + found
        for by in (4, 3):
            with open("x.data", "wb") as f:
                f.write(recording(elf, ips, by))
            run_all()
        run_scripts()
        names = b"".join(os.fsencode(name) for name in os.listdir(".") if name.startswith("x.data."))
        check(b"\x1b" not in names, f"names of files that are made: {names}")
        os.chdir("/")


main()
if FAILURES:
    print(f"{len(FAILURES)} checks failed")
    sys.exit(1)
print("all checks passed")
