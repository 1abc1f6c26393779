#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pfx script -s: what functions of a script are handed, and what happens when they fail."""

import json
import os
import shutil
import signal
import subprocess
import sys

import script_world as world

FAILURES = []
KERNEL = 0xffffffff81000000


def check(name, condition, shown=""):
    if not condition:
        FAILURES.append(name)
        print("FAILED:", name, shown)


def script(text, *argv, options=(), **env):
    """Run a script over the recording."""
    with open("script.py", "w", encoding="utf-8") as file:
        file.write(text)
    return world.run("-i", "world.data", *options, "-s", "script.py", *argv, **env)


def make_recording():
    w = world.World()
    w.comm(10, "first")
    w.comm(11, "b\\xffr")
    w.trace(300, 10, "first", 10, 120, 3, "second", 11, 120)
    w.trace(302, 11, 5, (1, 2, 3, 4, 5, 6))
    w.trace(303, 11, 5, -2, cpu=1)
    w.trace(304, 10, 1)
    w.chain(10, [KERNEL + 0x110, KERNEL + 0x220, 0x1000], period=7)
    w.rows.append("throttle time=1000009000 id=5 stream=6")
    w.rows.append("switch_cpu_wide other_pid=5 other_tid=6 time=1000009001 out=1")
    w.write("world.data")
    world.write_symbols("kallsyms")


def test_tracepoints():
    code, out, err = script("""
from Core import *
from perf_trace_context import *
import sys
print(sys.argv)
def trace_begin(): print("begin")
def trace_end(): print("end")
def sched__sched_switch(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
        common_comm, common_callchain, prev_comm, prev_pid, prev_prio, prev_state, next_comm,
        next_pid, next_prio, perf_sample_dict):
    print(event_name, common_cpu, common_secs, common_nsecs, common_pid, common_comm)
    print(prev_comm, prev_pid, prev_state, next_comm, next_prio, common_callchain)
    print(common_pc(context), common_flags(context), common_lock_depth(context))
    print(flag_str(event_name, "prev_state", prev_state), perf_sample_dict["ev_name"])
    print(perf_sample_srcline(context), perf_sample_srccode(context), perf_sample_insn(context))
def raw_syscalls__sys_enter(name, context, cpu, secs, nsecs, pid, comm, chain, id, args):
    print(name, id, type(args).__name__, len(args))
def raw_syscalls__sys_exit(name, context, cpu, secs, nsecs, pid, comm, chain, id, ret):
    print(name, cpu, comm, id, ret)
def trace_unhandled(event_name, context, fields):
    print(event_name, sorted(fields), symbol_str(event_name, "vec", fields["vec"]))
""", "one", "two")
    check("exit code", code == 0, err)
    want = """['script.py', 'one', 'two']
begin
sched__sched_switch 0 1 1000 10 first
first 10 3 second 120 []
2 5 0
S | D sched:sched_switch
(None, 0) (None, 0, None) None
raw_syscalls__sys_enter 5 bytearray 48
raw_syscalls__sys_exit 1 b\\xffr 5 -2
irq__softirq_entry ['common_callchain', 'common_comm', 'common_cpu', 'common_ns', 'common_pid', \
'common_s', 'vec'] TIMER
end
"""
    check("tracepoints", out == want, out)


