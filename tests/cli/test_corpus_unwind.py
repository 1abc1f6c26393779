#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Call chains from copied stacks in the recordings of the corpus: of arm64, whose program is there,
at least 99 of 100 reach the program's entry, through handlers of signals too; all others are read
without harm, and report says that programs are missing."""

import os
import re
import tempfile

import corpus

WITH_PROGRAM = "arm64-chain-dwarf.data"
SAMPLES = 560
UNWOUND = re.compile(r"dwarf")


def chains(output):
    return [text.split("\n") for text in output.strip().split("\n\n")]


def check_entries(folder, outcome):
    path = os.path.join(folder, WITH_PROGRAM)
    if not os.path.exists(path):
        outcome.count("recordings that are not there")
        return
    code, output, errors = corpus.run("script", "--symfs", os.path.join(folder, "bin"), "-i", path)
    if code:
        outcome.fail(WITH_PROGRAM, f"exit {code}: {errors.strip()}")
        return
    found = chains(output)
    reached = [c for c in found if " _start+" in c[-1]]
    through = [c for c in found if any("on_tick+" in frame for frame in c)]
    outcome.count("chains", len(found))
    outcome.count("chains that reach the entry", len(reached))
    outcome.count("chains through a handler", len(through))
    if len(found) < SAMPLES or len(reached) * 100 < len(found) * 99:
        outcome.fail(WITH_PROGRAM, f"{len(reached)} of {len(found)} chains reach the entry")
    if not through:
        outcome.fail(WITH_PROGRAM, "no chain goes through the signal handler")


def check_archive(folder, outcome):
    """The same out of an archive, where the program is not: made and read on any kind of machine."""
    path = os.path.join(folder, WITH_PROGRAM)
    program = os.path.join(folder, "bin/w/chain")
    if not os.path.exists(path) or not os.path.exists(program):
        return
    with tempfile.TemporaryDirectory() as place:
        cache, archive = os.path.join(place, "cache"), os.path.join(place, "chain.tar")
        for words in (["buildid-cache", "-a", program], ["archive", "-i", path, "-o", archive]):
            code, _, errors = corpus.run("--buildid-dir", cache, *words)
            if code:
                outcome.fail(WITH_PROGRAM, f"{words[0]}: exit {code}: {errors.strip()}")
        _, output, errors = corpus.run("--buildid-dir", os.path.join(place, "none"), "script", "-i",
                                       archive)
        reached = [c for c in chains(output) if " _start+" in c[-1]]
        outcome.count("chains out of an archive that reach the entry", len(reached))
        if len(reached) * 100 < SAMPLES * 99:
            outcome.fail(WITH_PROGRAM, f"{len(reached)} chains out of an archive: {errors[:300]}")


def check_missing(recording, outcome):
    for command in ("script", "report"):
        code, _, errors = corpus.run(command, "-i", recording.path)
        if code or corpus.crashed(code, errors):
            outcome.fail(recording.name, corpus.crashed(code, errors) or errors.strip())
    if "call chains are incomplete" not in errors:
        outcome.fail(recording.name, f"report says nothing of incomplete chains: {errors!r}")
    outcome.count("recordings without their programs")


def main():
    outcome = corpus.Outcome()
    for recording in corpus.recordings("recorded"):
        if UNWOUND.search(recording.name):
            check_missing(recording, outcome)
    check_entries(os.path.join(corpus.CORPUS, "recorded"), outcome)
    check_archive(os.path.join(corpus.CORPUS, "recorded"), outcome)
    outcome.finish()


if __name__ == "__main__":
    main()
