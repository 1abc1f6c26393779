# SPDX-License-Identifier: MIT
"""pfx evlist, buildid-list and data convert print what perf 6.1's do, on recordings made by perf."""
import json
import os
import re

from live import DEMO, PERF, PERF_IN_SHELL, PFX, check, equal, finish, need_perf, record_to, run, skip

SHELL = ["sh", "-c", f"ls >/dev/null; {DEMO} 0.1 >/dev/null; ls >/dev/null"]

RECORDINGS = {
    "default": ["-F", "499", "--", DEMO, "0.2"],
    "two": ["-F", "499", "-e", "cpu-clock,page-faults", "--", DEMO, "0.2"],
    "group": ["-F", "499", "-e", "{cpu-clock,page-faults}", "--", DEMO, "0.2"],
    "groups": ["-F", "499", "-e", "{cpu-clock,page-faults}:S", "-e",
               "{context-switches,minor-faults},cpu-migrations", "--", DEMO, "0.2"],
    "trace": ["-e", "sched:sched_switch,sched:sched_process_exec", "--", *SHELL],
    "mixed": ["-g", "-c", "10000000", "-e", "cpu-clock,sched:sched_switch,page-faults", "--",
              *SHELL],
    "chain": ["-F", "499", "-g", "--", DEMO, "0.2"],
    # of other programs only the kernel frames, as their files may change while we look
    "all": ["-F", "99", "-e", "cpu-clock", "-g", "--kernel-callchains", "-a", "--", DEMO, "0.2"],
    "clock": ["-F", "499", "-k", "monotonic", "--", DEMO, "0.1"],
    "bare": ["--no-timestamp", "-e", "cpu-clock", "--", DEMO, "0.1"],
    "no-ids": ["-B", "-F", "499", "--", DEMO, "0.2"],
}

WITH_CHAINS = {name for name, words in RECORDINGS.items() if "-g" in words} | {"pipe"}

EVLIST = [[], ["-v"], ["-F"], ["-g"], ["--trace-fields"], ["-F", "--trace-fields"],
          ["-v", "--trace-fields"], ["-g", "--trace-fields"], ["-v", "-F"]]
BUILD_IDS = [[], ["-H"], ["-k"], ["-m"], ["-i", PFX], ["-i", "/bin/ls"]]

# Each of these fails in perf with the same exit code, and without output.
WRONG = """
evlist -i nothing.data
evlist -i text.data
evlist -i empty.data
evlist -g -v -i default.data
evlist -g -F -i default.data
evlist --nonsense
evlist word
buildid-list -i nothing.data
buildid-list -i text.data
buildid-list -i empty.data
buildid-list --nonsense
data
data nonsense
data convert -i default.data
data convert --nonsense
data convert word --to-json o.json
data convert --to-json
data convert --to-json o.json -i nothing.data
data convert --to-json o.json -i text.data
data convert --to-json default.data -i default.data
data convert --to-json no/where -i default.data
"""


def record():
    made = []
    for name, options in RECORDINGS.items():
        done = record_to(PERF, f"{name}.data", *options)
        if done.returncode == 0:
            made.append(name)
        else:
            print(f"not recorded here: {name}: {done.stderr.strip()[:200]}")
    if not made:
        skip("perf cannot record here")
    record_to(PERF, "pipe.data", "-F", "499", "-g", "--", DEMO, "0.2", stream=True)
    if "default" in made:  # the kernel would mark the maps of other recordings, too: see test_record_buildid
        done = run(PFX, "inject", "--mmap2-buildid-all", "-i", "default.data", "-o", "map-ids.data")
        equal(done.returncode, 0, f"build ids of maps: {done.stderr}")
        made.append("map-ids")
    return made + ["pipe"]


def lines(text):
    """The advice at the end is in our own words."""
    return [re.sub(r"^# Tip: .*", "# Tip", line) for line in text.split("\n")]