def test_process_event():
    code, out, err = script("""
def process_event(d):
    print(list(d))
    print(list(d["sample"]))
    s = d["sample"]
    print(d["ev_name"], len(d["attr"]), s["pid"], s["time"], s["period"], s["cpu"], s["values"])
    print(s["datasrc_decode"])
    print(d["comm"], d["dso"], d["symbol"], d["symoff"], d["raw_buf"])
    for frame in d["callchain"]: print(frame)
    d["callchain"][0]["mine"] = 1
def throttle(*a): print("throttle", a[:3])
def context_switch(*a): print("switch", a[4:9])
""", options=("--kallsyms", "kallsyms"))
    check("exit code", code == 0, err)
    lines = out.splitlines()
    check("keys", lines[0] == str(["ev_name", "attr", "sample", "raw_buf", "comm", "dso", "dso_bid",
                                   "dso_map_start", "dso_map_end", "symbol", "symoff",
                                   "callchain", "brstack", "brstacksym", "iregs", "uregs"]), out)
    check("keys of sample",
          lines[1] == str(["pid", "tid", "cpu", "ip", "time", "period", "phys_addr", "addr",
                           "values", "weight", "transaction", "datasrc", "datasrc_decode",
                           "cpumode"]), out)
    want = """cpu-clock 136 10 1000005000 7 1 [(0, 0, 0)]
|OP N/A|LVL N/A|SNP N/A|TLB N/A|LCK N/A|BLK  N/A
first [kernel.kallsyms] leaf 16 b''
{'ip': %d, 'sym': {'start': %d, 'end': %d, 'binding': 1, 'name': 'leaf'}, 'sym_off': 16, \
'dso': '[kernel.kallsyms]'}
{'ip': %d, 'sym': {'start': %d, 'end': %d, 'binding': 1, 'name': 'middle'}, 'sym_off': 32, \
'dso': '[kernel.kallsyms]'}
{'ip': 4096}
throttle (1000009000, 5, 6)
switch (5, 6, -1, True, False)
""" % (KERNEL + 0x110, KERNEL + 0x100, KERNEL + 0x200, KERNEL + 0x220, KERNEL + 0x200,
       KERNEL + 0x300)
    rest = "".join(line + "\n" for line in lines[2:])
    size = lines[2].split()[1]
    check("a sample", rest == want.replace("cpu-clock 136", "cpu-clock " + size), rest)


def test_failures():
    code, out, err = script("print('before')\ndef process_event(d):\n    return d['no such key']\n")
    check("exception", code == 255 and out == "before\n" and "KeyError: 'no such key'" in err
          and "process_event" in err, err)
    steering = "'a\\x1b[31mb\\x07c\\u202e\\n\\tnext \\udcff'"
    shown = "a\\x1b[31mb\\x07c\\xe2\\x80\\xae\n\tnext \\udcff\n"
    code, _, err = script(f"def process_event(d):\n    raise ValueError({steering})\n")
    check("escapes in an exception", code == 255 and "ValueError: " + shown in err, err)
    code, _, err = script(f"import sys\ndef process_event(d):\n    sys.exit({steering})\n")
    check("escapes in sys.exit", code == 1 and err == shown, err)
    code, _, err = script("import sys\nsys.excepthook = lambda *x: sys.stderr.write('my own\\x1b\\n')\n"
                          "def process_event(d):\n    raise ValueError('x')\n")
    check("a hook of the script", code == 255 and err.startswith("my own\\x1b\n"), err)
    code, _, err = script("import sys\ndef process_event(d):\n    sys.stderr = None\n    raise ValueError('x')\n")
    check("no place to print", code == 255 and "the script failed" in err, err)
    code, _, err = script("def f(:\n")
    check("syntax", code == 255 and "SyntaxError" in err, err)
    code, _, err = script("import sys\ndef trace_end(): sys.exit(3)\n")
    check("sys.exit", code == 3 and not err, err)
    code, _, err = world.run("-i", "world.data", "-s", "nosuch.py")
    check("no script", code == 255 and "nosuch.py" in err, err)
    code, _, err = world.run("-i", "nosuch.data", "-s", "script.py")
    check("no recording", code == 255 and "nosuch.data" in err, err)
    code, _, err = world.run("-i", "world.data", "-s", "Ruby:x.rb")
    check("language", code == 129 and "Python" in err, err)
    code, _, err = script("import perf_trace_context as c\nc.common_pc(1)\n")
    check("no context", code == 255 and "TypeError" in err, err)
    code, _, err = script("kept = []\ndef process_event(d): pass\n"
                          "def trace_unhandled(n, c, f): kept.append(c)\n"
                          "import perf_trace_context as m\n"
                          "def trace_end(): m.common_pc(kept[0])\n")
    check("context kept", code == 255 and "RuntimeError" in err, err)


