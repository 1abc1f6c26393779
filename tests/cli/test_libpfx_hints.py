# SPDX-License-Identifier: MIT
"""No hint that a user of libpfx can get speaks of the options or commands of the program: every hint in the folders below
the doors is read from the source and goes through the table of lib/api/api_hint.c; and the doors use that table."""
import glob
import os
import re
import sys

from checks import check, finish, run

SOURCE = os.environ["PFX_SOURCE_DIR"]
BUILD = os.path.dirname(os.path.dirname(os.environ["PFX"]))
HINT = re.compile(r"pfx_error_hint\w*\s*\(((?:[^;\"]|\"(?:[^\"\\]|\\.)*\")*?)\);|->hint,((?:[^;\"]|\"(?:[^\"\\]|\\.)*\")*?)\);", re.S)
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
OPTION = re.compile(r"(?:^|[\s'(\"])(--?[A-Za-z][\w-]*)|'pfx [a-z]+")
# Commands of others have options.
OTHERS = re.compile(r"ulimit -\w+|ps -\w+ ?[\w,]*|sudo [^;')]*(?:\n.*)*|chmod [^;']*|docker run [^;']*|node --perf-prof|'%s -d'")
# Tables and functions take hints, too: all texts of these files but the options that sentences name.
PASSED_ON = re.compile(r"const char \*hint[;,]")
NAMED = {"--call-graph lbr", "branch sampling (-b, -j)", "term 'overwrite'", "term 'aux-output'"}
NOT_REACHED = {"stat", "out", "hist", "export", "rewrite", "script", "screen", "live", "python", "include", "diff"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def joined(code):
    return "".join(TEXT.findall(code)).replace('\\"', '"').replace("\\n", "\n")


def table():
    rows = re.search(r"words\[\] = \{(.*?)\n\};", read(f"{SOURCE}/lib/api/api_hint.c"), re.S).group(1)
    found = re.findall(r'\{((?:\s*"(?:[^"\\]|\\.)*"\s*)+),((?:\s*"(?:[^"\\]|\\.)*"\s*)+)\}', rows)
    return [(joined(a), joined(b)) for a, b in found]


def hints():
    for path in sorted(glob.glob(f"{SOURCE}/lib/**/*.c", recursive=True)):
        if path[len(SOURCE) + 5:].split("/")[0] in NOT_REACHED or path.endswith("api_hint.c"):
            continue
        for found in HINT.finditer(read(path)):
            code = found.group(1) or found.group(2) or ""
            # the branches of a ?: are hints of their own
            for part in re.split(r'(?<=")\s*\n?\s*:\s|\?\s', re.sub(r'"\s+"', "", code)):
                if TEXT.search(part):
                    yield path[len(SOURCE) + 1:], joined(part)
        if PASSED_ON.search(read(path)):
            for found in re.findall(r'"(?:[^"\\]|\\.)*"(?:[\s\\]*"(?:[^"\\]|\\.)*")*', read(path)):
                if " " in joined(found) and joined(found) not in NAMED:
                    yield path[len(SOURCE) + 1:], joined(found)


def translated(hint, rows):
    for old, new in rows:
        hint = hint.replace(old, new, 1)
    return hint


def speaks_of_options(hint):
    return OPTION.search(OTHERS.sub("", hint))


def main():
    rows, found = table(), list(hints())
    check(len(rows) > 30 and len(found) > 100, f"{len(rows)} rows, {len(found)} hints")
    bad = [(path, hint) for path, hint in found if speaks_of_options(translated(hint, rows))]
    check(not bad, "hints that speak of the command line:\n" + "\n".join(f"{path}: {hint}" for path, hint in bad))
    unused = [old for old, _ in rows if not any(old in hint for _, hint in found)]
    check(not unused, f"rows for no hint: {unused}")
    planted = ["use -x FILE", "name it with --name", "'pfx report' shows it", "like -e cycles"]
    check(all(map(speaks_of_options, planted)) and not speaks_of_options("see 'ulimit -f'"), "the rule sees nothing")
    if os.path.exists(f"{BUILD}/lib/python/pfx/_pfx.abi3.so"):
        code = ("import pfx\n"
                "for path in ('/no/such/file', '.', 'text', 'packed', '/bin/true'):\n"
                "    try:\n        pfx.open(path)\n"
                "    except pfx.Error as error:\n        print(error.hint)\n"
                "try:\n    pfx.record(['true'], call_graph='dwarf,x')\n"
                "except pfx.Error as error:\n    print(error.hint)\n")
        for name, text in (("text", "words\n" * 9), ("packed", "BZh91AY")):
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
        done = run(sys.executable, "-B", "-c", code, env={"PYTHONPATH": f"{BUILD}/lib/python"})
        lines = done.stdout.splitlines()
        check(done.returncode == 0 and len(lines) == 6 and lines[0] == lines[2] == "pfx.record() makes one", f"hints: {done}")
        check(not any(map(speaks_of_options, lines)) and lines[5].endswith("like dwarf,16384"), f"hints: {lines}")
    finish()


if __name__ == "__main__":
    main()