def same(*argv):
    theirs, ours = run(PERF, *argv), run(PFX, *argv)
    what = " ".join(str(a) for a in argv)
    equal(ours.returncode, theirs.returncode, f"{what}: exit code")
    equal(lines(ours.stdout), lines(theirs.stdout), what)
    check(theirs.returncode or theirs.stdout, f"{what}: perf prints nothing to compare with")


def compare_ids(name, options):
    """Of a binary that ran already and was started again, perf has two, one of them without a build
    id: it may leave the hit one out. In a recording of the whole system that is chance."""
    argv = ["buildid-list", "-i", f"{name}.data", *options]
    ours, theirs = run(PFX, *argv).stdout, run(PERF, *argv).stdout
    # perf copies the vdso when it looks for an id, and calls it by its copy from then on
    theirs = re.sub(r"/tmp/perf-vdso\.so-\w+", "[vdso]", theirs)
    # and with -H, where no table has its id, it does not look
    if "-H" in options and "[vdso]" not in theirs:
        ours = "\n".join(line for line in ours.split("\n") if "[vdso]" not in line)
    # code of somebody's JIT compiler is in a perf map for perf, also where it wrote a jitdump
    if "-a" in RECORDINGS.get(name, ()):
        ours, theirs = (re.sub(r"(?m)^ +/\S+/(?:perf-\d+\.map|jit-\d+\.dump)\n", "", text) for text in (ours, theirs))
    # What the callers are in is hit, too, as in newer versions of perf; a stream has no other list.
    if name in WITH_CHAINS and ("-H" in options or name == "pipe"):
        check(set(theirs.split("\n")) <= set(ours.split("\n")), f"{argv}: {ours} lacks some of {theirs}")
        return
    if "-H" in options and "-a" in RECORDINGS.get(name, ()):
        hit = run(PERF, "report", "--stdio", "-i", f"{name}.data", "-g", "none", "-s", "dso").stdout
        also = [line for line in ours.split("\n") if line not in theirs.split("\n")]
        check(all(f" {os.path.basename(line)} " in hit for line in also), f"{argv}: not hit: {also}")
        ours = "\n".join(line for line in ours.split("\n") if line not in also)
    equal(ours, theirs, " ".join(argv))


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def convert(tool, name, to):
    return run(tool, "data", "convert", "--force", "--to-json", to, "-i", f"{name}.data")


def without_losses(lines):
    return [line for line in lines if line and not re.match(r"Warning:$|Processed \d+ |Check IO/|pfx data: .* lost", line)]


def compare_json(name):
    theirs, ours = convert(PERF, name, "perf.json"), convert(PFX, name, "pfx.json")
    equal(ours.returncode, 0, f"{name}: {ours.stderr.strip()[:300]}")
    object_of_ours = json.loads(read("pfx.json"))
    check(object_of_ours["samples"], f"{name}: samples in JSON")
    if theirs.returncode < 0:
        return  # perf crashes on streams
    object_of_perf = json.loads(read("perf.json"))
    equal(object_of_ours["headers"], object_of_perf["headers"], f"{name}: header in JSON")
    equal(len(object_of_ours["samples"]), len(object_of_perf["samples"]), f"{name}: samples")
    for i, (our, their) in enumerate(zip(object_of_ours["samples"], object_of_perf["samples"])):
        if our != without_linkage_names(our, their):
            check(False, f"{name}: sample {i}: {our} is not {their}")
            return
    text = read("pfx.json")
    check(re.search(r"@plt|\"\[[^\"]+\+0x", text) or text == read("perf.json"),
          f"{name}: same values, but not the same bytes")
    words = [re.sub(r"'[^']*'", "''", line) for line in ours.stderr.split("\n")]
    words_of_perf = [re.sub(r"'[^']*'", "''", line) for line in theirs.stderr.split("\n")]
    # A recorder of the whole system may lose records on a busy machine: both say so, each in its own words.
    equal(any("lost" in line for line in words), any("lost" in line for line in words_of_perf), f"{name}: what was lost")
    equal(without_losses(words), without_losses([w.replace("[ perf", "[ pfx") for w in words_of_perf]), f"{name}: messages")


