# SPDX-License-Identifier: MIT
"""Words of the user that steer a terminal, as the value of every option of every command, as every
other word, in the environment and in the configuration: no message sends them to the terminal."""
import itertools
import os
import re
import subprocess
import tempfile

from checks import KIT, PFX, check, finish

BAD = "a\x1b[31m\x1b]0;t\x07\u009b2J\u202e\rb\x0bc\x7f"
RAW = (b"\x1b", b"\x07", b"\r", b"\x0b", b"\x7f", "\u009b".encode(), "\u202e".encode())
# Shapes that get past the first look at a word.
SHAPES = (BAD, f"1,{BAD}", f"comm,{BAD}", f"cs/{BAD}/", f"cs:{BAD}", f"fp,{BAD}", f"+{BAD}", f"fd:{BAD}",
          f"fifo:{BAD}", f"nowhere/{BAD}", f"10%/{BAD}")
READERS = ("report", "script", "evlist", "buildid-list", "inject", "data", "stat")
# A separator comes out as it was given, between what is counted; a shell has messages of its own.
NOT_MESSAGES = {("report", "--field-separator"), ("stat", "--field-separator"), ("stat", "--pre"), ("stat", "--post")}
# Each command is tried with what it cannot do without; top with what it ends at.
REST = {"record": ["--", "true"], "stat": ["--", "true"], "completion": ["bash"], "top": ["-p", "1073741824"],
        "data": ["convert", "--to-json", "-"]}
DESCRIPTION = """event cpu-clock type=sw config=0 freq=1000 sample=ip,tid,time,cpu,period
feature hostname str=testhost
feature arch str=x86_64
comm pid=10 tid=10 "prog"
mmap pid=10 tid=10 addr=0x400000 len=0x1000 "/nowhere/prog"
sample ip=0x400010 pid=10 time=1000 period=1
sample ip=0x400020 pid=10 time=2000 period=1
round
"""
SECONDS = 60  # for what would hang


def look(what, data):
    for raw in RAW:
        at = data.find(raw)
        check(at < 0, f"{what!r}: raw {raw!r}: {data[max(0, at - 60):at + 20]!r}")


def pfx(*words, is_silent=False, **env):
    full = {**os.environ, "PFX_CONFIG": "/dev/null", "HOME": os.getcwd(), "PAGER": "cat", **env}
    try:
        done = subprocess.run([PFX, *words], stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              env=full, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        check(False, f"{words!r} does not end")
        return b""
    check(done.returncode >= 0, f"{words!r}: ended by signal {-done.returncode}")
    if not is_silent:
        look(" ".join(words), done.stderr + done.stdout)
    return done.stdout + done.stderr


def options_of(command):
    """The options of a command that take a value, as `-h` shows them."""
    for line in pfx(command, "-h").decode().splitlines():
        row = re.match(r"\s{4,8}(-\S)?(?:, )?(--[a-z0-9-]+)? ?\[?=?<", line)
        if row:
            yield row.group(2) or row.group(1), "[=<" in line or not row.group(2) and "[<" in line


def try_option(command, option, is_attached, word):
    words = [option + ("=" if option.startswith("--") else "") + word] if is_attached else [option, word]
    read = ["-i", "x.data"] if command in READERS and option not in ("-i", "--input") else []
    if command == "stat":
        read = []
    if command == "record" and option != "--output":
        read = ["-o", "y.data"]
    pfx(command, *read, *words, *REST.get(command, []), is_silent=(command, option) in NOT_MESSAGES)


def try_options():
    nr = 0
    for command in pfx("--list-cmds").decode().split():
        for option, is_attached in options_of(command):
            nr += 1
            for shape in SHAPES:
                try_option(command, option, is_attached, shape)
    check(nr > 130, f"only {nr} options take a value")


def try_words():
    commands = pfx("--list-cmds").decode().split()
    for command, shape in itertools.product(commands, SHAPES[:2]):
        pfx(command, shape)
        pfx(command, "--" + shape)
        pfx(command, "-" + shape)
        pfx(command, "-h", shape)
        if command in READERS:
            pfx(command, "-i", "x.data", shape)
    for words in ((BAD,), ("--" + BAD,), ("help", BAD), ("stat", "report", BAD), ("stat", "record", "--", BAD),
                  ("script", "record", BAD), ("script", "report", BAD), ("script", "-i", "x.data", "-s", BAD),
                  ("script", "-i", "x.data", "-g", BAD), ("script", "-s", f"{BAD}:{BAD}", "-i", "x.data"),
                  ("script", "flamegraph", "-i", BAD), ("data", BAD), ("data", "convert", BAD),
                  ("record", "-o", f"{BAD}/x.data", "--", "true"), ("record", "--", BAD), ("list", BAD),
                  ("record", "--switch-output", "--switch-max-files", BAD, "--", "true")):
        pfx(*words)


def try_environment():
    for name in ("PFX_CONFIG", "PERF_CONFIG", "HOME", "XDG_CONFIG_HOME", "PFX_SCRIPTS", "PFX_CPUID", "COLUMNS",
                 "DEBUGINFOD_URLS", "DEBUGINFOD_CACHE_PATH", "PFX_PAGER"):
        for words in (("report", "-i", "x.data"), ("script", "flamegraphh"), ("stat", "-e", "none/x/", "--", "true")):
            pfx(*words, **{name: BAD})


def configured_keys():
    return re.findall(r"^    ([a-z-]+\.[A-Za-z_-]+) ", pfx("help", "config").decode(), re.M)


def try_configuration():
    """Wrong lines, wrong values of every key, and a file whose name is such a word."""
    keys = configured_keys()
    check(len(keys) > 10, f"only {len(keys)} keys of the configuration")
    texts = [BAD, f"[{BAD}\n", f"[report]\n{BAD} = {BAD}\n", f'[report "{BAD}"]\nx\n']
    for key in keys:
        section, name = key.split(".", 1)
        texts.append(f"[{section}]\n\t{name} = {BAD}\n")
    for text in texts:
        with open(BAD, "w", encoding="utf-8") as f:
            f.write(text)
        for words in (("report", "-i", "x.data"), ("script", "-i", "x.data"), ("stat", "-e", "cs", "--", "true"),
                      ("record", "-e", "cpu-clock", "-o", "y.data", "--", "true")):
            pfx(*words, PFX_CONFIG=BAD)
    os.unlink(BAD)


def try_sentences():
    """What is shown instead, and that a word makes no line of its own."""
    shown = b"a\\x1b[31m\\x1b]0;t\\x07"
    for words, env in ((("script", "-i", "x.data", "-g", BAD), {}), (("script", "-i", "x.data", "-s", BAD), {}),
                       (("list",), {"PFX_CONFIG": f"{BAD}/nowhere"}), (("report", "-i", BAD), {})):
        said = pfx(*words, **env)
        check(shown in said, f"{words!r} does not show the word: {said!r}")
    for words in (("script", "-i", "x.data", "-g", "a\npfx: b"), ("report", "-i", "a\npfx: b"), ("a\npfx: b",)):
        said = pfx(*words)
        check(b"\npfx: b" not in said and b"a\\x0apfx: b" in said, f"{words!r}: a line was made: {said!r}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("description", "w", encoding="utf-8") as f:
            f.write(DESCRIPTION)
        subprocess.run([KIT, "--le", "description", "x.data"], check=True)
        try_options()
        try_words()
        try_environment()
        try_configuration()
        try_sentences()
        os.chdir("/")


main()
finish()
