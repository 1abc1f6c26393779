# SPDX-License-Identifier: MIT
"""`pfx annotate` shows code that is in no file: each version of a function from a jitdump with its lines,
code in the memory of a process while that is running, and BPF programs; and the reason if it cannot."""
import ctypes
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys

import bpf
from live import KIT, PFX, check, equal, finish, need_recording, record_to, run, wait_for, wait_for_work

JIT = os.environ.get("PFX_JIT", "build/dev/tests/live/live-jit")
BPF = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bpf.py")
NOBODY = 65534
# dec %rdi; jne; ret
LOOP = "48ffcf75fbc3"
MEMORY = """
import ctypes, mmap, os, sys
code = bytes.fromhex("48ffcf75fbc3")
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
at = libc.mmap(None, 4096, 7, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
ctypes.memmove(at, code, len(code))
with open(f"/tmp/perf-{os.getpid()}.map", "w", encoding="ascii") as file:
    file.write(f"{at:x} 6 managed_loop\\n")
function = ctypes.CFUNCTYPE(None, ctypes.c_uint64)(at)
while True:
    function(3000000)
"""


def annotate(data, *words, **kw):
    return run(PFX, "--buildid-dir", "cache", "annotate", "-i", data, *words, **kw)


def functions(data, name):
    """The functions of that name in the JSON, with their code in hex."""
    done = annotate(data, "--json")
    check(not done.returncode, f"{data}: {done.stderr}")
    found = [f for f in json.loads(done.stdout or '{"functions": []}')["functions"] if re.search(name, f["symbol"])]
    for function in found:
        function["code"] = "".join(insn["bytes"] for insn in function["instructions"])
    return found, done.stderr


def record(data, *words):
    done = record_to(PFX, data, "-e", "cpu-clock", "-F", "999", *words, common=("--buildid-dir", "cache"))
    equal(done.returncode, 0, f"{data}: {done.stderr.strip()[:300]}")


def versions():
    """A function that was compiled twice: both, with the samples, code and lines of their time."""
    os.makedirs("dumps", exist_ok=True)
    record("again.data", "-k", "mono", "--", JIT, "dumps", "0.3", "again")
    found, _ = functions("again.data", "^jit_function_0$")
    step = 6 if os.uname().machine == "x86_64" else 8
    codes = {f["code"]: f for f in found}
    short, long = min(codes, key=len, default=""), max(codes, key=len, default="")
    check(len(found) == 2 and long == short[:step] + short, f"two versions: {list(codes)}")
    if len(codes) == 2:
        first, second = (codes[code]["totals"][0]["samples"] for code in (short, long))
        check(first > second > 0.25 * first, f"samples of the versions: {first}, {second}")
        check({line["line"] for line in codes[long]["lines"]} == {10, 11}, "lines of the second version")
        at = {insn["address"] for f in found for insn in f["instructions"][:1]}
        check(len(at) == 1, f"both are at one address: {at}")
    code = annotate("again.data", "-d", os.path.basename(found[0]["dso"])).stdout if found else ""
    shutil.rmtree("dumps")
    check(code and annotate("again.data", "-d", os.path.basename(found[0]["dso"])).stdout == code, "from the cache")
    done = run(PFX, "--buildid-dir", "cache", "archive", "-i", "again.data")
    check(not done.returncode, f"archive: {done.stderr}")
    shutil.rmtree("cache")
    check(annotate("again.data.tar.zst", "-d", os.path.basename(found[0]["dso"])).stdout == code, "from an archive")
    gone = annotate("again.data")
    check("jit_function_0" not in gone.stdout and "cannot open 'dumps/jit-" in gone.stderr.replace(os.getcwd() + "/", ""),
          f"without the jitdump: {gone.stderr}")


def memory():
    """Code that only the process has, while it lives."""
    with open("memory.py", "w", encoding="ascii") as file:
        file.write(MEMORY)
    with subprocess.Popen([sys.executable, "memory.py"]) as process:
        path = f"/tmp/perf-{process.pid}.map"
        wait_for(lambda: os.path.exists(path) and os.path.getsize(path), "the perf map")
        with subprocess.Popen([PFX, "--buildid-dir", "cache", "record", "-q", "-o", "memory.data", "-e", "cpu-clock",
                               "-F", "999", "-p", str(process.pid)]) as recorder:
            wait_for_work(process.pid, 0.4)
            recorder.send_signal(signal.SIGINT)
        live_memory(process, path)
        process.kill()
    _, said = functions("memory.data", "managed_loop")
    check(f"process {process.pid} has ended" in said and "a jitdump keeps such code" in said, f"after the process: {said}")
    os.unlink(path)


