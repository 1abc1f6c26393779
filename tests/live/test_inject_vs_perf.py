# SPDX-License-Identifier: MIT
"""pfx inject gives the records that perf inject gives, and perf reads what it writes."""
import glob
import os
import re
import struct

from live import (DEMO, PERF, PERF_IN_SHELL, PFX, check, equal, finish, need_perf, record_to, rows, run,
                  same_rows, skip)

JIT = os.environ.get("PFX_JIT", "build/dev/tests/live/live-jit")
FIELDS = ["-F", "comm,tid,time,event,period,ip,sym,dso"]
SHELL = ["sh", "-c", f"sleep 0.05; {DEMO} 0.1 >/dev/null; sleep 0.05"]
SCHED = "sched:sched_switch,sched:sched_stat_runtime,sched:sched_process_exit"


def record(name, *options):
    done = record_to(PERF, name, *options)
    if done.returncode:
        print(f"not recorded here: {name}: {done.stderr.strip()[:200]}")
    return done.returncode == 0


def sh(command):
    done = run("sh", "-c", command)
    equal(done.returncode, 0, f"{command}: {done.stderr.strip()[:300]}")
    return done


def script(data, tool=PERF, fields=FIELDS):
    return run(tool, "script", *fields, "-i", data).stdout


def stats(data, tool=PERF):
    """Records by type; those that describe the recording are in the header of a file."""
    out = run(tool, "report", "--stats", "-i", data).stdout.split("\n\n")[0]
    found = dict(re.findall(r"(\S+) events:\s+(\d+)", out))
    for name in ("TOTAL", "ATTR", "FEATURE", "TRACING_DATA", "BUILD_ID", "COMPRESSED"):
        found.pop(name, None)
    return {name: nr for name, nr in found.items() if nr != "0"}


def build_ids(data, tool=PERF):
    lines = run(tool, "buildid-list", "-i", data).stdout.split("\n")
    return {line for line in lines if re.match(r"[0-9a-f]{8}", line)}


def header(data):
    text = run(PFX, "report", "--header-only", "-I", "-i", data).stdout
    skipped = r"# (captured|header version|data|feat offset|missing|compressed|=+$)|#$"
    return [line for line in text.split("\n") if not re.match(skipped, line)]


def same_content(ours, theirs, what, tools=(PERF, PFX)):
    for tool in tools:
        left, right = script(ours, tool), script(theirs, tool)
        check(left == right and left, f"{what}: samples differ ({tool})")
        equal(stats(ours, tool), stats(theirs, tool), f"{what}: records ({tool})")


def pass_through():
    """File and pipe in all directions; perf's output and the input are the measure."""
    if not record("flat.data", "-F", "997", "-e", "cpu-clock", "-g", "--", DEMO, "0.2"):
        skip("perf cannot record here")
    record_to(PERF, "flat.pipe", "-F", "997", "-e", "cpu-clock,page-faults", "--", DEMO, "0.2", stream=True)
    record("zstd.data", "-z", "-F", "997", "-e", "cpu-clock", "--", DEMO, "0.2")
    record("trace.data", "-e", "sched:sched_switch", "--", *SHELL)
    for source in ("flat.data", "trace.data", "zstd.data"):
        if not os.path.exists(source):
            continue
        sh(f"{PFX} inject -i {source} -o ff.data && {PFX} inject -i {source} -o - > fp.pipe")
        sh(f"{PFX} inject < fp.pipe > pp.pipe && {PFX} inject -o pf.data < fp.pipe")
        sh(f"{PERF_IN_SHELL} inject -i {source} -o theirs.data")
        for ours in ("ff.data", "fp.pipe", "pp.pipe", "pf.data"):
            # perf 6.1 reads no stream with tracepoints, not even its own
            tools = (PFX,) if source == "trace.data" and ours.endswith("pipe") else (PERF, PFX)
            same_content(ours, source, f"{source} to {ours}", tools)
            same_content(ours, "theirs.data", f"{source} to {ours}, beside perf", tools)
            equal(header(ours), header(source), f"{source} to {ours}: header")
            # of a stream only binaries with samples are listed
            theirs = {line for line in build_ids(source, PFX) if "[vdso]" not in line}
            check(build_ids(ours, PFX) >= theirs, f"{source} to {ours}: build ids")
        sh("cmp fp.pipe pp.pipe")
    sh(f"{PFX} inject < flat.pipe > pp.pipe && cmp flat.pipe pp.pipe")
    sh(f"{PFX} inject -i - -o pf.data < flat.pipe")
    same_content("pf.data", "flat.pipe", "a stream as file")
    sh(f"{PERF_IN_SHELL} inject -i pf.data -o again.data")
    same_content("again.data", "flat.pipe", "perf inject on our file")


