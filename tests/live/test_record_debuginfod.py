# SPDX-License-Identifier: MIT
"""record --debuginfod: debug files of stripped binaries that were hit come from a server, a small one
of our own, and lie in the build-id cache, where pfx and perf find them."""
import os
import shutil
import subprocess

from debuginfod_server import FILES, REQUESTS, contents, make_program, serve
from live import PATIENCE, PERF, PFX, check, equal, finish, need_recording, run, skip


def pfx(cache, *words, urls=None):
    REQUESTS.clear()
    env = dict(os.environ, LC_ALL="C", PFX_CONFIG="/dev/null", DEBUGINFOD_TIMEOUT="90",
               DEBUGINFOD_CACHE_PATH=os.path.abspath(f"{cache}.fetched"))
    env.pop("DEBUGINFOD_URLS", None)
    if urls:
        env["DEBUGINFOD_URLS"] = urls
    return subprocess.run([PFX, "--buildid-dir", cache, *words], env=env, text=True, check=False,
                          capture_output=True, timeout=PATIENCE)


def record(cache, *words, urls=None, code=0):
    """What went to standard error."""
    done = pfx(cache, "record", "-e", "cpu-clock", "-o", "d.data", *words, "--", "./program", "0.2",
               urls=urls)
    equal(done.returncode, code, f"{words}: {done.stderr}")
    return done.stderr


def kept(cache, build_id):
    return os.path.join(cache, ".build-id", build_id[:2], build_id[2:], "debug")


def put(cache, *words, urls=None):
    """Put the program into the cache by hand; what was said."""
    return pfx(cache, "buildid-cache", "-a", "program", *words, urls=urls)


def by_hand(build_id, url):
    equal(put("four", urls=url).returncode, 0, "without --debuginfod")
    equal(REQUESTS, [], "what buildid-cache asked for without --debuginfod")
    shutil.rmtree("four")
    done = put("four", "-v", f"--debuginfod={url}")
    equal(done.returncode, 0, f"buildid-cache: {done.stderr}")
    check("fetched the debug file" in done.stderr, f"what is said: {done.stderr}")
    with open(kept("four", build_id), "rb") as f:
        check(f.read() == FILES[f"/buildid/{build_id}/debuginfo"], "what buildid-cache keeps")
    done = put("five", "-v", "--debuginfod=http://127.0.0.1:1")
    equal(done.returncode, 0, "the binary is kept without its debug file")
    check("not fetched" in done.stderr, f"a server that is not there: {done.stderr}")


def another_build(build_id, url):
    """What a server has by mistake enters neither cache."""
    path = f"/buildid/{build_id}/debuginfo"
    right, FILES[path] = FILES[path], contents("/bin/true")
    said = record("six", f"--debuginfod={url}")
    check("the server sent another build" in said, f"another build: {said}")
    check(not os.path.exists(kept("six", build_id)), "another build is kept")
    FILES[path] = right
    record("six", f"--debuginfod={url}")
    check(os.path.exists(kept("six", build_id)), "the right build is not kept after another")


def report(tool, cache):
    done = run(tool, "--buildid-dir", cache, "report", "--stdio", "-i", "d.data")
    equal(done.returncode, 0, f"{tool} report: {done.stderr}")
    return done.stdout


def main():
    need_recording()
    if "cannot ask" in run(PFX, "record", "--debuginfod=http://127.0.0.1:1", "true").stderr:
        skip("built without libdebuginfod")
    for cache in ("none", "one", "two", "three", "four", "five", "six"):
        shutil.rmtree(cache, ignore_errors=True)
        shutil.rmtree(f"{cache}.fetched", ignore_errors=True)
    build_id = make_program()
    FILES[f"/buildid/{build_id}/debuginfo"] = contents("program.dbg")
    url = serve()

    record("none", urls=url)
    equal(REQUESTS, [], "what was asked for without --debuginfod")
    check(not os.path.exists(kept("none", build_id)), "nothing was fetched")
    for cache, words, urls in (("one", [f"--debuginfod={url}"], None), ("two", ["--debuginfod"], url),
                               ("three", ["--debuginfod=system"], url)):
        record(cache, *words, urls=urls)
        check(f"/buildid/{build_id}/debuginfo" in REQUESTS, f"{words}: {REQUESTS}")
        with open(kept(cache, build_id), "rb") as f:
            check(f.read() == FILES[f"/buildid/{build_id}/debuginfo"], f"{words}: what is kept")
        for tool in filter(None, (PFX, PERF)):
            shown = report(tool, cache)
            check("is_prime" in shown, f"{words}: names by {tool}: {shown}")
    record("one", f"--debuginfod={url}")
    check(f"/buildid/{build_id}/debuginfo" not in REQUESTS, f"what is here already: {REQUESTS}")
    said = record("none", "--debuginfod=http://127.0.0.1:1", "-v")
    check("not fetched" in said, f"a server that is not there: {said}")
    for words in (["-N"], ["-B"], ["--buildid-mmap"], ["--switch-output"]):
        record("none", "--debuginfod", *words, urls=url, code=129)
    record("none", "--debuginfod", code=129)
    by_hand(build_id, url)
    another_build(build_id, url)
    finish()


main()
