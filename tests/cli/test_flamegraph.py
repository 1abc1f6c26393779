# SPDX-License-Identifier: MIT
"""`pfx flamegraph` of a recording: what `pfx export` writes of it, and which words it refuses. Recording is
in live/test_flamegraph.py."""
import os
import re
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
    check(done.returncode == 0 and re.search(r"\[ pfx flamegraph: wrote 'flamegraph.html' \(0.\d MB, 3 samples\) \]", done.stderr),
          f"the default: {done}")
    piped = run("sh", "-c", f"cat x.data | {PFX} flamegraph -q -i - -o -").stdout
    check(piped.encode() == read("flamegraph.html"), "a recording of a pipe")
    os.unlink("flamegraph.html")


def test_nothing_left():
    done = graph("-i", "x.data", "--comms", "nobody")
    check(done.returncode == 255 and "no samples that match" in done.stderr and not os.path.exists("flamegraph.html"),
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


def totals(text):
    """Name of each frame of an SVG: its facts, in lines, and its sign."""
    found = re.findall(r'<svg class="f"(?: data-sign="([^"]*)")? x=.*?<rect[^>]*class="([^"]*)"/>.*?<title>([^<]*)</title>', text, re.S)
    return {facts.split("\n")[0]: (facts.split("\n")[1:], sign.strip(), colour) for sign, colour, facts in found}


DIFFERENCE = """event {event} type=sw config=0 freq=1000 sample=ip,tid,time,cpu,period,callchain
feature event_desc
comm pid=10 tid=10 "prog"
mmap2 pid=-1 tid=0 addr=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 prot=5 misc=1 [kernel.kallsyms]_text
"""
PLACES = {"root": 0x100, "left": 0x200, "right": 0x300, "fresh": 0x400, "gone": 0x500}


def stacks(name, event, counts):
    """A recording with so many samples of root calling each function."""
    with open("syms", "w", encoding="utf-8") as file:
        file.write("".join(f"{0xffffffff81000000 + at:x} T {name}\n" for name, at in [("_text", 0), *PLACES.items(), ("_etext", 0x700)]))
    with open(f"{name}.txt", "w", encoding="utf-8") as file:
        file.write(DIFFERENCE.format(event=event))
        # Spread over the time: what is one after the other are phases, which are noise.
        all_of = [function for function, nr in counts.items() for _ in range(nr)]
        for i in range(len(all_of)):
            at = f"{0xffffffff81000010 + PLACES[all_of[i * 387 % len(all_of)]]:#x}"
            file.write(f"sample ip={at} pid=10 tid=10 time={1000 + i * 1000} period=1000 misc=1 chain=kernel,{at},0xffffffff81000110\n")
        file.write("round\n")
    run(KIT, "--le", f"{name}.txt", f"{name}.data")


def test_difference():
    """Widths of the new recording, colours, signs and facts of the change, both totals; events that differ in precision."""
    stacks("new", "cpu-clock:ppp", {"left": 600, "right": 200, "fresh": 200})
    stacks("old", "cpu-clock", {"left": 300, "right": 500, "gone": 200})
    done = graph("-q", "-i", "new.data", "--diff", "old.data", "--kallsyms", "syms", "-o", "diff.svg")
    check(done.returncode == 0 and not done.stderr, f"a difference: {done}")
    text = read("diff.svg").decode()
    found = totals(text)
    check(found["left"] == (["[kernel.kallsyms]", "0.600 ms, 60.00 %", "before 0.300 ms, 30.00 %, change +30.00 points ±5.82, more"], "▲", "m3"), found)
    check(found["right"] == (["[kernel.kallsyms]", "0.200 ms, 20.00 %", "before 0.500 ms, 50.00 %, change -30.00 points ±5.58, less"], "▼", "l3"), found)
    check(found["fresh"] == (["[kernel.kallsyms]", "0.200 ms, 20.00 %", "before 0.000 ms, 0.00 %, change +20.00 points ±3.51, new"], "+", "m4"), found)
    check(found["root"] == (["[kernel.kallsyms]", "1.000 ms, 100.00 %", "before 1.000 ms, 100.00 %, change +0.00 points ±0.00, within noise"], "", "d0"), found)
    check("gone" not in found and "1,000 samples; before: 1,000 samples, 20.00 % of them in places that are gone" in text, "what is gone")
    done = run(PFX, "export", "svg", "-q", "-i", "new.data", "--diff", "old.data", "--kallsyms", "syms")
    check(done.stdout == text, "the export differs")
    done = graph("-q", "-i", "new.data", "--diff", "old.data", "--kallsyms", "syms", "-o", "diff.html")
    check(done.returncode == 0 and b'"role":"old"' in read("diff.html"), f"a page: {done}")
    for what in ("svg", "html"):
        done = graph("-i", "new.data", "--diff", "x.data", "-e", "cpu-clock:ppp", "-o", f"no.{what}")
        check(done.returncode == 255 and "'cpu-clock:ppp' is not an event of 'x.data'" in done.stderr, f"{what}: {done}")
        done = graph("-i", "new.data", "--diff", "faults.data", "-o", f"no.{what}")
        check(done.returncode == 255 and "the recordings have no event in common" in done.stderr and not os.path.exists(f"no.{what}"),
              f"{what}: {done}")


def test_first():
    """What cannot be read is refused before the program runs."""
    with open("garbage", "w", encoding="utf-8") as file:
        file.write("garbage\n")
    stat = run(PFX, "stat", "record", "-e", "task-clock", "-o", "stat.data", "true")
    check(stat.returncode == 0, f"stat record: {stat}")
    for words, said in (
            (["--diff", "garbage"], "'garbage' is text, not a recording"),
            (["--diff", "none.data"], "cannot open 'none.data': No such file or directory"),
            (["--diff", "stat.data"], "'stat.data' has counts of 'pfx stat record', no samples\n'pfx stat report -i stat.data' prints them"),
            (["-o", "nodir/x.svg", "--diff", "x.data"], "cannot write 'nodir/x.svg'")):
        done = graph(*words, "--", "touch", "ran")
        check(done.returncode == 129 and done.stderr.startswith(f"pfx flamegraph: {said}") and not os.path.exists("ran"), f"{words}: {done}")
    for command in (["flamegraph", "-o", "st.html"], ["export", "csv", "-o", "st.html"], ["export", "sqlite", "-o", "st.html"]):
        done = run(PFX, *command, "-i", "stat.data")
        check(done.returncode == 255 and "'stat.data' has counts of 'pfx stat record', no samples" in done.stderr and
              not os.path.exists("st.html"), f"{command}: {done}")
    done = graph("x.data")
    check(done.returncode == 129 and done.stderr == "pfx flamegraph: 'x.data' is a recording\nread it with -i x.data\n", f"a recording: {done}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("description", "w", encoding="utf-8") as file:
            file.write(DESCRIPTION)
        run(KIT, "--le", "description", "x.data")
        test_same()
        test_nothing_left()
        test_refused()
        with open("faults.txt", "w", encoding="utf-8") as file:
            file.write(re.sub("event cpu-clock.*\n|.*event=0.*\n", "", DESCRIPTION).replace("event=1", "event=0"))
        run(KIT, "--le", "faults.txt", "faults.data")
        test_difference()
        test_first()
        os.chdir("/")


main()
finish()
