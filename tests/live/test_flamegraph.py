#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`pfx flamegraph` records and writes: which samples are in the picture, how it ends, what is left of it."""
import os
import signal
import subprocess

from live import DEMO, PATIENCE, PFX, check, equal, finish, need_recording, run, samples, wait_for, wait_for_work

BUSY = ["sh", "-c", "echo ready; while :; do :; done"]


def nothing_left(what):
    """Of what was recorded."""
    equal(os.listdir("tmp"), [], f"{what}: files in TMPDIR")


def pictures():
    for name in ("a.svg", "a.html"):
        done = run(PFX, "flamegraph", "-F", "999", "-e", "cpu-clock:u", "--data", "a.data", "-o", name, "--", DEMO, "0.2")
        equal(done.returncode, 0, f"{name}: {done.stderr}")
        check(f"wrote '{name}'" in done.stderr and f" {samples('a.data')} samples" in done.stderr, f"{name}: {done.stderr}")
        run(PFX, "flamegraph", "-q", "-i", "a.data", "-o", f"again-{name}")
        with open(name, "rb") as one, open(f"again-{name}", "rb") as other:
            equal(one.read(), other.read(), f"{name} of the recording that was kept")
    with open("a.svg", encoding="utf-8") as file:
        text = file.read()
    check("is_prime" in text and "prime_thread" in text, "no call chains in the picture")
    done = run(PFX, "flamegraph", "-o", "off.svg", "--off-cpu", "--", "sleep", "0.05")
    with open("off.svg", encoding="utf-8") as file:
        check(done.returncode == 0 and "offcpu-time" in file.read(), f"off-CPU time: {done.stderr}")
    done = run(PFX, "flamegraph", "-q", "-e", "task-clock", "-c", "50000", "-o", "-", "--", "sh", "-c", "echo printed")
    check(done.returncode == 0 and done.stdout.startswith("<!DOCTYPE html>") and "printed" in done.stderr,
          f"a page on standard output: {done.stdout[:100]!r}, {done.stderr}")
    done = run(PFX, "flamegraph", "-q", "-o", "all.svg", "-a", "--", "sleep", "0.05")
    check(done.returncode == 0 and os.path.getsize("all.svg") > 2000, f"the whole system: {done}")
    done = run(PFX, "flamegraph", "-q", "-e", "cpu-clock:u", "-F", "999", "--diff", "a.data", "-o", "diff.svg", "--", DEMO, "0.2")
    with open("diff.svg", encoding="utf-8") as file:
        text = file.read()
    check(done.returncode == 0 and f"; before: {samples('a.data'):,} samples" in text and "is_prime" in text and "before " in text,
          f"a difference: {done}")
    # the name of a script, with words of the picture and of the recorder
    done = run(PFX, "script", "flamegraph", "--title", "Mine", "-o", "script.svg", "-e", "cpu-clock:u", "--",
               "sh", "-c", "n=0; while [ $n -lt 30000 ]; do n=$((n+1)); done; exit 3")
    with open("script.svg", encoding="utf-8") as file:
        text = file.read()
    check(done.returncode == 3 and "<svg" in text[:300] and "Mine" in text, f"by the name of a script: {done}")
    nothing_left("pictures")


def ends():
    """The exit status is the workload's; the picture is written nevertheless."""
    for words, code in ((["sh", "-c", "exit 3"], 3), (["sh", "-c", "kill -KILL $$"], -signal.SIGKILL),
                        (["nowhere/nothing"], 255)):
        if os.path.exists("end.svg"):
            os.unlink("end.svg")
        done = run(PFX, "flamegraph", "-e", "task-clock", "-c", "50000", "-o", "end.svg", *words)
        equal(done.returncode, code, f"{words}: {done.stderr}")
        equal(os.path.exists("end.svg"), code != 255, f"{words}: a picture")
        nothing_left(words)


def empties():
    """Without samples nothing is written, and messages do not name a file that nobody has."""
    for words, said in ((("-c", "1000000000"), "no samples, so nothing is written: what was recorded hardly ran in this time"),
                        (("-c", "1", "--comms", "nobody"), "no sample matches the options: nothing is written")):
        done = run(PFX, "flamegraph", "-e", "page-faults:u", *words, "-o", "none.svg", "--", "true")
        equal((done.returncode, done.stderr), (0, f"pfx flamegraph: {said}\n"), f"{words}")
        check(not os.path.exists("none.svg"), f"{words}: an empty picture")
        nothing_left(words)


def signals():
    """A signal ends recording, and the picture is written."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if os.path.exists("sig.svg"):
            os.unlink("sig.svg")
        with subprocess.Popen([PFX, "flamegraph", "-o", "sig.svg", *BUSY], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as process:
            equal(process.stdout.readline(), "ready\n", "the workload's first line")
            recorder = wait_for(lambda: child_named(process.pid, "pfx"), "the recorder")
            workload = wait_for(lambda: child_named(recorder, "sh"), "the workload")
            wait_for_work(workload, 0.1)
            process.send_signal(number)
            _, err = process.communicate(timeout=PATIENCE)
        check("wrote 'sig.svg'" in err and os.path.exists("sig.svg"), f"signal {number}: {err}")
        check(process.returncode != 0, f"signal {number}: exit status 0")
        nothing_left(f"signal {number}")


def child_named(pid, name):
    """The child with that name which has children itself, or none of pfx's (the workload)."""
    for line in run("ps", "-o", "pid=,comm=", "--ppid", str(pid)).stdout.splitlines():
        child, comm = line.split(None, 1)
        if comm.strip() == name and (name != "pfx" or run("pgrep", "-P", child).stdout):
            return int(child)
    return 0


def main():
    need_recording()
    os.makedirs("tmp", exist_ok=True)
    os.environ["TMPDIR"] = os.path.abspath("tmp")
    pictures()
    ends()
    empties()
    signals()
    finish()


main()
