# SPDX-License-Identifier: MIT
"""Where a recording goes: named pipes, links, directories of others, limits, and outputs that go away."""
import contextlib
import os
import resource
import shutil
import signal
import subprocess

from live import PERF, PFX, check, equal, finish, need_recording, run, samples, wait_for

NOBODY = 65534
RECORD = [PFX, "record", "-N", "-e", "cpu-clock", "-F", "9000"]
FAULTS = [PFX, "record", "-N", "-e", "page-faults", "-c", "1", "-g"]
SPIN = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"


def fresh(name):
    if os.path.isdir(name) and not os.path.islink(name):
        shutil.rmtree(name)
    elif os.path.lexists(name):
        os.unlink(name)
    return name


def clean():
    """Remove what an earlier part left."""
    for name in os.listdir("."):
        fresh(name)


def start(*words, record=RECORD, command=("sleep", "900"), **kw):
    kw.setdefault("stderr", subprocess.PIPE)
    return subprocess.Popen([*record, *words, "--", *command], text=True, start_new_session=True, **kw)


def line_of(process):
    """The next line on its standard error."""
    return process.stderr.readline()


# --- named pipes ---

def nobody_reads():
    """It waits for a reader, says so, and INT, TERM and HUP end that."""
    os.mkfifo("pipe")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        process = start("-o", "pipe")
        equal(line_of(process), "pfx record: waiting for somebody to read 'pipe'\n", "the wait is told")
        process.send_signal(number)
        equal(process.wait(timeout=60), -number, f"signal {number} while nobody reads")
    for words in (["stat", "record", "-o", "pipe", "true"], ["inject", "-i", "one.data", "-o", "pipe"]):
        run(*RECORD, "-o", "one.data", "true")
        process = subprocess.Popen([PFX, *words], stderr=subprocess.PIPE, text=True)
        check("waiting for somebody to read 'pipe'" in line_of(process), f"{words}: the wait is told")
        process.terminate()
        equal(process.wait(timeout=60), -signal.SIGTERM, f"{words}: SIGTERM")


def a_late_reader():
    process = start("-o", "pipe", command=("sh", "-c", SPIN + "; exit 3"))
    check("waiting" in line_of(process), "it waits")
    with open("late.data", "wb") as saved, open("pipe", "rb") as pipe:
        shutil.copyfileobj(pipe, saved)
    equal(process.wait(timeout=60), 3, "the command's exit code, with a late reader")
    check(samples("late.data") > 0, "a late reader gets the samples")


def the_reader_goes():
    """Open for writing only: the end of the last reader is noticed."""
    process = start("-o", "pipe", command=("sh", "-c", "while :; do :; done"))
    with open("pipe", "rb") as pipe:
        pipe.read(100)
    wait_for(lambda: process.poll() is not None or os.read(process.stderr.fileno(), 4096).find(b"has gone") >= 0,
             "the end of the reader")
    with contextlib.suppress(ProcessLookupError):  # it may have ended with its command by now
        os.killpg(process.pid, signal.SIGTERM)
    process.wait(timeout=60)


def the_reader_is_stuck():
    """A reader that takes nothing keeps the recorder waiting until a second signal."""
    pipe = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    process = start("-o", "pipe", record=FAULTS,
                    command=("python3", "-c", "x = [bytearray(4096) for _ in range(20000)]"))
    check("waiting for the reader of the stream" in line_of(process), "a stuck reader is told")
    process.send_signal(signal.SIGINT)
    equal(process.wait(timeout=60), -signal.SIGINT, "a signal while the reader is stuck")
    check("the rest is dropped" in process.stderr.read(), "what is dropped is told")
    os.close(pipe)


# --- links and directories ---

def links():
    os.symlink("real.data", "link.data")
    for _ in range(2):
        equal(run(*RECORD, "-o", "link.data", "true").returncode, 0, "through a link")
    check(os.path.islink("link.data") and not os.path.islink("real.data"), "the link stays")
    check(os.path.exists("real.data.old") and not os.path.lexists("link.data.old"), "the target is kept as .old")
    os.symlink("loop", "loop")
    done = run(*RECORD, "-o", "loop", "true")
    check(done.returncode == 255 and "'loop': Too many levels" in done.stderr, done.stderr)


