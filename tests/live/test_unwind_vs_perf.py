# SPDX-License-Identifier: MIT
"""User frames from copied stacks: pfx against perf, frame by frame, on programs without frame
pointers. Addresses and dsos are compared. Rules, each for something that perf does not get right:
 1. The code that a signal handler returns to is shown by perf one byte before its beginning.
 2. perf ends some chains with an address that is no frame (all bits set).
 3. Of programs that are linked statically perf finds one frame: there, chains must reach the
    entry of their thread.
 4. One sample in a hundred may differ: perf looks a frame that a signal interrupted up one byte
    too early, which matters at the first instruction of a function.
"""
import os
import re
import shutil

from live import (PERF, PFX, check, equal, finish, need_perf, need_recording, record_enough, run, skip)

HERE = os.path.dirname(os.path.abspath(__file__))
COMMON = ["-O2", "-fomit-frame-pointer", "-g"]
VARIANTS = [  # name, source, flags, whether perf can do it
    ("pie", "unwind.c", ["-fPIE", "-pie", "-pthread"], True),
    ("fixed", "unwind.c", ["-fno-pie", "-no-pie", "-pthread"], True),
    ("lazy", "unwind.c", ["-Wl,-z,lazy", "-fcf-protection=full", "-pthread"], True),
    ("plain", "unwind.c", ["-O0", "-pthread"], True),
    ("stripped", "unwind.c", ["-s", "-pthread"], True),
    ("static", "unwind.c", ["-static", "-pthread"], False),
    ("cpp", "unwind.cpp", [], True),
]
ENTRIES = re.compile(r" (_start|_*clone3?|_dl_start_user) ")
NO_FRAME = "ffffffffffffffff"


def build(name, source, flags):
    compiler = shutil.which("g++" if source.endswith(".cpp") else "gcc")
    if not compiler:
        return None
    made = run(compiler, *COMMON, *flags, "-o", name, os.path.join(HERE, "programs", source))
    return f"./{name}" if made.returncode == 0 else None


def chains(tool, data, *options):
    out = run(tool, "script", *options, "-i", data).stdout
    found = []
    for text in out.split("\n\n"):
        lines = [" ".join(line.split()) for line in text.split("\n") if line.strip()]
        if lines:
            found.append([line for line in lines if not line.startswith(NO_FRAME)])
    return found


def without_trampolines(chain, addresses):
    """The chain, and the places of trampolines, without the frames that rule 1 is about."""
    return [frame for frame in chain if frame.split()[0] not in addresses]


def trampolines(data):
    """Addresses of the trampoline as pfx and as perf show it, without their dso."""
    found = set()
    for chain in chains(PFX, data, "-F", "ip,sym"):
        for frame in chain:
            if frame.endswith("__restore_rt"):
                address = int(frame.split()[0], 16)
                found |= {f"{address:x}", f"{address - 1:x}"}
    return found


def compare(name, data):
    skipped = trampolines(data)
    ours = [without_trampolines(c, skipped) for c in chains(PFX, data, "--no-inline", "-F", "ip,dso")]
    theirs = [without_trampolines(c, skipped)
              for c in chains(PERF, data, "--no-inline", "-F", "ip,dso")]
    equal(len(ours), len(theirs), f"{name}: samples with a chain")
    different = [(a, b) for a, b in zip(ours, theirs) if a != b]
    check(len(different) * 100 <= len(ours),
          f"{name}: {len(different)} of {len(ours)} chains differ, the first {different[:1]}")


def check_entries(name, data):
    whole = chains(PFX, data, "--no-inline", "-F", "ip,sym,dso")
    reached = [c for c in whole if ENTRIES.search(f" {c[-1]} ")]
    check(len(reached) * 100 >= len(whole) * 98,
          f"{name}: {len(reached)} of {len(whole)} chains reach an entry")


def check_note():
    """A copy that is too small is told, with what would help."""
    run(PFX, "record", "-e", "cpu-clock", "-F", "499", "--call-graph", "dwarf,256", "-o",
        "short.data", "--", "./pie")
    told = run(PFX, "report", "--stdio", "-i", "short.data").stderr
    check("--call-graph dwarf,512" in told, f"short copies are not told: {told!r}")
    told = run(PFX, "report", "--stdio", "-i", "pie.data").stderr
    # A few samples are taken in code of the loader that has no unwind information.
    found = re.search(r"(\d+) of (\d+) call chains are incomplete", told)
    check(not found or int(found[1]) * 20 < int(found[2]), f"whole chains are called incomplete: {told!r}")


def main():
    need_recording()
    need_perf()
    built = 0
    for name, source, flags, perf_can in VARIANTS:
        program = build(name, source, flags)
        if not program:
            print(f"{name}: cannot be built here")
            continue
        built += 1
        data = f"{name}.data"
        record_enough(data, 20, "-e", "cpu-clock", "--call-graph", "dwarf,16384", command=[program])
        if perf_can:
            compare(name, data)
        if name != "stripped":
            check_entries(name, data)
    if not built:
        skip("there is no compiler")
    if os.path.exists("pie.data"):
        check_note()
    finish()


main()
