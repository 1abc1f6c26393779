#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The text of tracepoints is what perf script 6.1 prints: for all formats of this kernel, with
contents made up here, and for what a busy machine records.

What may differ is named: where perf's library is wrong (Documentation/decisions.md). Where perf
does not understand a format it shows the fields; pfx understands some more."""
import glob
import os
import random
import re
import struct
import subprocess

from live import PERF, PFX, check, equal, finish, need_perf, record_to, run, skip

TRACEFS = "/sys/kernel/tracing/"
CHUNK = 150
DIFFERENT_EVENTS = {"timer:timer_start", "kmem:mm_page_alloc_extfrag", "kvm:kvm_nested_vmenter"}
DIFFERENT_FORMATS = re.compile(r'%[-0-9]*z|%c|%\*pb|__get_cpumask|__print_hex(_str)?\(REC')
FIELD = re.compile(r"field:(.*?);\s*offset:(\d+);\s*size:(\d+);")
WORDS = [b"", b"a", b"bash", b"kworker/0:1", b"with spaces", b"/usr/lib/x", b"0123456789abcdef"]
RECORDED = ["sched:*", "signal:*", "task:*", "irq:*", "timer:*", "workqueue:*", "writeback:*",
            "block:*", "kmem:*", "net:*", "tcp:*", "skb:*", "syscalls:sys_enter_*"]


def read(path):
    with open(TRACEFS + path, "rb") as f:
        return f.read()


class Event:
    def __init__(self, path):
        self.system, name = path.split("/")[-3:-1]
        self.name = f"{self.system}:{name}"
        self.format = read(path[len(TRACEFS):])
        text = self.format.decode()
        self.id = int(re.search(r"^ID: (\d+)", text, re.M).group(1))
        self.fields = [(m[1], int(m[2]), int(m[3])) for m in FIELD.finditer(text)]
        self.has_lines = "\n" in text.split("print fmt:")[1].strip()
        self.may_differ = (self.name in DIFFERENT_EVENTS or
                           DIFFERENT_FORMATS.search(text) is not None)


def tracing_data(events):
    out = bytes([23, 8, 68]) + b"tracing0.6\0" + bytes([0, 8]) + struct.pack("<I", 4096)
    for name in ("header_page", "header_event"):
        text = read("events/" + name)
        out += name.encode() + b"\0" + struct.pack("<Q", len(text)) + text
    systems = sorted({e.system for e in events})
    out += struct.pack("<II", 0, len(systems))
    for system in systems:
        formats = [e.format for e in events if e.system == system]
        out += system.encode() + b"\0" + struct.pack("<I", len(formats))
        for text in formats:
            out += struct.pack("<Q", len(text)) + text
    printk = read("printk_formats")
    return out + struct.pack("<II", 0, len(printk)) + printk + struct.pack("<Q", 0)


class Maker:
    """Contents that look like those of a kernel."""

    def __init__(self, seed, functions):
        self.random = random.Random(seed)
        self.functions = functions

    def number(self, size):
        r = self.random
        kind = r.randrange(8)
        value = (0 if kind == 0 else -1 if kind == 1 else r.randrange(40) if kind < 5 else
                 1 << r.randrange(64) if kind == 5 else
                 r.choice(self.functions) + r.choice([0, 1, 16]) if kind == 6 else
                 r.getrandbits(r.choice([8, 16, 32, 64])))
        return (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")

    def raw(self, event):
        r = self.random
        fixed = max(offset + size for _, offset, size in event.fields)
        out, tail = bytearray(fixed + -fixed % 8), bytearray()
        for decl, offset, size in event.fields:
            if decl.startswith(("__data_loc", "__rel_loc")):
                data = (r.choice(WORDS) + b"\0" if "char" in decl.split("[")[0] else
                        r.randbytes(r.choice([0, 4, 8, 16, 32])))
                at = len(out) + len(tail) - (offset + 4 if decl.startswith("__rel") else 0)
                out[offset:offset + 4] = struct.pack("<I", at | len(data) << 16)
                tail += data
            elif size not in (1, 2, 4, 8) or "[" in decl:
                word = r.choice(WORDS)[:size]
                data = word + bytes(size - len(word)) if "char" in decl else r.randbytes(size)
                out[offset:offset + size] = data
            else:
                out[offset:offset + size] = self.number(size)
        out[0:2] = struct.pack("<H", event.id)
        out += tail + bytes(64)
        return bytes(out + bytes((-len(out) - 4) % 8))


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def stream(events, maker, text):
    """A recording as a pipe has it: attrs, formats, the kernel's map and a sample of each."""
    out = b"PERFILE2" + struct.pack("<Q", 16)
    sample_type = 0x10000 | 1 | 2 | 4 | 0x80 | 0x400
    for i, event in enumerate(events):
        attr = struct.pack("<IIQQQQQ", 2, 112, event.id, 1, sample_type, 0, 1 << 18)
        out += record(64, 0, attr + bytes(112 - len(attr)) + struct.pack("<Q", 1000 + i))
    blob = tracing_data(events)
    blob += bytes(-len(blob) % 8)
    out += struct.pack("<IHHI", 66, 0, 12, len(blob)) + blob
    name = b"[kernel.kallsyms]_text\0\0"
    out += record(1, 1, struct.pack("<IIQQQ", 0xffffffff, 0, text, 2 ** 64 - 1 - text, text) +
                  name + struct.pack("<IIQIIQ", 0, 0, 0, 0, 0, 1000))
    for i, event in enumerate(events):
        raw = maker.raw(event)
        out += record(9, 1, struct.pack("<QQIIQIII", 1000 + i, text + 100, 1, 1, 1000 * (i + 1),
                                        0, 0, len(raw)) + raw)
    return out


