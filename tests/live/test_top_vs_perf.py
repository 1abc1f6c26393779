#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pfx top beside perf top on the same process: the same functions with the same shares; names of processes that appear;
what an ordinary user sees; the CPU time on an idle machine; terminals that are closed."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

from live import (PERF, PFX, Schema, WORK, check, children, cpu_seconds, equal, finish, need_recording, parse, run, samples,
                  skip, wait_for, wait_for_work)
from tops import COLOUR, Top, worker

ROW = re.compile(r"^ *(\d+\.\d+)% +(\S+) +\[([k.])\] (\S+)", re.M)
FAKE_RINGS = os.environ.get("PFX_FAKE_RINGS")
NEAR = 12.0  # percentage points between two samplings of one program


def comm_of(pid):
    with open(f"/proc/{pid}/comm", encoding="ascii", errors="replace") as file:
        return file.read().strip()


def shares(table):
    return {name: float(share) for share, _, _, name in ROW.findall(table)}


def after_work(top, pid):
    """A complete table after so much work that it has thousands of samples."""
    wait_for(top.tables, "the first table")
    wait_for_work(pid, 2)
    nr = len(top.tables())
    wait_for(lambda: len(top.tables()) > nr + 1, f"table {nr}")
    return top.tables()[nr]


def beside_perf():
    work = worker()
    words = ("-p", str(work.pid), "-e", "cpu-clock:u", "-F", "4000", "-d", "1")
    ours = Top(PFX, *words)
    found = shares(after_work(ours, work.pid))
    equal(ours.end(), 0, "the exit code after SIGTERM")
    check(found.get("add", 0) + found.get("mix", 0) > 50, f"the functions of the program: {found}")
    if PERF:
        theirs = Top(PERF, *words)
        expected = shares(after_work(theirs, work.pid))
        theirs.end()
        for name, share in expected.items():
            if share > 5:
                check(abs(found.get(name, 0) - share) < NEAR, f"{name}: {found.get(name)} and {share} by perf")
    work.kill()
    work.wait()


def names_appear():
    """A program that starts later, below a process that is watched."""
    shell = subprocess.Popen(["sh", "-c", f"read go; {WORK} 100000 & wait"], stdin=subprocess.PIPE, text=True,
                             stdout=subprocess.DEVNULL)
    top = Top(PFX, "-p", str(shell.pid), "-e", "cpu-clock:u", "-F", "499", "-d", "1", "-s", "comm,sym")
    wait_for(lambda: top.tables(), "the first table")
    shell.stdin.write("\n")
    shell.stdin.flush()
    wait_for(lambda: re.search(r"% +live-work +\[\.\] add", top.tables()[-1]), "the name of the new program")
    top.end()
    for pid in children(shell.pid):
        os.kill(pid, signal.SIGKILL)
    shell.wait()


def jit_code():
    """A program writes its perf map after its code was sampled; the name of the code appears."""
    name = "jit_function_of_the_test"
    source = (
        "import ctypes, mmap, os, sys, time\n"
        "m = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)\n"
        "m.write(bytes([0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3]))\n"  # loop: dec %rdi; jne loop; ret
        "at = ctypes.addressof(ctypes.c_char.from_buffer(m))\n"
        "run = ctypes.CFUNCTYPE(None, ctypes.c_ulong)(at)\n"
        "path = f'/tmp/perf-{os.getpid()}.map'\n"
        "print(path, flush=True)\n"
        "while True:\n"
        "    run(20000000)\n"
        "    if os.path.exists('now') and not os.path.exists(path):\n"
        "        with open(path, 'w') as f:\n"
        f"            f.write(f'{{at:x}} 6 {name}\\n')\n")
    program = subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True)
    path = program.stdout.readline().strip()
    top = Top(PFX, "-p", str(program.pid), "-e", "cpu-clock:u", "-F", "499", "-d", "1")
    wait_for(lambda: top.tables() and re.search(r"% .*\[\.\] 0x0", top.tables()[-1]), "code without a name")
    with open("now", "w", encoding="ascii"):
        pass
    wait_for(lambda: name in top.tables()[-1], "the name of the JIT code")
    top.end()
    program.kill()
    program.wait()
    if os.path.exists(path):
        os.unlink(path)


def write_places(path):
    """Addresses in the code of this process, and in the kernel if they are known."""
    with open("/proc/self/maps", encoding="ascii", errors="replace") as file:
        code = [line.split("-")[0] for line in file if " r-xp " in line and "/" in line]
    with open("/proc/kallsyms", encoding="ascii", errors="replace") as file:
        kernel = [line.split()[0] for line in file if line.split()[1] in "tT" and "[" not in line][:20000:1000]
    with open(path, "w", encoding="ascii") as file:
        file.writelines(f"{os.getpid()} {os.getpid()} 2 {at}\n" for at in code)
        file.writelines(f"{os.getpid()} {os.getpid()} 1 {at}\n" for at in kernel)


