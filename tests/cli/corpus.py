# SPDX-License-Identifier: MIT
"""What the corpus tests share: where the files are, what is expected of them, how to run pfx.

The corpus is a collection of real recordings, kept outside of the source tree. $PFX_CORPUS says
where; without it, ../shared/corpus beside the source directory is tried.
"""

import csv
import lzma
import os
import re
import subprocess
import sys

from libraries import built_in

SKIP = 77
TIMEOUT = 900
PERFS_FAILURE = 255  # perf's exit code for most failures, and so ours

PFX = os.environ.get("PFX", "pfx")
SOURCE = os.environ.get("PFX_SOURCE_DIR", ".")
CORPUS = os.environ.get("PFX_CORPUS") or os.path.join(SOURCE, "..", "shared", "corpus")

# Files that are broken on purpose: one sentence, whatever can be saved, never a crash.
BROKEN = re.compile(r"^(poc-|clusterfuzz-)|corrupted")
# What is no recording at all, for one reason or another.
NOT_RECORDINGS = {
    "perf.data.true.v2.gz": "packed with gzip",
}
# Types of records that the files' other tools have for themselves; to us they are unknown.
FOREIGN = re.compile(r"^SP_")


class Recording:
    """One file of the corpus and the row that says what is in it."""

    def __init__(self, folder, row):
        self.name = row["file"]
        self.path = os.path.join(folder, self.name)
        self.row = row
        self.samples = int(row["samples"] or 0)
        self.records = {}
        for word in row["records"].split():
            kind, count = word.rsplit(":", 1)
            self.records[kind] = int(count)
        # Where not even the scanner that counted found a record, there is nothing to compare.
        self.is_broken = (bool(BROKEN.search(self.name)) or self.name in NOT_RECORDINGS
                          or not self.records)
        self.is_compressed = any(kind.startswith("COMPRESSED") for kind in self.records)
        self.perf_reads = row["perf6.1-script"] == "reads"

    def expected(self, kind):
        """The lines that perf printed where the file was recorded, or None."""
        path = os.path.join(
            os.path.dirname(self.path), "expected", f"{self.name}.{kind}.xz")
        if not os.path.exists(path):
            return None
        with lzma.open(path, "rt", errors="surrogateescape") as text:
            return text.read().splitlines()


def recordings(*folders):
    """All recordings of the folders that this build can read; ends the test where there is no corpus."""
    if not os.path.isdir(CORPUS):
        print(f"SKIP: no corpus of recordings at '{CORPUS}' (set PFX_CORPUS)")
        sys.exit(SKIP)
    has_zstd = built_in("libzstd")
    for folder in folders:
        folder = os.path.join(CORPUS, folder)
        with open(os.path.join(folder, "EXPECTED.tsv"), newline="") as table:
            for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE):
                recording = Recording(folder, row)
                if has_zstd or not recording.is_compressed:
                    yield recording


def run(*words):
    """Run pfx; its exit code, output and errors. A signal gives a negative code."""
    try:
        done = subprocess.run(
            [PFX, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return None, "", f"took more than {TIMEOUT} s"
    return (done.returncode, done.stdout.decode(errors="surrogateescape"),
            done.stderr.decode(errors="surrogateescape"))


def crashed(code, errors):
    """What is never right, as a phrase, or None."""
    if code is None:
        return errors
    if code < 0 or 128 <= code != PERFS_FAILURE:
        return f"died with {code}: {errors[-200:]}"
    if "Sanitizer" in errors or "runtime error" in errors:
        return f"sanitizer: {errors[-300:]}"
    return None


class Outcome:
    """Collects failures, prints them as they come, and the numbers at the end."""

    def __init__(self):
        self.failures = 0
        self.numbers = {}

    def count(self, what, by=1):
        self.numbers[what] = self.numbers.get(what, 0) + by

    def fail(self, name, text):
        self.failures += 1
        print(f"FAIL {name}: {text}")

    def finish(self):
        for what, number in self.numbers.items():
            print(f"{number:7} {what}")
        print(f"{self.failures:7} failures")
        sys.exit(1 if self.failures else 0)
