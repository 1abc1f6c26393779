# SPDX-License-Identifier: MIT
"""A recording made of nothing: call chains, tracepoints and odd names, for tests of scripts."""

import os
import struct
import subprocess
import sys

from libraries import built_in

SKIP = 77
PFX = os.environ["PFX"]
SOURCE = os.environ["PFX_SOURCE_DIR"]
KIT = os.path.join(os.path.dirname(PFX), "..", "tests", "kit", "pfx-kit")

COMMON = [
    ("unsigned short common_type", 2, 0),
    ("unsigned char common_flags", 1, 0),
    ("unsigned char common_preempt_count", 1, 0),
    ("int common_pid", 4, 1),
]
TASK = [("char comm[16]", 16, 0), ("pid_t pid", 4, 1), ("int prio", 4, 1), ("int target_cpu", 4, 1)]
EVENTS = {
    300: ("sched", "sched_switch",
          [("char prev_comm[16]", 16, 0), ("pid_t prev_pid", 4, 1), ("int prev_prio", 4, 1),
           ("long prev_state", 8, 1), ("char next_comm[16]", 16, 0), ("pid_t next_pid", 4, 1),
           ("int next_prio", 4, 1)],
          '"%s ==> %s", __print_flags(REC->prev_state & 3, "|", { 1, "S" }, { 2, "D" }), '
          "REC->next_comm"),
    301: ("sched", "sched_wakeup", TASK, '"%s", REC->comm'),
    302: ("raw_syscalls", "sys_enter",
          [("long id", 8, 1), ("unsigned long args[6]", 48, 0)], '"%ld", REC->id'),
    303: ("raw_syscalls", "sys_exit", [("long id", 8, 1), ("long ret", 8, 1)], '"%ld", REC->ret'),
    304: ("irq", "softirq_entry", [("unsigned int vec", 4, 0)],
          '"%s", __print_symbolic(REC->vec, { 0, "HI" }, { 1, "TIMER" })'),
}


HEADER_PAGE = (b"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
               b"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
               b"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
               b"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n")


def format_of(number):
    """The text of a tracepoint's format."""
    _, name, fields, text = EVENTS[number]
    lines = ["name: %s" % name, "ID: %d" % number, "format:"]
    offset = 0
    for declaration, size, sign in COMMON + fields:
        if len(lines) == 3 + len(COMMON):
            lines.append("")
        offset = (offset + min(size, 8) - 1) // min(size, 8) * min(size, 8) \
            if "[16]" not in declaration else offset
        lines.append("\tfield:%s;\toffset:%d;\tsize:%d;\tsigned:%d;" %
                     (declaration, offset, size, sign))
        offset += size
    return "\n".join(lines) + "\n\nprint fmt: %s\n" % text


def raw(number, tid, *values):
    """The bytes of a tracepoint's sample."""
    data = struct.pack("<HBBi", number, 5, 2, tid)
    for (declaration, size, _), value in zip(EVENTS[number][2], values):
        if "[16]" in declaration:
            data += value.encode().ljust(16, b"\0")
            continue
        data += b"\0" * (-len(data) % min(size, 8))
        if "[6]" in declaration:
            data += struct.pack("<6Q", *value)
        else:
            data += struct.pack("<q", value)[:size]
    return data + b"\0" * (-(len(data) + 4) % 8)


def tracing():
    """The row of the tracing data."""
    blob = b"\x17\x08\x44tracing0.6\0\0\1\x08"
    blob = blob[:14] + bytes([0, 8]) + struct.pack("<I", 4096)
    for name, text in ((b"header_page\0", HEADER_PAGE), (b"header_event\0", b"# compressed entry header\n")):
        blob += name + struct.pack("<Q", len(text)) + text
    blob += struct.pack("<I", 0)
    systems = sorted({EVENTS[n][0] for n in EVENTS})
    blob += struct.pack("<I", len(systems))
    for system in systems:
        formats = [format_of(n).encode() for n in EVENTS if EVENTS[n][0] == system]
        blob += system.encode() + b"\0" + struct.pack("<I", len(formats))
        for text in formats:
            blob += struct.pack("<Q", len(text)) + text
    blob += struct.pack("<I", 0) * 2 + struct.pack("<Q", 0)
    return "feature tracing_data bytes=%s" % blob.hex()


class World:
    """Rows of a recording."""

    def __init__(self):
        self.rows = []
        for number in EVENTS:
            self.rows.append("event %s:%s type=tracepoint config=%d period=1 "
                             "sample=identifier,ip,tid,time,cpu,period,raw ids=%d" %
                             (EVENTS[number][0], EVENTS[number][1], number, number))
        self.rows.append("event cpu-clock type=sw config=0 period=1 "
                         "sample=identifier,ip,tid,time,cpu,period,callchain ids=1")
        self.rows += [tracing(), "feature arch str=x86_64", "feature event_desc"]
        self.rows.append("mmap pid=-1 tid=0 addr=0xffffffff81000000 len=0x1000000 "
                         'pgoff=0xffffffff81000000 mode=kernel "[kernel.kallsyms]_text"')
        self.time = 1000000000

    def comm(self, pid, name):
        self.rows.append('comm pid=%d tid=%d "%s"' % (pid, pid, name))

    def trace(self, number, pid, *values, after=1000, cpu=0):
        self.time += after
        self.rows.append("sample id=%d ip=0xffffffff81000000 pid=%d tid=%d time=%d cpu=%d period=1 "
                         "raw=%s" % (number, pid, pid, self.time, cpu,
                                     raw(number, pid, *values).hex()))

    def chain(self, pid, ips, after=1000, period=1):
        self.time += after
        mode = "kernel" if ips[0] >> 63 else "user"
        words = ",".join([mode] + ["0x%x" % ip for ip in ips])
        self.rows.append("sample event=cpu-clock id=1 ip=0x%x pid=%d tid=%d time=%d cpu=1 period=%d mode=%s "
                         "chain=%s" % (ips[0], pid, pid, self.time, period, mode, words))

    def write(self, path):
        if not os.access(KIT, os.X_OK):
            print("there is no pfx-kit beside the program")
            sys.exit(SKIP)
        with open(path + ".txt", "w", encoding="utf-8") as file:
            file.write("\n".join(self.rows) + "\nround\n")
        subprocess.run([KIT, path + ".txt", path], check=True)


def run(*argv, **env):
    """(exit code, standard output, standard error) of pfx script."""
    full = dict(os.environ, PFX_CONFIG="/dev/null", LC_ALL="C", PYTHONDONTWRITEBYTECODE="1",
                ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0", **env)
    done = subprocess.run([PFX, "script", *argv], env=full, capture_output=True, timeout=900,
                          check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def write_symbols(path):
    """Symbols of the kernel, every 0x100 bytes from 0xffffffff81000000 on."""
    names = ["_text", "leaf", "middle", "outer<&>\"'</script>", "_etext"]
    with open(path, "w", encoding="utf-8") as file:
        for i, name in enumerate(names):
            file.write("%x T %s\n" % (0xffffffff81000000 + i * 0x100, name))


def has_python():
    """Whether the interpreter is built in."""
    return built_in("python3-embed")


def write_rows(path, rows):
    """A recording that is described by rows of the kit."""
    with open(path + ".txt", "w", encoding="utf-8") as file:
        file.write(rows + "\nround\n")
    subprocess.run([KIT, path + ".txt", path], check=True)
