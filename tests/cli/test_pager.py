# SPDX-License-Identifier: MIT
"""The pager: only on a terminal, the one that was asked for, and never where it is not wanted."""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

from checks import PFX, all_of_terminal

PREFIX = "sed 's/^/P:/'"
failures = 0


def on_terminal(*argv, **env):
    """What a terminal shows of a run, and the exit code."""
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        full = {k: v for k, v in os.environ.items() if not k.endswith("PAGER")}
        full.update({"PFX_CONFIG": "/dev/null", "LC_ALL": "C"}, **env)
        os.execve(PFX, [PFX, *argv], full)
    shown = all_of_terminal(fd)
    _, status = os.waitpid(pid, 0)
    os.close(fd)
    return shown, os.waitstatus_to_exitcode(status)


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

# a report is chopped at the screen's width, and $LESS of the user holds
with open("description", "w", encoding="ascii") as f:
    f.write('event cpu-clock type=sw sample=ip,tid,time,period\ncomm pid=10 tid=10 "p"\n'
            'sample ip=0x400010 pid=10 time=1000 period=1\nround\n')
subprocess.run([os.environ["PFX_KIT"], "--le", "description", "x.data"], check=True)
for env, wanted in (({}, "FRSX\n"), ({"LESS": "R"}, "R\n")):
    text, _ = on_terminal("report", "--stdio", "-i", "x.data", "-q", PFX_PAGER="cat >/dev/null; echo $LESS", **env)
    if text != wanted:
        print(f"FAIL: LESS of report: {text!r}")
        failures += 1

# long messages are folded at the terminal's width, through the pager and without one, each remedy on
# a line of its own; in a pipe a message stays one line
with open("description", "w", encoding="ascii") as f:
    f.write('event cpu-clock type=sw sample=ip,tid,time,period,callchain,regs_user,stack_user regs_user=0x1c0 '
            'stack=64\nfeature arch str=x86_64\ncomm pid=10 tid=10 "p"\n'
            'mmap2 pid=10 tid=10 addr=0x400000 len=0x10000 maj=8 min=1 ino=77 prot=5 flags=2 /no/such/bin/chains\n'
            'mmap2 pid=10 tid=10 addr=0x900000 len=0x10000 prot=5 flags=0x22 //anon\n')
    for i, pc in enumerate((0x401000, 0x900100, 0x7700000)):
        f.write(f"sample ip=0x401000 pid=10 time={1000 + i} period=1 abi=2 regs=0x0,0x7ffe0000,{pc:#x} "
                f"stack={'00' * 64} dyn=64\n")
    f.write("round\n")
subprocess.run([os.environ["PFX_KIT"], "--le", "description", "long.data"], check=True)
piped = subprocess.run([PFX, "report", "-i", "long.data"], capture_output=True, text=True, check=True,
                       env=dict(os.environ, PFX_CONFIG="/dev/null", LC_ALL="C")).stderr.splitlines()
if len([x for x in piped if x.startswith("pfx report: 3 of 3 call chains are incomplete: 1 pass through programs "
                                         "whose recorded build is not available")]) != 1 or \
        "\x1f" in "".join(piped) or len([x for x in piped if "--symfs" in x]) != 2:
    print(f"FAIL: messages in a pipe: {piped}")
    failures += 1
for pager in ("", "sed 's/$//'"):
    text, _ = on_terminal("report", "--stdio", "-i", "long.data", PFX_PAGER=pager, NO_COLOR="1")
    shown = text.splitlines()
    at = next((i for i, x in enumerate(shown) if x.startswith("pfx report: 3 of 3 call chains are ")), None)
    if [x for x in shown if len(x) > 80 and x[0] != "#"] or at is None:
        print(f"FAIL: lines longer than the terminal with pager {pager!r}: {text}")
        failures += 1
        continue
    words = " ".join(" ".join(shown[at:]).split())
    if " ".join(next(x for x in piped if "3 of 3 call chains" in x).split()) not in words:
        print(f"FAIL: words are lost with pager {pager!r}: {text}")
        failures += 1
    for remedy in ("(see --symfs)", "(have its compiler keep", "(see whether --unwind-style",
                   "point --symfs to the files"):
        if not [x for x in shown if x.startswith("  " + remedy)]:
            print(f"FAIL: {remedy!r} has no line of its own with pager {pager!r}: {text}")
            failures += 1
text, _ = on_terminal("report", "--stdio", "-i", "long.data", PFX_PAGER="", COLUMNS="400")
if not [x for x in text.splitlines() if "3 of 3 call chains are incomplete: " in x]:
    print(f"FAIL: a wide terminal: {text}")
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
