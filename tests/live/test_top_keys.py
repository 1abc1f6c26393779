#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Keys of pfx top as text: what they do, what they refuse, and a terminal that is afterwards as it was."""
import os
import re
import signal
import termios

from live import PFX, WORK, check, equal, finish, need_recording, run, samples, skip, wait_for
from tops import COLOUR, Top, worker

ROW = re.compile(r"^ *\d+\.\d+% ", re.M)
PATIENCE = 300  # s
IN_JOBS = ('stty -a >before; "$@"; stty -a >stopped; echo "a shell"; fg; echo "again a shell"; fg; echo "a third time"; fg; '
           'echo "it ended: $?"; stty -a >after')


class Keyed:
    """A top that looks at a program."""

    def __init__(self, *words, script='exec "$@"'):
        self.work = worker()
        self.top = Top(PFX, "-p", str(self.work.pid), "-e", "cpu-clock", "-F", "499", "-d", "1", *words, script=script)
        self.sees_table("the first table")

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.work.kill()
        self.work.wait()

    def text(self):
        self.top.read()
        return COLOUR.sub("", self.top.text).replace("\r", "")

    def sees(self, text, what):
        """What follows it is left to be seen."""
        wait_for(lambda: text in self.text(), f"{what}: {text!r}", PATIENCE)
        self.top.text = self.text().partition(text)[2]

    def press(self, keys, *texts):
        os.write(self.top.fd, keys)
        for text in texts:
            self.sees(text, f"after {keys}")

    def sees_table(self, what):
        """A whole one with rows: the text of the next one follows it."""
        return wait_for(lambda: next((t for t in self.text().split("PerfTop:")[1:-1] if ROW.search(t)), None), what, PATIENCE)


def all_keys():
    with Keyed() as keyed:
        keyed.press(b"h", "K  drop samples of the kernel", "q ends, any other key goes back to the table.")
        keyed.press(b"x", "PerfTop:")
        keyed.press(b"x", "h lists the keys")
        keyed.press(b"\033[A", "h lists the keys")
        keyed.press(b"K", "samples of the kernel are dropped")
        keyed.press(b"K", "samples of the kernel are taken")
        keyed.press(b"U", "samples of user space are dropped")
        keyed.press(b"U", "samples of user space are taken")
        keyed.press(b"z", "samples are forgotten at each refresh")
        keyed.press(b"z", "samples count less with each refresh")
        keyed.press(b"W", "are in 'perf.top.data'")
        check(samples("perf.top.data") > 0, "samples of the snapshot")
        keyed.press(b"q")
        equal(keyed.top.ended(), 0, "the exit code after q")


def questions():
    with Keyed() as keyed:
        keyed.press(b"e", "rows, or 0 for as many as fit (now 0): ")
        keyed.press(b"1\n")
        keyed.sees_table("a table with one row")
        keyed.top.text = ""
        equal(len(ROW.findall(keyed.sees_table("another one"))), 1, "rows after e 1")
        keyed.press(b"d", "seconds between refreshes (now 1): ")
        keyed.press(b"soon\n", "'soon' is not a number from 1 to 86400")
        keyed.press(b"d", "(now 1): ")
        keyed.press(b"\n", "PerfTop:")
        keyed.press(b"d", "(now 1): ")
        keyed.press(b"0\n", "'0' is not a number from 1 to 86400")
        keyed.press(b"e", "(now 1): ")
        keyed.press(b"35\x152\033[D5\x7f0\033\033[D 7\x17\n", "PerfTop:")
        keyed.press(b"e", "(now 20): ")
        keyed.press(b"7\x1b", "PerfTop:")
        keyed.press(b"e", "(now 20): ")
        keyed.press(b"\xc3\xa4\x7f0x2\n", "'0x2' is not a number from 0 to 4294967295")
        keyed.press(b"e018\n", "PerfTop:")  # before the question could be seen
        keyed.press(b"e1", "(now 18): 1")
        keyed.press(b"9\x04", "PerfTop:")
        keyed.press(b"e", "(now 19): ")
        keyed.press(b"1" * 100 + b"\n", f"'{'1' * 32}' is not a number from 0 to 4294967295")
        keyed.press(b"e", "(now 19): ")
        keyed.press(b"\n", "PerfTop:")
        keyed.press(b"f", "samples that a row must have (now 0): ")
        keyed.press(b"4000000000\n", "PerfTop:", "PerfTop:", "PerfTop:")
        check(not ROW.search(keyed.text()), f"rows with so many samples: {keyed.text()}")
        keyed.press(b"f", "(now 4000000000): ")
        keyed.press(b"0\n")
        keyed.sees_table("rows again")
        keyed.press(b"Q")
        equal(keyed.top.ended(), 0, "the exit code after Q")


