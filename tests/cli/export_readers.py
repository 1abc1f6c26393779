# SPDX-License-Identifier: MIT
"""Small readers of the formats of pfx export, written from the descriptions of these formats. Each
takes the bytes of an output and returns its sums by event: (samples, period), or one number where
the format has one. The event is None where the output does not name it."""
import re


def folded(data):
    """The events of the test's recordings are known; other first frames are names of threads."""
    sums = {}
    for line in data.decode().splitlines():
        match = re.fullmatch(r"(?:(cycles|instructions);)?[^;]+(?:;[^;]+)* (\d+)", line)
        assert match, f"not a folded line: {line!r}"
        sums[match.group(1)] = sums.get(match.group(1), 0) + int(match.group(2))
    return sums


READERS = {"folded": folded}