def standard_output():
    """/dev/stdout is followed, and the command's own words do not get into it."""
    with open("out.data", "wb") as out:
        equal(run(*RECORD, "-o", "/dev/stdout", "sh", "-c", "echo word; " + SPIN, stdout=out).returncode, 0,
              "/dev/stdout is a file")
    for tool in filter(None, (PFX, PERF)):
        check(samples("out.data", tool) > 0, f"/dev/stdout is a file: samples by {tool}")
    with open("out.data", "ab") as out:
        done = run(*RECORD, "-o", "/dev/stdout", "true", stdout=out)
    check(done.returncode == 255 and "leads to a file that is not empty" in done.stderr, done.stderr)
    check(samples("out.data") > 0 and not os.path.exists("/dev/stdout.old"), "what was there stays")
    piped = subprocess.run(["sh", "-c", f"{' '.join(RECORD)} -o /dev/stdout sh -c 'echo word; {SPIN}' | cat >piped"],
                           stderr=subprocess.PIPE, text=True, check=False)
    check(samples("piped") > 0, f"/dev/stdout is a pipe: {piped.stderr}")
    check(os.path.islink("/dev/stdout"), "/dev/stdout is still there")


def planted():
    """What others put into a shared directory is not taken for our output."""
    if os.geteuid():
        print("not root: files of others were not tested")
        return
    os.mkdir("shared")
    os.chmod("shared", 0o1777)
    for words, kind in ((["mkfifo"], "a named pipe"), (["ln", "-s", "/nonexistent/x"], "a link"), (["touch"], "a file"),
                        (["mkdir"], "a directory"), (["ln", "-s", "/dev/null"], "a link")):
        run(*words, "shared/perf.data")
        os.chown("shared/perf.data", NOBODY, NOBODY, follow_symlinks=False)
        for extra in ([], ["--threads"]):
            done = run(*[os.path.abspath(PFX), *RECORD[1:]], *extra, "true", cwd="shared", stdout=subprocess.DEVNULL)
            equal(done.returncode, 255, f"{kind} of another user")
            check(f"'perf.data' is {kind} of another user ({NOBODY}), where others may write" in done.stderr,
                  f"{kind}: {done.stderr}")
        equal(os.listdir("shared"), ["perf.data"], f"{kind}: nothing else is made")
        fresh("shared/perf.data")
    for make in (lambda: open("shared/perf.data", "wb").close(), lambda: os.symlink("own", "shared/perf.data")):
        make()
        equal(run(*RECORD, "-o", "shared/perf.data", "true").returncode, 0, "our own entry in a shared directory")
        fresh("shared/perf.data")
    os.chmod("shared", 0o755)
    os.chown("shared", NOBODY, NOBODY)
    with open("shared/perf.data", "wb"):
        os.chown("shared/perf.data", NOBODY, NOBODY)
    equal(run(*RECORD, "-o", "shared/perf.data", "true").returncode, 0, "a file in its owner's own directory")
    equal(os.stat("shared/perf.data").st_uid, 0, "nothing of ours is in a file of others")
    os.mkfifo("shared/fifo")
    os.chown("shared/fifo", NOBODY, NOBODY)
    equal(run(*RECORD, "-o", "shared/fifo", "true").returncode, 255, "a pipe in its owner's own directory")


# --- limits ---

def limited(size):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


def file_size_limit():
    """A limit of file sizes is a full disk: a sentence, a file with its features, the command goes on."""
    for words in ([], ["-z"], ["--threads"]):
        fresh("limit.data")
        done = run(*FAULTS, "-m", "64K", "-o", "limit.data", *words, "--", "python3",
                   "-c", "x = [bytearray(4096) for _ in range(30000)]\nprint('went on')", preexec_fn=limited(100 << 10))
        equal((done.returncode, done.stdout), (255, "went on\n"), f"{words}: a limit of 100 KiB ({done.stderr})")
        equal(done.stderr.count("File too large"), 1, f"{words}: {done.stderr}")
        check("ulimit -f" in done.stderr, f"{words}: {done.stderr}")
        count = samples("limit.data")
        check(count > 50 and f"({count} samples)" in done.stderr, f"{words}: {count} samples: {done.stderr}")
        if PERF:
            equal(samples("limit.data", PERF), count, f"{words}: samples by perf")
        header = run(PFX, "report", "--header-only", "-i", "limit.data").stdout
        check("# cmdline : " in header and "# event : " in header, f"{words}: the features are there: {header}")
    done = run(*RECORD, "-o", "limit.data", "sh", "-c", "ulimit -f; trap - XFSZ; dd if=/dev/zero of=big bs=1M count=1",
               preexec_fn=limited(200 << 10))
    check("File too large" not in done.stderr.replace("[", ""), f"the command has its own signal: {done.stderr}")


