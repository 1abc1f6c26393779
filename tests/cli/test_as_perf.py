# SPDX-License-Identifier: MIT
"""Started as perf, pfx answers as perf does: names, exit codes, the manual page, commands that it lacks."""
import os
import re
import shutil
import subprocess
import tempfile

from checks import PFX, check, finish, run

NAMES = ("perf", "perf_6.1", "perf-pfx", "perf.real")


def link(where, name):
    path = os.path.join(where, name)
    os.symlink(os.path.abspath(PFX), path)
    return path


def check_names(where):
    for name in NAMES:
        done = run(link(where, name), "version")
        check(re.fullmatch(r"perf version 6\.1\.pfx\d+\.\d+\n", done.stdout), f"{name}: {done.stdout!r}")
    for name in ("perform", "pfx-perf", "xperf"):
        done = run(link(where, name), "version")
        check(done.stdout.startswith("pfx version "), f"{name}: {done.stdout!r}")


def check_help(perf):
    for command in run(PFX, "--list-cmds").stdout.split():
        done = run(perf, command, "-h")
        check(done.returncode == 129 and not done.stdout, f"{command} -h: {done.returncode} {done.stdout[:80]!r}")
        check(done.stderr.startswith(f"Usage: perf {command}"), f"{command} -h: {done.stderr[:80]!r}")
        done = run(perf, command, "--no-such-option-at-all")
        check(done.returncode == 129, f"{command}: {done.returncode}")
        check(done.stderr.startswith(f"perf {command}: unknown option '--no-such-option-at-all'"), done.stderr[:80])
    for words in ((), ("-h",), ("--help",), ("help",)):
        done = run(perf, *words)
        check(done.stdout.startswith("Usage: perf "), f"perf {words}: {done.stdout[:80]!r}")
        check("'pfx " not in done.stdout and "Usage: pfx" not in done.stdout, f"perf {words}: {done.stdout}")
        check(done.returncode == (0 if words else 1), f"perf {words}: {done.returncode}")


def check_manual(perf):
    if not shutil.which("man"):
        return
    for words in (("help", "record"), ("record", "--help")):
        done = run(perf, *words)
        check(done.returncode == 0, f"{words}: {done.returncode}")
        text = re.sub(r".\x08|\x1b\[\d*m", "", done.stdout)
        for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "SEE ALSO"):
            check(re.search(f"^{title}$", text, re.M), f"{words}: no {title} in {text[:300]!r}")


def check_messages(perf, where):
    for words, text in ((("nosuch",), "perf: "),
                        (("record", "-F", "x", "true"), "perf record: "),
                        (("report",), "'perf record'")):
        done = run(perf, *words, cwd=where)
        check(text in done.stderr and "pfx" not in done.stderr, f"{words}: {done.stderr!r}")


