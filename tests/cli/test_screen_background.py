#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Colours for the background of the terminal, which is asked for it: terminals that answer at once, late, only what they
are, or nothing; keys that are typed meanwhile; what decides instead of the answer."""
import os
import pty
import re
import select
import struct
import subprocess
import fcntl
import termios
import time

import terminals
from checks import PFX, check, finish

QUESTION = b"\x1b]11;?\x1b\\\x1b[c"
KIND = b"\x1b[?62;22c"
WHITE, BLACK = (b"\x1b]11;rgb:%s\x1b\\" % (b"/".join([part] * 3)) for part in (b"ffff", b"1c1c"))
LIGHT, DARK = "38;5;24m", "38;5;80m"  # of headings


class Pty:
    """pfx on a terminal that this test is."""

    def __init__(self, term="xterm-256color", env=None, typed=b""):
        self.shown = b""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        settings = termios.tcgetattr(slave)
        settings[3] &= ~(termios.ICANON | termios.ECHO)
        termios.tcsetattr(slave, termios.TCSANOW, settings)
        os.write(master, typed)
        full = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLORFGBG", "COLORTERM", "TMUX")}
        full.update({"TERM": term, "LC_ALL": "C.UTF-8", "PFX_CONFIG": "/dev/null", **(env or {})})
        self.process = subprocess.Popen([PFX, "report", "-i", "perf.data"], stdin=slave, stdout=slave,
                                        stderr=subprocess.DEVNULL, env=full, start_new_session=True)
        self.master, self.tty = master, os.ttyname(slave)
        os.close(slave)

    def until(self, text, seconds=60):
        """Read until the text was shown."""
        end = time.monotonic() + seconds
        while text not in self.shown and time.monotonic() < end:
            if select.select([self.master], [], [], 0.02)[0]:
                try:
                    self.shown += os.read(self.master, 65536)
                except OSError:
                    break
        return text in self.shown

    def drawn(self):
        """Read the rest of a picture, which may come in pieces."""
        while (more := select.select([self.master], [], [], 0.06)[0]) or not terminals.waits(self.process.pid, self.tty):
            self.shown += os.read(self.master, 65536) if more else b""

    def write(self, data):
        self.shown = b""
        os.write(self.master, data)

    def text(self):
        return self.shown.decode("utf-8", "replace")

    def __enter__(self):
        return self

    def __exit__(self, *what):
        os.close(self.master)
        self.process.wait(60)


def test_answers():
    for answer, colour in ((WHITE + KIND, LIGHT), (BLACK + KIND, DARK), (KIND, DARK), (b"\x1b]11;nonsense\a" + KIND, DARK)):
        with Pty() as terminal:
            check(terminal.until(QUESTION), f"{answer!r}: the terminal is not asked")
            terminal.write(answer)
            check(terminal.until(b"[.] leaf"), f"{answer!r}: no screen")
            check(colour in terminal.text(), f"{answer!r}: not {colour} in {terminal.text()!r}")
            terminal.write(b"g")
            check(terminal.until(b"invert"), f"{answer!r}: keys do nothing after it")


def test_late():
    """An answer that comes after the first picture changes its colours, and is not taken for keys."""
    with Pty() as terminal:
        check(terminal.until(b"[.] leaf"), "no picture without an answer")
        check(DARK in terminal.text(), "dark without an answer")
        terminal.write(WHITE)
        check(terminal.until(LIGHT.encode()), "a late answer chooses the colours")
        terminal.write(KIND + b"?")
        check(terminal.until(b"Keys of the view 'Table'"), f"what is typed after it: {terminal.text()!r}")


def test_silent():
    """Escape and arrows on a terminal that never answers."""
    with Pty() as terminal:
        check(terminal.until(b"[.] leaf"), "no picture without an answer")
        terminal.write(b"g")
        check(terminal.until(b"Flame graph"), "flame graph")
        terminal.write(b"\x1b")
        check(terminal.until(b"Table of functions"), "Esc goes back")
        terminal.write(b"\x1b[")  # no reply
        terminal.write(b"g")
        check(terminal.until(b"Flame graph"), "the beginning of a reply is not one")


def test_pieces():
    """A reply in pieces, without an end, or longer than any: no part of it is taken for keys. (Each way to cut it is in
    the test of lib/screen/cells/reply.h.)"""
    with Pty() as terminal:
        check(terminal.until(b"quit"), "no picture without an answer")
        terminal.drawn()
        for piece in (WHITE[:9], WHITE[9:20], WHITE[20:-1]):
            terminal.write(piece)
            check(not terminal.until(b"\x1b", 0.2), f"{piece!r} is taken for keys: {terminal.text()!r}")
        terminal.write(WHITE[-1:])
        check(terminal.until(LIGHT.encode()), "the last piece chooses the colours")
        terminal.write(b"\x1b]11;rgb:" + b"qgiT" * 25000 + b"\x1b\\?")
        check(terminal.until(b"Keys of the view 'Table'"), f"100 kB: {terminal.text()[-500:]!r}")
        terminal.write(b"\x1b]11;rgb:ffff/\x03")
        check(terminal.until(b"Table of"), "Ctrl-C after half a reply is a key")


def test_typed():
    """Keys that were typed before the screen appears, and before and after the answer."""
    with Pty(typed=b"g\x1bOB\x1bOB") as terminal:
        check(terminal.until(QUESTION), "the terminal is not asked")
        terminal.write(b"\x1bOB" + WHITE + b"I" + KIND + b"?")
        check(terminal.until(b"Keys of the view 'Flame graph'"), f"keys around the answer: {terminal.text()!r}")
        terminal.write(b"\x1b")
        check(terminal.until(b"Flame graph inverted"), f"keys around the answer: {terminal.text()!r}")


def test_decided():
    """Who is not asked: terminals that would show the question, and users who said what they have."""
    with open("light", "w", encoding="ascii") as file:
        file.write("[tui]\nbackground = light\n")
    with open("dark", "w", encoding="ascii") as file:
        file.write("[tui]\nbackground = dark\n")
    for term, env, colour in (("linux", {}, "36m"), ("vt100", {}, ""), ("xterm-256color", {"COLORFGBG": "0;15"}, LIGHT),
                              ("xterm-256color", {"COLORFGBG": "15;0"}, DARK),
                              ("xterm-256color", {"PFX_CONFIG": "light", "COLORFGBG": "15;0"}, LIGHT),
                              ("xterm-256color", {"PFX_CONFIG": "dark"}, DARK),
                              ("xterm-256color", {"NO_COLOR": "1"}, "")):
        with Pty(term, env) as terminal:
            check(terminal.until(b"[.] leaf"), f"{term} {env}: no screen")
            check(QUESTION not in terminal.shown, f"{term} {env}: the terminal is asked")
            check(colour in terminal.text(), f"{term} {env}: not {colour} in {terminal.text()!r}")
    with open("wrong", "w", encoding="ascii") as file:
        file.write("[tui]\nbackground = pink\n")
    with Pty(env={"PFX_CONFIG": "wrong"}) as terminal:
        check(terminal.process.wait(20) != 0, "pink is refused")
        check(not re.search("Table of", terminal.text()), "pink: a screen")


def main():
    terminals.build_program()
    terminals.record("perf.data")
    test_answers()
    test_late()
    test_silent()
    test_pieces()
    test_typed()
    test_decided()
    finish()


main()
