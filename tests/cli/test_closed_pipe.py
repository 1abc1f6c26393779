# SPDX-License-Identifier: MIT
"""Where nobody reads any more (`| head`), every form of `report`, `script` and their like ends quietly and by
SIGPIPE, as perf does. And a line about how far reading has come is for terminals alone: never in a pipe or a
file, nor with -q."""
import os
import pty
import select
import signal
import struct
import subprocess
import time

import script_world as world
from checks import KIT, PFX, check, finish

PATIENCE = 900

OWN = "def process_event(d):\n    print('x' * 200)\ndef trace_unhandled(*a):\n    print('x' * 200)\n"
FORMS = """
report
report --stdio -n
report --json
report --folded
report -D
report --stats
report --tasks
report --mmaps
report --header-only -I
script
script --json
script -D
script --header-only -I
evlist
evlist -v
buildid-list
"""
SCRIPTS = """
script -s own.py
script report stackcollapse
script report flamegraph -o -
script report syscall-counts
script report failed-syscalls
script report sched-latency
script report event-histogram
"""
WITHOUT_FILE = ["script -l", "report -h", "script -h", "version", "help"]


def make_recording(nr):
    w = world.World()
    w.rows.append(f"dso /no/such/one build_id={'5a' * 20} mode=user pid=-1")
    w.comm(10, "one")
    for i in range(nr):
        w.chain(10, [0x1000 + i % 50, 0x2000, 0x3000], period=5)
    w.trace(302, 10, 1, (0, 0, 0, 0, 0, 0))
    w.trace(303, 10, 1, -9)
    w.write("perf.data")


def into_nothing(words):
    """The finished run whose output nobody reads."""
    ours, theirs = os.pipe()
    os.close(ours)
    env = {**os.environ, "PFX_CONFIG": "/dev/null", "HOME": os.getcwd()}
    done = subprocess.run([PFX, *words], stdout=theirs, stderr=subprocess.PIPE, text=True, check=False, env=env,
                          stdin=subprocess.DEVNULL)
    os.close(theirs)
    return done


def check_pipes():
    with open("own.py", "w", encoding="utf-8") as file:
        file.write(OWN)
    forms = FORMS.strip().split("\n") + (SCRIPTS.strip().split("\n") if world.has_python() else [])
    for form in forms + WITHOUT_FILE:
        words = form.split()
        if form not in WITHOUT_FILE:
            words[1:1] = ["-i", "perf.data"]
        done = into_nothing(words)
        said = [line for line in done.stderr.split("\n") if line and "have no symbol" not in line]
        check(done.returncode == -signal.SIGPIPE and not said, f"{form}: {done}")


def feed(words, errors, is_shown):
    """A report of a stream that goes on until something is shown or, where nothing ever is, for a while."""
    rounds = struct.pack("<IHH", 68, 0, 8) * 5000
    end = time.monotonic() + (PATIENCE if is_shown else 2)
    with open("perf.pipe", "rb") as file:
        stream = file.read()
    with subprocess.Popen([PFX, "report", "-i", "-", *words], stdout=subprocess.DEVNULL, stderr=errors,
                          stdin=subprocess.PIPE) as child:
        child.stdin.write(stream)
        while not (is_shown and is_shown()) and time.monotonic() < end:
            child.stdin.write(rounds)
            child.stdin.flush()
            time.sleep(0.1)
        child.stdin.close()
    return child.returncode


def check_progress():
    subprocess.run([KIT, "--le", "--pipe", "perf.data.txt", "perf.pipe"], check=True)
    ours, theirs = pty.openpty()
    code = feed([], theirs, lambda: select.select([ours], [], [], 0)[0])
    said = os.read(ours, 1 << 16)
    check(code == 0 and b"\r\x1b[Kpfx report: " in said and b" records" in said, f"on a terminal: {code} {said!r}")
    ours, theirs = pty.openpty()  # what the first one wrote at its end may still wait in the other
    code = feed(["-q"], theirs, None)
    check(code == 0 and not select.select([ours], [], [], 0)[0], f"-q on a terminal: {code}")
    os.close(theirs)
    os.close(ours)
    with open("errors", "w+b") as file:
        code = feed([], file, None)
        file.seek(0)
        said = file.read()
        check(code == 0 and b"\r" not in said and b" records" not in said, f"into a file: {code} {said!r}")


make_recording(500)
check_pipes()
check_progress()
finish()
