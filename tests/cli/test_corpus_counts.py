#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every recording of the corpus opens, and holds what it is known to hold.

 * pfx report --stats counts the records by type as EXPECTED.tsv has them, and exits with 0.
 * pfx script opens it too; without call chains it prints one line for each sample (of a group that
   is sampled together: one for each member that counted).
 * Files that are broken on purpose end with one sentence or are read as far as they go; nothing
   ever crashes, hangs, or says more than a line or two.
"""

import re
import sys

import corpus

# "           SAMPLE events:        178  (90.4%)"
STATS_LINE = re.compile(r"^ *([A-Z0-9_]+) events: +([0-9]+)")
UNKNOWN = "UNKNOWN"
# More lines than samples: members of a group that is sampled as a whole.
GROUPS = re.compile(r"-group_S\.data$|PerfFormatLost$")
# Sentences that a broken file may cause; perf says a dozen for some.
MAX_ERROR_LINES = 4


def parse_stats(output):
    """Counts by type of the whole recording, the events' own tables left out."""
    counts = {}
    for line in output.splitlines():
        if line.endswith("stats:") and not line.startswith("Aggregated"):
            break
        match = STATS_LINE.match(line)
        if match and match.group(1) != "TOTAL":
            counts[match.group(1)] = int(match.group(2))
    return counts


def known(records):
    """Types that other tools have for themselves are unknown ones to us; so is their sum."""
    result, unknown = {}, 0
    for kind, count in records.items():
        if corpus.FOREIGN.match(kind):
            unknown += count
        else:
            result[kind.removeprefix("HEADER_")] = count
    if unknown:
        result[UNKNOWN] = unknown
    return result


def describe(expected, got):
    """The types whose counts differ, for people."""
    words = []
    for kind in sorted(set(expected) | set(got)):
        if expected.get(kind, 0) != got.get(kind, 0):
            words.append(f"{kind} {got.get(kind, 0)} instead of {expected.get(kind, 0)}")
    return ", ".join(words)


def check_stats(recording, outcome):
    code, output, errors = corpus.run("report", "-f", "--stats", "-i", recording.path)
    if corpus.crashed(code, errors):
        outcome.fail(recording.name, "report: " + corpus.crashed(code, errors))
        return
    if code:
        outcome.fail(recording.name, f"report --stats: exit {code}: {errors.strip()[:200]}")
        return
    wrong = describe(known(recording.records), parse_stats(output))
    if wrong:
        outcome.fail(recording.name, "report --stats: " + wrong)
    else:
        outcome.count("recordings whose records are counted right")
        outcome.count("records in them", sum(recording.records.values()))


def check_script(recording, outcome):
    code, output, errors = corpus.run("script", "-f", "-G", "-i", recording.path)
    if corpus.crashed(code, errors):
        outcome.fail(recording.name, "script: " + corpus.crashed(code, errors))
        return
    if code:
        outcome.fail(recording.name, f"script: exit {code}: {errors.strip()[:200]}")
        return
    lines = sum(1 for line in output.splitlines() if re.match(r"\s*\S", line))
    counts = recording.records.get("STAT", 0)
    if counts:
        # A heading, and lines when the round is over.
        right = recording.samples + 1 < lines <= recording.samples + counts + 1
    elif GROUPS.search(recording.name):
        right = lines > recording.samples
    else:
        right = lines == recording.samples
    if right:
        outcome.count("recordings that script prints in full")
    else:
        outcome.fail(recording.name, f"script: {lines} lines, {recording.samples} samples")


def check_report(recording, outcome):
    code, _, errors = corpus.run("report", "-f", "--stdio", "-i", recording.path)
    if corpus.crashed(code, errors):
        outcome.fail(recording.name, "report: " + corpus.crashed(code, errors))
    elif code:
        outcome.fail(recording.name, f"report: exit {code}: {errors.strip()[:200]}")
    else:
        outcome.count("recordings that report opens")


def check_broken(recording, outcome):
    """A sentence, or what can be saved; never a crash."""
    for words in (("report", "-f", "--stats"), ("report", "-f", "--stdio"), ("script", "-f"),
                  ("script", "-f", "-D")):
        code, _, errors = corpus.run(*words, "-i", recording.path)
        what = " ".join(words)
        if corpus.crashed(code, errors):
            outcome.fail(recording.name, f"{what}: " + corpus.crashed(code, errors))
        elif code and not errors.strip():
            outcome.fail(recording.name, f"{what}: exit {code} without a word")
        elif len(errors.strip().splitlines()) > MAX_ERROR_LINES:
            outcome.fail(recording.name, f"{what}: {len(errors.splitlines())} lines of errors")
        elif code:
            outcome.count("runs on broken files that end with a sentence")
        else:
            outcome.count("runs on broken files that save something")


def main():
    outcome = corpus.Outcome()
    wanted = sys.argv[1:]
    for recording in corpus.recordings("public", "recorded"):
        if wanted and recording.name not in wanted:
            continue
        if recording.is_broken:
            check_broken(recording, outcome)
            continue
        check_stats(recording, outcome)
        check_script(recording, outcome)
        check_report(recording, outcome)
    outcome.finish()


if __name__ == "__main__":
    main()
