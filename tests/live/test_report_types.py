# SPDX-License-Identifier: MIT
"""Types of data: a program whose loads are known is recorded, and its samples must be those of the
members that its loops load, and of nothing else. How much of the time each of them takes is not asked."""
import json
import os

from live import PFX, check, equal, finish, need_recording, record_enough, rows, run, skip

HERE = os.path.dirname(os.path.abspath(__file__))
NEXT, NET = "struct ring +0x8 (next)", "struct store +0x14 (weights[].net)"


def build(name, *flags):
    made = run("gcc", "-g", *flags, "-o", name, os.path.join(HERE, "programs", "types.c"))
    if made.returncode:
        skip(f"the program cannot be built: {made.stderr.strip()[:200]}")
    return f"./{name}"


def record(program):
    record_enough("types.data", 400, "-e", "cpu-clock:u", "-g", command=[program, "8000"], frequency=4000)


def in_loops(key):
    """What the samples in the two functions access."""
    return {line[0].split(" ;")[0]: share for share, line in
            ((share, line.split(" : ")) for share, line in
             rows("types.data", PFX, "--no-children", "-g", "none", "-s", key, "-S", "chase,hop"))}


def test_members():
    for flags in (["-O2"], ["-O2", "-fno-pie", "-no-pie", "-gdwarf-4"], ["-O1"]):
        record(build("types", *flags))
        what = " ".join(flags)
        found = in_loops("typeoff")
        check(NEXT in found, f"{what}: {NEXT} is not in {sorted(found)}")
        check(NET in found, f"{what}: {NET} is not in {sorted(found)}")
        allowed = ("(unknown)", "(stack operation)", NEXT, NET)
        check(all(row.startswith(allowed) for row in found), f"{what}: wrong guesses in {sorted(found)}")
        found = in_loops("type")
        check({"struct ring", "struct store"} <= set(found), f"{what}: types are {sorted(found)}")
        found = in_loops("typecln")
        check("struct ring: cache-line 0" in found, f"{what}: lines are {sorted(found)}")


def test_forms():
    """The same rows in all forms; callers have the type of their samples."""
    out = run(PFX, "report", "-i", "types.data", "--json", "-s", "typeoff").stdout
    table = json.loads(out)["tables"][0]
    check(any(row["keys"]["typeoff"] == NEXT for row in table["rows"]), "--json has the member")
    shown = run(PFX, "report", "-i", "types.data", "--stdio", "-F", "overhead,type,sym", "-S", "chase").stdout
    check("Data Type" in shown and "struct ring" in shown, "-F type")
    pairs = rows("types.data", PFX, "-i", "types.data", "--no-children", "-g", "none", "-s", "sym,type")
    check(any("chase" in row and "struct ring" in row for _, row in pairs), f"types by symbol: {pairs}")
    shown = run(PFX, "report", "-i", "types.data", "--stdio", "--no-children", "-g", "none", "-H", "-s",
                "type,typeoff").stdout
    check(NEXT in shown and "Data Type / Data Type Offset" in shown, "--hierarchy")


def test_stripped():
    """Without debug information nothing but the stack is known."""
    build("bare", "-O2", "-Wl,--build-id=none")
    equal(run("strip", "bare").returncode, 0, "strip")
    record("./bare")
    found = rows("types.data", PFX, "--no-children", "-g", "none", "-s", "type", "-d", "bare")
    check({row for _, row in found} <= {"(unknown)", "(stack operation)"}, f"stripped: {found}")


def main():
    need_recording()
    options = run(PFX, "version", "--build-options").stdout
    if "capstone: [ on  ]" not in options or "libdw: [ on  ]" not in options:
        skip("this build knows no types of data")
    test_members()
    test_forms()
    test_stripped()
    finish()


main()
