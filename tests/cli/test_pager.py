# SPDX-License-Identifier: MIT
"""The pager: only on a terminal, the one that was asked for, and never where it is not wanted."""
import os
import pty
import subprocess
import sys

PFX = os.environ["PFX"]
PREFIX = "sed 's/^/P:/'"
failures = 0


def on_terminal(*argv, **env):
    """What a terminal shows of a run, and the exit code."""
    pid, fd = pty.fork()
    if pid == 0:
        full = {k: v for k, v in os.environ.items() if not k.endswith("PAGER")}
        full.update({"PFX_CONFIG": "/dev/null", "LC_ALL": "C"}, **env)
        os.execve(PFX, [PFX, *argv], full)
    shown = b""
    while True:
        try:
            data = os.read(fd, 4096)
        except OSError:
            break
        if not data:
            break
        shown += data
    _, status = os.waitpid(pid, 0)
    os.close(fd)
    return shown.decode().replace("\r\n", "\n"), os.waitstatus_to_exitcode(status)


def expect(what, got, paged, code=0):
    global failures
    text, exit_code = got
    if exit_code != code or text.startswith("P:pfx version") != paged or "pfx version" not in text:
        print(f"FAIL: {what}: {text!r}, exit code {exit_code}")
        failures += 1


with open("no-pager", "w", encoding="ascii") as f:
    f.write("[pager]\nversion = no\n")
with open("own-pager", "w", encoding="ascii") as f:
    f.write(f"[pager]\nversion = {PREFIX}\n")

expect("not asked for", on_terminal("version", PFX_PAGER=PREFIX), False)
expect("-p", on_terminal("-p", "version", PFX_PAGER=PREFIX), True)
expect("--paginate", on_terminal("--paginate", "version", PFX_PAGER=PREFIX), True)
expect("PAGER", on_terminal("-p", "version", PAGER=PREFIX), True)
expect("PERF_PAGER", on_terminal("-p", "version", PERF_PAGER=PREFIX, PAGER="false"), True)
expect("PFX_PAGER first", on_terminal("-p", "version", PFX_PAGER=PREFIX, PAGER="false"), True)
expect("cat", on_terminal("-p", "version", PFX_PAGER="cat", PAGER=PREFIX), False)
expect("empty", on_terminal("-p", "version", PFX_PAGER="", PAGER=PREFIX), False)
expect("--no-pager", on_terminal("-p", "--no-pager", "version", PFX_PAGER=PREFIX), False)
expect("configured", on_terminal("-p", "version", PFX_CONFIG="own-pager", PFX_PAGER="false"), True)
expect("-p against the configuration",
       on_terminal("-p", "version", PFX_CONFIG="no-pager", PFX_PAGER=PREFIX), True)

# LESS is set for the pager unless it is there
expect("LESS", (on_terminal("-p", "version", PFX_PAGER="cat >/dev/null; echo P:pfx version $LESS"))
       , True)
text, _ = on_terminal("-p", "version", PFX_PAGER="cat >/dev/null; echo $LESS")
if text != "FRX\n":
    print(f"FAIL: LESS: {text!r}")
    failures += 1

# a pager that leaves at once: no noise, and it is over
text, code = on_terminal("-p", "help", "config", PFX_PAGER="true")
if text or code not in (0, -13):
    print(f"FAIL: a pager that leaves: {text!r} {code}")
    failures += 1

# no terminal, no pager
done = subprocess.run([PFX, "-p", "version"], env=dict(os.environ, PFX_PAGER=PREFIX),
                      capture_output=True, text=True, check=False)
if not done.stdout.startswith("pfx version"):
    print(f"FAIL: a pager without a terminal: {done.stdout!r}")
    failures += 1

print(f"{failures} checks failed" if failures else "all checks passed")
sys.exit(1 if failures else 0)
