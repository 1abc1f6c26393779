#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The scripts that have the names of perf's, over recordings of which all is known: what they print is in
scripts/NAME.txt (--update writes that), and is what perf's own script prints where perf 6.1 has it."""
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import perfs_scripts
import script_world as world

HERE = os.path.dirname(os.path.abspath(__file__))
EXPECTED = os.path.join(HERE, "scripts")
UPDATES = "--update" in sys.argv
PERFS = "/usr/lib/perf-core/scripts"
NUMBERS = {"read": "0", "write": "1", "mmap": "9"}  # perf without audit's library knows no names
FAILURES = []
# How the output is compared with that of perf's script.
SAME, SORTED, FIRST, NOT = "same", "sorted", "first", "not"
# FIRST: perf 6.1 shows no count of later rounds for recordings that the kit made.
CASES = (
    # name, recording, arguments, comparison, perf's language
    ("check-perf-trace", "trace", (), SAME, "py"),
    ("compaction-times", "trace", (), SAME, "py"),
    ("compaction-times", "trace", ("-pv", "-u", "-m", "-fs"), SAME, "py"),
    ("compaction-times", "trace", ("-p", "-t", "10-10"), SAME, "py"),
    ("compaction-times", "trace", ("-p", "-ms", "tw"), SAME, "py"),
    ("event_analyzing_sample", "clock", (), NOT, "py"),
    ("failed-syscalls", "trace", (), NOT, "pl"),
    ("failed-syscalls-by-pid", "trace", (), SAME, "py"),
    ("failed-syscalls-by-pid", "trace", ("two",), SAME, "py"),
    ("futex-contention", "trace", (), SAME, "py"),
    ("mem-phys-addr", "places", (), NOT, "py"),
    ("net_dropmonitor", "trace", (), NOT, "py"),
    ("netdev-times", "trace", (), NOT, "py"),
    ("netdev-times", "trace", ("tx", "debug"), SAME, "py"),
    ("netdev-times", "trace", ("rx", "dev=eth1"), SAME, "py"),
    ("powerpc-hcalls", "trace", (), SAME, "py"),
    ("rw-by-file", "trace", ("one",), SORTED, "pl"),
    ("rw-by-pid", "trace", (), SORTED, "pl"),
    ("rwtop", "trace", ("100",), SORTED, "pl"),
    ("sched-migration", "trace", ("--events",), NOT, "py"),
    ("sctop", "trace", ("100",), NOT, "py"),
    ("sctop", "trace", ("two", "100"), NOT, "py"),
    ("stackcollapse", "clock", ("--include-tid", "--kernel"), NOT, "py"),
    ("stat-cpi", "counts", (), FIRST, "py"),
    ("syscall-counts", "trace", (), NOT, "py"),
    ("syscall-counts-by-pid", "trace", (), SAME, "py"),
    ("syscall-counts-by-pid", "trace", ("10",), SAME, "py"),
    ("task-analyzer", "trace", ("--ns", "--extended-times", "--summary-extended"), NOT, "py"),
    ("task-analyzer", "trace", ("--summary-only", "--limit-to-tasks", "one", "--rename-comms-by-tids", "10:uno"), NOT, "py"),
    ("wakeup-latency", "trace", (), SORTED, "pl"),
    ("workqueue-stats", "trace", (), NOT, "pl"),
    ("intel-pt-events", "branches", (), SAME, "py"),
    ("arm-cs-trace-disasm", "branches", (), SAME, "py"),
    ("arm-cs-trace-disasm", "branches", ("-v", "-d", "objdump"), SAME, "py"),
)
IOMEM = """00000000-00000fff : Reserved
00001000-0009fbff : System RAM
000f0000-000fffff : System ROM
00100000-0ffeffff : System RAM
  01000000-0172c3ff : Kernel code
"""


def check(good, what):
    if not good:
        FAILURES.append(what)
        print("FAIL:", what)


def file_of(name, args):
    return "-".join([name, *(re.sub(r"\W", "", word) for word in args)]) + ".txt"


def compare_golden(name, args, out):
    path = os.path.join(EXPECTED, file_of(name, args))
    if UPDATES:
        with open(path, "w", encoding="utf-8") as file:
            file.write(out)
    elif not os.path.exists(path):
        check(False, f"there is no {path}")
    else:
        with open(path, encoding="utf-8") as file:
            expected = file.read()
        check(out == expected, f"{name} {args}:\n{out}\nexpected:\n{expected}")


def plain(text, how):
    text = re.sub(r"(?s)^Install the audit-libs.*?etc\.\n\n?", "", text)
    for word, value in NUMBERS.items():
        text = re.sub(rf"(?m)^( *(?:syscall: )?){word}(?= +\d+$)", rf"\g<1>{value}", text)
        text = re.sub(rf"(?m)^(  syscall: ){word} *$", rf"\g<1>{value}", text)
    lines = [re.sub(r" +", " ", line).rstrip() for line in text.split("\n")]
    lines = lines[:2] if how == FIRST else lines
    return "\n".join(sorted(lines) if how == SORTED else lines)


