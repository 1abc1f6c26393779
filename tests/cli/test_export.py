# SPDX-License-Identifier: MIT
"""pfx export: the sums of samples and periods of every format, by small readers of these formats,
equal those of pfx report --json; and what happens to the output when something goes wrong."""
import json
import os
import re
import resource
import sqlite3
import subprocess
import zlib

from checks import KIT, PFX, check, finish, run
from export_readers import READERS, csv_rows, otlp_request, pprof_profile

STREAMED = {"perf-json", "sqlite"}  # sample by sample: frames cannot be chosen
FOR_COMPILERS = {"llvm-prof", "fdata"}  # of one event and of code with symbols: test_export_pgo.py
HOSTILE = "a;b<c>\\&"
ESCAPE = "\x1b[31m"
# Names of functions come from here: quotes, markup, separators.
KALLSYMS = """ffffffff81000000 T _text
ffffffff81000000 T entry
ffffffff81000100 T </script>
ffffffff81000200 T quo"te;semi,comma
ffffffff81000300 T leaf
ffffffff81000400 T _etext
"""
EVENTS = """event cycles type=hw config=0 freq=1000 sample=ip,tid,time,period,id,cpu,callchain ids=1
event instructions type=hw config=1 freq=1000 sample=ip,tid,time,period,id,cpu,callchain ids=2
"""
ONE = "event cpu-clock type=sw config=0 freq=1000 sample=ip,tid,time,period,cpu,callchain\n"
BARE = "event cpu-clock type=sw config=0 freq=1000 sample=ip,tid,time,period\n"
START = f"""mmap2 pid=-1 tid=0 addr=0xffffffff81000000 len=0x1000000 pgoff=0xffffffff81000000 prot=5 misc=1 [kernel.kallsyms]_text
comm pid=7 tid=7 time=1 plain
comm pid=7 tid=8 time=1 {HOSTILE}
comm pid=9 tid=9 time=1 other
mmap2 pid=7 tid=7 addr=0x400000 len=0x10000 prot=5 time=1 /bin/prog
mmap2 pid=9 tid=9 addr=0x400000 len=0x10000 prot=5 time=1 /lib/li;b<x>.so
"""
END = "round\n"
CHAINS = ("user,0x401000,0x402000", "user,0x401000,0x402000,0x403000",
          "kernel,0xffffffff81000310,0xffffffff81000110,0xffffffff81000210,user,0x401000,0x402000")


def kit(name, *parts):
    with open(f"{name}.txt", "w", encoding="utf-8") as file:
        file.write("".join(parts))
    made = run(KIT, f"{name}.txt", f"{name}.data")
    check(made.returncode == 0, f"{name}: {made.stderr}")