def idle_costs():
    """As on a machine on which little runs, whatever runs here: a hundred samples a second of the whole system, which
    another process makes; at defaults, as text and as a screen. One percent of a CPU at most."""
    if not FAKE_RINGS:
        return
    write_places("places")
    os.environ.update(LD_PRELOAD=FAKE_RINGS, FAKE_RATE="100", FAKE_PLACES="places", FAKE_MADE="made")
    tops = {"text": Top(PFX)}
    if has_screen():
        os.environ["FAKE_MADE"] = "made-for-screen"
        tops["screen"] = Top(PFX, "--tui")
    for name in ("LD_PRELOAD", "FAKE_RATE", "FAKE_PLACES", "FAKE_MADE"):
        del os.environ[name]
    text = tops["text"]
    wait_for(lambda: len(text.tables()) > 2, "symbols are read")
    begin, cpu = time.monotonic(), {name: cpu_seconds(top.pid) for name, top in tops.items()}
    wait_for(lambda: len(text.tables()) > 5, "three more tables")
    rates = [int(rate) for rate in re.findall(r"PerfTop: +(\d+)", text.text)]
    check(sum(rates[2:5]) > 100, f"samples a second: {rates}")
    for name, top in tops.items():
        used, passed = cpu_seconds(top.pid) - cpu[name], time.monotonic() - begin
        check(used <= 0.01 * passed + 0.011, f"{name}: {used:.2f} s of CPU time in {passed:.2f} s of an idle machine")
        top.read()
        check("python" in top.text, f"{name}: it shows {top.text[-2000:]!r}")
        equal(top.end(), 0, f"{name}: the exit code")


def last_target():
    """It ends with its last target."""
    sleeper = subprocess.Popen(["sleep", "1000"])
    top = Top(PFX, "-p", str(sleeper.pid))
    wait_for(lambda: top.tables(), "the first table")
    sleeper.kill()
    wait_for(lambda: not top.read(), "the end after the last target")
    sleeper.wait()
    top.end()


