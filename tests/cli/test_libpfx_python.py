# SPDX-License-Identifier: MIT
"""The Python package of libpfx: installed into an empty prefix and as a wheel. Its samples, tables and differences
equal what pfx prints; the examples of the documentation run; all recordings of the corpus have the expected number of
samples; errors have their hints."""
import glob
import json
import os
import shutil
import subprocess
import sys
import zipfile

import corpus
from checks import FAILURES, KIT, PFX, check, finish, run

SOURCE = os.environ["PFX_SOURCE_DIR"]
BUILD = os.path.dirname(os.path.dirname(os.environ["PFX"]))
PREFIX = os.path.abspath("prefix")
KALLSYMS = """ffffffff81000000 T _text
ffffffff81000000 T start
ffffffff81000100 T leaf
ffffffff81000400 T _etext
"""
MADE = """event cpu-clock type=sw config=0 freq=1000 sample=ip,tid,time,period,cpu,callchain,branch_stack branch=any
feature arch str=x86_64
feature hostname str=box
mmap2 pid=-1 tid=0 addr=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 prot=5 misc=1 [kernel.kallsyms]_text
comm pid=7 tid=7 time=1 one
comm pid=8 tid=9 time=1 "t\\xff\\x1bwo"
sample ip=0xffffffff81000110 pid=7 tid=7 cpu=1 time=100 period=30 misc=1 chain=kernel,0xffffffff81000110,0xffffffff81000010 branch=0x10,0x20,0x501
sample ip=0xffffffff81000110 pid=7 tid=7 cpu=2 time=200 period=20 misc=1 chain=kernel,0xffffffff81000110,0xffffffff81000010
sample ip=0xffffffff81000010 pid=8 tid=9 cpu=1 time=300 period=10 misc=1 chain=kernel,0xffffffff81000010
round
"""
OLD = MADE.replace("period=30", "period=5")
TICK = "\nsample ip=0x10 pid=10 tid=10 time=5 id=1 cpu=0 raw=2c01000000000000fdffffff\nround\n"

