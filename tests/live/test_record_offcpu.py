# SPDX-License-Identifier: MIT
"""Time asleep: sleeps of a known length in known places are in the file, in every form of recording,
and perf reads them to the same."""
import os
import re
import shutil
import subprocess
import time

from live import PERF, PFX, check, equal, finish, need_recording, record_to, run

STEPS = os.environ.get("PFX_STEPS", "build/dev/tests/live/live-steps")
DATA = "offcpu.data"
MS = 1000000
FIELDS = "comm,tid,time,period,event,ip,sym"


class Sleep:
    def __init__(self, head, frames):
        self.tid, self.end, self.ms = int(head.group(1)), float(head.group(2)) * 1000, int(head.group(3)) / MS
        self.frames = frames


def parse(text):
    """The samples of offcpu-time in the output of script."""
    found = []
    for block in text.split("\n\n") if "\n\t" in text else text.split("\n"):
        head = re.search(r"(\d+)\s+([\d.]+):\s+(\d+)\s+offcpu-time:", block)
        if head:
            found.append(Sleep(head, re.findall(r"[0-9a-f]+ ([\w@.]+)", block[head.end():])))
    return found


def sleeps(tool=PFX, data=DATA):
    return parse(run(tool, "script", "-F", FIELDS, "-i", data).stdout)


def record(*words, command=None):
    done = record_to(PFX, DATA, "-q", "-N", "--off-cpu", *words, *(("--", *command) if command else ()))
    equal(done.returncode, 0, f"{words} {command}: {done.stderr}")
    return sleeps()


def total(found, frame=None):
    return sum(s.ms for s in found if frame is None or frame in s.frames)


def same_as_perf(what):
    if PERF:
        ours, theirs = sleeps(), sleeps(PERF)
        equal(len(ours), len(theirs), f"{what}: samples of perf")
        equal(total(ours), total(theirs), f"{what}: time asleep by perf")


def forms():
    sleep = [STEPS, "sleep", "200"]
    check(total(record(command=sleep)) >= 200, "a command that sleeps")
    same_as_perf("flat")
    check(total(record("-g", command=sleep), "main") >= 200, "its stack by frame pointers")
    same_as_perf("-g")
    check(total(record("--call-graph", "dwarf", command=sleep), "step_sleep") >= 200,
          "its stack by a copy")
    for words in (("-z",), ("--switch-events",), ("-F", "99", "-e", "page-faults"), ("-k", "mono"),
                  ("-e", "{cpu-clock,page-faults}:S"), ("-m", "64K"), ("--all-user", "-g"),
                  ("--per-thread", "-T"), ("-i",)):
        check(total(record(*words, command=sleep)) >= 200, f"{words}")
        same_as_perf(words)
    # Who goes to sleep in the whole system while we sleep ourselves.
    check(total(record("-a", "-g", command=sleep), "main") >= 200, "the whole system")
    piped = subprocess.run(f"{PFX} record -q -N --off-cpu -o - -- {STEPS} sleep 200 |"
                           f"{PFX} script -F {FIELDS} -i -", shell=True, text=True, check=False,
                           capture_output=True).stdout
    check(total(parse(piped)) >= 200, f"a stream: {piped}")


def rings_apart():
    """Where each ring has its own file, or keeps only the newest records, no sleep is missing, and
    what is recorded for that alone is not in the file."""
    many = [STEPS, "many", "5", "60"]
    for words in (("--threads",), ("--threads", "-z", "-g"), ("--overwrite",), ("--overwrite", "-g", "-m", "16K"),
                  ("--threads", "--overwrite"), ("--tail-synthesize",), ("--threads", "-a", "-g")):
        shutil.rmtree(DATA, ignore_errors=True)
        check(total(record(*words, command=many)) >= 300, f"{words}")
        same_as_perf(words)
        if "-a" not in words:
            stats = run(PFX, "report", "--stats", "-i", DATA).stdout
            equal(re.findall(r"(?:EXIT|SWITCH) events:\s+(\d+)", stats), ["1"], f"{words}: {stats}")
    record("--threads", "--off-cpu-thresh", "0", "-e", "raw_syscalls:sys_enter", "--switch-output=8K",
           "--mmap-flush", "1K", command=many)
    names = [name for name in os.listdir(".") if name.startswith(DATA + ".2")]
    check(len(names) > 1, f"several directories: {names}")
    check(total([s for name in names for s in sleeps(data=name)]) >= 300, "all of them together")
    for name in names:
        shutil.rmtree(name)


