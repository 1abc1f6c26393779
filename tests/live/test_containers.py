# SPDX-License-Identifier: MIT
"""Binaries that are elsewhere: in containers, replaced or deleted while they ran, in memory only."""
import os
import shutil
import subprocess
import time

from live import DEMO, PFX, check, equal, finish, need_recording, run, skip, wait_for

HERE = os.getcwd()
NAMES = ("is_prime", "count_primes", "make_word", "count_word")


def pfx(*argv, **kw):
    return run(PFX, "--buildid-dir", f"{HERE}/cache", *argv, **kw)


def build_id(path):
    return run(PFX, "buildid-list", "-i", path).stdout.strip()


def rows(data):
    return pfx("report", "--stdio", "-i", data).stdout


def has_names(data):
    """Of the program, which does one thing after the other."""
    return any(name in rows(data) for name in NAMES)


def prepare():
    for left in ("cache", "inside", "place"):
        shutil.rmtree(left, ignore_errors=True)
    os.makedirs("inside")
    os.makedirs("place")
    shutil.copy(DEMO, "inside/program")


def container(name, script):
    """A process that sees another file than we do under the same path. Records are looked at ten times a
    second, so that it is known before it is gone."""
    done = pfx("record", "-e", "cpu-clock", "-F", "999", "-o", name, "--", "unshare", "-m", "sh",
               "-c", f"mount --bind {HERE}/inside {HERE}/place && {script}")
    equal(done.returncode, 0, f"{name}: {done.stderr.strip()[:300]}")
    return done


def in_a_container():
    if run("unshare", "-m", "true").returncode:
        print("containers are not possible here")
        return
    expected = build_id("inside/program")
    container("gone.data", f"{HERE}/place/program 0.5")
    ids = pfx("buildid-list", "-i", "gone.data").stdout
    check(f"{expected} {HERE}/place/program" in ids, f"the build id of a container's file: {ids}")
    check(has_names("gone.data"), "names of a container that is gone")
    # another build under the same name on our side: never its names
    shutil.copy("/bin/true", "place/program")
    container("other.data", f"{HERE}/place/program 0.5")
    ids = pfx("buildid-list", "-i", "other.data").stdout
    check(f"{expected} {HERE}/place/program" in ids, f"another file of that name: {ids}")
    check(has_names("other.data"), "names with another file of that name here")
    os.unlink("place/program")


# until the process has run for half a second from now on, however long that takes: 50 of its ticks
USED = ("used() {{ cut -d' ' -f14 /proc/{}/stat; }}; end=$(($(used) + 50)); "
        "while [ $(used) -lt $end ]; do sleep 0.1; done")


def changed(name, change):
    """A program that changes while it runs."""
    if os.path.exists(name):
        os.unlink(name)
    shutil.copy(DEMO, "changing")
    ident = build_id("changing")
    with subprocess.Popen([f"{HERE}/changing", "60"], stdout=subprocess.DEVNULL) as process:
        with subprocess.Popen([PFX, "--buildid-dir", f"{HERE}/cache", "record", "-e", "cpu-clock",
                               "-F", "499", "-p", str(process.pid), "-o", name, "--", "sh",
                               "-c", USED.format(process.pid)], stderr=subprocess.PIPE, text=True) as recorder:
            wait_for(lambda: os.path.exists(name) and os.path.getsize(name), name)
            time.sleep(0.2)
            os.unlink("changing")
            change()
            err = recorder.communicate()[1]
            equal(recorder.returncode, 0, f"{name}: {err[:300]}")
        process.kill()
    return ident


def replaced():
    ident = changed("replaced.data", lambda: shutil.copy("/bin/true", "changing"))
    ids = pfx("buildid-list", "-i", "replaced.data").stdout
    wrong = build_id("changing")
    check(wrong not in ids, f"the build id of the file that came later: {ids}")
    if os.geteuid() == 0:
        check(ident in ids, f"the build id of the file that ran: {ids}")
        check(has_names("replaced.data"), "names of a file that was replaced")


def deleted():
    ident = changed("deleted.data", lambda: None)
    if os.geteuid() == 0:
        check(ident in pfx("buildid-list", "-i", "deleted.data").stdout, "a deleted file's id")
        check(has_names("deleted.data"), "names of a file that was deleted")


def another_build():
    """What is here under the name is another build than the recorded one: said, and not used."""
    shutil.copy(DEMO, "rebuilt")
    done = run(PFX, "record", "-N", "-e", "cpu-clock", "-F", "499", "-o", "rebuilt.data", "--",
               "./rebuilt", "0.2")
    equal(done.returncode, 0, "record")
    shutil.copy("/bin/true", "rebuilt")
    shown = run(PFX, "--buildid-dir", "none", "report", "-v", "--stdio", "-i", "rebuilt.data")
    check(not any(name in shown.stdout for name in NAMES), "names of another build")
    check("another build" in shown.stderr, f"why there are none: {shown.stderr[:300]!r}")
    if not shutil.which("objcopy"):
        return
    for words in (["--only-keep-debug", DEMO, "other.debug"],
                  ["--strip-all", "--add-gnu-debuglink=other.debug", DEMO, "rebuilt"]):
        equal(run("objcopy", *words).returncode, 0, "objcopy")
    shutil.copy("/bin/true", "other.debug")
    shown = run(PFX, "--buildid-dir", "none", "report", "-v", "--stdio", "-i", "rebuilt.data")
    check(not any(name in shown.stdout for name in NAMES), "names without the debug file")
    check("other.debug' is of another build" in shown.stderr,
          f"why the debug file is not taken: {shown.stderr[:400]!r}")


def memory():
    """A program that is in memory only has no names, and breaks nothing."""
    code = ("import os,sys; f = os.memfd_create('prog'); os.write(f, open(sys.argv[1],'rb').read());"
            "os.execv(f'/proc/self/fd/{f}', ['prog', '0.2'])")
    done = pfx("record", "-e", "cpu-clock", "-F", "499", "-o", "memory.data", "--", "python3", "-c",
               code, DEMO)
    equal(done.returncode, 0, f"memfd: {done.stderr[:300]}")
    check("memfd:prog" in rows("memory.data"), "a program in memory")


def compiler():
    """A perf map in a container with its own numbers of processes and its own /tmp."""
    if not shutil.which("node") or run("unshare", "-m", "-p", "-f", "true").returncode:
        print("node or containers are missing: perf maps in them are not tested")
        return
    with open("hot.js", "w", encoding="utf-8") as file:
        file.write("function hot(n) { return n < 2 ? n : hot(n - 1) + hot(n - 2); }\n"
                   "const end = Date.now() + 1600, cpu = process.cpuUsage();\n"
                   "while (Date.now() < end || process.cpuUsage(cpu).user < 600000) hot(20);\n")
    for option, data in (("--perf-basic-prof", "map.data"), ("--perf-prof", "dump.data")):
        done = pfx("record", "-k", "mono", "-e", "cpu-clock", "-F", "499", "-o", data, "--",
                   "unshare", "-m", "-p", "-f", "sh", "-c",
                   f"exec 3< {HERE}/hot.js; mount -t tmpfs none /tmp && cat <&3 > /tmp/hot.js && "
                   "cd /tmp && "
                   f"node {option} hot.js")
        equal(done.returncode, 0, f"{data}: {done.stderr[:300]}")
        check("hot" in rows(data), f"{option} in a container that is gone")


need_recording()
if not shutil.which("unshare"):
    skip("unshare is not installed")
prepare()
in_a_container()
replaced()
deleted()
another_build()
memory()
compiler()
finish()
