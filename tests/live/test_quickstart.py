# SPDX-License-Identifier: MIT
"""From a fresh copy of the tree by the README's first command to an installation: every command, manual page,
script and the completion work from an empty prefix. The copy is built without optimisation, in half the
time: what the compiler says of the optimised program, the build dev says."""
import json
import os
import shutil
import sys

from live import check, equal, finish, need_recording, run, skip

SOURCE = os.environ["PFX_SOURCE_DIR"]
PREFIX = os.path.abspath("prefix")
BIN = os.path.join(PREFIX, "bin", "pfx")
COMPLETE = """. "$1"; COMP_WORDS=(pfx rec); COMP_CWORD=1; COMP_LINE="pfx rec"; COMP_POINT=7
$(complete -p pfx | sed 's/.*-F \\([^ ]*\\).*/\\1/') pfx rec pfx; echo "${COMPREPLY[@]}" """


def copy_tree():
    """What git would clone, with what is not committed yet."""
    listed = run("git", "-C", SOURCE, "ls-files", "-co", "--exclude-standard")
    if listed.returncode:
        skip("the tree is no git checkout")
    shutil.rmtree("tree", ignore_errors=True)
    shutil.rmtree(PREFIX, ignore_errors=True)
    for path in listed.stdout.split():
        source = os.path.join(SOURCE, path)
        if os.path.exists(source):
            os.makedirs(os.path.dirname(os.path.join("tree", path)), exist_ok=True)
            shutil.copy2(source, os.path.join("tree", path))
    with open("tree/CMakePresets.json", encoding="utf-8") as file:
        presets = json.load(file)
    release = next(preset for preset in presets["configurePresets"] if preset["name"] == "release")
    release["cacheVariables"]["CMAKE_BUILD_TYPE"] = "None"
    with open("tree/CMakePresets.json", "w", encoding="utf-8") as file:
        json.dump(presets, file)


def install():
    start = run("tree/scripts/quickstart")
    check(start.returncode == 0 and "count_word" in start.stdout,
          f"quickstart: {start.stdout[-500:]} {start.stderr}")
    done = run("cmake", "--install", "tree/build/release", "--prefix", PREFIX)
    if done.returncode:
        print("FAIL: install:", done.stdout[-500:], done.stderr)
        sys.exit(1)


def commands():
    """The names in the table that `pfx help` prints."""
    names = run(BIN, "--list-cmds").stdout.split()
    check(len(names) > 12 and "record" in names, f"commands in help: {names}")
    return names


def check_pages(names):
    for name in names:
        done = run(BIN, name, "-h")
        check(done.returncode == 0 and f"pfx {name}" in done.stdout, f"{name} -h: {done.stderr}")
    folder = os.path.join(SOURCE, "Documentation")
    for page in sorted(os.listdir(folder)):
        name, _, section = page.rpartition(".")
        if section in ("1", "7"):
            done = run("man", "-M", os.path.join(PREFIX, "share/man"), section, name)
            check(done.returncode == 0 and "\nNAME\n" in done.stdout, f"man {section} {name}: {done.stderr}")


def check_use():
    done = run(BIN, "record", "-g", "-o", "x.data", "--", "tree/build/release/scripts/demo/pfx-demo", "1")
    check(done.returncode == 0, f"record: {done.stderr}")
    check("prime_thread" in run(BIN, "report", "-i", "x.data").stdout, "report of the installed program")
    listed = run(BIN, "script", "-l").stdout
    for script in ("flamegraph", "stackcollapse", "syscall-counts"):
        check(script in listed, f"script -l has no {script}")
    if "libpython3" in run("sh", "-c", f"ldd {PREFIX}/lib*/*/pfx/*.so {PREFIX}/lib*/pfx/*.so").stdout:
        done = run(BIN, "script", "-i", "x.data", "-s", os.path.join(
            PREFIX, "share/pfx/scripts/python/stackcollapse.py"))
        check("prime_thread" in done.stdout, f"stackcollapse: {done.stderr}")
    file = os.path.join(PREFIX, "share/bash-completion/completions/pfx")
    equal(run("bash", "-c", COMPLETE, "bash", file).stdout.strip(), "record", "completion")


need_recording()
copy_tree()
install()
check_pages(commands())
check_use()
finish()
