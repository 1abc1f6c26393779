# SPDX-License-Identifier: MIT
"""What the live tests share: running programs, comparing, and skipping with a reason."""
import os
import re
import shutil
import subprocess
import sys

PFX = os.environ.get("PFX", "build/dev/cmd/pfx")
DEMO = os.environ.get("PFX_DEMO", "build/dev/scripts/demo/pfx-demo")
PERF = shutil.which("perf")
FAILURES = []


def skip(reason):
    print(f"SKIP: {reason}")
    sys.exit(77)


def run(*argv, **kw):
    """The finished process, output as text (bytes that are no UTF-8 are escaped)."""
    kw.setdefault("stdout", subprocess.PIPE)
    kw.setdefault("stderr", subprocess.PIPE)
    kw.setdefault("timeout", 300)
    kw.setdefault("stdin", subprocess.DEVNULL)
    env = dict(os.environ, LC_ALL="C", PAGER="cat", PFX_CONFIG="/dev/null", PERF_CONFIG="/dev/null")
    return subprocess.run([str(a) for a in argv], text=True, errors="backslashreplace", env=env,
                          check=False, **kw)


def need_recording():
    """Skips unless this machine lets us record; says why."""
    probe = run(PFX, "record", "-o", "probe.data", "--", "true")
    if probe.returncode:
        skip(f"recording is not possible here: {probe.stderr.strip()}")


def need_perf():
    if not PERF or run(PERF, "--version").returncode:
        skip("perf is not installed")


def check(good, what):
    if not good:
        FAILURES.append(what)
        print(f"FAIL: {what}")


def equal(ours, theirs, what):
    check(ours == theirs, f"{what}: {ours!r} is not {theirs!r}")


def samples(data, tool=PFX):
    """Samples of all events, counted by `report --stats`."""
    out = run(tool, "report", "--stats", "-i", data).stdout
    match = re.search(r"SAMPLE events:\s+(\d+)", out)
    return int(match.group(1)) if match else 0


def rows(data, tool, *options):
    """The rows of `report --stdio`: (percentage, the rest with single blanks)."""
    out = run(tool, "report", "--stdio", "-i", data, *options).stdout
    found = []
    for line in out.split("\n"):
        match = re.match(r"\s*(\d+\.\d+)%\s+(.*\S)", line)
        if match and not line.startswith("#"):
            found.append((float(match.group(1)), " ".join(match.group(2).split())))
    return found


def finish():
    if FAILURES:
        print(f"{len(FAILURES)} checks failed")
        sys.exit(1)
    print("all checks passed")
