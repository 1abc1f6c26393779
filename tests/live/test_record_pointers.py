# SPDX-License-Identifier: MIT
"""Call chains by frame pointers: report says how many do not reach the start of their thread in a program that keeps
none, and nothing of one that does, whatever the names that it and the C library have; perf's own text counts the
same chains."""
import json
import os
import re
import shutil

from live import PERF, PFX, check, equal, finish, need_recording, record_enough, run, skip

HERE = os.path.dirname(os.path.abspath(__file__))
STARTS = re.compile(r"_start|__libc_start|clone|start_thread|\bmain\b")
NOTE = re.compile(r"pfx report: (\d+) of (\d+) call chains by frame pointers do not reach the start of their thread: (.*)")


def build(name, *flags):
    made = run("gcc", "-O2", "-fno-optimize-sibling-calls", "-pthread", *flags, "-o", name,
               os.path.join(HERE, "programs", "pointers.c"))
    if made.returncode:
        skip(f"the program cannot be built: {made.stderr.strip()[:200]}")
    return f"./{name}"


def strip(program):
    check(run("strip", "-o", program + "-stripped", program).returncode == 0, "strip works")
    return program + "-stripped"


def reported(data, *options):
    """The numbers of the note (None: there is none), its reasons, and what --json counts."""
    done = run(PFX, "report", "-i", data, "--json", *options)
    found = NOTE.search(done.stderr)
    missing = json.loads(done.stdout)["missing"]
    return (int(found[1]), int(found[2])) if found else None, found[3] if found else "", missing


def record(program, **how):
    record_enough("p.data", 300, "-e", "cpu-clock:u", "-g", command=[program], frequency=999, **how)


def perf_incomplete(data):
    """Of how many chains perf's text has no function that threads start in, and how many there are."""
    text = run(PERF, "script", "-i", data, "-F", "ip,sym").stdout
    chains = [chain for chain in text.split("\n\n") if chain.strip()]
    return sum(not STARTS.search(chain) for chain in chains), len(chains)


def test_without_pointers(program):
    record(program)
    numbers, reasons, missing = reported("p.data")
    check(numbers, f"{program}: nothing is said")
    if not numbers:
        return
    check(numbers[0] * 100 >= numbers[1] * 90, f"{program}: only {numbers}")
    check(f"end in '{os.path.basename(program)}'" in reasons, f"{program}: not in {reasons}")
    check("record with --call-graph dwarf" in reasons, f"{program}: no remedy in {reasons}")
    equal((missing["chains_incomplete"], missing["chains_from_frame_pointers"]), numbers, f"{program}: --json")
    if PERF and "stripped" not in program:
        theirs = perf_incomplete("p.data")
        equal(numbers[1], theirs[1], f"{program}: chains of perf")
        check(abs(numbers[0] - theirs[0]) * 50 <= theirs[1], f"{program}: {numbers}, by perf's text {theirs}")
    verbose = run(PFX, "script", "-v", "-i", "p.data")
    check(f"{numbers[0]} of {numbers[1]} call chains by frame pointers" in verbose.stderr,
          f"{program}: script -v says {verbose.stderr!r}")
    for words in ("folded", "csv"):
        written = run(PFX, "export", words, "-i", "p.data", "-o", "/dev/null")
        check(f"pfx export: {numbers[0]} of {numbers[1]} call chains by frame pointers" in written.stderr and
              reasons in written.stderr, f"{program}: export {words} says {written.stderr!r}")
    page = run(PFX, "export", "html", "-q", "-i", "p.data").stdout
    check(f'"{numbers[0]} of {numbers[1]} call chains do not reach' in page, f"{program}: the page does not say it")
    check(not reported("p.data", "--max-stack", "1")[0], f"{program}: --max-stack 1 is a wish")


def test_with_pointers(program):
    record(program)
    numbers, reasons, missing = reported("p.data")
    check(not numbers, f"{program}: a false alarm: {numbers} {reasons}")
    check("do not reach" not in run(PFX, "export", "html", "-q", "-i", "p.data").stdout, f"{program}: on the page")
    check(missing["chains_incomplete"] * 100 <= missing["chains_from_frame_pointers"], f"{program}: {missing}")
    check(missing["chains_from_frame_pointers"] >= 100, f"{program}: {missing}")


def test_recorder(with_pointers, without):
    """record -g itself says so at its end, of the one program only."""
    for program, options, expected in ((with_pointers, ["-g"], False), (without, ["-g"], True),
                                       (without, ["-g", "-q"], False), (without, ["--call-graph", "dwarf,1024"], False)):
        done = run(PFX, "record", "-F", "4000", "-e", "cpu-clock:u", *options, "-o", "q.data", "--", program)
        found = re.search(r"at least (\d+) of (\d+) call chains by frame pointers do not reach the start of their thread", done.stderr)
        check(bool(found) == expected, f"record {options} {program}: {done.stderr}")
        check(not found or "--call-graph dwarf" in done.stderr, f"no remedy: {done.stderr}")


def test_library_without_names(program):
    """The C library has exported names alone, in no place where its debug file would be found."""
    record(program)
    if os.geteuid() or not shutil.which("unshare"):
        return
    os.makedirs("empty", exist_ok=True)
    done = run("unshare", "-m", "sh", "-c",
               f"mount --bind empty /usr/lib/debug 2>/dev/null; HOME=$PWD/empty DEBUGINFOD_URLS= "
               f"{os.path.abspath(PFX)} report -i p.data --stdio -g none")
    check("clone" not in done.stdout and "start_thread" not in done.stdout, "the library has no names")
    check(not NOTE.search(done.stderr), f"{program}: a false alarm: {done.stderr}")


def test_kernel_alone():
    """A program that keeps no frame pointers, by its chains in the kernel."""
    record_enough("p.data", 50, "-e", "cpu-clock:k", "-g", "--kernel-callchains", frequency=999,
                  command=["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count=1000000"])
    numbers, reasons, missing = reported("p.data")
    check(not numbers and not missing["chains_from_frame_pointers"], f"the kernel alone: {numbers} {reasons} {missing}")


def main():
    need_recording()
    with_pointers = build("with", "-fno-omit-frame-pointer")
    without = build("without", "-fomit-frame-pointer")
    for program in (without, strip(without)):
        test_without_pointers(program)
    static = build("static", "-static", "-fno-omit-frame-pointer")
    for program in (with_pointers, strip(with_pointers), static, strip(static)):
        test_with_pointers(program)
    test_library_without_names(with_pointers)
    test_recorder(with_pointers, without)
    test_kernel_alone()
    finish()


main()