def ordinary_user():
    """Sees his own processes, and is told what would show more."""
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as file:
        paranoid = int(file.read())
    if os.geteuid() or paranoid < 1 or paranoid > 2:
        return
    user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    if run(*user, PFX, "--version").returncode:
        return
    work = subprocess.Popen([*user, WORK, "100000"], stdout=subprocess.DEVNULL)
    wait_for(lambda: comm_of(work.pid) == "live-work", "the user's process")
    top = subprocess.Popen([*user, PFX, "top", "--stdio", "-d", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True)
    text = ""
    for line in top.stdout:
        text += line
        if shares(line).get("add"):
            break
    top.terminate()
    said = top.communicate()[1]
    check(f"no permission for the whole system (kernel.perf_event_paranoid is {paranoid}): showing the processes that you "
          "run now, and what they start" in said, f"the note: {said}")
    check("sudo sysctl kernel.perf_event_paranoid=-1" in said, f"the remedy: {said}")
    check("uid: 65534" in text and shares(text).get("add"), f"the user's process: {text[:2000]}")
    work.kill()
    work.wait()


def surfaces():
    """Options that change the form, on a busy process."""
    work = worker()
    target = ("-p", str(work.pid), "-e", "cpu-clock:u", "-F", "499", "-d", "1")
    for words, pattern in (
            (("-n", "-s", "comm,dso"), r"# Overhead +Samples +Command +Shared Object"),
            (("--call-graph", "dwarf,caller"), r"--\d+\.\d+%--main"),
            (("--hierarchy", "-s", "dso,sym"), r"Shared Object / Symbol"),
            (("-z", "-E", "2", "--children"), r"\[\.\] (add|mix)"),
            (("--symbols", "mix"), r"% +live-work"),
    ):
        top = Top(PFX, *target, *words)
        found = wait_for(lambda t=top, p=pattern: re.search(p, t.tables()[-1] if t.tables() else ""), f"{words}")
        equal(top.end(), 0, f"{words}: exit code, found {found}")
    work.kill()
    work.wait()


def narrow():
    """A head that is wider than the terminal: all lines of a refresh are on the screen."""
    work = worker()
    top = Top(PFX, "-p", str(work.pid), "-e", "cpu-clock:u", "-F", "499", "-d", "1")
    fcntl.ioctl(top.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 12, 50, 0, 0))
    wait_for(lambda: len(top.tables()) > 3, "refreshes")
    shown = COLOUR.sub("", top.text.replace("\r", "").split("\x1b[H")[-2])
    lines = shown.rstrip("\n").split("\n")
    check("PerfTop:" in shown and len(lines[0]) > 50, f"the head is wider than the terminal: {lines}")
    check(sum(max(1, -(-len(line) // 50)) for line in lines) < 12, f"lines on a terminal of 12: {lines}")
    equal(top.end(), 0, "the exit code")
    work.kill()
    work.wait()


def snapshot():
    """SIGUSR2 writes a recording that pfx and perf read, with the functions of the program; -D prints the symbols."""
    work = worker()
    top = subprocess.Popen([PFX, "top", "--stdio", "-D", "-p", str(work.pid), "-e", "cpu-clock:u", "-F", "499", "-d", "1"],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not shares(top.stdout.readline()):
        pass
    top.send_signal(signal.SIGUSR2)
    said = top.stderr.readline()
    while "perf.top.data" not in said and top.poll() is None:
        said = top.stderr.readline()
    check(re.search(r"pfx top: \d+ samples of the last \d+\.\d s are in 'perf.top.data'", said), f"it says {said!r}")
    top.terminate()
    symbols = top.communicate()[1]
    check(re.search(r"^dso: live-work \(\S+/live-work, loaded.*\)(\n [0-9a-f]+-[0-9a-f]+ [glw] .*)*\n"
                    r" [0-9a-f]+-[0-9a-f]+ [gl] add\n", symbols, re.M), f"the symbols: {symbols[:1000]}")
    words = ("report", "--stdio", "-i", "perf.top.data", "-s", "sym")
    ours = run(PFX, *words).stdout
    check(re.search(r"% +\[\.\] add", ours), f"report of the snapshot: {ours}")
    if PERF:
        rows = [line for line in run(PERF, *words).stdout.split("\n") if "%" in line and line[:1] == " "]
        equal([line for line in ours.split("\n") if "%" in line and line[:1] == " "], rows, "the rows by perf")
    equal(samples("perf.top.data"), int(re.search(r"(\d+) samples", said).group(1)), "samples of the snapshot")
    work.kill()
    work.wait()


def has_screen():
    return re.search(r"ncursesw: \[ on ", run(PFX, "version", "--build-options").stdout)


def on_screen():
    """The screen in a terminal: rows, keys, the end; then the code of a function, live."""
    if not has_screen():
        return
    keys = ((b"Z", "frozen"), (b"Z", "live"), (b"z", "forgotten"), (b"f", "stopped"), (b"f", "run"),
            (b"W", "perf.top.1.data"), (b"g", "total"), (b"?", "freeze the picture"))
    screen_of((), "live-work", keys)
    check(samples("perf.top.1.data") > 0, "the snapshot of the screen has samples")
    screen_of(("--sym-annotate", "mix"), "Code of mix", ((b"h", "freeze the picture"),))


def screen_of(words, first, keys):
    """A screen that shows something, and something after each key."""
    work = worker()
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM="xterm-256color", PFX_CONFIG="/dev/null", LC_ALL="C.UTF-8", LINES="30", COLUMNS="120")
        os.execv(PFX, [PFX, "top", "-p", str(work.pid), "-e", "cpu-clock:u", "-F", "499", "-d", "1", *words])
    shown = ""

    def sees(text):
        nonlocal shown
        if select.select([fd], [], [], 0)[0]:
            shown += os.read(fd, 65536).decode(errors="replace")
        return text in shown

    wait_for(lambda: sees(first), "rows on the screen")
    for key, text in keys:
        shown = ""
        os.write(fd, key)
        wait_for(lambda t=text: sees(t), f"{text} after {key}")
    os.write(fd, b"qqq")
    _, status = os.waitpid(pid, 0)
    equal(os.waitstatus_to_exitcode(status), 0, "the exit code of the screen")
    os.close(fd)
    work.kill()
    work.wait()


def closed_terminals():
    """A terminal that is closed ends it, whatever it shows."""
    work = worker()
    for words in (("--tui",), ("--stdio",), ("--json",)):
        if words == ("--tui",) and not has_screen():
            continue
        top = Top(PFX, "-p", str(work.pid), "-e", "cpu-clock:u", "-F", "499", "-d", "1", *words)
        wait_for(lambda t=top: t.read() and "live-work" in t.text, f"{words}: rows")
        os.close(top.fd)
        wait_for(lambda t=top: os.waitpid(t.pid, os.WNOHANG)[0], f"{words}: the end after the terminal was closed")
    work.kill()
    work.wait()


def as_json():
    """A line of JSON for each refresh, as the schema says, with the functions of the program."""
    work, schema, taken = worker(), Schema("top"), 0
    top = subprocess.Popen([PFX, "top", "--json", "-p", str(work.pid), "-e", "cpu-clock:u", "-F", "4000", "-g", "-n"],
                           stdout=subprocess.PIPE, text=True)
    for i in range(3):
        found = parse(top.stdout.readline())
        problems = schema.wrong(found)
        check(not problems, f"the object of refresh {i}: {problems}")
        names = [row["keys"]["symbol"] for table in found["tables"] for row in table["rows"]]
        check(i == 0 or "add" in names or "mix" in names, f"its rows: {names}")
        check(f"target_pid: {work.pid}" in found["target"], f"its target: {found['target']}")
        taken += found["samples"]
    check(taken > 0, "samples of three refreshes")
    top.send_signal(signal.SIGTERM)
    top.stdout.read()
    equal(top.wait(), 0, "the exit code of --json")
    work.kill()
    work.wait()


need_recording()
if not os.path.exists(WORK):
    skip("the program to look at was not built")
beside_perf()
names_appear()
if os.uname().machine == "x86_64":
    jit_code()
idle_costs()
last_target()
ordinary_user()
surfaces()
narrow()
snapshot()
on_screen()
closed_terminals()
as_json()
finish()
