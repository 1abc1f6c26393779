# SPDX-License-Identifier: MIT
"""`pfx flamegraph` of a recording: what `pfx export` writes of it, and which words it refuses. Recording is
in live/test_flamegraph.py."""
import os
import tempfile

from checks import KIT, PFX, check, finish, run

DESCRIPTION = """event cpu-clock type=sw config=0 freq=1000 sample=ip,tid,time,cpu,period,callchain
event page-faults type=sw config=2 period=1 sample=ip,tid,time,cpu,period,callchain
feature hostname str=testhost
comm pid=10 tid=10 "prog"
comm pid=11 tid=11 "cpp"
mmap pid=10 tid=10 addr=0x400000 len=0x1000 "/nowhere/prog"
sample event=0 ip=0x400010 pid=10 time=1000 period=1 chain=user,0x400010,0x400020
sample event=0 ip=0x400020 pid=11 time=2000 period=7 chain=user,0x400020
sample event=1 ip=0x400020 pid=10 time=3000 period=3 chain=user,0x400020
round
"""


def read(path):
    with open(path, "rb") as file:
        return file.read()


def graph(*words):
    return run(PFX, "flamegraph", *words)


def test_same():
    """Of a recording it is an export, whatever chooses samples and wherever -i is."""
    for suffix, what in (("html", "html"), ("svg", "svg"), ("SVG", "svg"), ("page", "html")):
        for options in ([], ["-e", "cpu-clock"], ["--comms", "prog"], ["-d", "prog"], ["--time", "0,0.0000015"]):
            run(PFX, "export", what, "-q", "-i", "x.data", "-o", "wanted", "--title", "Mine", *options)
            for words in (["-i", "x.data", *options], [*options, "--input", "x.data"]):
                done = graph("-q", *words, "--title", "Mine", "-o", f"got.{suffix}")
                check(done.returncode == 0 and not done.stderr, f"{words}: {done}")
                check(read(f"got.{suffix}") == read("wanted"), f"{suffix} {words} differs from the export")
    check(b"Mine" in read("got.page") and b"Mine" in read("got.svg"), "the title is missing")
    done = graph("-i", "x.data")
    check(done.returncode == 0 and "[ pfx flamegraph: wrote 'flamegraph.html' (0.1 MB, 3 samples) ]" in done.stderr,
          f"the default: {done}")
    piped = run("sh", "-c", f"cat x.data | {PFX} flamegraph -q -i - -o -").stdout
    check(piped.encode() == read("flamegraph.html"), "a recording of a pipe")
    os.unlink("flamegraph.html")


def test_nothing_left():
    done = graph("-i", "x.data", "--comms", "nobody")
    check(done.returncode == 0 and "no samples that match" in done.stderr and not os.path.exists("flamegraph.html"),
          f"nothing left: {done}")


def test_refused():
    for words, code, said in (
            ([], 129, "nothing to record\ngive a command, -a, -p PID, or -i FILE for a recording"),
            (["-F", "99"], 129, "nothing to record\ngive a command, -a, -p PID, or -i FILE for a recording"),
            (["-o", "a.png", "true"], 129,
             "'a.png' names another kind of file: flame graphs are HTML or SVG\nuse -o FILE.html or -o FILE.svg"),
            (["-o", "nodir/a.svg", "true"], 129, "cannot write 'nodir/a.svg': No such file or directory"),
            (["--data", "a", "-i", "x.data"], 129, "--data is for recording, not for -i"),
            (["--switch-output=1s", "true"], 129,
             "--switch-output does not go with a flame graph\nuse 'pfx record', then 'pfx flamegraph -i FILE'"),
            (["--list", "true"], 129, "--list lists the formats of 'pfx export'\npfx export --list"),
            (["--titel", "x", "true"], 129, "unknown option '--titel'\ndid you mean '--title'?"),
            (["-i", "x.data", "-e", "cycles"], 255, "'cycles' is not an event of the recording\n'pfx evlist' lists them"),
            (["-i", "none.data"], 255, "cannot open 'none.data': No such file or directory"),
            (["-i", "x.data", "-o", "x.data"], 255, "'x.data' is the recording itself")):
        done = graph(*words)
        check(done.returncode == code and done.stderr.startswith(f"pfx flamegraph: {said}\n"), f"{words}: {done}")
        check(not os.path.exists("flamegraph.html") and not os.path.exists("a"), f"{words}: something is written")
    done = graph("-h", "title")
    check(done.returncode == 0 and "--title" in done.stdout and "--data" not in done.stdout, f"help about a word: {done}")
    done = graph("-a", "-h")
    check(done.returncode == 0 and done.stdout.startswith("Usage: pfx flamegraph"), f"help: {done}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("description", "w", encoding="utf-8") as file:
            file.write(DESCRIPTION)
        run(KIT, "--le", "description", "x.data")
        test_same()
        test_nothing_left()
        test_refused()
        os.chdir("/")


main()
finish()
