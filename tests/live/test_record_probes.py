# SPDX-License-Identifier: MIT
"""Probes without preparation: each call in every thread and process is a sample at the right place,
perf reads them, nothing stays behind, and mistakes get a sentence."""
import os
import re
import signal
import subprocess

from live import (PERF, PFX, check, equal, finish, need_recording, record_to, run, samples, skip,
                  wait_for)

STEPS = os.environ.get("PFX_STEPS", "build/dev/tests/live/live-steps")
EVENTS = "/sys/kernel/tracing/uprobe_events"
DATA = "probes.data"


def ours():
    """Probes of ours that exist now: others may record with pfx, too."""
    try:
        with open(EVENTS, encoding="utf-8") as f:
            return [line for line in f if ":pfx_" in line and f"{STEPS}:" in line]
    except OSError:
        return []


def record(event, *words, command=("calls",)):
    done = record_to(PFX, DATA, "-q", "-N", *words, "-e", event, "--", STEPS, *command)
    equal(done.returncode, 0, f"{event}: {done.stderr}")
    equal(ours(), [], f"{event}: probes that stayed")
    return samples(DATA)


def script(tool=PFX, *fields):
    return run(tool, "script", "-i", DATA, *fields).stdout


def symbols():
    return set(re.findall(r"[0-9a-f]+ (\w+)", script(PFX, "-F", "ip,sym")))


def calls():
    # Three times five, before the exec and again after it.
    equal(record(f"uprobe:{STEPS}:step_work"), 30, "calls of a function")
    equal(symbols(), {"step_work"}, "where the samples are")
    if PERF:
        equal(samples(DATA, PERF), 30, "calls as perf counts them")
        check("uprobe:" in script(PERF), "perf shows the event's name")
        check("step_work" in run(PERF, "report", "--stdio", "-s", "sym", "-i", DATA).stdout,
              "perf shows the function")
    equal(record(f"uretprobe:{STEPS}:step_inner"), 60, "returns of a function")
    equal(symbols(), {"step_work"}, "where it returns to")
    equal(record(f"uprobe:{STEPS}:step_inner%return"), 60, "returns of a function, another word")
    equal(record(f"uprobe:{STEPS}:step_work,uprobe:{STEPS}:step_inner"), 90, "two probes")
    equal(record(f"uprobe:{STEPS}:step_work", "-g"), 30, "calls with chains")
    check("step_work" in script() and "five" in script(), "the caller is in the chain")


def places():
    address = run("nm", STEPS).stdout
    offset = int(re.search(r"([0-9a-f]+) t step_inner", address).group(1), 16)
    equal(record(f"uprobe:{STEPS}:{offset:#x}"), 60, "a place by its offset in the file")
    # Without followers the kernel's own probe is enough, and nothing is seen by others.
    equal(record(f"uprobe:{STEPS}:step_work", "-i"), 5, "calls of the first thread")
    if PERF:
        equal(samples(DATA, PERF), 5, "calls of the first thread, by perf")
    equal(record(f"uprobe:{STEPS}:step_work", "-a"), 30, "calls in the whole system")
    equal(record(f"uretprobe:{STEPS}:step_inner", "-a", "-g"), 60, "returns in the whole system")
    piped = subprocess.run(f"{PFX} record -q -N -o - -e uprobe:{STEPS}:step_work -- {STEPS} calls |"
                           f"{PFX} report --stats -i -", shell=True, capture_output=True,
                           text=True, check=False).stdout
    check(re.search(r"SAMPLE events:\s+30\b", piped), f"calls in a stream: {piped}")


def killed():
    """Even SIGKILL leaves no probe behind."""
    command = subprocess.Popen([STEPS, "sleep", "20000"])
    with subprocess.Popen([PFX, "record", "-q", "-N", "-o", DATA, "-p", str(command.pid), "-e",
                           f"uprobe:{STEPS}:step_work"]) as recorder:
        wait_for(ours, "the probe")
        equal(len(ours()), 1, "the probe while it is recorded")
        recorder.send_signal(signal.SIGKILL)
        recorder.wait()
    wait_for(lambda: not ours(), "the end of the probe")
    equal(ours(), [], "probes that a killed recorder left behind")
    command.kill()
    command.wait()


def mistakes():
    for event, sentence in (
            (f"uprobe:{STEPS}:step_wrk", "did you mean 'step_work'?"),
            ("uprobe:/nowhere/x:main", "'/nowhere/x': No such file"),
            ("uprobe:/:main", "is not a program or library"),
            (f"uprobe:{STEPS}:step_work+999999", "there is no byte 999999"),
            (f"uprobe:{STEPS}:0xffffffff", "there is no byte 0xffffffff"),
            (f"uprobe:{STEPS}", "there is no function after the name")):
        done = run(PFX, "record", "-o", DATA, "-e", event, "--", "true")
        equal(done.returncode, 129, event)
        check(sentence in done.stderr, f"{event}: {done.stderr}")
    equal(run(PFX, "record", "-e", f"uprobe:{STEPS}:step_work", "--dry-run", "true").returncode, 0,
          "a dry run")
    equal(ours(), [], "probes of a dry run")


def unprivileged():
    done = subprocess.run(["setpriv", "--reuid", "65534", "--clear-groups", os.path.abspath(PFX),
                           "record", "-o", "/dev/null", "-e",
                           f"uprobe:{os.path.abspath(STEPS)}:step_work", "--", "true"],
                          capture_output=True, text=True, check=False)
    if "setpriv" in done.stderr:
        return
    check("no permission for probe" in done.stderr, f"without permission: {done.stderr}")


def main():
    need_recording()
    if os.geteuid() or not os.path.exists("/sys/bus/event_source/devices/uprobe/type"):
        skip("probes need root and a kernel with uprobes")
    calls()
    if os.access(EVENTS, os.W_OK):
        killed()
    places()
    mistakes()
    unprivileged()
    finish()


main()
