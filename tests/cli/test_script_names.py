# SPDX-License-Identifier: MIT
"""A script of the catalog over a recording, in every order in which people write it, and its help.
Recording and both at once are in live/test_script_live.py."""
import os
import subprocess
import sys
import tempfile

from checks import KIT, PFX, check, finish, run
from libraries import built_in

DESCRIPTION = """event cpu-clock type=sw config=0 freq=1000 sample=ip,tid,time,cpu,period,callchain
feature hostname str=testhost
feature arch str=x86_64
comm pid=10 tid=10 "prog"
mmap pid=10 tid=10 addr=0x400000 len=0x1000 "/nowhere/prog"
sample ip=0x400010 pid=10 time=1000 period=1 chain=user,0x400010,0x400020
sample ip=0x400020 pid=10 time=2000 period=1 chain=user,0x400020
comm pid=11 tid=11 "cpp"
sample ip=0x400020 pid=11 time=3000 period=1 chain=user,0x400020
round
"""
PATIENCE = 300  # seconds until something hangs
OWN = """# description: what it was called with
# args: <word> [other]
# record: -e cpu-clock
import sys
print(sys.argv[1:])
"""


def catalog():
    lines = run(PFX, "script", "-l").stdout.splitlines()[1:]
    return [line.split()[0] for line in lines]


BROKEN = """event cpu-clock type=sw config=0 freq=1000 sample=ip,tid,time,period,callchain
feature hostname str=testhost
feature arch str=x86_64
comm pid=4194300 tid=4194300 "chains"
mmap2 pid=4194300 tid=4194300 addr=0x900000 len=0x10000 prot=5 flags=0x22 //anon
sample ip=0x900200 pid=4194300 time=4000 period=1 chain=user,0x900200,0x7fff0000
round
"""
DECLARES = """# args: [--comm name] [-v]
import sys
print(sys.argv[1:])
"""


def fed(stdin, *words):
    """A run of `pfx script` that has this as its standard input."""
    env = {**os.environ, "PFX_CONFIG": "/dev/null", "HOME": os.getcwd()}
    return subprocess.run([PFX, "script", *words], check=False, text=True, capture_output=True, env=env,
                          stdin=stdin, timeout=PATIENCE)


def equal(got, wanted, what):
    check(got == wanted, f"{what}: {got!r} instead of {wanted!r}")


def told(*words):
    done = run(PFX, "script", *words)
    left = [line for line in done.stderr.splitlines() if not line.startswith(
        ("[ pfx script: wrote 'flamegraph.html'", "pfx script: the script is for events"))]
    check(done.returncode == 0 and not left, f"{words}: {done}")
    page = ""
    if os.path.exists("flamegraph.html"):
        with open("flamegraph.html", encoding="utf-8") as f:
            page = f.read()
        os.unlink("flamegraph.html")
    return done.stdout, page


# What scripts cannot do without; None: it needs a server.
WORDS = {"export-to-postgresql": None, "export-to-sqlite": ["made.db"], "rw-by-file": ["prog"]}
SILENT = {"stat-cpi"}  # about counts, which the recording does not have


def test_every_script():
    names = catalog()
    check(len(names) >= 6 and set(WORDS) | SILENT < set(names), f"few scripts: {names}")
    for name in names:
        own = WORDS.get(name, [])
        if own is None:
            continue
        wanted = told("-i", "x.data", "report", name, *own)
        made = os.path.exists("made.db")
        check(wanted[0] or wanted[1] or made or name in SILENT, f"{name} makes nothing")
        for words in (["report", name, "-i", "x.data", *own], [name, "-i", "x.data", *own],
                      [name, "--input", "x.data", *own], [name, *own, "--input=x.data"],
                      ["-i", "x.data", name, *own], ["-i", "x.data", "-s", name, *own]):
            if made:
                os.unlink("made.db")
            equal((told(*words), os.path.exists("made.db")), (wanted, made), words)
        if made:
            os.unlink("made.db")


def test_words():
    """The script has its words, whichever side of them the recording is named on."""
    both = ("['one', 'two']\n", "")
    for words in (["own", "one", "two", "-i", "x.data"], ["own", "-i", "x.data", "one", "two"],
                  ["own", "one", "-i", "x.data", "two"], ["-i", "x.data", "own", "one", "two"]):
        equal(told(*words), both, words)
    page = told("-i", "x.data", "flamegraph", "--title", "Mine", "-o", "flamegraph.html")[1]
    check("Mine" in page, "the title is not in the page")
    equal(told("flamegraph", "--title", "Mine", "-i", "x.data")[1], page, "options before the recording")
    equal(told("flamegraph", "-i", "x.data", "--title", "Mine")[1], page, "options after the recording")
    # a name that is a program as well: it is a recording when it is one
    os.link("x.data", "true")
    equal(told("own", "one", "-i", "true"), ("['one']\n", ""), "a recording with the name of a program")


