# SPDX-License-Identifier: MIT
"""What the recorder says when it cannot: one sentence, the exit code, nothing left behind."""
import os
import shutil
import subprocess

from live import PERF, PFX, check, equal, finish, need_recording, run, samples

NOBODY = 65534
SPIN = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done"

# Words, exit code, what standard error must hold.
SENTENCES = [
    (["nosuchcommand"], 255, "there is no command 'nosuchcommand'"),
    (["./nosuchcommand"], 255, "there is no command './nosuchcommand'"),
    (["/"], 255, "cannot run '/': Is a directory"),
    (["./plain"], 255, "cannot run './plain': Permission denied"),
    (["./script"], 255, "its interpreter '/nosuch/interpreter' cannot be executed"),
    (["-p", "999999999"], 244, "there is no process 999999999"),
    (["-t", "999999999"], 244, "there is no thread 999999999"),
    (["-p", "1,x"], 244, "'1,x' is not a list of process ids"),
    (["-C", "4095", "true"], 255, "CPU 4095 is not online"),
    (["-C", "one", "true"], 129, "'one' is not a list of CPUs"),
    (["-e", "nosuch", "true"], 129, "'nosuch'"),
    (["-F", "99", "-c", "9", "true"], 129, "exclude each other"),
    (["-F", "fast", "true"], 129, "'fast' is not a number of samples per second"),
    (["-m", "0", "true"], 129, "'0' is not a valid ring buffer size"),
    (["-m", "3G", "true"], 129, "'3G' is not a valid ring buffer size"),
    (["--call-graph", "lbr,5", "true"], 129, "mode 'lbr' takes no number"),
    (["--call-graph", "lbr", "-e", "cpu-clock", "true"], 255, "--call-graph lbr does not work"),
    (["--call-graph", "best", "true"], 129, "no call graph mode 'best'"),
    (["--call-graph", "dwarf,70000", "true"], 129, "'70000' is not a valid stack dump size"),
    (["--all-user", "--all-kernel", "true"], 129, "exclude each other"),
    (["-o", "nosuchdir/x.data", "true"], 255, "cannot write 'nosuchdir/x.data'"),
    (["-e", "instructions:\x1b[31m", "true"], 129, "\\x1b"),
    (["-e", "cpu-clock/cpu=4095/", "true"], 255, "counts on none of the CPUs"),
]


def one_sentence(done, what):
    """The sentence, a hint below it, and never a control character."""
    check(done.stderr.startswith("pfx record: "), f"{what}: {done.stderr!r}")
    check("\x1b" not in done.stderr, f"{what}: {done.stderr!r}")
    check("Captured" not in done.stderr, f"{what}: it recorded: {done.stderr!r}")


def sentences():
    with open("plain", "w", encoding="utf-8") as f:
        f.write("text\n")
    with open("script", "w", encoding="utf-8") as f:
        f.write("#!/nosuch/interpreter\n")
    os.chmod("script", 0o755)
    for words, code, text in SENTENCES:
        output = [] if "-o" in words else ["-o", "error.data"]
        done = run(PFX, "record", *output, *words)
        equal(done.returncode, code, f"{words}: exit code")
        check(text in done.stderr, f"{words}: {text!r} is not in {done.stderr!r}")
        one_sentence(done, words)
        check(not os.path.exists("error.data"), f"{words}: a file was left")


def loader_missing():
    """Only exec itself finds out: the earlier file comes back."""
    with open(shutil.which("true"), "rb") as f:
        program = f.read()
    if b"/ld-linux" not in program:
        return
    with open("unloadable", "wb") as f:
        f.write(program.replace(b"/ld-linux", b"/no-linux"))
    os.chmod("unloadable", 0o755)
    run(PFX, "record", "-q", "-o", "undo.data", "true")
    with open("undo.data", "rb") as f:
        before = f.read()
    done = run(PFX, "record", "-q", "-o", "undo.data", "./unloadable")
    equal(done.returncode, 255, "a program without its loader")
    check("the program that loads it is missing" in done.stderr, done.stderr)
    with open("undo.data", "rb") as f:
        equal(f.read() == before, True, "the earlier file comes back")
    done = run(PFX, "record", "-q", "-o", "fresh.data", "./unloadable")
    check(not os.path.exists("fresh.data"), "a file was left by a command that did not start")


def dry_run():
    equal(run(PFX, "record", "--dry-run", "-o", "dry.data", "true").returncode, 0, "--dry-run")
    check(not os.path.exists("dry.data"), "--dry-run made a file")
    equal(run(PFX, "record", "--dry-run", "-e", "nosuch", "true").returncode, 129, "--dry-run")


def as_nobody(*words):
    return run("setpriv", "--reuid", NOBODY, "--clear-groups", *words)