def test_words():
    code, out, _ = script("print('hello')\n", options=("-s", "other.py"))
    check("the last -s counts", code == 0 and out == "hello\n", out)
    code, out, _ = world.run("-i", "world.data", "-s", "Python:script.py")
    check("with a language", code == 0 and out == "hello\n", out)
    code, out, _ = world.run("-i", "world.data", "-s", "py:" + os.path.abspath("script.py"))
    check("with a language and a folder", code == 0 and out == "hello\n", out)
    os.makedirs("folder/python", exist_ok=True)
    with open("folder/python/mine.py", "w", encoding="utf-8") as file:
        file.write("# description: says a word\n# args: word\nimport sys\nprint(sys.argv[1])\n")
    code, out, _ = world.run("-l", PFX_SCRIPTS="folder")
    check("list", code == 0 and "mine word" in out and "says a word" in out, out)
    code, out, _ = world.run("-i", "world.data", "report", "mine", "abc", PFX_SCRIPTS="folder")
    check("report", code == 0 and out == "abc\n", out)
    for words in (["-i", "world.data", "abc"], ["abc", "--input=world.data"], ["abc", "--input", "world.data"]):
        code, out, err = world.run("report", "mine", *words, PFX_SCRIPTS="folder")
        check(f"the recording among {words}", code == 0 and out == "abc\n" and not err, out + err)
    code, out, _ = world.run("-i", "world.data", "report", "mine", "-i", PFX_SCRIPTS="folder")
    check("a word of the script", code == 0 and out == "-i\n", out)
    code, out, err = world.run("-i", "world.data", "report", "nosuch", PFX_SCRIPTS="folder")
    check("no such name", code == 129 and "nosuch" in err, err)
    code, out, _ = script("print('one')\ndef process_event(d): print(d['comm'])\n",
                          options=("-c", "nobody"))
    check("filters", code == 0 and out == "one\n", out)


def test_interrupt():
    """Ctrl-C while the script is told of a sample: no more of them, but trace_end() runs."""
    text = ("import os, signal\nseen = []\n"
            "def trace_unhandled(n, c, f):\n"
            "    seen.append(n); os.kill(os.getpid(), signal.SIGINT)\n"
            "def process_event(d): seen.append('sample')\n"
            "def trace_end(): print(len(seen))\n")
    code, out, err = script(text)
    check("Ctrl-C", code == 0 and out == "1\n", out + err)
    code, _, _ = script("import os, signal\n"
                        "def trace_unhandled(n, c, f):\n"
                        "    for i in range(2): os.kill(os.getpid(), signal.SIGINT)\n")
    check("twice", code == -signal.SIGINT, str(code))
    stop_a_stream()