def test_standard_input():
    """A recording that comes by a pipe or from a file is read; without one perf.data is."""
    wanted = told("stackcollapse", "-i", "x.data")[0]
    check("prog;" in wanted, f"stacks: {wanted!r}")
    for words in (["stackcollapse"], ["report", "stackcollapse"], ["stackcollapse", "-i", "-"]):
        with subprocess.Popen(["cat", "x.data"], stdout=subprocess.PIPE) as cat:
            done = fed(cat.stdout, *words)
        equal((done.returncode, done.stdout, done.stderr), (0, wanted, ""), f"{words} of a pipe")
    for words in (["stackcollapse"], ["stackcollapse", "-i", "-"]):
        with open("x.data", "rb") as file:
            done = fed(file, *words)
        equal((done.returncode, done.stdout, done.stderr), (0, wanted, ""), f"{words} of a file")
    with subprocess.Popen(["cat", "x.data"], stdout=subprocess.PIPE) as cat:
        page = fed(cat.stdout, "flamegraph", "-o", "-").stdout
    equal(page, told("flamegraph", "-i", "x.data", "-o", "-")[0], "a page of a pipe")
    os.link("x.data", "perf.data")
    done = fed(subprocess.DEVNULL, "stackcollapse")
    equal((done.returncode, done.stdout, done.stderr), (0, wanted, ""), "perf.data")
    os.unlink("perf.data")


def test_options():
    """Options of `pfx script` work behind the name; those that the script declares are its own."""
    every = told("stackcollapse", "-i", "x.data")[0]
    for options in (["--comm", "cpp"], ["-c", "cpp"], ["--comms=cpp"], ["--time", ",0.0000015"], ["-C", "0", "-G", "--tid", "10"]):
        wanted = told("-i", "x.data", *options, "stackcollapse")[0]
        check(wanted and wanted != every or "-C" in options, f"{options}: nothing chosen: {wanted!r}")
        for words in (["stackcollapse", *options, "-i", "x.data"], ["stackcollapse", "-i", "x.data", *options],
                      ["-i", "x.data", "stackcollapse", *options], ["report", "stackcollapse", *options, "-i", "x.data"]):
            equal(told(*words)[0], wanted, words)
        with open("x.data", "rb") as file:
            equal(fed(file, "stackcollapse", *options).stdout, wanted, f"{options} of a file")
    equal(told("declares", "--comm", "cpp", "-v", "-i", "x.data")[0], "['--comm', 'cpp', '-v']\n", "declared")
    equal(told("own", "one", "--other", "-x", "-i", "x.data")[0], "['one', '--other', '-x']\n", "unknown")
    equal(told("own", "-i", "x.data", "one", "--", "-v")[0], "['one', '--', '-v']\n", "behind --")
    done = run(PFX, "script", "own", "one", "-i", "x.data", "--time", "soon")
    check(done.returncode == 129 and "soon" in done.stderr, f"a wrong value: {done}")


def test_notes():
    """What `report` says of the call chains."""
    with open("broken", "w", encoding="utf-8") as f:
        f.write(BROKEN)
    run(KIT, "--le", "broken", "broken.data")
    said = [line for line in run(PFX, "report", "-i", "broken.data").stderr.splitlines() if "call chains" in line]
    check(len(said) == 1, f"report says nothing of the chains: {said}")
    for words in (["stackcollapse"], ["flamegraph", "-o", "-"]):
        done = run(PFX, "script", *words, "-i", "broken.data")
        equal((done.returncode, done.stderr), (0, said[0].replace("pfx report", "pfx script") + "\n"), f"notes of {words}")
        done = run(PFX, "script", *words, "-q", "-i", "broken.data")
        equal(done.stderr, "", f"notes of {words} -q")


