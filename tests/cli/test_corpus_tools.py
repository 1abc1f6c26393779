# SPDX-License-Identifier: MIT
"""evlist, buildid-list and data convert open every recording of the corpus, and tell what is in it.

Those that are broken on purpose give a sentence or what can be saved."""

import json
import os

import corpus

COMMANDS = [["evlist"], ["evlist", "-v"], ["evlist", "-F"], ["evlist", "-g"],
            ["evlist", "--trace-fields"], ["buildid-list"], ["buildid-list", "-H"]]
OUTPUT = "corpus.json"
CONVERT = ["data", "convert", "-f", "--to-json", OUTPUT]


def check_command(recording, command, outcome):
    """The output of one command, None where it failed."""
    code, text, errors = corpus.run(*command, "-f", "-i", recording.path)
    what = f"{recording.name} ({' '.join(command)})"
    bad = corpus.crashed(code, errors)
    if bad:
        outcome.fail(what, bad)
    elif code and not recording.is_broken:
        outcome.fail(what, errors.strip()[-200:])
    elif code and not errors.startswith(f"pfx {command[0]}: "):
        outcome.fail(what, f"fails without a sentence: {errors!r}")
    else:
        outcome.count(f"runs of {command[0]}")
    return text if code == 0 else None


def check_events(recording, text, outcome):
    """One line for each event, whatever is shown of it."""
    if text is None or recording.is_broken:
        return
    lines = [line for line in text.splitlines() if not line.startswith("# Tip")]
    names = [name.strip() for name in recording.row["events"].split(", ")]
    if len(lines) < len(names):
        outcome.fail(recording.name, f"evlist has {len(lines)} lines for {len(names)} events")


def check_strict(recording, outcome):
    """What a killed recorder left is read; with --strict it is not."""
    if "kill9" not in recording.name:
        return
    for command in (["evlist"], ["buildid-list", "-H"], CONVERT):
        code, _, errors = corpus.run(*command, "--strict", "-i", recording.path)
        if code != corpus.PERFS_FAILURE or "killed" not in errors:
            outcome.fail(recording.name, f"{' '.join(command)} --strict gives {code}: {errors!r}")


def check_json(recording, outcome):
    """JSON that can be parsed, with as many samples as there are; SAMPLE_READ may make more."""
    with open(OUTPUT, encoding="utf-8") as file:
        made = json.load(file)
    if made["linux-perf-json-version"] != 1 or "header-version" not in made["headers"]:
        outcome.fail(recording.name, f"header of the JSON: {made['headers']}")
    for sample in made["samples"]:
        if not isinstance(sample["callchain"], list) or not isinstance(sample["comm"], str):
            outcome.fail(recording.name, f"shape of a sample: {sample}")
            return
    if not recording.is_broken and recording.samples and not made["samples"]:
        outcome.fail(recording.name, f"no sample of {recording.samples} in the JSON")
    outcome.count("samples as JSON", len(made["samples"]))


def main():
    outcome = corpus.Outcome()
    for recording in corpus.recordings("public", "recorded"):
        for command in COMMANDS:
            text = check_command(recording, command, outcome)
            if command == ["evlist"]:
                check_events(recording, text, outcome)
        if check_command(recording, CONVERT, outcome) is not None:
            check_json(recording, outcome)
        elif os.path.exists(OUTPUT):
            os.unlink(OUTPUT)
        check_strict(recording, outcome)
    outcome.finish()


main()