def stop_a_stream():
    """Ctrl-C while pfx waits for more of a stream ends it, at the first time."""
    with open("stream.txt", "w", encoding="utf-8") as file:
        file.write("event cpu-clock type=sw sample=ip,tid,time,period\n"
                   'comm pid=10 tid=10 "prog"\n')
        for i in range(1, 9):
            file.write(f"sample ip=0x1000 pid=10 tid=10 time={i} period=1\nround\n")
    subprocess.run([world.KIT, "--le", "--pipe", "stream.txt", "stream.data"], check=True)
    with open("script.py", "w", encoding="utf-8") as file:
        file.write("def process_event(d): print('event', flush=True)\n"
                   "def trace_end(): print('end')\n")
    # the interpreter keeps memory to its end
    env = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
    child = subprocess.Popen([world.PFX, "script", "-i", "-", "-s", "script.py"], text=True, env=env,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with open("stream.data", "rb") as file:
        child.stdin.buffer.write(file.read()[:-4])  # the last record is not whole
    child.stdin.flush()
    first = child.stdout.readline()
    child.send_signal(signal.SIGINT)
    try:
        code = child.wait(60)
        out, err = child.stdout.read(), child.stderr.read()
    except subprocess.TimeoutExpired:
        child.kill()
        out, err, code = "", "it goes on", None
    child.stdin.close()
    check("Ctrl-C in a stream", code == 0 and first == "event\n" and out.endswith("end\n") and not err,
          f"{code} {first!r} {out!r} {err!r}")


def test_closed_pipe():
    with open("script.py", "w", encoding="utf-8") as file:
        file.write("def trace_end():\n    for i in range(100000): print(i)\n")
    done = subprocess.run(["sh", "-c", '"$PFX" script -i world.data -s script.py | head -n 1'],
                          capture_output=True, timeout=900, check=False)
    check("pipe", done.stdout == b"0\n" and not done.stderr, done.stderr.decode())


def test_skeleton():
    if os.path.exists("perf-script.py"):
        os.unlink("perf-script.py")
    code, out, err = world.run("-i", "world.data", "-g", "python")
    check("skeleton", code == 0 and "perf-script.py" in out, err)
    code, out, err = world.run("-i", "world.data", "-s", "perf-script.py")
    check("skeleton runs", code == 0 and "sched__sched_switch" in out and "cpu-clock" in out, err)
    code, _, err = world.run("-i", "world.data", "-g", "python")
    check("not overwritten", code == 255 and "already" in err, err)
    code, _, err = world.run("-i", "world.data", "-g", "ruby")
    check("language", code == 255 and "ruby" in err, err)


COUNTS = """event cycles:u type=hw config=0 sample=identifier read=enabled,running ids=1,2
event task-clock type=sw config=1 sample=identifier read=enabled,running ids=3,4
event none type=sw config=9 sample=identifier
feature event_desc
thread_map 7:one
stat_config entries=0,%d,1,100,2,1
stat id=3 cpu=0 thread=0 val=30 ena=3 run=2
stat id=1 cpu=1 thread=0 val=11 ena=2 run=2
stat id=1 cpu=0 thread=0 val=10 ena=2 run=1
stat_round type=0 time=1000
stat id=1 cpu=0 thread=0 val=15 ena=4 run=3
stat id=9 cpu=0 thread=0 val=1 ena=1 run=1
stat_round type=1 time=2000
"""
COUNT_SCRIPT = """
def stat__cycles_u(*a): print('cycles', a)
def stat__task_clock(*a): print('clock', a)
def stat__none(*a): print('none', a)
def stat__interval(time): print('interval', time)
def trace_end(): print('end')
"""


def make_counts(by):
    with open("counts.txt", "w", encoding="utf-8") as file:
        file.write(COUNTS % by)
    subprocess.run([world.KIT, "counts.txt", "counts.data"], check=True)


def test_counts():
    """Counts of `stat record`: sums of an event, or one call for each counter."""
    with open("script.py", "w", encoding="utf-8") as file:
        file.write(COUNT_SCRIPT)
    make_counts(1)
    code, out, err = world.run("-i", "counts.data", "-s", "script.py")
    check("sums", code == 0 and out.splitlines() == [
        "cycles (-1, -1, 1000, 21, 4, 3)", "clock (-1, -1, 1000, 30, 3, 2)",
        "none (-1, -1, 1000, 0, 0, 0)", "interval 1000",
        "cycles (-1, -1, 2000, 5, 2, 2)", "clock (-1, -1, 2000, 0, 0, 0)",
        "none (-1, -1, 2000, 0, 0, 0)", "interval 2000", "end"], out + err)
    make_counts(0)
    code, out, err = world.run("-i", "counts.data", "-s", "script.py")
    check("by CPU", code == 0 and out.splitlines() == [
        "cycles (0, 7, 1000, 10, 2, 1)", "cycles (1, 7, 1000, 11, 2, 2)",
        "clock (0, 7, 1000, 30, 3, 2)",
        "none (0, 7, 1000, 0, 0, 0)", "none (1, 7, 1000, 0, 0, 0)", "interval 1000",
        "cycles (0, 7, 2000, 5, 2, 2)", "none (0, 7, 2000, 0, 0, 0)", "interval 2000", "end"], out + err)
    with open("script.py", "w", encoding="utf-8") as file:
        file.write("def stat__interval(time): return 1 / 0\n")
    code, _, err = world.run("-i", "counts.data", "-s", "script.py")
    check("exception in a count", code == 255 and "ZeroDivisionError" in err, err)


def test_counts_as_text():
    make_counts(0)
    code, out, err = world.run("-i", "counts.data")
    check("text", code == 0 and [line.split() for line in out.splitlines()] == [
        ["CPU", "THREAD", "VAL", "ENA", "RUN", "TIME", "EVENT"],
        ["0", "7", "10", "2", "1", "1000", "cycles:u"], ["1", "7", "11", "2", "2", "1000", "cycles:u"],
        ["0", "7", "30", "3", "2", "1000", "task-clock"],
        ["0", "7", "0", "0", "0", "1000", "none"], ["1", "7", "0", "0", "0", "1000", "none"],
        ["0", "7", "5", "2", "2", "2000", "cycles:u"],
        ["0", "7", "0", "0", "0", "2000", "none"]], out + err)
    code, out, err = world.run("-i", "counts.data", "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    check("JSON", code == 0 and len(lines) == 8 and lines[6:] == [
        {"kind": "count", "event": "cycles:u", "cpu": 0, "tid": 7, "time": 2000, "value": 5,
         "enabled": 2, "running": 2},
        {"kind": "count", "event": "none", "cpu": 0, "tid": 7, "time": 2000, "value": 0,
         "enabled": 0, "running": 0, "supported": False}], out + err)


