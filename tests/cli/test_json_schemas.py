#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`report --json`, `script --json`, `annotate --json` and `diff --json` fit their schemas on every kind of recording there is: all
descriptions of the golden tests, and all of the corpus where it is available, each with some of the
options that change what is in a report, so that each of these meets many recordings."""
import glob
import json
import os
import subprocess
import sys

import corpus
import script_world as world
from checks import KIT, PFX, check, finish
from libraries import built_in

SOURCE = os.environ["PFX_SOURCE_DIR"]
sys.path.insert(0, os.path.join(SOURCE, "tests", "kit"))
from json_schema import Schema, distinct, parse  # noqa: E402

REPORTS = ["-H", "--no-children -n", "-T", "--mem-mode", "--branch-history", "--total-cycles", "--group",
           "-s comm,dso,sym,cpu,time", "--latency -s comm,parallelism", "-s type,typeoff,symoff,addr", "-g caller,count",
           "-g flat --no-children", "--time 10%-50%", "--samples 2", "-s trace", "-c nobody",
           "-F +overhead_us,weight1,ins_lat,sample,period", "--no-branch-stack", "--guest",
           "--mem-mode -F overhead,op,cache,memory,snoop,dtlb,comm", "-H --no-children -s sym,dso -g fractal",
           "-s tgid,comm_nodigit,retire_lat,simd,cgroup", "--show-ref-call-graph --header -v", "-s +srcline",
           "--stats", "--tasks", "--mmaps"]
SCRIPTS = ["-F +insn,+insnlen,+disasm,+srcline", "--call-ret-trace", "-G --ns", "--max-stack 2", "--time 10%-50%",
           "--show-task-events --show-mmap-events --show-lost-events --show-switch-events "
           "--show-namespace-events --show-cgroup-events --show-round-events --show-bpf-events "
           "--show-text-poke-events"]
OPINIONS = 2  # lines that are shown to the package jsonschema, too
LINES_MAX = 2000  # of a recording; of those of one shape, the first of all is looked at


class Looker:
    def __init__(self):
        self.report, self.script, self.annotate = Schema("report"), Schema("script"), Schema("annotate")
        self.diff = Schema("diff")
        self.seen = set()
        self.nr = self.nr_documents = self.nr_refused = 0

    def run(self, kind, path, options):
        """The documents of a run; none where the recording is refused, with a sentence."""
        argv = [PFX, kind, "--json", "-i", path, *options.split()]
        done = subprocess.run(argv, capture_output=True, check=False, timeout=corpus.TIMEOUT,
                              stdin=subprocess.DEVNULL, env={**os.environ, "PFX_CONFIG": "/dev/null"})
        name = f"{kind} {os.path.basename(path)} {options}"
        code = done.returncode if done.returncode != 129 else 1
        problem = corpus.crashed(code, done.stderr.decode(errors="replace"))
        check(not problem, f"{name}: {problem}")
        if done.returncode and not done.stdout:
            check(done.stderr, f"{name}: nothing is said")
            self.nr_refused += 1
            return name, []
        text = done.stdout.decode("utf-8")
        texts = distinct(text.splitlines()[:LINES_MAX], self.seen) if kind == "script" else [text]
        try:
            return name, [parse(one) for one in texts]
        except ValueError as error:
            check(False, f"{name}: no JSON: {error}")
            return name, []

    def look(self, kind, path, options):
        name, documents = self.run(kind, path, options)
        schema = getattr(self, kind)
        self.nr_documents += len(documents)
        for i, document in enumerate(documents):
            problem = schema.wrong(document)
            if not problem and i < OPINIONS and not options:
                problem = schema.second_opinion(document)
            check(not problem, f"{name}: document {i}: {problem}")
            if problem:
                break

    def take(self, path):
        self.look("report", path, "")
        self.look("script", path, "")
        self.look("report", path, REPORTS[self.nr % len(REPORTS)])
        self.look("script", path, SCRIPTS[self.nr % len(SCRIPTS)])
        self.nr += 1


def check_annotate(looker):
    """What annotate prints of code, as the golden test holds it; and without code, of each description."""
    with open(os.path.join(SOURCE, "tests/golden/annotate.expect/json"), encoding="utf-8") as file:
        found = parse(file.read())
    problem = looker.annotate.wrong(found) or looker.annotate.second_opinion(found)
    check(not problem, f"golden annotate: {problem}")
    check(len(found["functions"]) == 2 and found["functions"][0]["jumps"], "golden annotate: no code")


def described():
    """The recordings of the golden tests, in one byte order and the other by turns."""
    nr = 0
    for path in sorted(glob.glob(os.path.join(SOURCE, "tests/golden/*.txt"))):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if os.path.basename(path) == "CMakeLists.txt" or "#each" in text:
            continue
        if "compress" in text and not built_in("libzstd"):
            continue
        nr += 1
        order = ("le", "be")[nr % 2]
        data = f"{os.path.basename(path)[:-4]}.{order}.data"
        subprocess.run([KIT, f"--{order}", path, data], check=True)
        yield data


def check_diff(looker):
    """Comparisons, with broken rules, as the golden test holds them."""
    with open(os.path.join(SOURCE, "tests/golden/diff.expect/json"), encoding="utf-8") as file:
        found = parse(file.read())
    problem = looker.diff.wrong(found) or looker.diff.second_opinion(found)
    check(not problem, f"golden diff: {problem}")
    check(found["events"][0]["rows"] and found["rules"] and found["amounts"], "golden diff: parts are missing")


def check_names(looker):
    """Fields of tracepoints that are called as others are, or as keys, have names of their own."""
    w = world.World()
    w.comm(10, "one")
    w.trace(301, 10, "two", 11, 120, 0)
    w.write("names.data")
    for sort, names in (("comm,sched_wakeup.comm", ["comm", "sched_wakeup.comm"]),
                        ("prio,prio/raw,pid", ["prio", "prio/raw", "pid"]),
                        ("pid,sched:sched_wakeup.pid,pid/raw", ["pid", "sched:sched_wakeup.pid", "pid/raw"])):
        for options in (f"-s {sort}", f"-H -s {sort}"):
            _, documents = looker.run("report", "names.data", options)
            for table in (table for document in documents for table in document["tables"]):
                keys = [column["key"] for column in table["columns"] if "overhead" not in column["key"]]
                check(keys == names, f"{options}: {keys}")
                check(not table["rows"] or list(table["rows"][0]["keys"]) == names, f"{options}: {table['rows']}")
            check(documents, f"{options}: no document")


def main():
    looker = Looker()
    for name, schema in (("report", looker.report), ("script", looker.script), ("annotate", looker.annotate),
                         ("diff", looker.diff)):
        check(schema.wrong({"schema": f"pfx.{name}/0", "kind": "header"}), f"another version of {name}")
        check(f"pfx.{name}/1" in json.dumps(schema.root), f"the version of {name}")
    check_names(looker)
    check_annotate(looker)
    check_diff(looker)
    for path in described():
        looker.take(path)
        looker.look("annotate", path, "")
        os.unlink(path)
    check(looker.nr > 50, f"only {looker.nr} descriptions")
    check(looker.nr_documents > 250, f"only {looker.nr_documents} documents")
    if os.path.isdir(corpus.CORPUS):
        for recording in corpus.recordings("public", "recorded"):
            looker.take(recording.path)
    print(f"{looker.nr} recordings, {looker.nr_documents} documents, {looker.nr_refused} runs refused")
    finish()


main()
