# SPDX-License-Identifier: MIT
"""Shared by the tests of `pfx annotate`: programs that are built here, recordings of them that are made of
words, and the JSON of their functions, checked against the schema."""
import os
import shutil
import subprocess
import sys

from checks import KIT, PFX, check

sys.path.insert(0, os.path.join(os.environ["PFX_SOURCE_DIR"], "tests", "kit"))
from json_schema import Schema, parse  # noqa: E402

if not shutil.which("cc") or not shutil.which("nm"):
    print("SKIP: there is no C compiler")
    sys.exit(77)


def run(*argv, config="/dev/null", **kw):
    env = {**os.environ, "PFX_CONFIG": config, "LC_ALL": "C"}
    return subprocess.run([str(a) for a in argv], text=True, errors="backslashreplace", env=env, check=False,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=900, **kw)


def annotate(*words, **kw):
    return run(PFX, "annotate", *words, **kw)


def symbol(program, name):
    for line in run("nm", "-S", program).stdout.splitlines():
        words = line.split()
        if words[-1] == name:
            return int(words[0], 16), int(words[1], 16)
    raise LookupError(name)


def build(name, source, *flags):
    with open(f"{name}.c", "w", encoding="utf-8") as file:
        file.write(source)
    done = run("cc", "-g", *flags, "-o", name, f"{name}.c")
    check(not done.returncode, f"cc: {done.stderr}")


def make(path, text, order="le"):
    """A recording of a description."""
    with open(path + ".txt", "w", encoding="utf-8") as file:
        file.write(text)
    done = run(KIT, "--" + order, path + ".txt", path)
    check(not done.returncode, f"kit: {done.stderr}")


def document(path, *words, schema="annotate"):
    done = annotate("-i", path, "--json", *words)
    check(not done.returncode, f"{words}: {done.stderr}")
    found = parse(done.stdout)
    problem = Schema(schema).wrong(found)
    check(not problem, f"{path} {words}: {problem}")
    return found


def refuses(sentence, *words):
    done = annotate(*words)
    check(done.returncode in (129, 255), f"{words}: exit code {done.returncode}")
    check(sentence in done.stderr, f"{words}: {done.stderr!r} instead of {sentence!r}")
    check(not done.stdout, f"{words}: printed {done.stdout[:200]!r}")