def check_hand_over(perf, where):
    other = os.path.join(where, "other")
    os.mkdir(other)
    program = os.path.join(other, "perf")
    with open(program, "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\necho "other: $*"\nexit 7\n')
    os.chmod(program, 0o755)
    path = f"{os.path.dirname(perf)}:{other}:/usr/bin:/bin"
    done = run(perf, "bench", "mem", "-s 1", env={"PATH": path})
    check((done.returncode, done.stdout) == (7, "other: bench mem -s 1\n"), f"{done.returncode} {done.stdout!r}")
    check(done.stderr == f"perf: 'bench' is run by {program}, because pfx lacks it\n", done.stderr)
    done = run(perf, "bench", env={"PATH": path, "PFX_HANDED_OVER": "1"})
    check(done.returncode == 1 and "pfx has no 'bench' yet" in done.stderr, f"twice: {done.stderr!r}")
    done = run(PFX, "bench", env={"PATH": path})
    check(done.returncode == 1 and not done.stdout, f"as pfx: {done.returncode} {done.stdout!r}")


SENTENCES = (
    (("script", "-i", "clock", "-F", "addr"), "Samples for 'cpu-clock' event do not have ADDR attribute set. "
                                             "Cannot print 'addr' field.\n"),
    (("script", "-i", "clock", "-F", "weight"), "Samples for 'cpu-clock' event do not have WEIGHT attribute set. "
                                               "Cannot print 'weight' field.\n"),
    (("report", "-i", "empty", "--stdio"), "Error:\nThe empty data has no samples!\n"),
    (("record", "-e", "nosuch", "true"), "event syntax error: 'nosuch'\n"),
    (("stat", "-e", "a:b:c", "true"), "event syntax error: 'a:b:c'\n"),
    (("report", "-i", "missing"), "failed to open missing: No such file or directory\n"),
    (("evlist", "-i", "missing"), "failed to open missing: No such file or directory\n"))
CLOCK = """event cpu-clock type=sw config=0 period=1 sample=ip,tid,time ids=1
comm pid=1 tid=1 "one"
"""
SAMPLE = "sample event=cpu-clock id=1 ip=0x401126 pid=1 tid=1 time=1000\n"


def check_sentences(perf, where):
    """What other programs parse."""
    for name, text in (("clock", CLOCK + SAMPLE), ("empty", CLOCK)):
        with open(os.path.join(where, f"{name}.txt"), "w", encoding="utf-8") as file:
            file.write(text)
        done = run(os.path.join(os.path.dirname(PFX), "../tests/kit/pfx-kit"), f"{name}.txt", name, cwd=where)
        check(done.returncode == 0, done.stderr)
    for words, text in SENTENCES:
        done = run(perf, *words, cwd=where)
        check(done.stderr.startswith(text), f"{words}: {done.stderr!r}")
        check(text not in run(PFX, *words, cwd=where).stderr, f"{words}: pfx has the sentence, too")


def check_traces(perf, where):
    """--itrace is checked, has no effect without traces, and is refused where they would have to be decoded."""
    aux = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "golden/aux-area.txt")
    done = run(os.path.join(os.path.dirname(PFX), "../tests/kit/pfx-kit"), aux, "aux", cwd=where)
    check(done.returncode == 0, done.stderr)
    for words in ("i100us", "i1000i,b", "ibxwpe", "cr", "e+o-l", "d+a", "g16l64", "s1000,qq", "Z", "i 10 ms", ""):
        for command in ("script", "report", "inject"):
            done = run(perf, command, "-i", "clock", f"--itrace={words}", "-o" if command == "inject" else "-q",
                       *(["copy"] if command == "inject" else []), cwd=where)
            check(done.returncode == 0, f"{command} --itrace={words}: {done.stderr!r}")
    for words in ("nosuch", "s", "i10x", "i10m", "k", "b;"):
        for command in ("script", "report", "inject", "annotate"):
            done = run(perf, command, "-i", "clock", f"--itrace={words}", cwd=where)
            check(done.returncode == 129 and f"Bad Instruction Tracing options '{words}'\n" in done.stderr,
                  f"{command} --itrace={words}: {done.returncode} {done.stderr!r}")
            done = run(PFX, command, "-i", "clock", f"--itrace={words}", cwd=where)
            check(f"pfx {command}: '{words}' is not valid for --itrace\n" in done.stderr, f"{command}: {done.stderr!r}")
    done = run(PFX, "inject", "-i", "aux", "--itrace", "-o", "copy2", cwd=where)
    check(done.returncode == 255 and not os.path.exists(os.path.join(where, "copy2")), f"{done}")
    check(done.stderr == "pfx inject: --itrace: the traces of this recording cannot be decoded\n"
          "pfx decodes no traces; without --itrace they are copied\n", f"{done.stderr!r}")


def check_moot(perf, where):
    """Options that have no effect in perf, either: a note by its name, an error by our own."""
    for words in (("report", "--source"), ("report", "--objdump", "/x"), ("report", "--percent-type", "local-hits"),
                  ("report", "--no-asm-raw"), ("inject", "--ignore-vmlinux"), ("inject", "--guestmount", "/x"),
                  ("record", "--clang-path", "/x"), ("record", "--vmlinux", "/x"), ("list", "--debug")):
        rest = {"report": ("-i", "clock"), "list": ("sw",), "inject": ("-i", "clock", "-o", "copy"),
                "record": ("-e", "cpu-clock:u", "-o", "copy", "true")}[words[0]]
        done = run(perf, *words, *rest, cwd=where)
        check(done.returncode == 0 and " has no effect: " in done.stderr, f"{words}: {done}")
        done = run(PFX, *words, *rest, cwd=where)
        check(done.returncode == 129 and "there is no option '--" in done.stderr, f"{words}: {done}")
    done = run(perf, "report", "-i", "clock", "--percent-type", "nosuch", cwd=where)
    check(done.returncode == 129 and "'nosuch' of option '--percent-type' is not one of its words" in done.stderr, f"{done}")
    for words, text in ((("data", "convert", "--to-ctf", "x"), "there is no option '--to-ctf'\npfx writes no CTF"),
                        (("help", "-i", "record"), "there is no option '--info'\npfx has manual pages")):
        done = run(PFX, *words, cwd=where)
        check(done.returncode == 129 and text in done.stderr, f"{words}: {done}")
    done = run(perf, "nosuch", "--help", cwd=where)
    check(done.returncode == 16 and "there is no help on 'nosuch'" in done.stderr, f"{done}")
    done = run(perf, "help", "-a", cwd=where)
    check(done.returncode == 0 and "\nScripts:\n" in done.stdout and "task-analyzer" in done.stdout, f"{done.stdout[-300:]}")


