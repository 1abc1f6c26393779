#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where commands write what is no recording: named pipes wait for a reader, what other users put in a
shared directory is refused, and standard output can be named. The same of recordings is in
live/test_record_places.py."""
import json
import os
import shutil
import signal
import subprocess
import tempfile

from checks import KIT, PFX, check, finish, run
from libraries import built_in

NOBODY = 65534
LONG = 120  # seconds; these commands take a few milliseconds
DUMP = "perf.data.cpu-clock.dump"
PERF_DATA = """event cpu-clock type=sw config=0 freq=1000 sample=ip,tid,time,period,callchain
feature hostname str=testhost
comm pid=39 tid=39 "prog"
sample ip=0x1004 pid=39 tid=39 time=1000 period=1 chain=user,0x1004
round
"""
# What is run in a folder with a recording: the words, the output's name.
COMMANDS = [
    (["stat", "-e", "task-clock", "-o", "out", "true"], "out"),
    (["stat", "-e", "task-clock", "-o", "out", "--append", "true"], "out"),
    (["list", "-o", "out", "sw"], "out"),
    (["data", "convert", "--force", "--to-json", "out"], "out"),
    (["data", "convert", "--to-json", "out"], "out"),
    (["script", "--per-event-dump"], DUMP),
]
COMMANDS += [(["flamegraph", "-i", "perf.data"], "flamegraph.html"), (["flamegraph", "-i", "perf.data", "-o", "out"], "out")]
if built_in("python"):
    COMMANDS += [(["script", "flamegraph"], "flamegraph.html"), (["script", "flamegraph", "-o", "out"], "out")]
ENV = {**os.environ, "PFX_CONFIG": "/dev/null", "LC_ALL": "C"}


def remove(name):
    if os.path.isdir(name) and not os.path.islink(name):
        os.rmdir(name)
    elif os.path.lexists(name):
        os.unlink(name)


def pfx(*words, cwd="shared", **kw):
    kw.setdefault("stdout", subprocess.PIPE)
    try:
        return subprocess.run([PFX, *words], check=False, timeout=LONG, env=ENV, text=True, cwd=cwd,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, **kw)
    except subprocess.TimeoutExpired:
        check(False, f"{words} waits for ever")
        return subprocess.CompletedProcess(words, 0, "", "")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def planted():
    """Nothing of another user's in a directory that others may write to is opened."""
    if os.geteuid():
        print("not root: what other users put in a directory was not tested")
        return
    os.chmod("shared", 0o1777)
    for kind, make in (("a named pipe", os.mkfifo), ("a link", lambda to: os.symlink("../victim", to)),
                       ("a link", lambda to: os.symlink("/nonexistent/x", to)), ("a directory", os.mkdir),
                       ("a file", lambda to: write(to, "theirs"))):
        for words, name in COMMANDS:
            write("victim", "precious")
            make(f"shared/{name}")
            os.chown(f"shared/{name}", NOBODY, NOBODY, follow_symlinks=False)
            done = pfx(*words)
            what = f"{' '.join(words)}: {kind} of another user"
            check(done.returncode not in (0, -signal.SIGTERM), f"{what}: exit code {done.returncode}")
            check(f"'{name}' is {kind} of another user ({NOBODY}), where others may write\n"
                  "remove it, or write to a directory of your own\n" in done.stderr, f"{what}: {done.stderr!r}")
            check("Traceback" not in done.stderr, f"{what}: {done.stderr}")
            check(read("victim") == "precious", f"{what}: its target was overwritten")
            check(kind != "a file" or read(f"shared/{name}") == "theirs", f"{what}: it was written to")
            remove(f"shared/{name}")
    os.chmod("shared", 0o755)


def own_links():
    """Our own link is followed, and what it leads to is replaced."""
    os.chmod("shared", 0o1777)
    for words, name in COMMANDS:
        is_new = "convert" in words and "--force" not in words
        write("victim", "precious" * 10000)
        os.symlink("../victim", f"shared/{name}")
        done = pfx(*words)
        check((done.returncode != 0) == is_new, f"{words}: {done.returncode} {done.stderr}")
        check(not is_new or "'out': File exists\nuse --force to overwrite it" in done.stderr, done.stderr)
        kept = "--append" in words or is_new
        check(os.path.islink(f"shared/{name}") and (read("victim").count("precious") == 10000) == kept,
              f"{words}: through our own link")
        remove(f"shared/{name}")
    os.chmod("shared", 0o755)