# What runs in the other Python: one argument, the folder of the recordings.
SCRIPT = r'''
import ast, json, os, pathlib, sys
import pfx
with pfx.open("made.data", kallsyms="kallsyms") as recording:
    kept = list(recording)
    losses, header = recording.losses, recording.header
    threads = {thread["tid"]: thread["comm"] for thread in recording.threads}
first, last = kept[0], kept[2]
assert (first.comm, first.pid, first.tid, first.cpu, first.time, first.period) == ("one", 7, 7, 1, 100, 30), first
assert [frame.symbol for frame in first.frames] == ["leaf", "start"] and first.frames[0].offset == 0x10
assert first.frames is kept[1].frames and first.stack == kept[1].stack != last.stack
assert first.branches == [(0x10, 0x20, 0x50, True)] and last.branches is None and first.level == "k"
assert last.comm == "t\udcff\x1bwo" == threads[9] and first.event == "cpu-clock" and first.fields is None
assert losses["samples"] == 3 and header["hostname"] == "box" and not losses["is_cut_short"]
try:
    recording.samples()
    raise SystemExit("a closed recording gives samples")
except ValueError as error:
    assert str(error) == "the recording is closed"
profile, old = (pfx.load(name, kallsyms="kallsyms", times=True) for name in ("made.data", "old.data"))
assert profile.nr_samples == 3 and profile.events == ["cpu-clock"]
assert [(row.name, row.self, row.total, row.samples) for row in profile.table()] == [
    ("leaf", 50, 50, 2), ("start", 10, 60, 1)]
assert [row.name for row in profile.table("comm", comm="one")] == ["one"]
assert [(row.name, row.depth) for row in profile.tree()] == [("all", 0), ("start", 1), ("leaf", 2)]
assert [row.total for row in profile.flame()] == [60, 60, 50]
assert profile.timeline(cells=3) == (100, 67, {"all": [30, 20, 10]}), profile.timeline(cells=3)
assert profile.timeline("cpu", cells=2, from_ns=100, to_ns=299) == (100, 100, {"1": [30, 0], "2": [0, 20]})
changed = {row.name: (row.old_self, row.self, row.state) for row in profile.diff(old)}
assert changed == {"leaf": (25, 50, "both"), "start": (10, 10, "both")}, changed
for name, values in (("time", [100, 200, 300]), ("cpu", [1, 2, 1]), ("period", [30, 20, 10]), ("tid", [7, 7, 9])):
    column = profile.column(name)
    assert list(column) == memoryview(column).tolist() == values, name
if "HAS_NUMPY" in os.environ:
    import numpy, pandas
    arrays = {name: numpy.asarray(profile.column(name)) for name in ("time", "cpu", "period", "stack")}
    assert arrays["time"].dtype == numpy.uint64 and arrays["cpu"].dtype == numpy.int32
    assert not any(array.flags.owndata or array.flags.writeable for array in arrays.values())
    again = numpy.asarray(profile.column("time"))  # the same bytes
    assert again.ctypes.data == arrays["time"].ctypes.data and again.sum() == 600
    frame = pandas.DataFrame({"time": pandas.Series(arrays["time"], copy=False)}, copy=False)
    assert numpy.shares_memory(frame["time"].to_numpy(), arrays["time"])
    table = pandas.DataFrame({name: array for name, array in arrays.items()}, copy=False)
    assert table.groupby("cpu")["period"].sum().to_dict() == {1: 40, 2: 20}
with pfx.open("build-ids.data") as recording:
    assert ("/no/such/bin/table", "000102030405060708090a0b0c0d0e0f10111213") in recording.binaries(), recording.binaries()
    assert ("/no/such/bin/short", "0011223344556677") not in recording.binaries()
    assert ("/no/such/bin/short", "0011223344556677") in recording.binaries(with_samples=True)
assert pfx.open("made.data").binaries(with_samples=True) == [("[kernel.kallsyms]", None)], pfx.open("made.data").binaries(with_samples=True)
assert profile.stack(profile.column("stack")[0]) == ("leaf", "start")
for wrong, kind, text in (
        (lambda: pfx.open("/no/such"), pfx.Error, "'/no/such'"), (lambda: pfx.open("a" + "\u00e9" * 300), pfx.Error, "cannot"), (lambda: profile.table("x"), ValueError, "'x' is not a kind"),
        (lambda: profile.table(focus="("), pfx.Error, "not a valid regular expression"),
        (lambda: profile.table(event="cycles"), pfx.Error, "'cycles' is not an event"),
        (lambda: profile.column("colour"), ValueError, "'colour' is not a column"),
        (lambda: profile.timeline(cells=0), pfx.Error, "1 to 65536 cells"), (lambda: profile.stack(-1), OverflowError, "'number' must be from 0"),
        (lambda: profile.timeline("dso"), pfx.Error, "a timeline has lanes"),
        (lambda: pfx.load("made.data").timeline(), pfx.Error, "time"),
        (lambda: profile.stack(99), IndexError, "no stack 99"), (lambda: profile.column("time")[3], IndexError, "no such row"),
        (lambda: pfx.open("made.data", times=True), TypeError, "times"),
        (lambda: pfx.load("made.data", kallsyms=1), TypeError, "'kallsyms' must be str, bytes, os.PathLike or None, not int"),
        (lambda: pfx.load("made.data", comms=1), TypeError, "'comms' must be str or None, not int"),
        (lambda: pfx.load(None), TypeError, "'path' must be str, bytes or os.PathLike, not NoneType"),
        (lambda: pfx.load("made.data", pids=1, kallsyms="x"), TypeError, "'pids' must be str or None, not int"),
        (lambda: pfx.load("made.data", kallsyms="/no/such"), pfx.Error, "kallsyms: cannot read '/no/such'"),
        (lambda: pfx.open("made.data", vmlinux=pathlib.Path("/no/such")), pfx.Error, "vmlinux: cannot read '/no/such'"),
        (lambda: pfx.open("made.data", symfs="made.data"), pfx.Error, "symfs: 'made.data' is not a directory"),
        (lambda: profile.table(comm=1), TypeError, "'comm' must be str or None, not int"), (lambda: profile.diff(5), TypeError, "'old' must be"),
        (lambda: pfx.record("ls"), TypeError, "'command' must be a sequence of words, not str"), (lambda: pfx.record([5]), TypeError, "'command' must be str"),
        (lambda: pfx.record(["ls"], colour=1), TypeError, "'colour' is not an option of record()"),
        (lambda: pfx.record(["ls"], events=1), TypeError, "'events' must be str or None, not int"),
        (lambda: pfx.record(["ls"], freq="1"), TypeError, "'freq' must be int, not str"), 
        (lambda: pfx.record(["ls"], output=None), TypeError, "'output'"),
        (lambda: pfx.record(["ls"], freq=1, period=1), pfx.Error, "'freq' and 'period' exclude each other"),
        (lambda: pfx.load("made.data").column("time"), pfx.Error, "without their times")):
    try:
        wrong()
        raise SystemExit(f"no error with {text}")
    except kind as error:
        assert text in str(error), error
numbers = 0
stubs = ast.parse(pathlib.Path(pfx.__file__).with_suffix(".pyi").read_text())
for function in ast.walk(stubs):  # every integer keyword of every function
    call = getattr(pfx, getattr(function, "name", ""), None) or getattr(profile, getattr(function, "name", ""), None)
    for argument in function.args.kwonlyargs if isinstance(function, ast.FunctionDef) else ():
        name = argument.arg
        if not ast.unparse(argument.annotation).startswith("int"):
            continue
        numbers += 1
        for value, kind, text in ((-1, OverflowError, f"'{name}' must be from 0 to "), (1 << 64, OverflowError, f"'{name}' must be from 0 to "),
                                  (1.5, TypeError, f"'{name}' must be int, not float"), ("1", TypeError, f"'{name}' must be int, not str")):
            try:
                call(*{"open": ("made.data",), "load": ("made.data",), "record": (["true"],)}.get(function.name, ()), **{name: value})
                raise SystemExit(f"{function.name}({name}={value!r}) is taken")
            except kind as error:
                assert text in str(error), error
assert numbers > 20, numbers
assert pfx.open.__doc__ and pfx.Profile.table.__doc__ and pfx.Sample.__doc__
tick = next(iter(pfx.open("tick.data")))
assert tick.fields == {"number": -3} and tick.number == -3 and len(tick.raw) == 12
try:
    tick.nothing
    raise SystemExit("an attribute that is no field")
except AttributeError:
    pass
def count(path):
    with pfx.open(path, force=True, symbols=False) as recording:
        nr = sum(1 for _ in recording)  # a sample of a group counts once for each event that increased
        return nr, recording.losses["samples"]
print(json.dumps([count(path) for path in sys.argv[1:]]))
'''
TYPES = """import pfx

def check(path: str) -> float:
    sample = next(iter(pfx.open(path)))
    row = pfx.load(path, times=True).table("dso", focus="x")[0]
    return row.self_share + sample.time + sum(pfx.load(path).column("pid"))
"""


