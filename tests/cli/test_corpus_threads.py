#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reports and scripts of the corpus are the same with any number of threads, to the byte."""

import os

import corpus

WAYS = (
    (["report", "--stdio"], (2, 4)),
    (["report", "--stdio", "-s", "srcline,sym", "--no-children"], (2, 4)),
    (["script"], (2,)),
)


def text_of(recording, threads, way):
    os.environ["PFX_THREADS"] = str(threads)
    return corpus.run(*way, "-i", recording.path)


def main():
    outcome = corpus.Outcome()
    for recording in corpus.recordings("recorded"):
        for way, numbers in WAYS:
            one = text_of(recording, 1, way)
            outcome.count("texts")
            for threads in numbers:
                if text_of(recording, threads, way) != one:
                    outcome.fail(recording.name, f"another {' '.join(way)} with {threads} threads")
    outcome.finish()


if __name__ == "__main__":
    main()
