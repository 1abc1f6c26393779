#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A wrong value in the configuration: the message names the key and the file, once."""
import os
import tempfile

from checks import KIT, PFX, check, finish, run

DESCRIPTION = """event cpu-clock type=sw config=0 freq=1000 sample=ip,tid,time,period
feature arch str=x86_64
comm pid=10 tid=10 "prog"
sample ip=0x400010 pid=10 time=1000 period=1
round
"""
REPORT, ANNOTATE = ["report", "--stdio", "-i", "x.data"], ["annotate", "--stdio", "-i", "x.data", "mix"]
RECORD = ["record", "-g", "--dry-run", "true"]
TOP = ["top", "--json", "-p", "1"]
PATIENCE = 300  # seconds until something hangs
# key and value, command, words of its message
ERRORS = (
    ("report.sort_order=nosuch", REPORT, "'nosuch' is not a key for -s"),
    ("call-graph.print-type=x", REPORT, "'x' is not a word for a call graph"),
    ("call-graph.order=x", REPORT, "'x' is not a word for a call graph"),
    ("call-graph.sort-key=x", REPORT, "'x' is not a word for a call graph"),
    ("call-graph.threshold=x", REPORT, "'x' is not a percentage"),
    ("call-graph.print-limit=-1", REPORT, "'-1' is not a number of entries"),
    ("call-graph.order=x", TOP, "'x' is not a word for a call graph"),
    ("top.call-graph=x", TOP, "'x'"),
    ("hist.percentage=x", REPORT, "'x' is neither absolute nor relative"),
    ("hist.percentage=x", TOP, "'x' is neither absolute nor relative"),
    ("unwind.style=x", REPORT, "'x' is not one of rows, libunwind, libdw"),
    ("unwind.style=x", ["script", "-i", "x.data"], "'x' is not one of rows, libunwind, libdw"),
    ("record.build-id=x", RECORD, "'x' is not a choice of build IDs"),
    ("call-graph.record-mode=x", RECORD, "there is no call graph mode 'x'"),
    ("record.call-graph=x", RECORD, "there is no call graph mode 'x'"),
    ("call-graph.dump-size=x", RECORD, "'x' is not a valid stack dump size"),
    ("annotate.source-path=x", ANNOTATE, "'x' is not a mapping of source folders"),
)
# These are not used, which is said; the command does its work.
NOTES = (
    ("report.percent-limit=x", REPORT, "'x' is not a percentage"),
    ("report.children=x", REPORT, "'x' is not yes or no"),
    ("report.group=2", REPORT, "'2' is not yes or no"),
    ("report.skip-empty=", REPORT, "'' is not yes or no"),
    ("color.ui=x", REPORT, "'x' is not yes, no, auto, always or never"),
)


# What `config` does not write, and why.
REFUSED = (
    ("report.percent-limit=x", "report.percent-limit takes a percentage, not 'x'"),
    ("report.children=2", "report.children takes yes or no, not '2'"),
    ("call-graph.record-mode=dwarf report.group=maybe", "report.group takes yes or no, not 'maybe'"),
    ("hist.percentage=rel", "hist.percentage takes relative or absolute, not 'rel'"),
    ("unwind.style=|", "unwind.style takes rows, libunwind or libdw, not '|'"),
    ("call-graph.dump-size=much", "call-graph.dump-size takes a number, not 'much'"),
    ("debuginfod.max-size=\x1b[1m", "debuginfod.max-size takes a size such as 500M, not '\\x1b[1m'"),
)


def check_writing():
    """pfx refuses and writes nothing; by perf's name it is told and written, as perf writes anything."""
    os.symlink(PFX, "perf")
    for words, said in REFUSED:
        with open("settings", "w", encoding="utf-8") as file:
            file.write("[report]\n\tchildren = no\n")
        done = run(PFX, "config", *words.split(" "), env={"PFX_CONFIG": "settings"})
        with open("settings", encoding="utf-8") as file:
            text = file.read()
        check(done.returncode == 255 and done.stderr == f"pfx config: {said}\n" and text == "[report]\n\tchildren = no\n",
              f"{words}: {done} {text}")
    done = run(PFX, "config", "report.foo=1", env={"PFX_CONFIG": "settings"})
    check(done.returncode == 0 and done.stderr == "pfx config: no command uses report.foo (see 'pfx help config')\n", f"unknown: {done}")
    done = run("./perf", "config", "report.percent-limit=x", env={"PERF_CONFIG": "settings"})
    with open("settings", encoding="utf-8") as file:
        text = file.read()
    check(done.returncode == 0 and done.stderr == "perf config: report.percent-limit takes a percentage, so 'x' has no effect\n" and
          "percent-limit = x" in text, f"perf: {done} {text}")


def with_setting(setting, words):
    key, value = setting.split("=")
    section, name = key.split(".")
    with open("settings", "w", encoding="utf-8") as file:
        file.write(f"[{section}]\n\t{name} = {value}\n")
    return key, run(PFX, *words, env={"PFX_CONFIG": "settings"}, timeout=PATIENCE)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("description", "w", encoding="utf-8") as file:
            file.write(DESCRIPTION)
        run(KIT, "--le", "description", "x.data")
        for setting, words, said in ERRORS:
            key, done = with_setting(setting, words)
            line = done.stderr.split("\n", maxsplit=1)[0]
            check(done.returncode in (129, 255) and line.startswith(f"pfx {words[0]}: {key} of the configuration 'settings': ") and
                  said in line, f"{setting}, {words}: {done}")
        for setting, words, said in NOTES:
            key, done = with_setting(setting, words)
            check(done.returncode == 0 and done.stderr.startswith(f"pfx: {said}: {key} in 'settings' is not used\n") and done.stdout,
                  f"{setting}, {words}: {done}")
        key, done = with_setting("annotate.disassembler_style=x", ANNOTATE)
        check(done.stderr == f"pfx: 'x' is not att or intel: {key} in 'settings' is not used\n"
              "pfx annotate: there is no function 'mix' in the recording\n", f"{key}: {done}")
        check_writing()
        # the option of the command line is blamed on nobody else
        _, done = with_setting("report.sort_order=comm", [*REPORT, "-s", "nosuch"])
        check(done.returncode == 129 and "configuration" not in done.stderr, f"-s: {done}")
        with open("settings", "w", encoding="utf-8") as file:
            file.write("[report]\nchildren = no\n[broken\n")
        for words in (["config", "-l"], ["config", "report.children"], REPORT):
            done = run(PFX, *words, env={"PFX_CONFIG": "settings"}, timeout=PATIENCE)
            check(done.returncode == 0 and done.stderr.count("line 3 of 'settings' is not a valid setting") == 1, f"{words}: {done}")
        os.chdir("/")


main()
finish()