def kit(name, text):
    with open(f"{name}.txt", "w", encoding="utf-8") as file:
        file.write(text)
    made = run(KIT, f"{name}.txt", f"{name}.data")
    check(made.returncode == 0, f"{name}: {made.stderr}")


def choose_python():
    """One that has numpy, pandas and matplotlib, if there is one; and whether it has."""
    for path in dict.fromkeys((sys.executable, "/usr/bin/python3", "/usr/local/bin/python3")):
        words = "import sys, numpy, pandas, matplotlib; sys.exit(sys.version_info < (3, 11))"
        if os.path.exists(path) and not run(path, "-B", "-c", words).returncode:
            return path, True
    return sys.executable, False


PYTHON, HAS_NUMPY = choose_python()


def python(place, *words, **env):
    return run(PYTHON, "-B", *words, env={"PYTHONPATH": place, **({"HAS_NUMPY": "1"} if HAS_NUMPY else {}), **env})


def install():
    shutil.rmtree(PREFIX, ignore_errors=True)
    done = run("cmake", "--install", BUILD, "--prefix", PREFIX)
    check(done.returncode == 0, f"install: {done.stderr}")
    return os.path.dirname(os.path.dirname(glob.glob(f"{PREFIX}/**/_pfx.abi3.so", recursive=True)[0]))


def unpack_wheel():
    """As pip does; twice the same bytes."""
    for folder in ("wheel", "again"):
        os.makedirs(folder, exist_ok=True)
        done = run(sys.executable, f"{SOURCE}/scripts/make_wheel", BUILD, folder)
        check(done.returncode == 0, f"wheel: {done.stderr}")
    path = glob.glob("wheel/*.whl")[0]
    check(not subprocess.call(["cmp", path, path.replace("wheel/", "again/", 1)]), "two wheels differ")
    shutil.rmtree("unpacked", ignore_errors=True)
    with zipfile.ZipFile(path) as wheel:
        wheel.extractall("unpacked")
    return os.path.abspath("unpacked")


def check_package(place, recordings):
    done = python(place, "-c", SCRIPT, *(r.path for r in recordings))
    check(done.returncode == 0, f"{place}: {done.stderr[-2000:]} {done.stdout}")
    if done.returncode:
        return
    counts = json.loads(done.stdout)
    wrong = [(r.name, n, r.samples) for r, n in zip(recordings, counts)
             if n[1] != r.samples or (n[0] != r.samples and not corpus_group(r))]
    check(len(counts) == len(recordings) and not wrong, f"counts differ: {wrong}")


def corpus_group(recording):
    """Samples that count once for each member of a group."""
    return "group_S" in recording.name or "FormatLost" in recording.name