def samples(events, chains=True):
    """Thirty samples of three threads."""
    for i in range(30):
        chain = CHAINS[i % 3]
        ip = chain.split(",")[1]
        tid = (7, 8, 9)[i // 2 % 3]
        words = [f"sample ip={ip} pid={min(tid, 7) if tid < 9 else 9} tid={tid} time={1000000 + i * 1000003}",
                 f"period={1000 + i * i}", f"id={i % events + 1}" if events > 1 else "",
                 f"cpu={i % 4} chain={chain}" if chains else "", "misc=1" if "kernel" in chain else ""]
        yield " ".join(word for word in words if word) + "\n"


def make_recordings():
    with open("kallsyms", "w", encoding="utf-8") as file:
        file.write(KALLSYMS)
    kit("one", ONE, START, *samples(1), END)
    kit("two", EVENTS, START, *samples(2), END)
    kit("bare", BARE, START, *samples(1, False), END)
    kit("none", ONE, START, END)


def export(*words, **kw):
    return run(PFX, "export", *words, "--kallsyms", "kallsyms", **kw)


def reported(name, *words):
    """Samples and period by event, as report counts them."""
    done = run(PFX, "report", "--json", "--kallsyms", "kallsyms", "-i", f"{name}.data", *words)
    check(done.returncode == 0, f"report of {name}: {done.stderr}")
    return {event["name"]: (event["samples_passed"], event["period_passed"])
            for table in json.loads(done.stdout)["tables"] for event in table["events"] if event["samples_passed"]}


def formats():
    lines = run(PFX, "export", "--list").stdout.splitlines()
    check(max(map(len, lines)) <= 80, f"--list is wider than a screen: {lines}")
    return [line.split()[0] for line in lines if line.split()[0] not in FOR_COMPILERS]


def read(name, what):
    with open(name, "rb") as file:
        return READERS[what](file.read())


def check_sums(name, *words):
    expected = reported(name, *words)
    for what in formats():
        for weight, index in (("samples", 0), ("period", 1)):
            done = export(what, "-i", f"{name}.data", "-o", "out", "--weight", weight, *words)
            if done.returncode:
                check(False, f"{what} of {name}: {done.stderr}")
                continue
            sums = read("out", what)
            for event, both in sums.items():
                # A reader that finds one number only gives it as both.
                mine = both if isinstance(both, tuple) else {index: both}
                for i in ({0, 1} if isinstance(both, tuple) else {index}):
                    names = [event] if event else list(expected)
                    check(mine[i] is None or mine[i] == sum(expected[e][i] for e in names),
                          f"{what} of {name} {words}: {event} {i}: {mine[i]}, report has {expected}")
            check(bool(sums) == bool(expected), f"{what} of {name}: {sums}, report has {expected}")
            check(not expected or set(sums) in ({None}, set(expected)),
                  f"{what} of {name}: events {set(sums)}, report has {set(expected)}")


def check_corpus():
    """Recordings of real programs, with several events, and of another machine."""
    folder = os.environ.get("PFX_CORPUS") or os.path.join(os.environ["PFX_SOURCE_DIR"], "..", "shared", "corpus")
    for name in ("arm64-multi", "riscv64-fp", "armhf-group_S"):
        path = os.path.join(folder, "recorded", name)
        if os.path.exists(f"{path}.data"):
            check_sums(path)
        else:
            print(f"no corpus of recordings at '{folder}' (set PFX_CORPUS): {name} was not tested")


def check_twice(name):
    for what in formats():
        check(what in READERS, f"no reader of {what} in export_readers.py")
        first, second = ("first", "second")
        for out in (first, second):
            export(what, "-i", f"{name}.data", "-o", out)
        with open(first, "rb") as one, open(second, "rb") as two:
            data = one.read()
            check(data == two.read(), f"{what}: not reproducible")
        check(b"\x1b" not in data or what in ("pprof", "sqlite", "otlp"), f"{what}: a control character")


def check_words():
    for words, code, text in (
            (("foldde",), 129, "'foldde' is not a format; did you mean 'folded'?"),
            (("qqqqqqq",), 129, "'qqqqqqq' is not a format\n"),
            ((), 129, "the format is missing"),
            (("folded", "one.data"), 129, "-i one.data"),
            (("one.data",), 129, "'one.data' is a recording\nread it with -i one.data"),
            (("folded", "-i", "missing.data"), 255, "missing.data"),
            (("folded", "-i", "two.data", "-e", "cycle"), 255, "'cycle' is not an event of the recording"),
            (("folded", "-i", "one.data", "--weight", "x"), 129, "'x' is not a weight of samples"),
            (("folded", "-i", "one.data", "--focus", "("), 255, "("),
            (("folded", "-i", "one.data", "-o", "one.data"), 255, "'one.data' is the recording itself"),
            (("folded", "-i", "one.data", "-o", "no/such"), 255, "cannot write 'no/such': No such file")):
        done = export(*words)
        check(done.returncode == code and text in done.stderr, f"{words}: {done.returncode} {done.stderr}")


def check_left_out():
    """Profiles for compilers say what has no place in them."""
    for what, said in (("llvm-prof", "30 of 30 samples are in code without debug information, and left out; build it with -g"),
                       ("fdata", "15 of 30 samples are in code without symbols, and left out")):
        done = export(what, "-i", "one.data", "-o", "out")
        check(done.returncode == 0 and said in done.stderr, f"{what}: {done}")
        check(not export(what, "-q", "-i", "one.data", "-o", "out").stderr, f"{what} -q")


def check_notes():
    done = export("folded", "-i", "bare.data")
    check("the samples have no call chains (record -g)" in done.stderr, f"no chains: {done.stderr}")
    check("the samples have no call chains" not in export("folded", "-i", "bare.data", "-q").stderr, "quiet")
    done = export("folded", "-i", "two.data")
    check("several events, each by itself" in done.stderr, f"several events: {done.stderr}")
    done = export("folded", "-i", "none.data", "-o", "out")
    check(done.returncode == 0 and "has no samples" in done.stderr, f"no samples: {done.stderr}")


def leftovers():
    return [name for name in os.listdir(".") if name.endswith(".part")]


def check_output():
    """A file is replaced when it is complete, and only then."""
    with open("kept", "w", encoding="utf-8") as file:
        file.write("earlier")
    os.chmod("kept", 0o640)

    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))
    done = subprocess.run([PFX, "export", "folded", "-i", "one.data", "-o", "kept"], check=False, text=True,
                          capture_output=True, preexec_fn=small)
    with open("kept", encoding="utf-8") as file:
        check(file.read() == "earlier", "a failure replaces the output")
    check(done.returncode == 255 and "cannot write 'kept'" in done.stderr, f"a file too large: {done.stderr}")
    check(not leftovers(), f"left: {leftovers()}")
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([PFX, "export", "folded", "-i", "one.data"], check=False, text=True,
                              stdout=full, stderr=subprocess.PIPE)
    check(done.returncode == 255 and "cannot write to standard output: No space left" in done.stderr,
          f"a full disk: {done.stderr}")
    done = subprocess.run(f"{PFX} export folded -i one.data | true; exit ${{PIPESTATUS[0]}}", check=False,
                          shell=True, executable="/bin/bash", capture_output=True, text=True)
    check(done.returncode in (0, 141) and not done.stderr.count("cannot"), f"a closed pipe: {done.stderr}")
    os.symlink("kept", "link")
    check(export("folded", "-i", "one.data", "-o", "link").returncode == 0, "a link")
    check(os.path.islink("link") and os.stat("kept").st_mode & 0o777 == 0o640, "link and permissions stay")
    check(read("kept", "folded"), "the file that the link names")
    done = export("folded", "-i", "one.data", "-o", "/dev/stdout")
    check(done.returncode == 0 and done.stdout, f"/dev/stdout: {done.stderr}")
    os.unlink("link")


