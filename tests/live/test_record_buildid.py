# SPDX-License-Identifier: MIT
"""Build ids of a recording: at its end of what samples hit or of all that was mapped, in the records
of maps, or none; and the times of the first and last sample. perf finds the same ones. It runs alone: while build ids are
recorded in maps, the kernel marks those maps in the recordings of others, too, as if they had ids there, and perf ends
with an assertion when it reads them."""
import glob
import os
import re
import shutil
import signal
import struct
import subprocess

from both_read import compare
from live import DEMO, PERF, PFX, check, equal, finish, need_recording, record_to, run, samples, wait_for

COMMAND = ["sh", "-c", "i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done; ls /"]
TOOLS = [tool for tool in (PFX, PERF) if tool]


def record(*words, config=None):
    env = ["env", f"PFX_CONFIG={config}"] if config else []
    done = run(*env, PFX, "record", "-q", "-N", "-e", "cpu-clock", *words, "-o", "b.data", "--",
               *COMMAND)
    equal(done.returncode, 0, f"{words}: {done.stderr}")


def header(tool):
    return run(tool, "report", "--header-only", "-I", "-i", "b.data").stdout


def ids(tool):
    """Of the file alone: name to build id."""
    out = run(tool, "buildid-list", "-i", "b.data").stdout
    return {name: number for number, name in re.findall(r"^([0-9a-f]{40}) (\S+)", out, re.M)}


def id_of(path):
    return run(PFX, "buildid-list", "-i", os.path.realpath(path)).stdout.strip()


def maps():
    """What was mapped, with its build id or None."""
    out = run(PFX, "script", "--show-mmap-events", "-i", "b.data").stdout
    return [(name, number) for number, name in
            re.findall(r"PERF_RECORD_MMAP2? .*?(?:<([0-9a-f]{40})>)?\]: ..x\S* (/\S+)", out)]


def at_the_end():
    record()
    hit = ids(PFX)
    check(any(name.endswith("sh") for name in hit), f"the shell was hit: {hit}")
    record("--buildid-all")
    mapped = ids(PFX)
    check(set(hit) <= set(mapped), f"--buildid-all: {hit} without {mapped}")
    check({os.path.realpath(name) for name, _ in maps()} <= {os.path.realpath(n) for n in mapped},
          f"--buildid-all: not all of {maps()}")
    for name, number in mapped.items():
        if name.startswith("/usr"):
            equal(number, id_of(name), f"--buildid-all: {name}")
    if PERF:
        equal(mapped, ids(PERF), "--buildid-all by perf")


def in_maps():
    for words, config in ((["--buildid-mmap"], None), ([], "mmap.config")):
        with open("mmap.config", "w", encoding="utf-8") as f:
            f.write("[record]\n\tbuild-id = mmap\n")
        record(*words, config=config)
        found = [(name, number) for name, number in maps() if os.path.exists(name)]
        check(found and all(number == id_of(name) for name, number in found),
              f"--buildid-mmap: {found}")
        check("missing features:" in header(PFX) and
              re.search("missing features:.* BUILD_ID ", header(PFX)), "a list at the end")
        for tool in TOOLS:
            out = run(tool, "script", "--show-mmap-events", "-i", "b.data").stdout
            check(re.search(r"-1/.*<[0-9a-f]{40}>\]: ---p \[kernel", out), f"the kernel by {tool}")
    if PERF:
        equal(samples("b.data"), samples("b.data", PERF), "--buildid-mmap: samples")
    record("--buildid-mmap", "-a", "--num-thread-synthesize", "2")
    out = run(PFX, "script", "--show-mmap-events", "-i", "b.data").stdout
    check(re.search(r"<[0-9a-f]{40}>\]: r-xp \S+libc", out), "--buildid-mmap: of what ran already")