def check_report(place):
    shown = run(PFX, "report", "--json", "--kallsyms", "kallsyms", "-i", "made.data", "--no-children", "-s", "sym")
    rows = json.loads(shown.stdout)["tables"][0]["rows"]
    theirs = [[row["keys"]["symbol"], row["values"][0]["period"], row["values"][0]["samples"]] for row in rows]
    ours = python(place, "-c", "import pfx, json; print(json.dumps([[r.name, r.self, r.samples] for r in "
                               "pfx.load('made.data', kallsyms='kallsyms').table()]))")
    check(len(theirs) == 2 and json.loads(ours.stdout) == theirs, f"{ours.stdout} {theirs}")


def check_examples(place):
    examples = f"{SOURCE}/Documentation/examples"
    for path in glob.glob(f"{examples}/*.py"):
        with open(path, encoding="utf-8") as file:
            check(len(file.readlines()) <= 20, f"{path} is long")
        bare = python(place, path) if HAS_NUMPY or "heat_map" not in path else None
        good = not bare or bare.returncode == 1 and bare.stderr.count("\n") == 1 and f"usage: {os.path.basename(path)} " in bare.stderr
        check(good, f"{path} without arguments: {bare}")
    done = python(place, f"{examples}/compare.py", "old.data", "made.data")
    check(done.returncode == 0 and done.stdout.split()[:2] == ["+0.00", "both"], f"compare: {done}")
    done = python(place, f"{examples}/latency.py", "tick.data", "sched:tick", "sched:tick")
    check(done.stdout.startswith("0 times"), f"latency: {done}")
    if HAS_NUMPY:
        done = python(place, f"{examples}/heat_map.py", "made.data", "heat.png", MPLCONFIGDIR=os.getcwd())
        with open("heat.png", "rb") as file:
            check(done.returncode == 0 and file.read(4) == b"\x89PNG", f"heat map: {done}")
    with open(f"{examples}/notebook.ipynb", encoding="utf-8") as file:
        cells = [cell for cell in json.load(file)["cells"] if cell["cell_type"] == "code"]
    done = python(place, "-c", "\n".join("".join(cell["source"]) for cell in cells), RECORDING="made.data")
    check(done.returncode == 0 and "%" in done.stdout, f"notebook: {done}")


def check_types(place):
    """The stub has every name that the module has, and a program that uses it passes mypy where that is installed."""
    listed = python(place, "-c", "import pfx; print(*(f'{c}.{n}' for c in ('Frame', 'Sample', 'Recording', 'Row', 'Profile') "
                                 "for n in dir(getattr(pfx, c)) if n[0] != '_'))").stdout.split()
    with open(f"{place}/pfx/__init__.pyi", encoding="utf-8") as file:
        stub = file.read()
    classes = {part.split("(")[0].split(":")[0].strip(): part for part in stub.split("\nclass ")[1:]}
    missing = [name for name in listed if not any(
        f"    {kind}{name.split('.')[1]}{end}" in classes[name.split(".")[0]] for kind, end in (("", ":"), ("def ", "(")))]
    check(len(listed) > 60 and not missing, f"the stub lacks {missing}")
    if shutil.which("mypy"):
        with open("typed.py", "w", encoding="utf-8") as file:
            file.write(TYPES)
        done = run("mypy", "--strict", "typed.py", env={"MYPYPATH": place})
        check(done.returncode == 0, f"mypy: {done.stdout}")


def main():
    with open("kallsyms", "w", encoding="utf-8") as file:
        file.write(KALLSYMS)
    kit("made", MADE)
    kit("old", OLD)
    with open(f"{SOURCE}/tests/golden/tracepoints.txt", encoding="utf-8") as file:
        kit("tick", file.read() + TICK)
    with open(f"{SOURCE}/tests/golden/build-ids.txt", encoding="utf-8") as file:
        kit("build-ids", file.read())
    if not os.path.exists(f"{BUILD}/lib/python/pfx/_pfx.abi3.so"):
        print("SKIP: pfx is built without Python")
        sys.exit(corpus.SKIP)
    recordings = [r for r in corpus.recordings("public", "recorded") if not r.is_broken] if os.path.isdir(
        corpus.CORPUS) else []
    place = install()
    check_package(place, recordings)
    check_package(unpack_wheel(), [])
    check_report(place)
    check_examples(place)
    check_types(place)
    lacking = [*([] if HAS_NUMPY else ["a Python with numpy, pandas and matplotlib"]), *([] if shutil.which("mypy") else ["mypy"])]
    if lacking and not FAILURES:
        print(f"SKIP: all but what needs {' and '.join(lacking)} has passed")
        sys.exit(corpus.SKIP)
    finish()


if __name__ == "__main__":
    main()