def check_sqlite_output():
    """A database is written by SQLite itself: in place, to a pipe as a copy, and not at all on a full disk."""
    def small():
        resource.setrlimit(resource.RLIMIT_FSIZE, (30000, 30000))
    with open("kept", "w", encoding="utf-8") as file:
        file.write("earlier")
    words = [PFX, "export", "sqlite", "-q", "-i", "two.data", "-o"]
    done = subprocess.run([*words, "kept"], check=False, text=True, capture_output=True, preexec_fn=small)
    with open("kept", encoding="utf-8") as file:
        check(done.returncode == 255 and "cannot write 'kept': File too large" in done.stderr and
              file.read() == "earlier" and not leftovers(), f"a full disk: {done.returncode} {done.stderr}")
    check(subprocess.run([*words, "kept"], check=False).returncode == 0, "a file")
    done = subprocess.run([*words, "-"], check=False, capture_output=True)
    with open("kept", "rb") as file:
        check(done.returncode == 0 and done.stdout == file.read(), "to a pipe")
    done = run(PFX, "export", "sqlite", "-i", "two.data", "-o", "kept", "-e", "nothing")
    check(done.returncode == 255 and "'nothing' is not an event" in done.stderr and read("kept", "sqlite"),
          f"an unknown event: {done.stderr}")
    os.unlink("kept")


