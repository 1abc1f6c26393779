#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""10,000 keys and clicks without sense on each screen, of pfx report, top and diff, through the terminal: pfx ends as
asked, or goes on, and reports no error of its memory."""
import fcntl
import os
import pty
import random
import select
import signal
import struct
import termios
import time

import terminals
from checks import PFX, check, finish, run

NR_KEYS, AT_ONCE = 10000, 50
SPECIAL = ["\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[5~", "\x1b[6~", "\x1bOP", "\x1b[Z", "\x1bOH", "\x1bOF", "\r",
           "\r", "\r", "a", "g", "T", "w", "\t", "\x7f", "\xc3\xa4", "\x1b", "/", "\x0c"]
LOTS = random.Random(17)


def any_key():
    lot = LOTS.random()
    if lot < 0.3:
        return LOTS.choice(SPECIAL)
    if lot < 0.4:
        return f"\x1b[<{LOTS.choice((0, 0, 2, 64, 65))};{LOTS.randint(1, 90)};{LOTS.randint(1, 30)}{LOTS.choice('Mm')}"
    # q, Ctrl-C and the menus of scripts and recordings only now and then: they end or leave the screen
    key = chr(LOTS.randint(32, 126))
    return key if key not in "qrs" or LOTS.random() < 0.05 else " "


def start(words):
    pid, fd = pty.fork()
    if pid == 0:
        env = {**os.environ, "TERM": "xterm-256color", "PFX_CONFIG": "/dev/null", "HOME": os.getcwd(),
               "PFX_PAGER": "cat", "LC_ALL": "C.UTF-8", "LSAN_OPTIONS": "suppressions=leaks:print_suppressions=0",
               "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":fast_unwind_on_malloc=0"}
        errors = os.open("errors", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.dup2(errors, 2)
        os.execve(PFX, [PFX, *words], env)
    return pid, fd


def read(fd, seconds):
    """What pfx writes, until it waits; None when it has ended."""
    shown = b""
    while select.select([fd], [], [], seconds)[0]:
        try:
            data = os.read(fd, 65536)
        except OSError:
            return None
        if not data:
            return None
        shown += data
    return shown


def status_of(pid, fd):
    os.close(fd)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def press_any(words):
    sent, runs, end = 0, 0, time.monotonic() + 240
    while sent < NR_KEYS and time.monotonic() < end:
        pid, fd = start(words)
        runs += 1
        while not (shown := read(fd, 0.05)) and shown is not None:
            pass
        while shown is not None and sent < NR_KEYS:
            fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", LOTS.randint(1, 40), LOTS.randint(1, 130), 0, 0))
            os.write(fd, "".join(any_key() for _ in range(AT_ONCE)).encode())
            sent += AT_ONCE
            shown = read(fd, 0.01)
        # Out of what was run, of menus, and of the views of the history.
        for key in [b"\n", b"\x1b", b"\x1b", b"q" * 1000] * 20 if shown is not None else ():
            if shown is not None:
                os.write(fd, key)
                shown = read(fd, 0.3)
        if shown is not None:
            check(False, f"q does not end pfx {words}: {shown!r}")
            os.kill(pid, signal.SIGKILL)
        status = status_of(pid, fd)
        check(status == 0, f"{words}: exit code {status} after {sent} keys")
    check(sent >= NR_KEYS, f"{words}: only {sent} keys in 240 s")
    print(f"{words[0]}: {sent} keys, {runs} screens")


def main():
    terminals.need_tmux()
    terminals.build_program()
    terminals.record("perf.data")
    terminals.record("old.data", (1, 0, 1, 2, 2))
    with open("leaks", "w", encoding="ascii") as leaks:  # kept to the end: by ncurses, Python, pfx script
        leaks.write("leak:libtinfo\nleak:libncursesw\nleak:Py\nleak:pfx_script_find\n")
    press_any(["report", "-i", "perf.data"])
    press_any(["report", "-i", "perf.data", "--hierarchy", "-s", "comm,dso,sym"])
    press_any(["diff", "--tui", "old.data", "perf.data"])
    if not run(PFX, "record", "-o", "probe.data", "--", "true").returncode:
        press_any(["top", "-g", "-d", "1", "-p", str(os.getpid())])
    with open("errors", encoding="utf-8", errors="replace") as errors:
        said = errors.read()
    check("Sanitizer" not in said and "runtime error" not in said, said[:2000])
    finish()


main()
