# SPDX-License-Identifier: MIT
"""A program in other pid and mount namespaces: its paths as it has them, its pids as we have them,
and the binary itself found although our own file system has none of that name."""
import os
import re
import shutil
import subprocess

from live import (PERF, PFX, check, children, equal, finish, need_recording, record_to, run, skip,
                  wait_for)

STEPS = os.environ.get("PFX_STEPS", "build/dev/tests/live/live-steps")
DATA = "container.data"
INSIDE = "/mnt/pfx-inside"
ENTER = ["unshare", "--pid", "--mount", "--fork", "--mount-proc", "sh", "-c"]
SETUP = f"mount -t tmpfs none /mnt && cp {os.path.abspath(STEPS)} {INSIDE} && "


def script(*options):
    return run(PFX, "script", "-i", DATA, *options).stdout


def paths():
    return set(re.findall(r"\((/mnt[^)]*)\)", script("-F", "comm,ip,sym,dso")))


def pids():
    return {int(p) for p in re.findall(r"pfx-inside\s+(\d+)", script("-F", "comm,pid"))}


def started():
    done = record_to(PFX, DATA, "-q", "-N", "-F", "2000", "--namespaces", "--", *ENTER,
                           SETUP + f"{INSIDE} spin 300")
    equal(done.returncode, 0, f"a container that is started: {done.stderr}")
    equal(paths(), {INSIDE}, "the path in the container")
    check(all(p > 1 for p in pids()) and pids(), f"pids outside of the container: {pids()}")
    check("PERF_RECORD_NAMESPACES" in script("-D"), "its namespaces")
    if PERF:
        check(INSIDE in run(PERF, "script", "-i", DATA, "-F", "ip,dso").stdout, "its path in perf")


def find_inside(pid):
    """The process of the container that runs the program."""
    for child in children(pid):
        try:
            if os.readlink(f"/proc/{child}/exe").startswith(INSIDE):
                return child
        except OSError:
            pass
    return None


def attached():
    with subprocess.Popen([*ENTER, SETUP + f"{INSIDE} spin 600000"], start_new_session=True) as box:
        pid = wait_for(lambda: find_inside(box.pid), "the container")
        for words in (("-p", str(pid)), ("-a",)):
            done = run(PFX, "record", "-q", "-F", "2000", "-o", DATA, *words, "--", STEPS, "spin", "500")
            equal(done.returncode, 0, f"{words}: {done.stderr}")
            equal(paths(), {INSIDE}, f"{words}: the path in the container")
            check(pid in pids(), f"{words}: the pid outside of it")
            check("step_work" in script("-F", "ip,sym"), f"{words}: functions of the container")
            listed = run(PFX, "buildid-list", "-i", DATA).stdout
            check(re.search(rf"[0-9a-f]{{16,}} {INSIDE}", listed), f"{words}: build id in {listed}")
        if os.access("/sys/kernel/tracing/uprobe_events", os.W_OK):
            done = run(PFX, "record", "-q", "-N", "-o", DATA, "-c", "1000", "-p", str(pid), "-i", "-e",
                       f"uprobe:/proc/{pid}/root{INSIDE}:step_work", "--", STEPS, "spin", "300")
            equal(done.returncode, 0, f"a probe in the container: {done.stderr}")
            check("step_work" in script("-F", "ip,sym"), "a probe in the container")
        os.kill(pid, 9)


def main():
    need_recording()
    if os.geteuid() or not shutil.which("unshare") or run(*ENTER, "true").returncode:
        skip("namespaces cannot be made here")
    os.environ["HOME"] = os.getcwd()
    started()
    attached()
    finish()


main()
