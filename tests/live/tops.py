# SPDX-License-Identifier: MIT
"""A running top on a terminal, and a program for it to look at."""
import os
import pty
import re
import select
import signal
import subprocess
import time

from live import WORK

COLOUR = re.compile(r"\x1b\[[0-9;]*[mHJ]")


def worker():
    """A program that runs until it is ended."""
    return subprocess.Popen([WORK, "100000"], stdout=subprocess.DEVNULL)


class Top:
    """A running top, on a terminal, as perf needs it; @script: of a shell with jobs, where "$@" is top."""

    def __init__(self, tool, *words, script='exec "$@"'):
        self.text = ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            env = dict(os.environ, PFX_CONFIG="/dev/null", PERF_CONFIG="/dev/null", TERM="xterm", NO_COLOR="1")
            words = [tool, "top", *([] if {"--tui", "--json"} & set(words) else ["--stdio"]), *words]
            os.execvpe("sh", ["sh", "-m", "-c", script, "sh", *words], env)

    def read(self):
        while select.select([self.fd], [], [], 0)[0]:
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                return False
            if not data:
                return False
            self.text += data.decode(errors="replace")
        return True

    def tables(self):
        """The tables so far; the last one may be incomplete."""
        self.read()
        return COLOUR.sub("", self.text).replace("\r", "").split("PerfTop:")[1:]

    def end(self):
        os.kill(self.pid, signal.SIGTERM)
        return self.ended()

    def ended(self):
        """Its exit code, as soon as it has ended."""
        while self.read():
            time.sleep(0.02)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