def with_build_ids():
    """-b tells what perf tells, and the kernel where perf does not know it."""
    record("bare.data", "-N", "-B", "-F", "997", "-e", "cpu-clock", "--", DEMO, "0.2")
    for option in ("-b", "--buildid-all"):
        for source, target in (("bare.data", "bare"), ("flat.pipe", "pipe")):
            sh(f"{PFX} inject {option} -i - -o - < {source} > ours.{target}")
            given = "-i bare.data" if target == "bare" else "< flat.pipe"
            sh(f"{PERF_IN_SHELL} inject {option} -o - {given} > theirs.{target}")
            ours, theirs = build_ids(f"ours.{target}"), build_ids(f"theirs.{target}")
            check(theirs, f"{option} {source}: perf has none")
            check(ours >= theirs, f"{option} {source}: {theirs - ours} missing")
            extra = {line.split(" ", 1)[1] for line in ours - theirs}
            check(extra <= {"[kernel.kallsyms]", "[vdso]"}, f"{option} {source}: {extra}")
            same_content(f"ours.{target}", source, f"{option} {source}")
    sh(f"{PFX} inject -b -i bare.data -o ours.data")
    check(build_ids("ours.data") >= build_ids("theirs.bare") - build_ids("bare.data"),
          "-b into a file")
    known = "00112233445566778899aabbccddeeff00112233"
    sh(f"{PFX} inject -b --known-build-ids='{known} {DEMO}' -i bare.data -o ours.data")
    check(any(line.startswith(known) for line in build_ids("ours.data")), "a known build id")
    with open("known.txt", "w", encoding="utf-8") as file:
        file.write(f"{known} {DEMO}\n")
    sh(f"{PFX} inject -b --known-build-ids=file://known.txt -i bare.data -o ours.data")
    check(any(line.startswith(known) for line in build_ids("ours.data")), "a known build id, file")


def ids_in_maps():
    """-B: MMAP2 records with build ids, without those that no sample fell into."""
    for source in ("bare.data", "flat.data"):
        everything, before = stats(source), script(source)
        for option in ("-B", "--mmap2-buildid-all"):
            sh(f"{PFX} inject {option} -i {source} -o maps.data")
            check(script("maps.data") == before, f"{option} {source}: samples differ")
            check(script("maps.data", PFX) == script(source, PFX), f"{option}: samples differ")
            dump = run(PERF, "script", "-D", "-i", "maps.data").stdout
            maps = [line for line in dump.split("\n") if "PERF_RECORD_MMAP2" in line]
            of_demo = [line for line in maps if DEMO in line]
            check(of_demo, f"{option}: no map of {DEMO}")
            check(all(re.search("<[0-9a-f]{40}>", line) for line in of_demo), f"{option}: {maps}")
            if option == "-B":
                hit = run(PFX, "script", "-F", "ip,dso", "-i", source).stdout
                before_it = int(everything["MMAP2"]) + int(everything["MMAP"])
                check(len(maps) <= before_it, f"-B makes maps: {maps}")
                equal("ld-linux" in "".join(maps), "ld-linux" in hit, f"-B keeps only what was hit: {maps}")
            else:
                check(len(maps) >= int(everything["MMAP2"]), f"{option}: {len(maps)} maps")


def sleeps():
    if not record("sched.data", "-g", "-e", SCHED, "--", *SHELL):
        return
    sh(f"{PFX} inject -s -i sched.data -o ours.data")
    sh(f"{PERF_IN_SHELL} inject -s -i sched.data -o theirs.data")
    fields = ["-F", "comm,tid,time,event,period,ip,sym"]
    ours, theirs = script("ours.data", PERF, fields), script("theirs.data", PERF, fields)
    check(ours == theirs and theirs, "-s: samples differ")
    check("sched_stat" not in ours, "-s: events that were to be merged")