def check_features(perf):
    text = run(perf, "version", "--build-options").stdout
    for name in ("aio", "libtraceevent", "libelf"):
        check(re.search(rf"^ *{name}: \[ on  \]  # HAVE_", text, re.M), f"{name}: {text}")
    check(run(perf, "-vv").stdout == text, "-vv")
    for words, code, out in ((("aio,libtraceevent",), 0, 2), (("libbfd",), 1, 1), (("-q", "libbfd"), 1, 0),
                             (("nosuch",), 1, 0), ((), 129, 0)):
        done = run(perf, "check", "feature", *words)
        check((done.returncode, done.stdout.count("\n")) == (code, out), f"check feature {words}: {done}")
    check("unknown feature 'nosuch'" in run(perf, "check", "feature", "nosuch").stderr, "unknown feature")


def check_paths(perf):
    check(run(perf, "--exec-path", env={"PERF_EXEC_PATH": "/one"}).stdout == "/one\n", "PERF_EXEC_PATH")
    root = run(perf, "--exec-path").stdout.strip()
    check(os.path.isdir(os.path.join(root, "scripts/python")), f"--exec-path: {root}")
    check(run(perf, "--html-path").stdout.endswith("/doc/pfx\n"), "--html-path")
    for words in (("--exec-path=/x", "version"), ("--debugfs-dir", "/x", "version")):
        check(run(perf, *words).returncode == 0, f"{words}")
    text = run(perf, "list", "--raw-dump", "sw").stdout
    check(text.count("\n") == 1 and " page-faults " in text, f"--raw-dump: {text[:80]!r}")


CONFIG = """# mine
[report]
\tchildren = no ; a comment
[alias "a.b"]
\tx = "# y"
"""


def check_config(perf, where):
    home = os.path.join(where, "home")
    file = os.path.join(home, ".perfconfig")
    os.mkdir(home)
    with open(file, "w", encoding="utf-8") as out:
        out.write(CONFIG)

    def config(*words, program=perf):
        # not by run(), which chooses another file
        env = {"HOME": home, "PATH": os.environ["PATH"]}
        return subprocess.run((program, "config", *words), check=False, text=True, capture_output=True, env=env)

    def same(words, expected, code=0):
        done = config(*words)
        check((done.stdout, done.returncode) == (expected, code), f"config {words}: {done}")

    same(("report.children", "no.key"), "report.children=no\n")
    same((), "report.children=no\nalias.a.b.x=# y\n")
    same(("report.children=yes", "report.new=a # b", "other.k=v"), "")
    with open(file, encoding="utf-8") as changed:
        text = changed.read()
    check(text == """# mine
[report]
\tchildren = yes
\tnew = "a # b"
[alias "a.b"]
\tx = "# y"
[other]
\tk = v
""", f"the file: {text}")
    same(("-l",), "report.children=yes\nreport.new=a # b\nalias.a.b.x=# y\nother.k=v\n")
    same(("--system", "report.children"), "")
    for words, code, sentence in (
            (("x",), 255, "'x' names no section"), (("x.",), 255, "ends after its section"), ((".x",), 255, "no section"),
            (("x.y=",), 255, "'x.y' has no value"), (("x.y", "x.z=1"), 255, "exclude each other"),
            (("--user", "--system"), 255, "exclude each other"), (("-l", "x.y"), 0, "takes no word"),
            (("x.y z=1",), 255, "is not a valid key")):
        done = config(*words)
        check(done.returncode == code and sentence in done.stderr, f"config {words}: {done}")
    config("report.children=no", program=PFX)
    with open(os.path.join(home, ".config/pfx/config"), encoding="utf-8") as made:
        check(made.read() == "[report]\n\tchildren = no\n", "pfx's own file")
    with open(file, "w", encoding="utf-8") as out:
        out.write("[report]\nnot valid\n")
    done = run(PFX, "config", "a.b=c")  # PFX_CONFIG is /dev/null
    check(done.returncode == 255 and "'/dev/null' is not a file" in done.stderr, f"/dev/null: {done}")
    done = config("a.b=c")
    check(done.returncode == 255 and "line 2 is not a valid setting" in done.stderr, f"a damaged file: {done}")