def unprivileged():
    """Another user's permissions: what works, and what is said where it does not."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        print("not root: permissions of another user were not tested")
        return
    if as_nobody(PFX, "--version").returncode:
        print("another user cannot run this pfx: permissions were not tested")
        return
    with open("/proc/sys/kernel/perf_event_paranoid", encoding="utf-8") as f:
        paranoid = int(f.read())
    shutil.rmtree("nobody", ignore_errors=True)
    os.makedirs("nobody")
    os.chown("nobody", NOBODY, NOBODY)
    if paranoid == 2:
        done = as_nobody(PFX, "record", "-o", "nobody/n.data", "sh", "-c", SPIN)
        equal(done.returncode, 0, f"an ordinary user's recording ({done.stderr})")
        check("user space" in done.stderr, f"user only is said: {done.stderr}")
        done = as_nobody(PFX, "record", "-a", "-o", "nobody/a.data", "true")
        equal(done.returncode, 255, "-a of an ordinary user")
        check("kernel.perf_event_paranoid is 2" in done.stderr, done.stderr)
        check("kernel.perf_event_paranoid=0" in done.stderr, done.stderr)
        done = as_nobody(PFX, "record", "-m", "1G", "-o", "nobody/m.data", "true")
        check("exceed the limit of locked memory" in done.stderr, f"-m over the limit: {done.stderr}")
        done = as_nobody(PFX, "record", "--all-kernel", "-o", "nobody/k.data", "true")
        equal(done.returncode, 255, "only the kernel, for an ordinary user")
        check("kernel.perf_event_paranoid=1" in done.stderr, done.stderr)
        done = as_nobody(PFX, "record", "-p", "1", "-o", "nobody/p.data")
        check("another user" in done.stderr or "paranoid" in done.stderr, done.stderr)
    check(sorted(os.listdir("nobody")) in ([], ["n.data"]), f"left: {os.listdir('nobody')}")
    os.makedirs("closed", exist_ok=True)
    os.chmod("closed", 0o555)
    done = as_nobody(PFX, "record", "-e", "cpu-clock:u", "-o", "closed/x.data", "true")
    equal(done.returncode, 255, "an unwritable directory")
    check("cannot write 'closed/x.data': Permission denied" in done.stderr, done.stderr)


def full_disk():
    """A small file system: a sentence, a readable file, the workload goes on to its end."""
    os.makedirs("small", exist_ok=True)
    if os.geteuid() != 0 or run("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs",
                                "small").returncode:
        print("no small file system could be mounted: a full disk was not tested")
        return
    try:
        done = run(PFX, "record", "-e", "page-faults", "-c", "1", "-g", "-m", "64", "-o",
                   "small/f.data", "python3", "-c",
                   "x = [bytearray(4096) for _ in range(60000)]\n"
                   "print('finished')\nraise SystemExit(5)")
        equal(done.returncode, 255, "exit code on a full disk")
        check("No space left" in done.stderr, done.stderr)
        equal(done.stdout, "finished\n", "the workload's end")
        count = samples("small/f.data")
        check(count > 1000, f"samples of a full disk: {count}")
        check(f"({count} samples)" in done.stderr, f"{count}: {done.stderr}")
        if PERF:
            equal(samples("small/f.data", PERF), count, "perf reads the file of a full disk")
        with open("small/fill", "wb") as f:
            try:
                f.write(bytes(8 << 20))
            except OSError:
                pass
        done = run(PFX, "record", "-o", "small/g.data", "true")
        equal(done.returncode, 255, "a disk that is full from the start")
        check(not os.path.exists("small/g.data"), "a file was left on a full disk")
    finally:
        run("umount", "small")


def closed_pipe():
    """The reader goes: a sentence, and the workload's exit code, which is never 0."""
    for words, code, wanted in (("", 3, 3), ("", 0, 255), ("--on-full=stop", 3, 143)):
        done = subprocess.run(
            ["bash", "-c", f"{PFX} record {words} -e page-faults -c 1 -m 16 -o - -- python3 -c '"
             "import time\nx = [bytearray(4096) for _ in range(50000)]\n"
             f"time.sleep({60 if words else 0})\nraise SystemExit({code})' | head -c 100000 "
             ">/dev/null; exit ${PIPESTATUS[0]}"],
            stderr=subprocess.PIPE, text=True, check=False)
        equal(done.returncode, wanted, f"exit code when the reader has gone {words} ({done.stderr})")
        check("the reader of the pipe has gone" in done.stderr, done.stderr)


def few_files():
    """The limit of open files is raised when counters need it."""
    done = run("bash", "-c", f"ulimit -Sn 16; exec {PFX} record -q -e "
               "cpu-clock,page-faults,cs,migrations,minor-faults,major-faults,task-clock,dummy "
               "-o few.data true")
    equal(done.returncode, 0, f"few open files ({done.stderr})")
    check(samples("few.data") > 0, "few open files: no samples")


need_recording()
sentences()
loader_missing()
dry_run()
unprivileged()
full_disk()
closed_pipe()
few_files()
finish()