def jobs():
    """Ctrl-Z gives the terminal back, fg takes it again."""
    with Keyed(script=IN_JOBS) as keyed:
        keyed.press(b"\x1a", "a shell")
        keyed.press(b"", "PerfTop:")
        keyed.press(b"x", "h lists the keys")
        keyed.press(b"h", "any other key")
        keyed.press(b"\x1a", "again a shell")
        keyed.press(b"", "PerfTop:")
        keyed.press(b"d", "(now 1): ")
        keyed.press(b"\x1a", "a third time", "(now 1): ")
        keyed.press(b"\n", "PerfTop:")
        keyed.press(b"q", "it ended: 0")
        keyed.top.ended()
    settings = {}
    for name in ("before", "stopped", "after"):
        with open(name, encoding="ascii") as file:
            settings[name] = file.read()
    check(" icanon" in settings["before"] and " echo " in settings["before"], f"before: {settings['before']}")
    equal(settings["stopped"], settings["before"], "the terminal while it is stopped")
    equal(settings["after"], settings["before"], "the terminal afterwards")


def keys_turned_off():
    """NUL stands for a key that a terminal does not have."""
    with Keyed(script='stty erase undef eof undef kill undef; exec "$@"') as keyed:
        keyed.press(b"e1\x002\n", "PerfTop:")
        keyed.press(b"e", "(now 12): ")
        keyed.press(b"\n", "PerfTop:")
        keyed.press(b"q")
        equal(keyed.top.ended(), 0, "the exit code after q")


def stopped_from_outside():
    """A shell gives a job that it did not stop by a key the terminal as the shell had it."""
    with Keyed(script='"$@"; stty sane; echo "a shell"; fg; echo "it ended: $?"') as keyed:
        child = run("pgrep", "-P", str(keyed.top.pid)).stdout
        os.kill(int(child), signal.SIGSTOP)
        keyed.sees("a shell", "the shell")
        keyed.sees("PerfTop:", "a table")
        keyed.press(b"x", "h lists the keys")
        keyed.press(b"q", "it ended: 0")
        keyed.top.ended()


def list_in_background():
    """The list of keys does not hide the tables of a top that goes to the background."""
    with Keyed(script='"$@"; echo "a shell"; bg; read line; kill %1; wait %1; echo "it ended: $?"') as keyed:
        keyed.press(b"h", "any other key")
        keyed.press(b"\x1a", "a shell", "PerfTop:", "PerfTop:")
        keyed.press(b"\n", "it ended: 0")
        keyed.top.ended()


def in_background():
    """It prints, takes no keys and leaves the terminal alone; a signal ends it."""
    with Keyed(script='"$@" & read line; echo "read $line"; kill $!; wait $!; echo "it ended: $?"') as keyed:
        keyed.press(b"qqq\n", "read qqq")
        keyed.sees("it ended: 0", "the end")
        check(termios.tcgetattr(keyed.top.fd)[3] & termios.ICANON, "the terminal reads lines")
        keyed.top.ended()


def without_terminal():
    """Standard input that is no terminal is not read."""
    with Keyed(script='echo q | "$@"') as keyed:
        keyed.top.text = ""
        keyed.sees_table("tables after the input")
        keyed.top.end()


need_recording()
if not os.path.exists(WORK):
    skip("the program to look at was not built")
all_keys()
questions()
jobs()
keys_turned_off()
stopped_from_outside()
list_in_background()
in_background()
without_terminal()
finish()
