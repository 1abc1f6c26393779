#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pfx script NAME: a script runs beside its recorder; pfx script record NAME and report NAME."""
import os
import signal
import subprocess
import time

from live import PATIENCE, PFX, check, equal, finish, need_recording, run, skip

SCRIPT = """# description: names that were seen
# args: <word>
# record: -e page-faults -c 1
import sys
names = set()
def process_event(d):
    names.add(d["comm"])
def trace_end():
    print(sys.argv[1:], sorted(names))
"""
COMMAND = ["sh", "-c", "exec ls"]


def test_both():
    done = run(PFX, "script", "names", "word", "-q", "--", *COMMAND)
    equal(done.returncode, 0, done.stderr)
    check("['word']" in done.stdout and "'ls'" in done.stdout, f"live: {done}")
    done = run(PFX, "script", "./folder/names.py", "word", "--", *COMMAND)
    check("['word']" in done.stdout and "'ls'" in done.stdout, f"by its file: {done}")


def test_one_by_one():
    done = run(PFX, "script", "record", "names", "-o", "names.data", "--", *COMMAND)
    equal(done.returncode, 0, done.stderr)
    done = run(PFX, "script", "-i", "names.data", "report", "names", "one", "two")
    check("['one', 'two']" in done.stdout and "'ls'" in done.stdout, f"report: {done}")


    done = run(PFX, "script", "-i", "names.data", "names", "word")
    check("['word']" in done.stdout and "'ls'" in done.stdout, f"with a recording: {done}")


def test_no_inherit():
    """-i in front of a program is the recorder's; what the program takes for -i is the program's."""
    done = run(PFX, "script", "names", "word", "-i", *COMMAND)
    check("['word']" in done.stdout and "'ls'" in done.stdout, f"-i of record: {done}")
    done = run(PFX, "script", "names", "word", "-q", "sh", "-c", "exec ls", "-i", "names.data")
    check("['word']" in done.stdout and "'ls'" in done.stdout, f"-i of the program: {done}")
    done = run(PFX, "script", "names", "word", "--", "sh", "-c", "exec ls", "-i", "names.data")
    check("['word']" in done.stdout and "'ls'" in done.stdout, f"-i behind --: {done}")


def test_program_or_recording():
    """A program after the name is recorded, whatever standard input and perf.data are."""
    os.link("names.data", "perf.data")
    for words in (["--", *COMMAND], COMMAND, ["-m", "16", "-q", *COMMAND]):
        done = run(PFX, "script", "names", "word", *words, stdin=subprocess.PIPE)
        check("['word']" in done.stdout and "'ls'" in done.stdout, f"{words}, a pipe and perf.data: {done}")
    with open("names.data", "rb") as file:
        done = run(PFX, "script", "names", "word", "-q", "--", "env", "true", stdin=file)
    check("'true'" in done.stdout and "'ls'" not in done.stdout, f"a program and a file: {done}")
    os.unlink("perf.data")
    with subprocess.Popen([PFX, "record", "-q", "-e", "page-faults", "-c", "1", "-o", "-", "--", *COMMAND],
                          stdout=subprocess.PIPE) as recorder:
        done = run(PFX, "script", "names", "word", stdin=recorder.stdout)
    check("['word']" in done.stdout and "'ls'" in done.stdout, f"a recorder in a pipe: {done}")


def test_failures():
    done = run(PFX, "script", "names")
    check(done.returncode == 255 and "needs 1 argument " in done.stderr, f"too few words: {done}")
    done = run(PFX, "script", "names", "word", "--", "./nosuch")
    check(done.returncode == 255 and "nosuch" in done.stderr and "pfx script" not in done.stderr,
          f"no command: {done}")
    done = run(PFX, "script", "names", "word", "--nosuch")
    check(done.returncode == 129 and "nosuch" in done.stderr, f"no option: {done}")


def test_interrupt():
    """A signal to pfx alone: the command ends, and the script says what it has."""
    child = subprocess.Popen([PFX, "script", "names", "word", "--", "sh", "-c",
                              "echo ready >&2; exec sleep 600"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    line = child.stderr.readline()
    while line and line != b"ready\n":
        line = child.stderr.readline()
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=PATIENCE)
    check(child.returncode == 0 and b"['word']" in out, f"interrupted: {child.returncode} {out} {err}")


def is_running(pid):
    """Also false for a process that only waits to be reaped."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def wait_until_ended(pid):
    end = time.monotonic() + PATIENCE
    while is_running(pid) and time.monotonic() < end:
        time.sleep(0.01)
    return not is_running(pid)


def test_terminate():
    """SIGTERM and SIGHUP to pfx alone end the recorder and its command; so does killing pfx."""
    for sig in (signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
        with subprocess.Popen([PFX, "script", "names", "word", "--", "sh", "-c", "echo $$ >&2; exec sleep 600"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            line = child.stderr.readline()
            while line and not line.strip().isdigit():
                line = child.stderr.readline()
            child.send_signal(sig)
            out = child.stdout.read()
            child.wait(timeout=PATIENCE)
            check(child.returncode == -sig, f"{sig}: {child.returncode}")
            check(sig == signal.SIGKILL or b"['word']" in out, f"{sig}: {out}")
            check(wait_until_ended(int(line)), f"{sig}: the command still runs")


def test_exit_code():
    """The command's, unless the script fails; as perf the script's."""
    words = ["script", "names", "word", "-q", "--", "sh", "-c", "exit 3"]
    equal(run(PFX, *words).returncode, 3, "exit code of the command")
    os.symlink(PFX, "perf")
    equal(run("./perf", *words).returncode, 0, "exit code as perf")
    with open("folder/fails.py", "w", encoding="utf-8") as file:
        file.write("def trace_end():\n    raise ValueError\n")
    equal(run(PFX, "script", "fails", "-q", "--", "sh", "-c", "exit 3").returncode, 255, "a script that fails")


def main():
    need_recording()
    if "python3-embed: [ on" not in run(PFX, "version", "--build-options").stdout:
        skip("Python is not built in")
    os.environ["PFX_SCRIPTS"] = "folder"
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    os.makedirs("folder", exist_ok=True)
    with open("folder/names.py", "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    test_both()
    test_one_by_one()
    test_no_inherit()
    test_program_or_recording()
    test_failures()
    test_interrupt()
    test_terminate()
    test_exit_code()
    finish()


main()