def without_linkage_names(our, their):
    """perf names some entries of linkage tables after another function, or not at all: as we do; and not
    functions that only unwind information knows of."""
    for mine, other in zip(our.get("callchain", []), their.get("callchain", [])):
        name = mine.get("symbol", "")
        if (name.endswith("@plt") or (name.startswith("[") and "+0x" in name)) and mine["ip"] == other["ip"]:
            other.clear()
            other.update(mine)
    return their


def check_wrong():
    with open("text.data", "w", encoding="utf-8") as f:
        f.write("This is a text.\n" * 20)
    with open("empty.data", "w", encoding="utf-8"):
        pass
    for line in WRONG.strip().split("\n"):
        argv = line.split()
        theirs = run(PERF, *argv)
        if os.path.exists("o.json"):
            os.unlink("o.json")
        ours = run(PFX, *argv)
        equal(ours.returncode, theirs.returncode, f"exit code of: {line}")
        equal(ours.stdout, "", f"output of: {line}")
        check(ours.stderr.startswith(f"pfx {argv[0]}: "), f"sentence of: {line}: {ours.stderr!r}")
        check(not os.path.exists("o.json"), f"a file is left behind by: {line}")
    equal(run(PFX, "buildid-list", "word").returncode, 129, "buildid-list takes no words")


def check_outputs():
    """Where output goes, and what is left when it cannot be written."""
    to_stdout = run(PFX, "data", "convert", "--to-json", "-", "-i", "default.data")
    if os.path.exists("first.json"):
        os.unlink("first.json")
    run(PFX, "data", "convert", "--to-json", "first.json", "-i", "default.data")
    equal(to_stdout.stdout, read("first.json"), "--to-json - against a file")
    again = run(PFX, "data", "convert", "--to-json", "first.json", "-i", "two.data")
    equal(again.returncode, 255, "a file that exists")
    equal(read("first.json"), to_stdout.stdout, "a file that exists is left alone")
    forced = run(PFX, "data", "convert", "-f", "--to-json", "first.json", "-i", "two.data")
    equal(forced.returncode, 0, "a file that exists, with --force")
    check(read("first.json") != to_stdout.stdout, "--force overwrites")
    for command in (["evlist"], ["buildid-list"], ["data", "convert", "--to-json", "-"]):
        full = run("sh", "-c", f"{PFX} {' '.join(command)} -i default.data >/dev/full")
        equal(full.returncode, 255, f"{command[0]}: a full disk")
    full = run(PFX, "data", "convert", "-f", "--to-json", "/dev/full", "-i", "default.data")
    equal(full.returncode, 255, "JSON on a full disk")
    check(os.path.exists("/dev/full"), "a device is not removed")


def check_streams():
    """What perf cannot do: groups and names of streams."""
    stream = run("sh", "-c", f"{PERF_IN_SHELL} record -e '{{cpu-clock:u,page-faults:u}}' -o - -- true | "
                             f"{PFX} evlist -g")
    equal(stream.stdout, "{cpu-clock:u,page-faults:u}\n", "groups of a stream")
    stream = run("sh", "-c", f"{PERF_IN_SHELL} record -F 499 -o - -- {DEMO} 0.2 | {PFX} buildid-list")
    check(DEMO in stream.stdout, f"binaries of a stream: {stream.stdout!r}")


def main():
    need_perf()
    made = record()
    for name in made:
        for options in EVLIST:
            same("evlist", "-i", f"{name}.data", *options)
        for options in BUILD_IDS[:2]:
            compare_ids(name, options)
        compare_json(name)
    for options in BUILD_IDS[2:]:
        same("buildid-list", *options)
    check_wrong()
    check_outputs()
    check_streams()
    finish()


main()
