#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pfx script against what perf printed on the machines where the corpus was recorded.

Compared line by line. Rules, each for something that cannot be had elsewhere:
 1. Names of symbols and the offsets in them are dropped: the binaries are not here, and no other
    kernel's names are used. Address and dso stay.
 2. Inlined frames are dropped, as they come from the binaries' debug information.
 3. Trailing blanks are dropped.
 4. Stacks that were copied for unwinding: only the lines of the samples are compared, as far as
    perf got.
 5. Control characters and broken UTF-8 in names are shown as \\xNN by pfx and as they are by perf.
 6. On riscv64 a newer perf printed: runs of blanks count as one there, frames in programs are
    compared by their dso (it shows addresses, 6.1 offsets), and names of exited threads, which it
    forgets, are kept by pfx.
 7. On arm64 perf inserts the caller of a leaf function, one below the return address, which it
    unwinds with the binary: those odd addresses are dropped, and where a signal was handled, the
    beginning of the trampoline.
 8. Where the kernel's map ends is read from its symbols by perf on the machine itself:
    [kernel.kallsyms] and [unknown] count as equal.
 9. perf before 6.2 shows counts in intervals as sums since the start.
What rules 6 and 8 let pass line by line is counted.
"""

import difflib
import re
import sys

import corpus

# Shown as sums (rule 9).
SUMS = re.compile(r"^arm64-statI\.data$")
# Unwound from copies of the stack (rule 4).
UNWOUND = re.compile(r"dwarf")

# An address, a symbol and the dso at the end of the line: alone in a frame, or behind the event.
FRAME = re.compile(r"^(\t *[0-9a-f]+) .* (\(.*?\))$")
PLACE = re.compile(r"^(.*: +[0-9a-f]+) .* (\(.*?\))$")
LEAF_CALLER = re.compile(r"^\t *[0-9a-f]*[37bf] \((?!\[kernel)")
SIGNAL_FRAME = "__kernel_rt_sigreturn+0x0 ([vdso])"
NO_KERNEL = re.compile(r"\(\[(kernel\.kallsyms|unknown)\]\)$")
EXITED = re.compile(r"^:(\d+) (?=\1 )")
SHOWN_DIFFERENCES = 6


def visible(text):
    """Control characters and bytes that are no text as pfx shows them; a frame's tab stays."""
    head, rest = text[:1], text[1:]
    return head + re.sub(r"[\x01-\x1f\x7f\udc80-\udcff]",
                         lambda c: f"\\x{ord(c.group()) & 0xff:02x}", rest)


def normal(recording, lines):
    """The lines with all that the rules drop taken out."""
    result = []
    for line in lines:
        line = visible(line.rstrip())
        if line.endswith("(inlined)") or line.endswith(SIGNAL_FRAME):
            continue
        if UNWOUND.search(recording.name) and (line.startswith("\t") or not line):
            continue
        line = PLACE.sub(r"\1 \2", FRAME.sub(r"\1 \2", line))
        if recording.name.startswith("riscv64"):
            line = newer_perf(line)
        if recording.name.startswith("arm64") and LEAF_CALLER.match(line):
            continue
        result.append(line.lstrip(" ") if "\\x" in line else line)
    return result


def newer_perf(line):
    """Without what a newer perf prints in another way (rule 6)."""
    if not line.startswith("\t"):
        return " ".join(line.split())
    return line if "([kernel" in line else line[line.index("("):]


def tolerated(perf, pfx):
    """Why two lines that differ count as equal, or None."""
    if NO_KERNEL.sub("", perf) == NO_KERNEL.sub("", pfx):
        return "lines that differ in where the kernel ends only"
    if EXITED.match(perf) and EXITED.sub("", perf) == pfx.split(" ", 1)[-1]:
        return "lines with a name that perf forgot"
    return None


def with_tolerance(expected, got, outcome):
    """The lines of pfx, those that count as equal replaced by perf's."""
    if len(expected) != len(got):
        return got
    result = []
    for perf, pfx in zip(expected, got):
        why = None if perf == pfx else tolerated(perf, pfx)
        if why:
            outcome.count(why)
        result.append(perf if why else pfx)
    return result


def differences(expected, got):
    """The first differing lines, both sides."""
    result = []
    for line in difflib.unified_diff(expected, got, "perf", "pfx", lineterm="", n=0):
        if line[:2] not in ("@@", "--", "++") and line:
            result.append(line)
    return result


def compare(recording, outcome):
    expected = recording.expected("script")
    if expected is None:
        outcome.count("without expected lines")
        return
    if SUMS.search(recording.name):
        outcome.count("of counters in another form, not compared")
        return
    code, output, errors = corpus.run("script", "-i", recording.path)
    if corpus.crashed(code, errors):
        outcome.fail(recording.name, corpus.crashed(code, errors))
        return
    if code:
        outcome.fail(recording.name, f"exit {code}: {errors.strip()}")
        return
    # The one thread of the corpus with a line feed in its name.
    expected = "\n".join(expected).replace("new\nline ", "new\\x0aline ").split("\n")
    expected = normal(recording, expected)
    got = normal(recording, output.splitlines())
    if UNWOUND.search(recording.name):
        got = got[:len(expected)]
    got = with_tolerance(expected, got, outcome)
    outcome.count("lines of perf compared", len(expected))
    if expected == got:
        outcome.count("recordings equal")
        return
    diff = differences(expected, got)
    outcome.count("lines differ", len(diff))
    outcome.fail(recording.name, f"{len(diff)} lines differ")
    for line in diff[:SHOWN_DIFFERENCES]:
        print("    " + line.encode(errors="backslashreplace").decode())


def main():
    outcome = corpus.Outcome()
    wanted = sys.argv[1:]
    for recording in corpus.recordings("recorded"):
        if not wanted or recording.name in wanted:
            compare(recording, outcome)
    outcome.finish()


if __name__ == "__main__":
    main()
