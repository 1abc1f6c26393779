# SPDX-License-Identifier: MIT
"""The text of `script` as programs that draw flame graphs read it (FlameGraph's stackcollapse-perf.pl, inferno's
inferno-collapse-perf): samples with an empty line behind each, comments with a # in front.

    COMMAND PID[/TID] [CPU] TIME: PERIOD EVENT:
            ADDRESS SYMBOL[+0xOFFSET] (BINARY)

They pass over lines that they do not understand. Here each line has to be one of these, in its place."""
import re

HEADER = re.compile(r"^(?P<comm>\S.*?)\s+(?P<pid>-?\d+)(?:/(?P<tid>-?\d+))?\s+(?:\[\d+\]\s+)?\d+\.(?:\d{6}|\d{9}):\s+"
                    r"(?P<period>\d+)\s+(?P<event>\S+):\s*$")
FRAME = re.compile(r"^\s+(?P<ip>[0-9a-f]+) (?P<name>.+) \((?P<dso>.+)\)$")


def samples(text):
    """(comm, pid, tid, event, period, frames with the root first) of each; ValueError where a line is no part of the format."""
    head, frames = None, []
    for nr, line in enumerate(text.split("\n")[:-1], 1):
        if line.startswith("#"):
            continue
        match = FRAME.match(line) if head else HEADER.match(line)
        if head and not line:
            yield (*head, frames[::-1])
            head, frames = None, []
        elif not match:
            raise ValueError(f"line {nr} is no {'frame' if head else 'sample'}: {line!r}")
        elif head:
            frames.append(match)
        else:
            head = (match["comm"], match["pid"], match["tid"], match["event"], int(match["period"]))
    if head or not text.endswith("\n"):
        raise ValueError("the last sample has no end")


def name_of(frame):
    """A frame without its offset."""
    return re.sub(r"\+0x[0-9a-f]+$", "", frame["name"])


def collapse(text):
    """{"comm;root;...;leaf": the sum of the periods}"""
    found = {}
    for comm, _, _, _, period, frames in samples(text):
        stack = ";".join([comm, *map(name_of, frames)])
        found[stack] = found.get(stack, 0) + period
    return found