def jit_code():
    if not record("jit.data", "-k", "mono", "-F", "997", "-e", "cpu-clock", "--", JIT, ".", "0.3"):
        return
    sh(f"{PERF_IN_SHELL} inject -j -i jit.data -o theirs.data")
    theirs = rows("theirs.data", PERF)
    for name in glob.glob("jitted-*.so"):
        os.unlink(name)
    sh(f"{PFX} inject -j -i jit.data -o ours.data")
    check(len(glob.glob("jitted-*.so")) == 3, "three ELF files")
    equal(rows("ours.data", PERF), theirs, "-j: perf report")
    same_rows(rows("ours.data", PFX), theirs, "-j: pfx report")
    check(sum("jit_function_" in row for _, row in theirs) == 3, f"-j: {theirs}")
    sh(f"{PFX} inject -j -i - -o - < jit.data > ours.pipe")
    equal(rows("ours.pipe", PERF), theirs, "-j into a stream")
    sh(f"{PFX} inject -j -B -i jit.data -o ours.data")
    equal(rows("ours.data", PERF), theirs, "-j -B")
    sh(f"{PFX} inject -j -i ours.data -o twice.data")
    equal(rows("twice.data", PERF), theirs, "-j twice")
    jit_lines()
    jit_damaged(theirs)


def jit_lines():
    name = sorted(glob.glob("jitted-*-1.so"))[0]
    if run("sh", "-c", "command -v objdump").returncode:
        return
    lines = run("objdump", "--dwarf=decodedline", name).stdout
    check(re.search(r"script\.js\s+11\s+0x10\d", lines), f"lines of {name}: {lines}")


def jit_damaged(theirs):
    dump = glob.glob("jit-*.dump")[0]
    with open(dump, "rb") as file:
        content = file.read()
    with open(dump, "wb") as file:
        file.write(content[:-40])
    cut = run(PFX, "inject", "-j", "-i", "jit.data", "-o", "ours.data")
    equal(cut.returncode, 0, "a jitdump that is cut short")
    check(cut.stderr.count("\n") == 1 and "is cut short" in cut.stderr, cut.stderr)
    with open(dump, "wb") as file:
        file.write(content[:32] + struct.pack("=Q", 1) + content[40:])
    clock = run(PFX, "inject", "-j", "-i", "jit.data", "-o", "none.data")
    check(clock.returncode == 0 or "CPU's counter" in clock.stderr, clock.stderr)
    check(clock.returncode == 0 or not os.path.exists("none.data"), "output of a failed run")
    with open(dump, "w", encoding="ascii") as file:
        file.write("no jitdump at all, but a text of some length\n")
    text = run(PFX, "inject", "-j", "-i", "jit.data", "-o", "none.data")
    equal(text.returncode, 255, "a text as jitdump")
    check("it is not a jitdump" in text.stderr, text.stderr)
    os.unlink(dump)
    gone = run(PFX, "inject", "-j", "-i", "jit.data", "-o", "ours.data")
    equal(gone.returncode, 0, "a jitdump that is gone")
    check("cannot open" in gone.stderr, gone.stderr)
    equal(len(rows("ours.data", PFX)) > 0 and len(theirs) > 0, True, "samples without jitdump")
    record("other.data", "-F", "99", "-e", "cpu-clock", "--", JIT, ".", "0.05")
    other = run(PFX, "inject", "-j", "-i", "other.data", "-o", "none.data")
    equal(other.returncode, 255, "the recording has another clock")
    check("-k mono" in other.stderr, other.stderr)


def wrong_words():
    with open("text", "w", encoding="ascii") as file:
        file.write("this is a text and no recording\n" * 20)
    for words, code in ((["-i", "nowhere", "-o", "none.data"], 255),
                        (["-i", "text", "-o", "none.data"], 255),
                        (["-i", "flat.data", "-o", "/nowhere/x"], 255),
                        (["--strip", "-i", "flat.data", "-o", "none.data"], 129),
                        (["-b", "-B", "-i", "flat.data", "-o", "none.data"], 129),
                        (["-b", "--known-build-ids=xyz", "-i", "flat.data", "-o", "x"], 255),
                        (["-b", "--kallsyms=/proc/kallsyms", "-i", "flat.data", "-o", "x"], 255)):
        done = run(PFX, "inject", *words)
        equal(done.returncode, code, f"{words}")
        check(done.stderr.count("\n") in (1, 2), f"{words}: {done.stderr!r}")
    check(not os.path.exists("none.data"), "output of failed runs")
    full = run("sh", "-c", f"{PFX} inject -i flat.data -o - >/dev/full")
    equal(full.returncode, 255, "a full disk")


def main():
    need_perf()
    for name in set(glob.glob("*.data*") + glob.glob("jit*")):
        os.unlink(name)
    pass_through()
    with_build_ids()
    ids_in_maps()
    sleeps()
    jit_code()
    wrong_words()
    finish()


main()