def perf_61():
    path = shutil.which("perf")
    done = path and subprocess.run([path, "version"], text=True, capture_output=True, check=False)
    return path if done and done.stdout.startswith("perf version 6.1.") and "pfx" not in done.stdout else None


def compare_perf(perf, case, out, *options):
    name, recording, args, how, language = case
    script = os.path.join(PERFS, {"py": "python", "pl": "perl"}[language], f"{name}.{language}")
    if how == NOT or not perf or not os.path.exists(script):
        return 0
    words = [perf, "script", "-i", f"{recording}.data", *options, "-s", script, "--", *args]
    done = subprocess.run(words, text=True, check=False, capture_output=True, stdin=subprocess.DEVNULL, timeout=300)
    check(done.returncode == 0, f"perf's {name}: {done.stderr}")
    mine, other = plain(out, how), plain(done.stdout, how)
    check(mine == other, f"{name} {args}:\n{mine}\nperf's:\n{other}")
    return 1


def check_as_perf(perf):
    """Scripts whose output depends on the name of the program."""
    os.symlink(os.path.abspath(world.PFX), "perf")
    for case in (("failed-syscalls", "trace", (), SORTED, "pl"), ("syscall-counts", "trace", (), SAME, "py"),
                 ("syscall-counts", "trace", ("two",), SAME, "py"),
                 ("net_dropmonitor", "trace", (), SAME, "py"),
                 ("stackcollapse", "clock", ("--include-tid", "--kernel"), SAME, "py"),
                 ("stackcollapse", "clock", ("--include-tid", "--include-pid"), SAME, "py")):
        symbols = ("--kallsyms", "kallsyms")
        done = subprocess.run(["./perf", "script", "-i", f"{case[1]}.data", *symbols, "report", case[0], *case[2]], text=True,
                              capture_output=True, check=False, stdin=subprocess.DEVNULL)
        check(done.returncode == 0 and not done.stderr, f"as perf, {case}: {done}")
        compare_golden("perf-" + case[0], case[2], done.stdout)
        compare_perf(perf, case, done.stdout, *symbols)


def rows_of(database, table):
    with sqlite3.connect(database) as tables:
        there = tables.execute("select count(*) from sqlite_master where name = ?", (table,)).fetchone()[0]
        return tables.execute(f"select count(*) from {table}").fetchone()[0] if there else 0


def check_exports():
    """Scripts that are formats of `pfx export`."""
    for name, args, made in (("export-to-sqlite", ("made.db",), "made.db"),
                             ("export-to-sqlite", ("chains.db", "all", "callchains"), "chains.db"),
                             ("gecko", ("--save-only", "gecko.json", "--user-color", "red"), "gecko.json")):
        code, out, err = world.run("-i", "clock.data", "report", name, *args)
        if "cannot be written" in err or "not built in" in err:
            print(f"{name}: {err.strip()}")
            continue
        check(code == 0 and os.path.getsize(made) > 100, f"{name}: {code} {out} {err}")
    for words, sentence in (((), "the name of the database is missing"), (("db", "calls"), "needs a decoded trace"),
                            (("db", "nosuch"), "'nosuch' is not one of all, callchains")):
        for name in ("export-to-sqlite", "export-to-postgresql"):
            code, _, err = world.run("-i", "clock.data", "report", name, *words)
            check(code and sentence in err, f"{name} {words}: {err}")
    if os.path.exists("gecko.json"):
        with open("gecko.json", encoding="utf-8") as file:
            colours = {row["name"]: row["color"] for row in json.load(file)["meta"]["categories"]}
        check(colours["User"] == "red" and colours["Kernel"] == "orange", f"colours: {colours}")
    if os.path.exists("chains.db"):
        sizes = [rows_of(name, "call_paths") for name in ("made.db", "chains.db")]
        check(sizes[0] < sizes[1], f"call paths without and with callchains: {sizes}")


def main():
    perf, nr = perf_61(), 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        perfs_scripts.write("trace.data")
        perfs_scripts.write_others()
        world.write_symbols("kallsyms")
        with open("iomem", "w", encoding="utf-8") as file:
            file.write(IOMEM)
        with open("symbols", "w", encoding="utf-8") as file:
            file.write("0000000000001000 T one\n0000000000001280 t two\n")
        for case in CASES:
            name, recording, args, _, _ = case
            code, out, err = world.run("-i", f"{recording}.data", "report", name, *args, PFX_IOMEM="iomem",
                                       PFX_KALLSYMS="symbols", HOME=folder)
            check(code == 0 and not err, f"{name} {args}: {code} {err}")
            compare_golden(name, args, out)
            nr += compare_perf(perf, case, out)
        check_as_perf(perf)
        check_exports()
        os.chdir("/")
    print(f"{len(CASES)} runs, {nr} of them compared with perf's scripts")
    sys.exit(bool(FAILURES))


if __name__ == "__main__":
    if not world.has_python():
        print("Python is not built in")
        sys.exit(world.SKIP)
    main()
