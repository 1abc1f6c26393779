# SPDX-License-Identifier: MIT
"""What the live tests share: running programs, comparing, and skipping with a reason."""
import difflib
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
from json_schema import Schema, distinct, parse  # noqa: E402

PFX = os.environ.get("PFX", "build/dev/cmd/pfx")
DEMO = os.environ.get("PFX_DEMO", "build/dev/scripts/demo/pfx-demo")
WORK = os.environ.get("PFX_WORK", "build/dev/tests/live/live-work")
KIT = os.environ.get("PFX_KIT", "build/dev/tests/kit/pfx-kit")
PERF = shutil.which("perf")


def in_front_of_perf():
    """Variables that make perf end sooner, see quick_perf.c; the kernel's symbols are those of now."""
    library = os.environ.get("PFX_QUICK_PERF")
    if not PERF or not library:
        return {}
    copy = os.path.abspath(".kallsyms")
    shutil.copyfile("/proc/kallsyms", copy)
    return {"LD_PRELOAD": library, "PFX_KALLSYMS": copy}


QUICK = in_front_of_perf()
PERF_WORDS = ["env", *(f"{name}={path}" for name, path in QUICK.items()), str(PERF)]  # for those who start it
PERF_IN_SHELL = " ".join(PERF_WORDS)
PATIENCE = 900  # seconds until something hangs, not merely waits for a busy machine
FAILURES = []
PERF_FAILED = []  # its runs that did not end well; told if a check fails


def skip(reason):
    print(f"SKIP: {reason}")
    sys.exit(77)


def run(*argv, **kw):
    """The finished process, output as text (bytes that are no UTF-8 are escaped)."""
    kw.setdefault("stdout", subprocess.PIPE)
    kw.setdefault("stderr", subprocess.PIPE)
    kw.setdefault("timeout", PATIENCE)
    kw.setdefault("stdin", subprocess.DEVNULL)
    env = dict(os.environ, LC_ALL="C", PAGER="cat", PFX_CONFIG="/dev/null", PERF_CONFIG="/dev/null",
               **(QUICK if argv[0] == PERF else {}))
    done = subprocess.run([str(a) for a in argv], text=True, errors="backslashreplace", env=env,
                          check=False, **kw)
    if argv[0] == PERF and done.returncode:
        PERF_FAILED.append(f"{' '.join(map(str, argv))[:300]}: {done.returncode}: {(done.stderr or '')[-300:]}")
    return done


def need_recording():
    """Skips unless this machine lets us record; says why."""
    probe = run(PFX, "record", "-o", "probe.data", "--", "true")
    if probe.returncode:
        skip(f"recording is not possible here: {probe.stderr.strip()}")


def need_perf():
    if not PERF or run(PERF, "--version").returncode:
        skip("perf is not installed")


def check(good, what):
    if not good:
        FAILURES.append(what)
        print(f"FAIL: {what}")


def equal(ours, theirs, what):
    if ours == theirs:
        return
    if isinstance(ours, str) and isinstance(theirs, str) and "\n" in ours + theirs:
        lines = difflib.unified_diff(theirs.split("\n"), ours.split("\n"), "theirs", "ours", "", "", 0, "")
        check(False, "\n".join([what + ":", *list(lines)[:20]]))
    else:
        check(False, f"{what}: {ours!r} is not {theirs!r}")


def in_parallel(work, jobs):
    """work(*job) for each of them, on all CPUs: for what does not measure time."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for _ in pool.map(lambda job: work(*job), jobs):
            pass


def part_of(names, nr, of=3):
    """A third (or another part) of the names, other ones for each number; all with PFX_WHOLE=1, as the
    target compare-all does. So each command line is compared every time, and all pairs of lines and
    recordings there."""
    names = [*names]
    if os.environ.get("PFX_WHOLE"):
        return names
    return names[nr % of::of] or [names[nr % len(names)]] if names else []


def times(nr):
    """How often something is repeated that depends on the moment: a third as often, and all of it with
    PFX_WHOLE=1."""
    return nr if os.environ.get("PFX_WHOLE") else nr // 3


def wait_for(condition, what, seconds=600):
    """What the condition gives as soon as that is true; a failure, and that, after so long."""
    end = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.02)
    check(found, f"{what} did not happen within {seconds} seconds")
    return found


def cpu_seconds(pid):
    """The CPU time that the process has used, all its threads; 0 when it is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_for_work(pid, seconds):
    """Until a busy process has used so much CPU time from now on, however busy the machine is."""
    end = cpu_seconds(pid) + seconds
    wait_for(lambda: cpu_seconds(pid) >= end, f"{seconds} s of work")


def is_rescue(pid):
    """Whether it is the process that finishes the file of a killed recorder."""
    try:
        with open(f"/proc/{pid}/comm", encoding="ascii", errors="replace") as file:
            return file.read() == "record-rescue\n"
    except OSError:
        return False


def children(pid):
    """The processes that were started by it or by those, but for the recorder's own."""
    found, todo = [], [pid]
    while todo:
        now = todo.pop()
        try:
            with open(f"/proc/{now}/task/{now}/children", encoding="ascii") as file:
                todo += [int(word) for word in file.read().split()]
        except OSError:
            pass
        found += [now] if now != pid and not is_rescue(now) else []
    return found


def record_to(tool, data, *words, stream=False, common=()):
    """The finished `record`. @common: the words in front of the command's name."""
    if not stream:
        return run(tool, *common, "record", "-o", data, *words)
    with open(data, "wb") as file:
        return run(tool, *common, "record", "-o", "-", *words, stdout=file)


def samples(data, tool=PFX):
    """Samples of all events, counted by `report --stats`."""
    out = run(tool, "report", "--stats", "-i", data).stdout
    match = re.search(r"SAMPLE events:\s+(\d+)", out)
    return int(match.group(1)) if match else 0