def check_profile(where):
    """As perf_to_profile, which writes into the file that is open already."""
    program, out = link(where, "perf_to_profile"), os.path.join(where, "profile")
    with open(out, "w+b") as file:
        done = run(program, "-i", "clock", "-o", out, "-f", cwd=where)
        check(done.returncode == 0 and not done.stderr, f"perf_to_profile: {done}")
        check(file.read(2) == b"\x1f\x8b" or os.path.getsize(out) > 0, "no profile")
    done = run(program, "-i", "missing", "-o", out, "-f", cwd=where)
    check(done.returncode == 255 and "'missing'" in done.stderr, f"perf_to_profile: {done}")


def check_install(where):
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/install-as-perf")
    prefix = os.path.join(where, "prefix")
    bin_perf = os.path.join(prefix, "bin/perf")

    def install(*words, code=0):
        done = run("sh", script, *words)
        check(done.returncode == code, f"install-as-perf {words}: {done}")
        return done

    pfx = os.path.abspath(PFX)
    install(prefix, pfx)
    install(prefix, pfx)
    for name in ("perf", "perf_to_profile"):
        check(os.readlink(os.path.join(prefix, "bin", name)) == pfx, name)
    check(run(bin_perf, "version").stdout.startswith("perf version 6.1.pfx"), "not perf")
    folder = os.path.join(prefix, "share/bash-completion/completions")
    os.makedirs(folder)
    for of_others in (False, True):
        with open(os.path.join(folder, "pfx"), "w", encoding="utf-8") as file:
            file.write("# completion\n")
        if of_others:
            with open(os.path.join(folder, "perf"), "w", encoding="utf-8") as file:
                file.write("of others\n")
        install(prefix, pfx)
        check(os.path.islink(os.path.join(folder, "perf")) != of_others, f"completion: {of_others}")
        install("--remove", prefix, pfx)
        check(os.path.lexists(os.path.join(folder, "perf")) == of_others, f"completion is left or lost: {of_others}")
    check(not os.listdir(os.path.join(prefix, "bin")), "links are left")
    with open(bin_perf, "w", encoding="utf-8") as file:
        file.write("of others\n")
    for words in ((prefix, pfx), ("--remove", prefix, pfx)):
        done = install(*words, code=1)
        check(f"'{bin_perf}' is not a link to pfx and stays as it is" in done.stderr, done.stderr)
        check(os.listdir(os.path.join(prefix, "bin")) == ["perf"] and os.path.getsize(bin_perf) == 10, "it was changed")
    install(code=1)


def check_table():
    """Each habit in the code is a row of the page, and each row of that table a habit."""
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
    with open(os.path.join(root, "lib/cli/personality.h"), encoding="utf-8") as file:
        habits = {name.lower().replace("_", "-") for name in re.findall(r"^\tHABIT\((\w+),", file.read(), re.M)}
    with open(os.path.join(root, "Documentation/perf-compatibility.md"), encoding="utf-8") as file:
        table = file.read().split("## Habits")[1].split("\n## ")[0]
    rows = set(re.findall(r"^\| `([a-z-]+)` \|", table, re.M))
    check(habits and habits == rows, f"habits and rows: {habits ^ rows}")


def main():
    check_table()
    with tempfile.TemporaryDirectory() as where:
        check_names(where)
        perf = os.path.join(where, "perf")
        check_help(perf)
        check_manual(perf)
        check_messages(perf, where)
        check_sentences(perf, where)
        check_traces(perf, where)
        check_moot(perf, where)
        check_features(perf)
        check_paths(perf)
        check_config(perf, where)
        check_profile(where)
        check_install(where)
        check_hand_over(perf, where)
    finish()


main()