def lines_of(tool, data):
    done = subprocess.run([tool, "script", "-F", "trace:trace", "-i", "-"], input=data, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    lines = done.stdout.decode(errors="backslashreplace").split("\n")[:-1]
    return done.returncode, [line.strip() for line in lines]


def all_formats(seed, events, functions, text):
    maker = Maker(seed, functions)
    compared = 0
    for start in range(0, len(events), CHUNK):
        chunk = events[start:start + CHUNK]
        data = stream(chunk, maker, text)
        status, ours = lines_of(PFX, data)
        equal(status, 0, f"exit status for {chunk[0].name} and following")
        equal(len(ours), len(chunk), f"lines for {chunk[0].name} and following")
        status, theirs = lines_of(PERF, data)
        if status or len(theirs) != len(ours):
            continue  # perf died of the contents
        for event, mine, other in zip(chunk, ours, theirs):
            if event.may_differ or other.startswith("[FAILED TO PARSE]"):
                continue
            compared += 1
            equal(mine, other, event.name)
    print(f"{compared} texts of {len(events)} formats compared")
    check(compared > len(events) / 2, "perf could print less than half of the formats")


def recorded():
    events = [word for pattern in RECORDED for word in ("-e", pattern)
              if glob.glob(TRACEFS + "events/" + pattern.replace(":", "/"))]
    work = "for i in 1 2 3; do ls -l /usr/lib > busy.txt; sync; cat busy.txt > /dev/null; done"
    done = record_to(PERF, "busy.data", "-q", "-m", "4M", *events, "--", "sh", "-c", work)
    if done.returncode:
        print(f"nothing was recorded: {done.stderr.strip()}")
        return
    args = ["script", "-i", "busy.data", "-F", "event,trace"]
    ours, theirs = (run(tool, *args).stdout.split("\n") for tool in (PFX, PERF))
    equal(len(ours), len(theirs), "lines of what was recorded")
    print(f"{len(ours)} recorded texts compared")
    for mine, other in zip(ours, theirs):
        name = other.split(": ")[0].strip()
        if name not in DIFFERENT_EVENTS and "[FAILED TO PARSE]" not in other:
            equal(mine, other, name)


def main():
    need_perf()
    if os.geteuid() or not os.access(TRACEFS + "events", os.R_OK):
        skip("reading the formats of tracepoints needs root and tracefs")
    with open("/proc/kallsyms", encoding="ascii") as f:
        symbols = [line.split() for line in f]
    functions = [int(s[0], 16) for s in symbols if s[1] in "tT" and len(s) == 3][::200]
    text = next(int(s[0], 16) for s in symbols if s[2] == "_text")
    paths = sorted(glob.glob(TRACEFS + "events/*/*/format"))
    # Those of ftrace itself are not for perf. Some print several lines.
    events = [Event(path) for path in paths if "/events/ftrace/" not in path]
    events = [event for event in events if not event.has_lines]
    all_formats(1, events, functions, text)
    recorded()
    finish()


main()
