#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The header of a recording: pfx and perf read the same in it, in files and streams, and what perf writes about
this machine is there, too. BPF programs are described, and named where they were hit."""
import os
import re
import signal
import subprocess
import sys

import bpf
from live import PERF, PFX, check, equal, finish, need_recording, run, wait_for

BPF = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bpf.py")
# Features that perf 6.1 does not know.
NEW = ("# e_machine", "#   e_flags", "# cacheline size", "# schedstat", "# Maximum sched", "# cpu : ", "# nr_domains",
       "# Domain")
# What both recorders say of themselves, and what changes from run to run; events need their ids.
OWN = ("# captured on", "# data", "# feat", "# perf version", "# cmdline", "# event", "# time of", "# sample duration",
       "# node", "# missing", "# total memory")


def header(tool, data):
    done = run(tool, "report", "--header-only", "-I", "-i", data)
    check(done.returncode == 0, f"{tool} reads {data}: {done.stderr.strip()}")
    return [line for line in done.stdout.rstrip("\n").split("\n") if not line.startswith(NEW)]


def without(lines, words):
    return [in_order(line) for line in lines if not line.startswith(words)]


def in_order(line):
    """perf lists PMUs as their directory does."""
    name, colon, rest = line.partition(": ")
    return name + colon + ", ".join(sorted(rest.split(", "))) if name == "# pmu mappings" else line


def record(data, *words, tool=PFX, command=("true",)):
    argv = [tool, "record", "-e", "cpu-clock", "-F", "2000", "-o", data, *words, "--", *command]
    if data.startswith("stream"):
        argv[argv.index(data)] = "-"
        with open(data, "wb") as out:
            done = run(*argv, stdout=out)
    else:
        done = run(*argv)
    check(done.returncode == 0, f"{' '.join(argv)}: {done.stderr.strip()}")


def both_read_the_same():
    for data in ("file.data", "stream.data"):
        record(data)
        ours = header(PFX, data)
        check(len(ours) > 20, f"{data}: a header of {len(ours)} lines")
        if not PERF:
            continue
        if data.startswith("stream"):
            done = run(PERF, "report", "--header", "-I", "--stdio", "-i", data)
            theirs = re.findall(r"^# [a-z ]+ : .*", done.stdout, re.MULTILINE)
            check(len(theirs) > 8, f"perf reads {len(theirs)} lines of a stream's header")
            for line in theirs:
                check(line in ours, f"{data}: pfx does not show {line!r}")
            equal(done.returncode, 0, f"perf reads a stream: {done.stderr.strip()}")
        else:
            equal(ours, header(PERF, data), data)
            record("perf.data", tool=PERF)
            equal(without(ours, OWN), without(header(PFX, "perf.data"), OWN), "what both recorders write")


def new_features():
    """In files; perf gives up on a stream that has them."""
    text = run(PFX, "report", "--header-only", "-I", "-i", "file.data").stdout
    check("\n# e_machine : " in text, "the file has no E_MACHINE")
    check(re.search(r"\n# cacheline size: (16|32|64|128|256)\n", text), "the file has no CLN_SIZE")
    equal("\n# schedstat version : " in text, os.path.exists("/proc/schedstat"), "CPU_DOMAIN_INFO")
    text = run(PFX, "report", "--header-only", "-I", "-i", "stream.data").stdout
    check("# hostname : " in text and "e_machine" not in text, "the stream has features from 32 on")


def hit_symbol(tool, data):
    return re.search(r"([\d.]+)%.*\bbpf_prog_[0-9a-f]{16}_" + bpf.NAMES[1],
                     run(tool, "report", "--stdio", "-s", "sym", "-i", data).stdout)


def check_program(data, number):
    """Both tools describe the program and name what was hit."""
    for tool in filter(None, (PFX, PERF)):
        found = hit_symbol(tool, data)
        check(found and float(found.group(1)) > 0, f"{tool}: the function of {data} has no name")
    text = run(PFX, "report", "--header-only", "-I", "-i", data).stdout
    described = re.search(rf"# bpf_prog_info {number}:\n(.*)\n(.*)\n", text)
    check(described and all(re.search(rf"bpf_prog_[0-9a-f]{{16}}_{name} addr 0x[0-9a-f]+ size \d+", line)
                            for name, line in zip(bpf.NAMES, described.groups())), f"{data}: {text[-600:]}")
    check("# btf info of id " in text, f"{data}: the types are not there")
    if PERF and not data.startswith("stream"):
        equal(header(PFX, data), header(PERF, data), data)


def programs(number):
    command = (sys.executable, BPF, str(number), "0.3")
    for data, words in (("bpf.data", ()), ("stream-bpf.data", ()), ("all-bpf.data", ("-a",))):
        record(data, *words, command=command)
        check_program(data, number)
    for words in (("--no-bpf-event",), ("-e", "cpu-clock:u", "--no-bpf-event"), ("--all-user",)):
        record("none.data", *words, command=command)
        text = run(PFX, "report", "--header-only", "-I", "-i", "none.data").stdout
        check("bpf_prog_info" not in text, f"{words}: BPF programs are described")


def loaded_meanwhile():
    """Such a program is described where it is still there at the end."""
    recorder = subprocess.Popen([PFX, "record", "-q", "-a", "-e", "cpu-clock", "-F", "2000", "-o", "late.data"],
                                start_new_session=True)
    wait_for(lambda: os.path.exists("late.data") and os.path.getsize("late.data") > 20000, "the recording")
    fd, number = bpf.load()
    run(sys.executable, BPF, str(number), "0.5")
    recorder.send_signal(signal.SIGINT)
    recorder.wait()
    os.close(fd)
    text = run(PFX, "report", "--header-only", "-I", "-i", "late.data").stdout
    check(f"# bpf_prog_info {number}:" in text, "a program that was loaded meanwhile is not described")
    for tool in filter(None, (PFX, PERF)):
        check(hit_symbol(tool, "late.data"), f"{tool}: a program that was loaded meanwhile has no name")


def main():
    need_recording()
    both_read_the_same()
    new_features()
    fd, number = bpf.load()
    if fd is None:
        print(f"no BPF program was recorded: {number}")
    else:
        programs(number)
        loaded_meanwhile()
    finish()


main()
