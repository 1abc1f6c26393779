# SPDX-License-Identifier: MIT
"""Binaries and debug files from a debuginfod server, which is a small one of our own."""
import os
import pty
import re
import shutil
import signal
import subprocess
import time

from debuginfod_server import (FILES, GONE, REQUESTS, SLOW, STREAMS, bomb, contents, drip, endless, huge,
                               make_program, serve, silent)
from live import PATIENCE, PFX, check, equal, finish, need_recording, run, skip, wait_for


def start(argv, cache, urls=None, config="/dev/null"):
    env = dict(os.environ, LC_ALL="C", DEBUGINFOD_CACHE_PATH=os.path.abspath(cache),
               PFX_CONFIG=config, PERF_CONFIG="/dev/null", DEBUGINFOD_TIMEOUT="90")
    env.pop("DEBUGINFOD_URLS", None)
    if urls:
        env["DEBUGINFOD_URLS"] = urls
    return subprocess.Popen([PFX, "--buildid-dir", "none", *argv], env=env, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def report(cache, *options, urls=None):
    process = start(["report", "--stdio", "-i", "x.data", "-g", "none", *options], cache, urls)
    out, err = process.communicate(timeout=PATIENCE)
    equal(process.returncode, 0, f"report {options}: {err[:300]}")
    return out, err


def prepare():
    for left in ("one", "two", "three", "four", "five", "six", "seven", "eight",
                 "none"):
        shutil.rmtree(left, ignore_errors=True)
    build_id = make_program()
    done = run(PFX, "record", "-N", "-e", "cpu-clock", "-F", "999", "-o", "x.data", "--",
               "./program", "0.3")
    equal(done.returncode, 0, f"record: {done.stderr[:300]}")
    return build_id


def progress(url):
    """On a terminal it is told what is fetched; elsewhere nothing is."""
    ours, theirs = pty.openpty()
    env = dict(os.environ, LC_ALL="C", DEBUGINFOD_CACHE_PATH=os.path.abspath("seven"),
               PFX_CONFIG="/dev/null", PERF_CONFIG="/dev/null", DEBUGINFOD_TIMEOUT="90")
    with subprocess.Popen([PFX, "--buildid-dir", "none", "report", "--stdio", "-i", "x.data",
                           f"--debuginfod={url}"], env=env, stdout=subprocess.DEVNULL,
                          stderr=theirs) as process:
        os.close(theirs)
        said = b""
        try:
            while piece := os.read(ours, 4096):
                said += piece
        except OSError:  # the other side is closed
            pass
        process.wait(PATIENCE)
    os.close(ours)
    check(b"fetching " in said and b"program (Ctrl-C skips it)" in said, f"progress: {said!r}")
    _, err = report("eight", f"--debuginfod={url}")
    check("fetching" not in err, f"progress where there is no terminal: {err!r}")


def ctrl_c(url):
    """The file is skipped, the report goes on."""
    SLOW.set()
    process = start(["report", "--stdio", "-i", "x.data", f"--debuginfod={url}"], "six")
    seen = len(REQUESTS)
    wait_for(lambda: len(REQUESTS) > seen or process.poll() is not None, "a request")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    SLOW.clear()
    equal(process.returncode, 0, f"a fetch that was broken off: {err[:300]}")
    check("cpu-clock" in out and "is_prime" not in out, "the report without the file")
    check("skipped" in err, f"what was skipped: {err[:300]!r}")


def left_over(cache, build_id):
    """Files of the build in the library's cache that hold something."""
    top = os.path.join(cache, build_id)
    names = os.listdir(top) if os.path.isdir(top) else []
    return [name for name in names if os.path.getsize(os.path.join(top, name))]


def limits(url, build_id):
    """What has no end is broken off, said, and leaves nothing behind."""
    path = f"/buildid/{build_id}/debuginfo"
    for sends, key, why in ((endless, "max-size = 3M", "larger than debuginfod.max-size"),
                            (bomb, "max-size = 3M", "larger than debuginfod.max-size"),
                            (huge, "max-size = 3M", "larger than debuginfod.max-size"),
                            (huge, "urls =", "larger than debuginfod.max-size"),
                            (drip, "max-time = 1", "longer than debuginfod.max-time"),
                            (silent, "max-time = 1", "longer than debuginfod.max-time")):
        what = f"{sends.__name__}, {key}"
        shutil.rmtree("limits", ignore_errors=True)
        with open("limits.config", "w", encoding="utf-8") as f:
            f.write(f"[debuginfod]\n\t{key}\n")
        STREAMS[path] = sends
        GONE.clear()
        del REQUESTS[:]
        begun = time.monotonic()
        process = start(["report", "--stdio", "-i", "x.data", "-g", "none", f"--debuginfod={url}"],
                        "limits", config=os.path.abspath("limits.config"))
        out, err = process.communicate(timeout=PATIENCE)
        equal(process.returncode, 0, f"{what}: {err[:300]}")
        check("cpu-clock" in out and "is_prime" not in out, f"{what}: the report")
        check("program' was not fetched: it " in err and why in err, f"{what}: {err[:300]!r}")
        equal(left_over("limits", build_id), [], f"{what}: what is left")
        if "max-time" in key:
            check(time.monotonic() - begun >= 1, f"{what}: given up before its time")
        # on a busy machine the second can pass before anything is asked for
        check(path in REQUESTS or "max-time" in key, f"{what}: nothing was asked for")
        check(path not in REQUESTS or GONE.wait(PATIENCE), f"{what}: the connection is still open")
    del STREAMS[path]


def terminated(url, build_id):
    """SIGTERM ends the program, and nothing is left either."""
    path = f"/buildid/{build_id}/debuginfo"
    shutil.rmtree("limits", ignore_errors=True)
    STREAMS[path] = drip
    seen = len(REQUESTS)
    process = start(["report", "--stdio", "-i", "x.data", f"--debuginfod={url}"], "limits")
    wait_for(lambda: len(REQUESTS) > seen or process.poll() is not None, "a request")
    process.terminate()
    process.communicate(timeout=PATIENCE)
    equal(process.returncode, -signal.SIGTERM, "SIGTERM while a file comes")
    equal(left_over("limits", build_id), [], "what SIGTERM leaves")
    del STREAMS[path]


def another_build(url, build_id):
    """What a server has by mistake is not kept for the next time."""
    path = f"/buildid/{build_id}/debuginfo"
    right = FILES[path]
    FILES[path] = contents("/bin/true")
    shutil.rmtree("limits", ignore_errors=True)
    _, err = report("limits", f"--debuginfod={url}")
    check("the server sent another build" in err, f"another build: {err[:300]!r}")
    equal(left_over("limits", build_id), [], "what is left of another build")
    FILES[path] = right
    out, _ = report("limits", f"--debuginfod={url}")
    check("is_prime" in out, "the right build, when the server has it")


SOURCE = """
int main(void)
{
	volatile unsigned sum = 0;
	for (unsigned i = 0; i < 100000000; i++)
		sum += i * 7; /* the line that is hit */
	return !sum;
}
"""


def sources(url):
    """The text of source files that are only on the server; not fetched unless asked for."""
    if not shutil.which("cc"):
        return
    with open("away.c", "w", encoding="ascii") as file:
        file.write(SOURCE)
    path = os.path.abspath("away.c")
    equal(run("cc", "-g", "-O1", "-Wl,--build-id", "-o", "away", path).returncode, 0, "cc")
    build_id = run(PFX, "buildid-list", "-i", "away").stdout.strip()
    equal(run(PFX, "record", "-N", "-e", "cpu-clock", "-F", "999", "-o", "away.data", "--", "./away").returncode, 0, "record")
    os.unlink("away.c")
    asked = f"/buildid/{build_id}/source{path}"
    FILES[asked] = SOURCE.encode()
    del REQUESTS[:]
    for words, is_shown in ((["main"], False), (["main", f"--debuginfod={url}"], True), (["main", "--json", f"--debuginfod={url}"], True),
                            (["--lines", "--no-debuginfod"], False), (["--lines", f"--debuginfod={url}"], True)):
        shutil.rmtree("nine", ignore_errors=True)
        process = start(["annotate", "-i", "away.data", *words], "nine", urls=url)
        out, err = process.communicate(timeout=PATIENCE)
        equal(process.returncode, 0, f"annotate {words}: {err[:300]}")
        check(("the line that is hit" in out) == is_shown, f"annotate {words}: {out[:1500]} {err[:300]}")
        check(("it does not exist" in err) == (not is_shown), f"annotate {words}: {err[:300]}")
        check((asked in REQUESTS) == is_shown, f"annotate {words} asks for {REQUESTS}")
        del REQUESTS[:]
    for answer in (None, b"\x7fELF\0\0", b"\x1b[2J\n" * 9):
        FILES[asked] = answer
        shutil.rmtree("nine", ignore_errors=True)
        process = start(["annotate", "-i", "away.data", "main", f"--debuginfod={url}"], "nine")
        out, err = process.communicate(timeout=PATIENCE)
        check(process.returncode == 0 and "\x1b" not in out and "the line that is hit" not in out, f"{answer}: {out[:300]}")


def main():
    need_recording()
    refused = run(PFX, "report", "--debuginfod=http://127.0.0.1:1", "-i", "none.data").stderr
    if "cannot ask" in refused:
        skip("built without libdebuginfod")
    build_id = prepare()
    url = serve()
    FILES[f"/buildid/{build_id}/debuginfo"] = contents("program.dbg")
    FILES[f"/buildid/{build_id}/executable"] = contents("program")

    out, _ = report("one", urls=url)
    check("is_prime" not in out, "names without a debug file")
    equal(REQUESTS, [], "what was asked for without --debuginfod")
    out, _ = report("two", f"--debuginfod={url}")
    check("is_prime" in out, "names from the server")
    check(f"/buildid/{build_id}/debuginfo" in REQUESTS, "the debug file was asked for")
    out, _ = report("two", "--debuginfod", urls=url)
    check("is_prime" in out, "names from DEBUGINFOD_URLS")
    del REQUESTS[:]
    report("two", "--debuginfod", "--no-debuginfod", urls=url)
    equal(REQUESTS, [], "--no-debuginfod")

    os.rename("program", "moved")
    out, _ = report("three", f"--debuginfod={url}")
    check("is_prime" in out, "names of a program that is gone")
    code, _ = start(["annotate", "-i", "x.data", "is_prime", f"--debuginfod={url}"], "three").communicate(timeout=PATIENCE)
    check("<is_prime>:" in code and re.search(r"^ +[1-9][0-9]*\.[0-9]+ : +[0-9a-f]+:", code, re.M), "code of such a program")
    FILES[f"/buildid/{build_id}/debuginfo"] = contents("/bin/true")
    FILES[f"/buildid/{build_id}/executable"] = contents("/bin/true")
    out, _ = report("four", f"--debuginfod={url}")
    check("is_prime" not in out and " program " in out, "a server with another build")
    out, err = report("five", "-v", "--debuginfod=http://127.0.0.1:1")
    check("cannot be reached" in err, f"a server that is not there: {err[:300]!r}")
    os.rename("moved", "program")
    FILES[f"/buildid/{build_id}/debuginfo"] = contents("program.dbg")
    progress(url)
    ctrl_c(url)
    limits(url, build_id)
    terminated(url, build_id)
    another_build(url, build_id)
    sources(url)
    del REQUESTS[:]
    nothing = run(PFX, "report", "--debuginfod", "-i", "x.data")
    check(nothing.returncode == 129 or os.environ.get("DEBUGINFOD_URLS"), "no server is named")
    finish()


main()