RECORDS = """event cycles type=hw config=0 sample=%s ids=1
feature event_desc
auxtrace_error type=1 code=5 cpu=1 pid=2 tid=3 ip=0x400 time=77 fmt=2 machine_pid=4 vcpu=5 "Overflow"
auxtrace_error type=1 code=5 cpu=1 pid=2 tid=3 ip=0x400 "old"
switch pid=3 tid=4 cpu=2 time=5
throttle pid=3 tid=4 cpu=2
"""
RECORD_SCRIPT = """
def context_switch(*a): print('switch', a)
def throttle(*a): print('throttle', a)
def auxtrace_error(*a): print('error', a)
"""


def test_records():
    """Records between the samples; what they do not have is -1."""
    lines = []
    with open("script.py", "w", encoding="utf-8") as file:
        file.write(RECORD_SCRIPT)
    for fields in "ip,tid,time,cpu", "ip":
        with open("records.txt", "w", encoding="utf-8") as file:
            file.write(RECORDS % fields)
        subprocess.run([world.KIT, "records.txt", "records.data"], check=True)
        code, out, err = world.run("-i", "records.data", "-s", "script.py")
        check("records", code == 0, err)
        lines += out.splitlines()
        code, out, err = world.run("-i", "records.data", "-C", "1", "-s", "script.py")
        if fields != "ip":
            check("switches of other CPUs", code == 0 and "switch" not in out and "throttle" in out,
                  out + err)
    errors = ["error (1, 5, 1, 2, 3, 1024, 77, 'Overflow', 0, 4, 5)",
              "error (1, 5, 1, 2, 3, 1024, 0, 'old', 0, 0, 0)"]
    check("records between samples", sorted(lines) == sorted(2 * errors + [
        "switch (5, 2, 3, 4, -1, -1, -1, False, False, 0, -1)", "throttle (0, 0, 0, 2, 3, 4)",
        "switch (18446744073709551615, -1, -1, -1, -1, -1, -1, False, False, 0, -1)",
        "throttle (0, 0, 0, -1, -1, -1)"]), "\n".join(lines))


def run_copy(path, library):
    """The script by a copy of the program, with @library beside it, or none."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    shutil.copy(world.PFX, path)
    beside = os.path.join(os.path.dirname(path), "pfx-python.so")
    if library:
        shutil.copy(library, beside)
    elif os.path.exists(beside):
        os.unlink(beside)
    done = subprocess.run([path, "script", "-i", "world.data", "-s", "script.py"],
                          env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"),
                          capture_output=True, timeout=900, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_library():
    """The interpreter is loaded for scripts only; its modules that are libraries find it."""
    mine = os.path.join(os.path.dirname(os.path.realpath(world.PFX)), "pfx-python.so")
    if not os.path.exists(mine):
        return
    with open("script.py", "w", encoding="utf-8") as file:
        file.write("import ctypes, json, zlib\n"
                   "print(ctypes.sizeof(ctypes.c_int), zlib.crc32(b'x'), json.dumps([1]))\n")
    code, out, err = run_copy("copy/pfx", mine)
    check("with its library", code == 0 and out == "4 2363233923 [1]\n", err)
    code, _, err = run_copy("copy/pfx", None)
    check("without it", code == 255 and "pfx-python.so is not there" in err
          and "libpython3" in err, err)
    with open("text.so", "w", encoding="utf-8") as file:
        file.write("no library\n")
    code, _, err = run_copy("copy/pfx", "text.so")
    check("no library", code == 255 and "pfx-python.so" in err, err)
    maps = subprocess.run(["ldd", world.PFX], capture_output=True, check=False).stdout
    check("not before", b"libpython" not in maps, str(maps))


def main():
    if not world.has_python():
        with open("script.py", "w", encoding="utf-8"):
            pass
        make_recording()
        code, _, err = world.run("-i", "world.data", "-s", "script.py")
        check("refused", code == 255 and "Python" in err and err.count("\n") == 1, err)
    else:
        make_recording()
        test_tracepoints()
        test_process_event()
        test_failures()
        test_words()
        test_interrupt()
        test_closed_pipe()
        test_skeleton()
        test_library()
        test_counts()
        test_records()
    test_counts_as_text()
    print("%d failed" % len(FAILURES))
    return 1 if FAILURES else 0


sys.exit(main())