def in_maps_of_all():
    """Recorded by pfx and by perf, read by both."""
    for tool in TOOLS if PERF else ():
        done = record_to(tool, "maps.data", "-N", "-e", "cpu-clock", "--buildid-mmap", "-a", "--", DEMO, "0.15")
        equal(done.returncode, 0, f"--buildid-mmap by {tool}: {done.stderr}")
        compare("maps.data", f"--buildid-mmap by {tool}")


def marked(data):
    """How many records of maps there are, and how many of them are marked to have a build id."""
    with open(data, "rb") as file:
        content = file.read()
    at, size = struct.unpack_from("<QQ", content, 40)
    end, found = at + size, []
    while at < end:
        kind, misc, size = struct.unpack_from("<IHH", content, at)
        if kind == 10:
            found.append(misc >> 14 & 1)
        at += size
    return len(found), sum(found)


def beside_another():
    """The kernel marks the maps of all recorders while one of them records build ids in maps. The marks are taken
    off, and perf reads the recording."""
    other = [PFX, "record", "-q", "-N", "-e", "dummy", "--buildid-mmap", "-a", "-o", "other.data", "--", "sleep", "600"]
    with subprocess.Popen(other) as recorder:
        wait_for(lambda: os.path.exists("other.data") and marked("other.data")[1] or recorder.poll() is not None, "its maps")
        for words in ([], ["--overwrite"]):
            record(*words)
            nr, wrong = marked("b.data")
            check(nr > 3 and not wrong, f"{words} beside a recorder of build ids: {wrong} of {nr} maps are marked")
            equal(len({samples("b.data", tool) for tool in TOOLS}), 1, f"{words} beside a recorder of build ids: samples")
        recorder.send_signal(signal.SIGTERM)
    check(marked("other.data")[1] > 3, "the recorder of build ids has some")


def none():
    record("-B")
    equal(ids(PFX) if PERF is None else ids(PERF), {}, "-B: build ids")
    check(re.search("missing features:.* BUILD_ID ", header(PFX)), "-B: the feature is there")


def boundary():
    record("--timestamp-boundary")
    for tool in TOOLS:
        times = [float(t) for t in re.findall(r"time of (?:first|last) sample : ([\d.]+)",
                                              header(tool))]
        rows = run(PFX, "script", "-F", "time", "-i", "b.data").stdout.split()
        seen = sorted(float(row.rstrip(":")) for row in rows)
        equal(times, [seen[0], seen[-1]], f"--timestamp-boundary by {tool}")
    record("--no-timestamp-boundary")
    check("time of first sample" not in header(PFX), "--no-timestamp-boundary")


def ends_meanwhile():
    """A process that ends while its binary is copied: what was found in /proc is gone then. Each copy begins
    with a link, and here each link begins a second late."""
    late = ["strace", "-f", "-o", "late.trace", "-e", "trace=?link,linkat", "-e", "inject=?link,linkat:delay_enter=1000000"]
    if not shutil.which("strace") or run(*late, "true").returncode:
        return
    shutil.copy(DEMO, "ended")
    shutil.rmtree("kept", ignore_errors=True)
    with subprocess.Popen([os.path.abspath("ended"), "600"], stdout=subprocess.DEVNULL) as process:
        command = [*late, PFX, "--buildid-dir", "kept", "record", "-e", "cpu-clock:u", "-o", "b.data", "-p", str(process.pid),
                   "--", "sleep", "0.2"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as recorder:
            place = f"kept{os.path.abspath('ended')}/*"
            wait_for(lambda: glob.glob(place) or recorder.poll() is not None, "the copy begins")
            process.kill()
            process.wait()
            said = recorder.communicate()[1]
    equal(recorder.returncode, 0, f"a process that ends while it is copied: {said}")
    check("cannot keep" not in said and glob.glob(f"{place}/elf"), f"the copy of a process that ended: {said}")


def main():
    need_recording()
    for test in (at_the_end, in_maps, in_maps_of_all, beside_another, none, boundary, ends_meanwhile):
        test()
    finish()


main()