def record_enough(data, nr, *options, command, frequency=499):
    """Records a program until there are so many samples: where the machine is too fast for the
    frequency, again at a higher one, up to 16 times as high."""
    found = 0
    for factor in (1, 4, 16):
        done = record_to(PFX, data, "-F", frequency * factor, *options, "--", *command)
        equal(done.returncode, 0, f"record {data}: {done.stderr}")
        found = samples(data)
        if found >= nr or done.returncode:
            break
    check(found >= nr, f"{data}: {found} samples, not {nr}")


# A program of another test whose names are packed inside of it, where perf does not look.
PACKED_NAMES = "with-mini"


def has_code_without_names(data):
    """Whether code of somebody's JIT compiler, also in the memory that .NET has it in, or names that are packed are
    in it, as perf sees it."""
    dsos = run(PERF, "report", "--stdio", "--no-inline", "-i", data, "-s", "dso", "-g", "none").stdout
    return any(name in dsos for name in ("[JIT]", "doublemapper", PACKED_NAMES))


def record_by_perf(name, options):
    """A recording NAME.data for comparisons; False when it cannot be made here. One of the whole
    system is made again where somebody's JIT compiler ran meanwhile, or a program with packed names: perf does not name
    their code."""
    for _ in range(3):
        done = record_to(PERF, f"{name}.data", *options)
        if done.returncode:
            print(f"not recorded here: {name}: {done.stderr.strip()[:200]}")
            return False
        if "-a" not in options or not has_code_without_names(f"{name}.data"):
            return True
    print(f"not compared: {name}: programs ran meanwhile whose code perf does not name")
    return False


def work(seconds):
    """Keeps a CPU busy for so long, counted in CPU time."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


# How perf 6.1 shows code of a linkage table: without the function's name, by the symbol in front of
# the table, or not at all. Which it is depends on the entry and on the shape of a tree.
LINKAGE = r"(?:[^\s;]*@plt|_init|\[unknown\]|\[[^\s;\]]+\+0x[0-9a-f]+\]|0x[0-9a-f]{16})(?:\+0x[0-9a-f]+)?"

# What perf has no name for: those entries, and functions of stripped binaries, known by their bounds.
NAMED_BY_US = r"(?:[^\s;]+@plt|\[[^\s;\]]+\+0x[0-9a-f]+\])(?:\+0x[0-9a-f]+)?"


def without_linkage(ours, theirs):
    """Both texts, line by line about the same: where ours names what perf has no name for and
    nothing else differs, their line is replaced by ours."""
    mine, other = ours.split("\n"), theirs.split("\n")
    if len(mine) != len(other):
        return ours, theirs
    for i, (one, two) in enumerate(zip(mine, other)):
        if one != two and re.search(NAMED_BY_US, one):
            words = re.split(NAMED_BY_US, " ".join(one.split()))
            if re.fullmatch(LINKAGE.join(map(re.escape, words)), " ".join(two.split())):
                other[i] = one
    return ours, "\n".join(other)


def apart(table):
    """Rows of `-s comm,dso,sym` in two parts: those of functions, and by command and binary the sum and
    number of those that are, or that perf may take for, entries of linkage tables."""
    functions, linkage = [], {}
    for percent, text in table:
        place, _, name = text.rpartition("] ")
        if re.fullmatch(LINKAGE, name):
            total, nr = linkage.get(place, (0, 0))
            linkage[place] = (total + percent, nr + 1)
        else:
            functions.append((percent, text))
    return functions, linkage


def same_rows(ours, theirs, what):
    """The rows of pfx and perf are the same, but for how perf names entries of linkage tables."""
    (mine, tables), (other, other_tables) = apart(ours), apart(theirs)
    only, only_perf = ([row for row in one if row not in two] for one, two in
                       ((mine, other), (other, mine)))
    check(sorted(mine) == sorted(other), f"{what}: {len(ours)} rows, perf {len(theirs)}; only by pfx "
          f"{only[:9]}, only by perf {only_perf[:9]}")
    for place in tables.keys() | other_tables.keys():
        (one, nr), (two, other_nr) = (t.get(place, (0, 0)) for t in (tables, other_tables))
        check(abs(one - two) < 0.005 * (nr + other_nr) + 0.001,
              f"{what}: linkage tables of '{place}': {one:.2f} % in {nr} rows, {two:.2f} % in {other_nr}")


def rows(data, tool, *options):
    """The rows of `report --stdio`: (percentage, the rest with single blanks)."""
    out = run(tool, "report", "--stdio", "-i", data, *options).stdout
    found = []
    for line in out.split("\n"):
        match = re.match(r"\s*(\d+\.\d+)%\s+(.*\S)", line)
        if match and not line.startswith("#"):
            found.append((float(match.group(1)), " ".join(match.group(2).split())))
    return found


def check_json(data, commands=("report", "script")):
    """What `report --json` and `script --json` say of a recording fits their schemas."""
    for command in commands:
        done, schema = run(PFX, command, "--json", "-i", data), Schema(command)
        equal(done.returncode, 0, f"{command} --json of {data}: {done.stderr.strip()[:200]}")
        documents = [*distinct(done.stdout.splitlines(), set())] if command == "script" else [done.stdout]
        problems = [problem for problem in map(schema.wrong, map(parse, documents)) if problem]
        check(documents and not problems, f"{command} --json of {data}: {problems[:3]}")


def finish():
    if FAILURES:
        print(f"{len(FAILURES)} checks failed", *(f"perf failed: {run}" for run in PERF_FAILED[-5:]), sep="\n")
        sys.exit(1)
    print("all checks passed")