# --- outputs that go away ---

def meddle(what, sentence, change, *words, data="away.data", keeps=None):
    """Something happens to the output while it is recorded."""
    process = start("-o", data, *words, command=("sh", "-c", f"echo ready; read line; {SPIN}"),
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    equal(process.stdout.readline(), "ready\n", f"{what}: the command runs")
    change()
    _, text = process.communicate("\n", timeout=600)
    equal(process.returncode, 255, f"{what}: exit code ({text})")
    check(sentence in text, f"{what}: {text}")
    check("Captured" not in text, f"{what}: {text}")
    if keeps:
        check(samples(keeps) > 0, f"{what}: '{keeps}' is complete")


def outputs_go_away():
    meddle("removed", "'away.data' was removed while it was written", lambda: os.unlink("away.data"))
    meddle("renamed", f"the recording is '{os.path.realpath('.')}/moved.data' now",
           lambda: os.rename("away.data", "moved.data"), keeps="moved.data")
    meddle("replaced", f"the recording is '{os.path.realpath('.')}/away.data.old' now",
           lambda: run(*RECORD, "-o", "away.data", "true"), keeps="away.data.old")
    os.mkdir("folder")
    meddle("its folder removed", "'folder/away.data' was removed", lambda: shutil.rmtree("folder"), data="folder/away.data")
    meddle("truncated", "'away.data' was truncated while it was written", lambda: os.truncate("away.data", 0))
    meddle("cut", "'away.data' was truncated while it was written", lambda: os.truncate("away.data", 600))
    fresh("away.data")
    meddle("directory removed", "'away.dir/data' was removed", lambda: shutil.rmtree("away.dir"), "--threads", data="away.dir")
    meddle("directory renamed", f"the recording is '{os.path.realpath('.')}/moved.dir/data' now",
           lambda: os.rename("away.dir", "moved.dir"), "--threads", data="away.dir", keeps="moved.dir")
    meddle("a file of the directory removed", "'away.dir/data.0' was removed", lambda: os.unlink("away.dir/data.0"),
           "--threads", data="away.dir")


# --- the start, and copies ---

def the_first_byte():
    """The byte that lets the command go cannot be written: a sentence, and no file."""
    if not shutil.which("strace"):
        print("no strace: a start that fails was not tested")
        return
    for words in (["record", "-q", "-o", "none.data"], ["stat"]):
        # what looks for leaks at the end of a program cannot while that is traced
        done = run("env", f"ASAN_OPTIONS={os.environ.get('ASAN_OPTIONS', '')}:detect_leaks=0",
                   "strace", "-f", "-o", "/dev/null", "-e", "inject=write:error=EIO:when=1", PFX, *words, "true")
        equal(done.returncode, 255, f"{words}: exit code ({done.stderr})")
        check("cannot start '" in done.stderr and "Input/output error" in done.stderr, f"{words}: {done.stderr}")
    check(not os.path.exists("none.data"), "a file was left by a command that did not start")


def homes():
    """Where no copies of binaries can be kept, that is said; a relative HOME makes no folder."""
    words = [PFX, "record", "-e", "cpu-clock", "-F", "9000", "-o", "home.data"]
    done = run("env", "HOME=relative", *words, "sh", "-c", SPIN)
    equal(done.returncode, 0, f"a relative HOME: {done.stderr}")
    check("no copies of the binaries are kept: HOME is not an absolute path" in done.stderr, done.stderr)
    check(not os.path.exists("relative"), "a relative HOME made a folder")
    with open("file", "wb"):
        pass
    home = os.path.abspath("file")
    done = run("env", f"HOME={home}", *words, "sh", "-c", SPIN)
    equal(done.returncode, 0, f"a HOME that cannot be written: {done.stderr}")
    equal(done.stderr.count("cannot keep a copy of"), 1, f"said once: {done.stderr}")
    for silent in ("-N", "-q"):
        done = run("env", f"HOME={home}", *words, silent, "sh", "-c", SPIN)
        check("cop" not in done.stderr, f"{silent}: {done.stderr}")
    check(run(PFX, "buildid-list", "-i", "home.data").stdout.count("\n") > 0, "build IDs are there all the same")


need_recording()
for part in (nobody_reads, a_late_reader, the_reader_goes, the_reader_is_stuck, clean, links, standard_output, planted,
             clean, file_size_limit, clean, outputs_go_away, clean, the_first_byte, homes):
    part()
finish()