def test_output():
    """What cannot be written is one sentence; a graph of nothing is not written."""
    for words, said in ((["-o", "nodir/out.html"], "cannot write 'nodir/out.html': No such file or directory"),
                        (["-o", "."], "cannot write '.': Is a directory"),
                        (["-o", "a.png"], "'a.png' names another kind of file: flame graphs are HTML or SVG\nuse -o FILE.html or -o FILE.svg"),
                        (["--output", "a.PDF"], "'a.PDF' names another kind of file: flame graphs are HTML or SVG\nuse -o FILE.html or -o FILE.svg")):
        done = run(PFX, "script", "flamegraph", "-i", "x.data", *words)
        check(done.returncode in (129, 255) and done.stderr == f"pfx script: {said}\n" and not done.stdout,
              f"{words}: {done}")
        check(not os.path.exists(words[1]) or words[1] == ".", f"{words}: a file is left")
    for words in ([], ["-o", "b.html"], ["-o", "-"]):
        done = run(PFX, "script", "flamegraph", "-i", "x.data", "--comm", "nobody", *words)
        check(done.returncode == 0 and "'x.data' has no samples that match the options" in done.stderr and
              not done.stdout, f"nothing left, {words}: {done}")
    check(not os.path.exists("flamegraph.html") and not os.path.exists("b.html"), "a graph of nothing")
    for name in ("a.html", "a.svg"):
        run(PFX, "flamegraph", "-q", "-i", "x.data", "-o", name)
        run(PFX, "script", "flamegraph", "-q", "-i", "x.data", "-o", f"script-{name}")
        with open(name, "rb") as one, open(f"script-{name}", "rb") as other:
            equal(other.read(), one.read(), f"{name} by pfx flamegraph")


def test_wrong():
    for words in (["flamegraph", "x.data"], ["flamegraph", "--title", "x", "x.data"], ["own", "one", "x.data"]):
        done = fed(subprocess.DEVNULL, *words)
        equal((done.returncode, done.stderr), (129, "pfx script: 'x.data' is a recording\nread it with -i x.data\n"), words)
    for words, hint in ((["-i", "x.data", "flamegrap"], "did you mean 'flamegraph'?"),
                        (["-i", "x.data", "nonsense-that-is-far"], "named with -i"),
                        (["flamegraph", "-i", "nowhere.data"], "nowhere.data")):
        done = run(PFX, "script", *words)
        check(done.returncode in (129, 255) and hint in done.stderr, f"{words}: {done}")
        check("record" not in done.stderr.split("\n")[0], f"{words}: recorded: {done.stderr}")


def test_silent():
    """A recording without the events of a script, and options that a script does not have."""
    done = run(PFX, "script", "-i", "x.data", "report", "futex-contention")
    check(done.returncode == 0 and done.stderr == "pfx script: the script is for events that the recording does not have: "
          "syscalls:sys_enter_futex, syscalls:sys_exit_futex\n", f"no events: {done}")
    for name in ("failed-syscalls", "syscall-counts", "sched-latency", "sctop", "failed-syscalls-by-pid", "syscall-counts-by-pid",
                 "rw-by-file", "netdev-times"):
        for word in ("--nosuch", "-x"):
            done = run(PFX, "script", "-i", "x.data", "report", name, word)
            check(done.returncode and done.stderr.split("\n")[0] == f"{name}: '{word}' is not an option of this script",
                  f"{name} {word}: {done}")


def test_help():
    for name in catalog():
        done = run(PFX, "help", name) if name != "flamegraph" else run(PFX, "script", name, "-h")  # a command, too
        check(done.returncode == 0 and f"Usage: pfx script {name} -i" in done.stdout and
              f"pfx script record {name}" in done.stdout, f"help {name}: {done}")
        check(max(map(len, done.stdout.splitlines())) <= 80, f"help {name} is wider than 80 columns")
        for words in ([name, "-h"], [name, "--help"], ["report", name, "-h"], [name, "-i", "x.data", "-h"]):
            page = fed(subprocess.DEVNULL, *words)
            equal((page.returncode, page.stdout, page.stderr), (0, done.stdout, ""), words)
        forms = done.stdout.splitlines()
        check(any(line.startswith(f"    pfx script {name}  ") and "perf.data" in line for line in forms) and
              any(line.startswith(f"    pfx script -a {name}  ") for line in forms), f"help {name}: {done.stdout}")
        done = run(PFX, name)
        check(name == "flamegraph" or done.returncode == 1 and f"pfx script {name}" in done.stderr, f"{name} as a command: {done}")
    done = run(PFX, "help", "flamegrap")
    check(done.returncode == 1 and "did you mean 'flamegraph'?" in done.stderr, f"help flamegrap: {done}")
    done = run(PFX, "stackcollaps")
    check(done.returncode == 1 and "did you mean 'script stackcollapse'?" in done.stderr, f"stackcollaps: {done}")


def main():
    if not built_in("python3-embed"):
        print("SKIP: Python is not built in")
        sys.exit(77)
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["PFX_SCRIPTS"] = folder
        for name, text in (("description", DESCRIPTION), ("own.py", OWN), ("declares.py", DECLARES)):
            with open(name, "w", encoding="utf-8") as f:
                f.write(text)
        run(KIT, "--le", "description", "x.data")
        test_help()
        test_words()
        test_options()
        test_wrong()
        os.unlink("own.py")
        os.unlink("declares.py")
        test_every_script()
        test_standard_input()
        test_notes()
        test_silent()
        test_output()
        os.chdir("/")


main()
finish()