def own_pipes():
    """Our named pipe is waited for, the wait is told, SIGINT, SIGTERM and SIGHUP end it, and a late
    reader gets all of it."""
    for i, (words, name) in enumerate(COMMANDS):
        os.mkfifo(f"shared/{name}")
        number = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[i % 3]
        for ends in (True, False):
            process = subprocess.Popen([PFX, *words], cwd="shared", env=ENV, stderr=subprocess.PIPE,
                                       stdout=subprocess.DEVNULL, text=True)
            line = process.stderr.readline()
            check(line.endswith(f": waiting for somebody to read '{name}'\n"), f"{words}: {line!r}")
            if ends:
                process.send_signal(number)
                check(process.wait(timeout=LONG) == -number, f"{words}: signal {number}: {process.returncode}")
                continue
            check(read(f"shared/{name}") != "", f"{words}: a late reader")
            check(process.wait(timeout=LONG) == 0, f"{words}: {process.returncode} {process.stderr.read()}")
        remove(f"shared/{name}")


def standard_output():
    """Under its name in /dev the words go where it leads, after what is there already."""
    for words, name in COMMANDS:
        if name != "out":
            continue
        to_dev = ["/dev/stdout" if word == "out" else word for word in words]
        piped = pfx(*to_dev)
        check(piped.returncode == 0 and piped.stdout != "", f"{to_dev}: a pipe: {piped.stderr}")
        write("to", "first\n")
        with open("to", "a", encoding="utf-8") as out:
            done = pfx(*to_dev, stdout=out)
        check(done.returncode == 0 and read("to").startswith("first\n") and len(read("to")) > 20,
              f"{to_dev}: a file: {done.stderr}")
        check(os.path.islink("/dev/stdout"), f"{to_dev}: /dev/stdout is still there")
        dash = pfx(*["-" if word == "out" else word for word in words])
        shown = dash.stderr if words[0] == "stat" else dash.stdout
        check(dash.returncode == 0 and shown != "" and not os.path.exists("shared/-"), f"{words} with -: {dash.stderr}")
    json.loads(pfx("data", "convert", "--to-json", "-").stdout)


def failed_conversion():
    """What cannot be converted leaves no file, and takes no link away."""
    write("shared/broken", "not a recording")
    os.symlink("../target", "shared/out")
    done = pfx("data", "convert", "-i", "broken", "--to-json", "out")
    check(done.returncode != 0 and os.path.islink("shared/out"), f"{done.stderr}")
    remove("shared/out")


def separators():
    """A tab and the separators of ASCII may separate fields; other control characters would steer the terminal."""
    for command in (["stat", "-e", "task-clock", "-x"], ["stat", "report", "-x"], ["report", "-t"]):
        target = ["true"] if command[1] == "-e" else []
        for bad in ("\x1b", "a\x1b[2J", "\n", "\x07", "\x7f", "\x9b"):
            done = pfx(*command, bad, *target)
            check(done.returncode in (129, 255), f"{command} {bad!r}: exit code {done.returncode}")
            check("cannot separate columns: it has characters that cannot be printed\nuse a tab (\\t) or printable text\n"
                  in done.stderr and bad.replace("\n", "'\n'") not in done.stderr, f"{command} {bad!r}: {done.stderr!r}")
        for good in ("\t", "\\t", ";", "é", "||", "\x01", "\x1e", ";\x1f"):
            done = pfx(*command, good, *target)
            check("cannot separate" not in done.stderr, f"{command} {good!r}: {done.stderr!r}")
            shown = "\t" if good == "\\t" else good
            check(command[1] == "report" or shown in (done.stderr if command[0] == "stat" else done.stdout),
                  f"{command} {good!r}: {done.stderr!r}")


def main():
    os.mkdir("shared")
    write("description", PERF_DATA)
    made = run(KIT, "--le", "description", "shared/perf.data")
    check(made.returncode == 0, made.stderr)
    planted()
    own_links()
    own_pipes()
    standard_output()
    failed_conversion()
    separators()
    finish()


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
