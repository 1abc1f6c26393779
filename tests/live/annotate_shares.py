# SPDX-License-Identifier: MIT
"""The functions in what `annotate --stdio` of pfx or perf prints, with the values of their addresses."""
import re

NAME = re.compile(r"^ +: +(?:\d+ +)?[0-9a-f]{16} <(.*)>:$")
TITLE = re.compile(r"^ (?:Percent|Samples|Period) +\|\tSource code & Disassembly of (.*) for (.*) \((\d+) samples")
ROW = re.compile(r"^((?: +[0-9.]+)+) : +([0-9a-f]+):")


class Function:
    def __init__(self, key):
        self.key, self.rows, self.is_plt = key, {}, False


def shares(text):
    """The functions, each with the binary, the events and the number of samples of its title, and
    with the values of its addresses but those that cost nothing."""
    functions = []
    for line in text.split("\n"):
        title, row, name = TITLE.match(line), ROW.match(line), NAME.match(line)
        if title:
            functions.append(Function(title.groups()))
        elif name and functions:
            functions[-1].is_plt |= name.group(1).endswith("@plt")
        elif row and functions:
            values = tuple(float(v) for v in row.group(1).split())
            if any(values):
                functions[-1].rows[int(row.group(2), 16)] = values
    return [function for function in functions if function.rows]


def is_near(ours, theirs):
    return ours.key == theirs.key and ours.rows.keys() == theirs.rows.keys() and all(
        abs(a - b) <= 0.011 for addr in ours.rows for a, b in zip(ours.rows[addr], theirs.rows[addr]))
