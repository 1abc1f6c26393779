# SPDX-License-Identifier: MIT
"""No sentence and no hint that a user of libpfx can get speaks of the options or commands of the program: each of those
in the folders below the doors is read from the source and goes through the tables of lib/api/api_hint.c; and the doors use
these tables."""
import glob
import os
import re
import sys

from checks import check, finish, run

SOURCE = os.environ["PFX_SOURCE_DIR"]
BUILD = os.path.dirname(os.path.dirname(os.environ["PFX"]))
HINT = re.compile(r"pfx_error_hint\w*\s*\(((?:[^;\"]|\"(?:[^\"\\]|\\.)*\")*?)\);|->hint,((?:[^;\"]|\"(?:[^\"\\]|\\.)*\")*?)\);", re.S)
SENTENCE = re.compile(r"pfx_error_(?:set|sys)\s*\(((?:[^;\"]|\"(?:[^\"\\]|\\.)*\")*?)\);", re.S)
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
OPTION = re.compile(r"(?:^|[\s'(\"])(--?[A-Za-z][\w-]*)|'pfx [a-z]+")
# Commands of others have options.
OTHERS = re.compile(r"ulimit -\w+|ps -\w+ ?[\w,]*|sudo [^;')]*(?:\n.*)*|chmod [^;']*|docker run [^;']*|node --perf-prof|'%s -d'")
# Tables and functions take hints, too: all texts of these files but the options that sentences name.
PASSED_ON = re.compile(r"const char \*hint[;,]")
# What the program alone can ask for.
NOT_ASKED = ("--switch-on", "--switch-off")
NOT_REACHED = {"browse", "cli", "stat", "out", "hist", "export", "rewrite", "script", "screen", "live", "python", "include", "diff"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def joined(code):
    return "".join(TEXT.findall(code)).replace('\\"', '"').replace("\\n", "\n")


def table(name):
    rows = re.search(name + r"\[\] = \{(.*?)\n\};", read(f"{SOURCE}/lib/api/api_hint.c"), re.S).group(1)
    found = re.findall(r'\{((?:\s*"(?:[^"\\]|\\.)*"\s*)+),((?:\s*"(?:[^"\\]|\\.)*"\s*)+)\}', rows)
    return [(joined(a), joined(b)) for a, b in found]


def hints():
    for path in sorted(glob.glob(f"{SOURCE}/lib/**/*.c", recursive=True)):
        if path[len(SOURCE) + 5:].split("/")[0] in NOT_REACHED or path.endswith("api_hint.c"):
            continue
        text = read(path)
        for found in [*HINT.finditer(text), *SENTENCE.finditer(text)]:
            code = next(filter(None, found.groups()), "")
            # the branches of a ?: are hints of their own
            for part in re.split(r'(?<=")\s*\n?\s*:\s|\?\s', re.sub(r'"\s+"', "", code)):
                if TEXT.search(part):
                    yield path[len(SOURCE) + 1:], joined(part)
        # Texts that are passed to a sentence: whole tables, and options.
        for found in re.findall(r'"(?:[^"\\]|\\.)*"(?:[\s\\]*"(?:[^"\\]|\\.)*")*', text):
            found = joined(found)
            is_option = re.match(r"--?[a-zA-Z][\w-]*$", found) and found not in NOT_ASKED
            if is_option or (PASSED_ON.search(text) and " " in found):
                yield path[len(SOURCE) + 1:], found


def translated(hint, rows, members):
    for old, new in rows:
        hint = hint.replace(old, new, 1)
    parts = hint.split("'")  # every second one is in quotes
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"(?:^|(?<=[ (]))-[^ ,:;)]*", lambda found: members.get(found[0], found[0]), parts[i])
    return "'".join(parts)


def speaks_of_options(hint):
    return OPTION.search(OTHERS.sub("", hint))


def main():
    rows, members, found = table("words"), dict(table("members")), list(hints())
    check(len(rows) > 30 and len(members) > 10 and len(found) > 300, f"{len(rows)} rows, {len(found)} hints")
    bad = [(path, hint) for path, hint in found if speaks_of_options(translated(hint, rows, members))]
    check(not bad, "messages that speak of the command line:\n" + "\n".join(f"{path}: {hint}" for path, hint in bad))
    unused = [old for old, _ in rows if not any(old in hint for _, hint in found)]
    unused += [old for old in members if not any(re.search(rf"(^|[ (]){old}($|[ ,:;)])", hint) for _, hint in found)]
    check(not unused, f"rows for no message: {unused}")
    check(translated("-k (-W) '-k' of 'a -k b'", [], members) == "'clock' ('weights') '-k' of 'a -k b'", "quotes")
    planted = ["use -x FILE", "name it with --name", "'pfx report' shows it", "like -e cycles"]
    check(all(map(speaks_of_options, planted)) and not speaks_of_options("see 'ulimit -f'"), "the rule sees nothing")
    others = [text for _, text in rows if "pfx_capture_start" in text]
    check(not others, f"these name a function to all who call another one, in any language: {others}")
    if os.path.exists(f"{BUILD}/lib/python/pfx/_pfx.abi3.so"):
        code = ("import pfx\n"
                "for path in ('/no/such/file', '.', 'text', 'packed', '/bin/true'):\n"
                "    try:\n        pfx.open(path)\n"
                "    except pfx.Error as error:\n        print(error.hint)\n"
                "try:\n    pfx.record(['true'], call_graph='dwarf,x')\n"
                "except pfx.Error as error:\n    print(error.hint)\n"
                "for options in ({'cgroup': 'x'}, {'output': '/dev/null', 'kcore': True}, {'trace_bytes': 9}):\n"
                "    try:\n        pfx.record(['true'], **options)\n"
                "    except pfx.Error as error:\n        print(error)\n")
        for name, text in (("text", "words\n" * 9), ("packed", "BZh91AY")):
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
        done = run(sys.executable, "-B", "-c", code, env={"PYTHONPATH": f"{BUILD}/lib/python"})
        lines = done.stdout.splitlines()
        check(done.returncode == 0 and len(lines) == 9 and lines[0] == lines[2] == "pfx.record() makes one", f"hints: {done}")
        check(not any(map(speaks_of_options, lines)) and lines[5].endswith("like dwarf,16384"), f"hints: {lines}")
        check(lines[6:] == ["'cgroup' needs 'all_cpus' or 'cpus': the tasks of a cgroup come and go",
                            "'kcore' writes a directory, not a stream: name one in 'output'",
                            "'trace_bytes' is about traces, and no event traces"], f"sentences: {lines[6:]}")
    finish()


if __name__ == "__main__":
    main()
