#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What users meet first: a recorder that only Ctrl-C ends says so on a terminal, help goes through the pager, a mode that
was given to -g is explained, and a list without tracepoints says why."""
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile

from checks import PFX, check, finish, run
from libraries import built_in

PATIENCE = 300  # seconds until something hangs


def on_terminal(*argv, until=None, **env):
    """What a terminal shows of a run; when it has shown @until, Ctrl-C is pressed."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execve(PFX, [PFX, *argv], {**os.environ, "PFX_CONFIG": "/dev/null", "LC_ALL": "C", **env})
    shown, pressed = b"", False
    while select.select([fd], [], [], PATIENCE)[0]:
        try:
            data = os.read(fd, 4096)
        except OSError:
            break
        if not data:
            break
        shown += data
        if until and not pressed and until.encode() in shown:
            os.write(fd, b"\x03")
            pressed = True
    os.close(fd)
    _, status = os.waitpid(pid, 0)
    return shown.decode(errors="replace").replace("\r\n", "\n"), os.waitstatus_to_exitcode(status)


def waiting_scripts(own):
    """A script beside a recorder that nothing else ends."""
    if not built_in("python3-embed"):
        return []
    return [(["script", "stackcollapse"], "pfx script: recording the whole system; Ctrl-C ends it"),
            (["script", "-a", "stackcollapse"], "pfx script: recording the whole system; Ctrl-C ends it"),
            (["script", "stackcollapse", "-p", own], f"pfx script: recording process {own}; Ctrl-C ends it")]


def waiting():
    own = str(os.getpid())
    for words, said in (
            (["record", "-a", "-o", "w.data", "-e", "cpu-clock"], "pfx record: recording the whole system; Ctrl-C ends it"),
            (["record", "-C", "0", "-o", "w.data", "-e", "cpu-clock"], "pfx record: recording CPU 0; Ctrl-C ends it"),
            (["record", "-p", own, "-o", "w.data", "-e", "cpu-clock"], f"pfx record: recording process {own}; Ctrl-C ends it"),
            *waiting_scripts(own),
            (["stat", "-e", "task-clock"], "pfx stat: counting the whole system; Ctrl-C ends it"),
            (["stat", "-e", "task-clock", "-p", f"{own},{os.getppid()}"],
             f"pfx stat: counting processes {own},{os.getppid()}; Ctrl-C ends it")):
        shown, _ = on_terminal(*words, until="ends it\r\n")
        check(said in shown, f"{words}: no {said!r} in {shown!r}")
        check(shown.count("Ctrl-C") == 1, f"{words}: {shown!r}")
    # what ends by itself, or by a command, or was told to be quiet says nothing of it
    for words in (["stat", "-e", "task-clock", "--timeout", "10"], ["stat", "-e", "task-clock", "true"],
                  ["record", "-o", "w.data", "-e", "cpu-clock", "true"]):
        shown, _ = on_terminal(*words)
        check("Ctrl-C" not in shown, f"{words}: {shown!r}")
    done = run(PFX, "stat", "-e", "task-clock", "--timeout", "10")
    check("Ctrl-C" not in done.stderr, f"no terminal: {done.stderr!r}")


def can_record():
    return run(PFX, "stat", "-a", "-e", "task-clock", "true").returncode == 0


def help_in_pager():
    for command in ("report", "record", "list"):
        shown, code = on_terminal(command, "-h", PFX_PAGER="sed 's/^/P:/'")
        check(code == 0 and shown.startswith(f"P:Usage: pfx {command}"), f"{command} -h: {code} {shown[:200]!r}")
        shown, code = on_terminal("--no-pager", command, "-h", PFX_PAGER="sed 's/^/P:/'")
        check(code == 0 and shown.startswith(f"Usage: pfx {command}"), f"{command} -h, no pager: {code} {shown[:200]!r}")
    check(run(PFX, "report", "-h").stdout.startswith("Usage: pfx report"), "-h without a terminal")


def mode_of_chains():
    for words, hint in ((["-g", "dwarf", "--", "true"], "-g takes no mode: write --call-graph dwarf\n"),
                        (["-ag", "fp", "true"], "-g takes no mode: write --call-graph fp\n"),
                        (["-g", "lbr"], "-g takes no mode: write --call-graph lbr\n"),
                        (["-g", "dwarf,16384", "true"], "-g takes no mode: write --call-graph dwarf,16384\n")):
        done = run(PFX, "record", "-o", "w.data", *words)
        mode = next(word for word in words if word[0] != "-")
        check(done.returncode == 255 and done.stderr == f"pfx record: there is no command '{mode}'\n{hint}",
              f"{words}: {done.returncode} {done.stderr!r}")
    for words in (["-g", "dwarves"], ["-g", "--", "dwarf"], ["-a", "dwarf"]):
        done = run(PFX, "record", "-o", "w.data", *words)
        check(done.returncode == 255 and "--call-graph" not in done.stderr, f"{words}: {done.stderr!r}")
    with open("lbr", "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n")
    os.chmod("lbr", 0o755)
    done = subprocess.run([PFX, "record", "-o", "w.data", "-g", "lbr"], check=False, text=True, capture_output=True,
                          env={**os.environ, "PATH": f"{os.getcwd()}:{os.environ['PATH']}", "PFX_CONFIG": "/dev/null"})
    check("--call-graph" not in done.stderr, f"a program of that name: {done.stderr!r}")


def list_of_ordinary_user():
    """With root's rights gone, if there are any; tracefs may be open to all."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "pfx")
        os.chmod(folder, 0o755)
        shutil.copy(PFX, program)

        def leave():
            if not os.geteuid():
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)

        def listed(*words):
            return subprocess.run([program, "list", *words], check=False, text=True, capture_output=True, cwd="/",
                                  preexec_fn=leave, env={**os.environ, "PFX_CONFIG": "/dev/null", "HOME": folder})
        for words, is_list in (([], True), (["sw", "tracepoint"], True), (["cpu-*"], True), (["cpu-clock"], False), (["sw"], False)):
            done = listed(*words)
            check(done.returncode == 0 and "cpu-clock" in done.stdout, f"list {words}: {done.stderr!r}")
            has = "sched:sched_switch" in listed().stdout
            wanted = is_list and not has
            check(("pfx list: tracepoints are left out: " in done.stderr) == wanted, f"list {words}: {done.stderr!r}")
            check(not wanted or "sudo" in done.stderr, f"list {words}: no remedy in {done.stderr!r}")
            check("left out: tracepoints" not in done.stderr, f"list {words}: twice: {done.stderr!r}")
        if not has:
            for word in ("sched", "nosuchthing", "zzzz"):
                done = listed(word)
                check("tracepoints" in done.stderr and "sudo" in done.stderr, f"list {word}: {done.stderr!r}")


def main():
    help_in_pager()
    mode_of_chains()
    list_of_ordinary_user()
    if can_record():
        waiting()
    else:
        print("counting the whole system is not allowed here: what is said meanwhile is not tested")
    finish()


if not os.path.exists("/dev/ptmx"):
    print("SKIP: there are no terminals")
    sys.exit(77)
main()