def check_damaged():
    with open("one.data", "rb") as file:
        data = file.read()
    with open("cut.data", "wb") as file:
        file.write(data[:-len(data) // 3])
    done = export("folded", "-i", "cut.data", "-o", "out")
    check(done.returncode == 0 and "in the middle of a record" in done.stderr, f"a damaged recording: {done.returncode} {done.stderr}")
    if os.path.exists("out"):
        os.unlink("out")
    done = export("folded", "-i", "cut.data", "-o", "out", "--strict")
    check(done.returncode == 255 and not os.path.exists("out"), f"--strict: {done.returncode} {done.stderr}")


def check_no_events():
    """A damaged file whose description of events is empty."""
    with open("one.data", "rb") as file:
        data = bytearray(file.read())
    data[32:40] = bytes(8)
    with open("eventless.data", "wb") as file:
        file.write(data)
    for what in formats():
        done = export(what, "-i", "eventless.data", "-o", "out")
        check(done.returncode in (0, 255) and (done.returncode == 0 or "pfx export: " in done.stderr),
              f"{what} without events: {done.returncode} {done.stderr}")


def check_many():
    """Thousands of events, threads and functions: memory grows with the pairs that occur, not with all."""
    nr, start = 4000, 0xffffffff81000000
    with open("many.txt", "w", encoding="utf-8") as file:
        for i in range(nr):
            file.write(f"event e{i} type=hw config=0 freq=1000 sample=ip,tid,time,period,id ids={i + 1}\n")
        file.write(START.splitlines()[0] + "\n")
        for i in range(nr):
            file.write(f"sample ip={start + 64 * i} pid={i + 10} tid={i + 10} time={i + 10} period=1 id={i + 1} misc=1\n")
        file.write(END)
    with open("many.kallsyms", "w", encoding="utf-8") as file:
        file.writelines(f"{start + 64 * i:x} T f{i}\n" for i in range(nr + 1))
    made = run(KIT, "many.txt", "many.data")
    check(made.returncode == 0, f"many: {made.stderr}")
    for what in ("folded", "firefox", "speedscope", "callgrind"):
        child = os.posix_spawn(PFX, [PFX, "export", what, "-q", "-i", "many.data", "--kallsyms", "many.kallsyms", "-o", "out"],
                               os.environ)
        _, status, usage = os.wait4(child, 0)
        check(status == 0 and usage.ru_maxrss < 300000, f"{what} of {nr} events: {status}, {usage.ru_maxrss} kB")


def check_removed():
    """Names that only other samples have are not handed on."""
    kit("others", EVENTS, START, "comm pid=11 tid=11 time=2 misc=0x2000 unseen\n", *samples(2), END)
    for words, kept, gone in (
            (("-c", "plain"), "prog", ("other", "li;b<x>.so", "a;b<c>", "unseen")),
            (("-e", "cycles"), "leaf", ("instructions", "unseen")),
            (("--ignore", "leaf"), "prog", ("leaf", "/script", "unseen")),
            (("-S", "leaf", "--hide", "script"), "leaf", ("/script", "unseen"))):
        for what in formats():
            done = export(what, "-q", "-i", "others.data", "-o", "out", *words)
            if "which has whole call chains" in done.stderr:
                check(done.returncode == 255 and what in STREAMED, f"{what} {words}: {done.returncode}")
                continue
            check(done.returncode == 0, f"{what} {words}: {done.stderr}")
            with open("out", "rb") as file:
                data = file.read()
            if what == "pprof":
                data = zlib.decompress(data, 31) if data[:2] == b"\x1f\x8b" else data
            if what == "html":
                data = re.search(rb'<script id="data"[^>]*>([^<]*)</script>', data).group(1)
                data = re.sub(rb'"instructions(":{| of )', b"", data)  # words of its own
            if what == "svg":
                data = re.sub(rb"<script>.*</script>", b"", data, flags=re.S)
            check(kept.encode() in data or what == "perf-json", f"{what} {words} has no {kept}")
            for name in gone:
                check(name.encode() not in data, f"{what} {words} has {name}")


def check_sqlite_rows():
    """Samples by the thousand, whose numbers have every size: the database is whole and has all of them."""
    numbers = [sign * (1 << bits) + more for bits in range(0, 63, 3) for sign in (1, -1) for more in (-1, 0)]
    rows = [(numbers[i % len(numbers)], i * 977 % (1 << 40) + 1) for i in range(4000)]
    kit("rows", ONE, START, *(f"sample ip=0x401000 pid=7 tid=7 time={time} period={period % (1 << 64)} cpu=0 chain=user,0x401000\n"
                              for period, time in rows), END)
    done = export("sqlite", "-q", "-i", "rows.data", "-o", "out")
    check(done.returncode == 0, f"sqlite: {done.stderr}")
    with sqlite3.connect("out") as db:
        check(db.execute("PRAGMA integrity_check").fetchall() == [("ok",)], "sqlite: integrity")
        found = db.execute("SELECT id, period, time FROM samples WHERE id > 0").fetchall()
        check(sorted(row[1:] for row in found) == sorted(rows), "sqlite: periods and times of all samples")
        check([row[0] for row in found] == list(range(1, len(rows) + 1)), "sqlite: keys")
        check(db.execute("SELECT time FROM samples WHERE id = 3000").fetchall() == [(found[2999][2],)], "sqlite: a row by key")
    db.close()


REDACTED_SYMBOLS = KALLSYMS.replace("T quo", "T py::run:secret_app.py\nffffffff81000280 T LazyCompile:~a secret dir\\\\secret.js:3\n"
                                    "ffffffff81000290 T run:secretrel/kube-operator/secret.py\nffffffff810002a0 T quo")
REDACTED_EVENTS = EVENTS.replace("event cycles", "event probe_secretprog:main").replace("event instructions", "event /home/secretuser/secret.bpf.c")


def check_redact():
    """No name of a host, a command, a binary, a folder or a file is left, wherever a recording has names; the sums are, and both
    recordings agree."""
    start = START.replace("/bin/prog", "/home/secretuser/secretprog").replace("plain", "secretname").replace("other", "secretother")
    start += ("mmap2 pid=-1 tid=0 addr=0xffffffffc0000000 len=0x10000 prot=5 misc=1 /home/secretuser/secretmod/openko.ko\n"
              "ksymbol addr=0xffffffffd0000000 len=0x1000 type=1 flags=0 time=1 bpf_prog_1122334455667788_f\n"
              "cgroup cgroup=3 time=1 /secretslice/secretunit\n")
    more = [f"sample ip={ip:#x} pid=7 tid=7 time=900000{i} period=7 id={i % 2 + 1} cpu=0 misc=1 chain=kernel,{ip:#x}\n"
            for i, ip in enumerate((0xffffffff81000210, 0xffffffff81000284, 0xffffffff81000294, 0xffffffffc0000010, 0xffffffffd0000010))]
    kit("who", REDACTED_EVENTS, "feature hostname str=secrethost\nfeature cmdline u32=2 str=secretcommand str=--secretoption\n"
        "feature event_desc\nfeature group_desc u32=1 str=secretgroup u32=0 u32=2\n", start, *more, *samples(2), END)
    with open("who.kallsyms", "w", encoding="utf-8") as file:
        file.write(REDACTED_SYMBOLS)
    words = ("-q", "--kallsyms", "who.kallsyms", "-i", "who.data")
    shown = run(PFX, "export", "folded", *words, "-o", "-").stdout
    check(all(name in shown for name in ("secret_app.py", "openko", "secret.js", "secret.py", "secretname", "bpf_prog_1122334455667788_f")),
          f"what is redacted below: {shown}")
    named = False
    for what in formats():
        done = run(PFX, "export", what, *words, "-o", "out", "--redact")
        check(done.returncode == 0, f"{what} --redact: {done.stderr}")
        data = read_bytes("out")
        data = zlib.decompress(data, 31) if data[:2] == b"\x1f\x8b" else data
        check(b"secret" not in data, f"{what} --redact: {data[max(0, data.find(b'secret') - 60):][:120]}")
        check(b"leaf" in data and (b"binary1" in data or b"command1" in data), f"{what} --redact: the names that stay")
        events = {event and re.sub("[0-9]+", "N", event) for event in read("out", what)}
        check(events in ({None}, {"probe_binaryN:main", "/dirN/dirN/fileN.c"}), f"{what} --redact: {events}")
        named |= None not in events
    check(named, "no format has names of events")
    done = export("html", "-i", "who.data", "-o", "out", "--redact", "--sources")
    check(done.returncode == 129 and "--redact and --sources exclude each other" in done.stderr, f"--sources: {done}")
    done = export("html", "-q", "-i", "who.data", "--diff", "who.data", "-o", "out", "--redact")
    check(done.returncode == 0 and b"secret" not in read_bytes("out"), f"two recordings: {done.stderr}")


def check_programs():
    """Firefox's markers are those of their threads."""
    nr = 2000
    with open("programs.txt", "w", encoding="utf-8") as file:
        file.write(ONE)
        for i in range(1, nr):
            file.write(f"comm pid={i} tid={i} time={i} misc=0x2000 c\n"
                       f"sample ip=0x401000 pid={i} tid={i} time={i} period=1 cpu=0 chain=user,0x401000\n")
        file.write(END)
    made = run(KIT, "programs.txt", "programs.data")
    check(made.returncode == 0, f"programs: {made.stderr}")
    done = export("firefox", "-i", "programs.data", "-o", "out")
    with open("out", encoding="utf-8") as file:
        threads = json.load(file)["threads"]
    check(done.returncode == 0 and len(threads) == nr - 1, f"{len(threads)} threads")
    check(all(thread["markers"]["length"] == 1 for thread in threads), "a marker for each program")


def check_folded():
    """What the lines look like."""
    lines = export("folded", "-i", "one.data").stdout.splitlines()
    check(any(";[li:b<x>.so] " in line for line in lines), f"a binary: {lines}")
    check(any(line.startswith("a:b<c>\\&;[prog];[prog];quo\"te:semi,comma_[k];</script>_[k];leaf_[k] ")
              for line in lines), f"the kernel's functions: {lines}")
    check(any(line.startswith("a:b<c>\\&;") for line in lines), f"a hostile name: {lines}")
    check(all(line.startswith(("cycles;", "instructions;"))
              for line in export("folded", "-i", "two.data").stdout.splitlines()), "events come first")
    lines = export("folded", "-i", "two.data", "-e", "cycles", "-q").stdout.splitlines()
    check(lines and not any(line.startswith("cycles;") for line in lines), "one event is not named")


def check_pprof():
    """Types, labels, mappings, and functions inlined at one address."""
    export("pprof", "-i", "one.data", "-o", "out")
    with open("out", "rb") as file:
        profile = pprof_profile(file.read())
    check(profile["types"] == [("samples", "count"), ("cpu", "nanoseconds")], f"types: {profile['types']}")
    check(profile["default"] == "cpu", f"default type: {profile['default']}")
    labels = [labels for _, _, labels in profile["samples"]]
    check({row["thread_comm"] for row in labels} == {"plain", "a;b<c>\\&", "other"} and
          {row["tid"] for row in labels} == {7, 8, 9} and {row["cpu"] for row in labels} == {0, 1, 2, 3},
          f"labels: {labels}")
    check(profile["mappings"][1][0] == "/bin/prog", f"mappings: {profile['mappings']}")
    names = {line[0] for stack, _, _ in profile["samples"] for _, _, lines in stack for line in lines}
    check({"leaf", "</script>", 'quo"te;semi,comma'} <= names, f"functions: {names}")
    stacks = [[lines[0][0] for _, _, lines in stack] for stack, _, _ in profile["samples"]]
    check(["leaf", "</script>", 'quo"te;semi,comma'] in [stack[:3] for stack in stacks], f"leaf first: {stacks}")
    export("pprof", "-i", "two.data", "-o", "out")
    with open("out", "rb") as file:
        profile = pprof_profile(file.read())
    check([name for name, _ in profile["types"]] == ["cycles_sample", "cycles_event", "instructions_sample",
                                                      "instructions_event"], f"types: {profile['types']}")
    check(profile["default"] == "cycles_event", f"default type of two events: {profile['default']}")


def check_otlp():
    """Threads and CPUs are attributes; times are those of the wall clock, where it is known."""
    profiles, resource = otlp_request(export("otlp", "-i", "two.data", "-o", "out") and read_bytes("out"))
    check([(event, kind, unit) for event, kind, unit, _ in profiles] ==
          [("cycles", "samples", "count"), ("instructions", "samples", "count")], f"profiles: {[p[:3] for p in profiles]}")
    check(resource.get("os.type") == "linux", f"the resource: {resource}")
    rows = [sample for _, _, _, samples in profiles for sample in samples]
    check({row[1]["thread.name"] for row in rows} == {"plain", "a;b<c>\\&", "other"} and
          {row[1]["thread.id"] for row in rows} == {7, 8, 9} and {row[1]["cpu.logical_number"] for row in rows} == {0, 1, 2, 3} and
          {row[1]["process.pid"] for row in rows} == {7, 9}, f"attributes: {rows[:3]}")
    stacks = [[lines[0] for _, _, lines in row[0]] for row in rows]
    check(["leaf", "</script>", 'quo"te;semi,comma'] in [stack[:3] for stack in stacks], f"leaf first: {stacks[:3]}")
    check(not any(row[3] for row in rows), "times without a clock")
    kit("clock", ONE, "feature clock_data u32=1 u32=1 u64=1000000000000000000 u64=0\n", START, *samples(1), END)
    for weight, kind, unit in (("samples", "samples", "count"), ("period", "cpu", "nanoseconds")):
        export("otlp", "-i", "clock.data", "-o", "out", "--weight", weight)
        event, *types, rows = otlp_request(read_bytes("out"))[0][0]
        check((event, *types) == ("cpu-clock", kind, unit), f"{weight}: {event} {types}")
        times = sorted(time for row in rows for time in row[3])
        check(times == [10**18 + 1000000 + i * 1000003 for i in range(30)], f"times: {times}")


def check_clock():
    """The wall-clock time of the first sample, in every format that has times; without CLOCK_DATA none has."""
    first = 10**18 + 1000000
    for name in ("clock", "one"):
        known = name == "clock"
        for what in ("firefox", "cpuprofile", "chrome", "csv", "sqlite", "pprof", "perf-json", "html"):
            check(export(what, "-q", "-i", f"{name}.data", "-o", f"{name}.{what}").returncode == 0, what)
        with open(f"{name}.firefox", encoding="utf-8") as file:
            check(json.load(file)["meta"]["startTime"] == (first / 10**6 if known else 0), f"firefox: {name}")
        with open(f"{name}.cpuprofile", encoding="utf-8") as file:
            check(json.load(file)["startTime"] == (first if known else 1000000) // 1000, f"cpuprofile: {name}")
        with open(f"{name}.chrome", encoding="utf-8") as file:
            data = json.load(file).get("otherData", {})
            check(data.get("first_sample_wall_ns") == (str(first) if known else None), f"chrome: {name}")
        rows = csv_rows(read_bytes(f"{name}.csv"))
        check(rows[0]["wall_ns"] == (str(first) if known else ""), f"csv: {rows[0]}")
        with sqlite3.connect(f"{name}.sqlite") as db:
            tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE name = 'wall_clock'")]
            check(tables == ["wall_clock"] * known, f"sqlite: {tables}")
            if known:
                times = db.execute("SELECT min(s.time - w.time + w.wall_time) FROM samples s, wall_clock w WHERE s.id > 0")
                check(times.fetchall() == [(first,)], "sqlite: wall-clock time")
        db.close()
        with open(f"{name}.perf-json", encoding="utf-8") as file:
            check(("real-time" in json.load(file)["headers"]) == known, f"perf-json: {name}")
        check((b'["Begin","2001-09-09 01:46:40 UTC"]' in read_bytes(f"{name}.html")) == known, f"html: {name}")


def read_bytes(name):
    with open(name, "rb") as file:
        return file.read()


def check_svg():
    """Names are text, however long, and cannot be anything else; what is too narrow to be seen is left out."""
    for words in ((), ("--width", "300"), ("--width", "5000", "--weight", "samples")):
        done = export("svg", "-i", "two.data", "-q", *words)
        check(done.returncode == 0 and done.stdout.count("<script>") == 1 and "</script>_" not in done.stdout,
              f"svg {words}: {done.stderr}")
        check(set(READERS["svg"](done.stdout.encode())) == {"cycles", "instructions"}, f"events {words}")
        check(f'<svg xmlns="http://www.w3.org/2000/svg" width="{words[1] if words else 1200}"' in done.stdout, words)
    text = export("svg", "-i", "two.data", "-q").stdout
    titles = re.findall("<title>([^<\n]*)\n", text)
    for name in ("&lt;/script&gt;", "quo&quot;te;semi,comma", "a;b&lt;c&gt;\\&amp;", "leaf"):
        check(name in titles, f"no {name} in {titles}")
    names = {0x10: "x" * 60000 + "END", 0x20: "\u202eevil\ufffe]]>&amp;", 0x30: "narrow",
             0x40: "ns::tmpl<int,std::string>::method(int,long)"}
    with open("names.kallsyms", "w", encoding="utf-8") as file:
        file.write("ffffffff81000000 T _text\n")
        file.writelines(f"ffffffff810000{at:x} T {name}\n" for at, name in names.items())
    kit("names", BARE, START, *(f"sample ip=0xffffffff810000{at:x} pid=7 tid=7 time=9 period={weight} misc=1\n"
                                for at, weight in ((0x10, 5000), (0x20, 4000), (0x30, 2), (0x40, 1200))), END)
    text = run(PFX, "export", "svg", "-q", "-i", "names.data", "--kallsyms", "names.kallsyms").stdout
    check(READERS["svg"](text.encode()) == {"cpu-clock": 10202}, "names: the sum")
    check(">ns::tmpl::method</text>" in text, "a name without arguments where there is little room")
    check("xEND" not in text and "x" * 300 in text, "a long name is cut off")
    check("\\xe2\\x80\\xaeevil" in text and "\ufffe" not in text and text.count("]]>") == 1, "a hostile name")
    check("narrow" not in text, "a frame below half a pixel")
    done = export("folded", "-i", "one.data", "--width", "500")
    check("--width has no effect: folded is not a picture" in done.stderr, f"--width: {done.stderr}")
    done = export("svg", "-i", "one.data", "--width", "1")
    check(done.returncode == 129 and "from 300 to 100000 pixels" in done.stderr, f"--width 1: {done.stderr}")


def check_csv():
    """Quotes and commas in names; no field begins a new line."""
    rows = csv_rows(export("csv", "-i", "one.data").stdout.encode())
    check({row["thread"] for row in rows} == {"plain", "a;b<c>\\&", "other"}, f"threads: {rows[:2]}")
    check('[prog]' not in rows[0]["stack"] and any(row["stack"].endswith('quo"te:semi,comma;</script>;leaf')
                                                    for row in rows), f"stacks: {rows[:3]}")
    times = [int(row["time_ns"]) for row in rows]
    check(times == sorted(times), "in order of time")
    kit("formulas", ONE, *(f'comm pid={i} tid={i} "{sign}1,2"\nsample ip=0x1000 pid={i} tid={i} period=1\n'
                           for i, sign in enumerate("=+-@", 1)))
    rows = csv_rows(export("csv", "-i", "formulas.data").stdout.encode())
    check([row["thread"] for row in rows] == ["\\x3d1,2", "\\x2b1,2", "\\x2d1,2", "\\x401,2"],
          f"names are no formulas of a spreadsheet: {rows}")


def check_firefox():
    """Markers, and the times of samples."""
    export("firefox", "-i", "one.data", "-o", "out")
    with open("out", "rb") as file:
        profile = json.load(file)
    check([(t["tid"], t["isMainThread"]) for t in profile["threads"]] == [("7", True), ("8", False), ("9", True)],
          f"threads: {[t['tid'] for t in profile['threads']]}")
    first = profile["threads"][0]["samples"]["timeDeltas"]
    check(first[:2] == [0, 1.000003], f"times: {first}")
    check(profile["counters"] == [], "a counter of time")
    export("firefox", "-i", "two.data", "-o", "out")
    with open("out", "rb") as file:
        profile = json.load(file)
    found = [(of["name"], of["pid"], of["samples"]["length"], sum(of["samples"]["count"])) for of in profile["counters"]]
    sums = {}
    for i in range(30):
        key = (("cycles", "instructions")[i % 2], "9" if (7, 8, 9)[i // 2 % 3] == 9 else "7")
        nr, whole = sums.get(key, (0, 0))
        sums[key] = (nr + 1, whole + 1000 + i * i)
    check(sorted(found) == sorted((*key, *values) for key, values in sums.items()), f"counters: {found}, {sums}")
    for of in profile["counters"]:
        samples = of["samples"]
        check(profile["threads"][of["mainThreadIndex"]]["pid"] == of["pid"] and
              len(samples["count"]) == len(samples["timeDeltas"]) == samples["length"] and min(samples["timeDeltas"]) >= 0,
              f"a counter: {of}")


def main():
    make_recordings()
    for name in ("one", "two", "bare", "none"):
        check_sums(name)
    for words in (("-c", "plain"), ("-C", "1,2"), ("--tid", "8,9"), ("-d", "prog"), ("-S", "leaf")):
        check_sums("two", *words)
    check_corpus()
    check_twice("two")
    check_words()
    check_notes()
    check_left_out()
    check_output()
    check_sqlite_output()
    check_sqlite_rows()
    check_damaged()
    check_no_events()
    check_many()
    check_removed()
    check_redact()
    check_programs()
    check_folded()
    check_pprof()
    check_otlp()
    check_clock()
    check_svg()
    check_csv()
    check_firefox()
    finish()


main()