def thresholds():
    many = [STEPS, "many", "5", "20"]
    found = record(command=many)
    check(total(found) >= 100, "twenty short sleeps")
    check(max(s.ms for s in found) >= 100, "they are one sample")
    found = record("--off-cpu-thresh", "0", "--switch-events", command=many)
    check(total(found) >= 100, "twenty short sleeps one by one")
    # On a busy machine the time of a sleep may pass while the thread waits for a CPU to go to sleep.
    check(len(found) > 10, f"they are twenty samples: {[s.ms for s in found]}")
    switches = run(PFX, "script", "--show-switch-events", "-F", "tid,time", "-i", DATA).stdout
    equal(len(found), len(re.findall(r"PERF_RECORD_SWITCH OUT *$", switches, re.M)), "a sample for each sleep")
    done = run(PFX, "record", "--off-cpu-thresh", "soon", "true")
    equal(done.returncode, 129, "no threshold")
    check("'soon' is not a number of milliseconds" in done.stderr, done.stderr)


def reasons():
    """What a thread waits for. The other side may come late: one of several tries will do."""
    for words, frame in ((("lock", "300"), "locker"), (("pipe", "300"), "read")):
        for _ in range(8):
            found = record("-g", command=[STEPS, *words])
            if total(found, frame) >= 100:
                break
        check(total(found, frame) >= 100, f"{words}: {[(s.ms, s.frames) for s in found]}")
        check(total(found) >= 300, f"{words}: both sides sleep")
    spin = record(command=[STEPS, "spin", "200"])
    check(total(spin) < 200, "who only waits for a CPU does not sleep")


def attached():
    for name in os.listdir("."):
        if name.startswith("sw.data"):
            os.unlink(name)
    command = subprocess.Popen([STEPS, "many", "20", "100000"])
    found = record("-p", str(command.pid), "-g", command=["sleep", "1"])
    check(total(found, "main") >= 300, f"an attached process: {total(found)}")
    check({s.tid for s in found} == {command.pid}, "nothing but that process")
    equal(run(PFX, "record", "-q", "--off-cpu", "--switch-output=100K", "-o", "sw.data", "-p",
              str(command.pid), "--", "sleep", "0.5").returncode, 0, "many files")
    files = [f for f in os.listdir(".") if f.startswith("sw.data.")]
    check(sum(total(sleeps(data=f)) for f in files) >= 100, f"time asleep in {files}")
    command.kill()
    command.wait()


def still_asleep():
    """A thread that goes to sleep and does not wake up again while it is recorded."""
    found = record("-g", "-a", command=["sh", "-c", f"{STEPS} sleep 60000 >/dev/null 2>&1 &"
                                        "echo $! > late; sleep 2"])
    with open("late", encoding="ascii") as f:
        late = int(f.read())
    os.kill(late, 9)
    mine = [s for s in found if s.tid == late]
    check(500 <= total(mine), f"asleep to the end: {total(mine)}")
    check(total(mine) < 30000, f"not longer than it was recorded: {total(mine)}")


def switched_off():
    """What is slept while the events are off does not count: the thread sleeps all the time."""
    for name in ("control", "ack"):
        if os.path.exists(name):
            os.unlink(name)
        os.mkfifo(name)
    with subprocess.Popen([PFX, "record", "-q", "-N", "-o", DATA, "--off-cpu", "--off-cpu-thresh", "0", "-g",
                           "--control", "fifo:control,ack", "--", STEPS, "many", "20", "100000"]):
        control, ack = os.open("control", os.O_RDWR), os.open("ack", os.O_RDWR)

        def say(word):
            os.write(control, word + b"\n")
            os.read(ack, 5)
        say(b"ping")
        time.sleep(1)
        say(b"disable")
        start = time.monotonic()
        time.sleep(2)
        off = time.monotonic() - start
        say(b"enable")
        time.sleep(1)
        say(b"stop")
    os.close(control)
    os.close(ack)
    found = [s for s in sleeps() if "main" in s.frames]
    span = found[-1].end - found[0].end + found[0].ms
    check(100 <= total(found) <= span - off * 1000, f"slept while it was on: {total(found)} of {span}, {off} s off")


def unprivileged():
    if os.geteuid() or not shutil.which("setpriv"):
        return
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="ascii") as f:
        if int(f.read()) != 2:
            return
    os.chmod(".", 0o777)
    done = run("setpriv", "--reuid", "65534", "--clear-groups", os.path.abspath(PFX), "record", "-N",
               "-o", "user.data", "--off-cpu", "--", os.path.abspath(STEPS), "sleep", "200")
    if done.returncode:
        return
    check("no permission to see where threads go to sleep" in done.stderr, done.stderr)
    os.chown("user.data", 0, 0)
    check(total(sleeps(data="user.data")) >= 200, "time asleep without permission")


def main():
    need_recording()
    forms()
    rings_apart()
    thresholds()
    reasons()
    attached()
    still_asleep()
    switched_off()
    unprivileged()
    finish()


main()