def live_memory(process, path):
    found, said = functions("memory.data", "managed_loop")
    check([f["code"] for f in found] == [LOOP], f"code in memory: {found} {said}")
    if not os.geteuid() and shutil.which("setpriv"):
        os.chmod("memory.data", 0o644)
        words = ["setpriv", f"--reuid={NOBODY}", "--clear-groups", PFX, "annotate", "-f", "-i", "memory.data"]
        done = run(*words)
        check(f"the memory of process {process.pid} must not be read by this user" in done.stderr or
              "cannot open" in done.stderr, f"another user: {done.stderr}")
    with open(path, encoding="ascii") as file:
        text = file.read()
    with open(path, "w", encoding="ascii") as file:
        file.write(text.replace("managed_loop", "another_loop"))
    _, said = functions("memory.data", "managed_loop")
    check(f"the perf map of process {process.pid} no longer has that function at its address" in said, said)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    os.utime(path, (1, 1))
    _, said = functions("memory.data", "managed_loop")
    check(f"the perf map of process {process.pid} is older than it" in said, said)
    os.utime(path)
    os.utime("memory.data", (1, 1))
    _, said = functions("memory.data", "managed_loop")
    check(f"process {process.pid} is not the recorded one: it started later" in said, said)
    os.utime("memory.data")


def jited(fd):
    """Address, tag and code of the program's functions, by the kernel."""
    info = ctypes.create_string_buffer(232)
    bpf.bpf(bpf.GET_INFO, struct.pack("=IIQ", fd, 232, bpf.address(info)))
    size, nr = struct.unpack_from("=I", info.raw, 16)[0], 2
    code = ctypes.create_string_buffer(size)
    at, lens, tags = (ctypes.create_string_buffer(nr * n) for n in (8, 4, 8))
    again = ctypes.create_string_buffer(232)
    for place, value in ((24, code), (112, at), (120, lens), (184, tags)):
        struct.pack_into("=Q", again, place, bpf.address(value))
    for place, value in ((16, size), (104, nr), (108, nr), (180, nr)):
        struct.pack_into("=I", again, place, value)
    bpf.bpf(bpf.GET_INFO, struct.pack("=IIQ", fd, 232, bpf.address(again)))
    found, begin = [], 0
    for i in range(nr):
        length = struct.unpack_from("=I", lens.raw, 4 * i)[0]
        found.append((struct.unpack_from("=Q", at.raw, 8 * i)[0], tags.raw[8 * i:8 * i + 8].hex(),
                      code.raw[begin:begin + length]))
        begin += length
    return found


def write_unknown(path, function):
    """A recording with a sample in the program, but without its description."""
    addr, tag, code = function
    with open(path + ".txt", "w", encoding="ascii") as file:
        file.write(f"event cpu-clock type=sw config=0 period=1 sample=ip,tid,time,period ids=1\n"
                   f"feature arch str={os.uname().machine}\nfeature event_desc\ncomm pid=1 tid=1 a\n"
                   f"ksymbol addr={addr:#x} len={len(code)} type=1 time=1 bpf_prog_{tag}_pfx_busy\n"
                   f"sample ip={addr + 4:#x} pid=1 tid=1 time=2 period=1 misc=1\nround\n")
    done = run(KIT, path + ".txt", path)
    check(not done.returncode, done.stderr)


def programs():
    fd, number = bpf.load()
    if fd is None:
        print(f"without BPF: {number}")
        return
    record("bpf.data", "--", sys.executable, BPF, str(number), "0.3")
    entry, busy = jited(fd)
    check(len(entry[2]) and busy[2].hex(), "the kernel does not show code")
    write_unknown("unknown.data", busy)
    for data in ("bpf.data", "unknown.data"):
        found, said = functions(data, f"_{bpf.NAMES[1]}$")
        check([f["code"] for f in found] == [busy[2].hex()], f"{data}: code of a BPF program: {said}")
        source = [(line["file"], line["line"], line.get("text")) for f in found for line in f["lines"]]
        check(source == [(bpf.SOURCE, line, text) for _, line, text in bpf.BUSY_LINES], f"{data}: lines {source}")
        cost = [line["self"][0]["samples"] for f in found for line in f["lines"] if line["line"] == 13 and "self" in line]
        check(data != "bpf.data" or (cost and cost[0] > 0.9 * found[0]["totals"][0]["samples"]), f"cost of a line: {cost}")
    if not os.geteuid() and shutil.which("setpriv"):
        os.chmod("unknown.data", 0o644)
        done = run("setpriv", f"--reuid={NOBODY}", "--clear-groups", PFX, "annotate", "-f", "-i", "unknown.data")
        check("the running kernel shows that only to root" in done.stderr or "cannot open" in done.stderr, done.stderr)
    os.close(fd)
    found, said = functions("bpf.data", f"_{bpf.NAMES[1]}$")
    check([f["code"] for f in found] == [busy[2].hex()], f"code of a program that is gone: {said}")
    wait_for(lambda: "has no such program at its address" in functions("unknown.data", "busy")[1], "the program's end")


need_recording()
versions()
if os.uname().machine == "x86_64":
    memory()
programs()
finish()
