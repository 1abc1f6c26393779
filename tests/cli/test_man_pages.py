#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The manual pages as they are read: each is rendered without a warning, every word that is shown is a word of the
source, and every word of the source is shown, once for each time that it is there."""
import collections
import glob
import os
import re
import shutil
import subprocess
import sys

from checks import check, finish

PAGES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Documentation")
TITLES = re.compile(r"^\.TH\b")
WIDTH = 20000  # so that no word is cut at its hyphen
# Requests whose words are about the layout.
LAYOUT = {"ad", "br", "fi", "hy", "in", "na", "ne", "nf", "nh", "nr", "PD", "PP", "P", "LP", "RE", "RS", "sp", "ta", "ti"}
# Text for one word that is shown, as the source writes it.
ESCAPES = [("\\\\", "\\"), ("\\e", "\\"), ("\\(rs", "\\"), (r"\(aq", "'"), (r"\(dq", '"'), (r"\(ti", "~"), (r"\(ha", "^"), (r"\(ga", "`"), (r"\(bu", "*"),
           (r"\(em", "-"), (r"\(en", "-"), (r"\(lq", '"'), (r"\(rq", '"'), (r"\-", "-")]
ALIKE = str.maketrans({"‐": "-", "−": "-", "–": "-", "—": "-", "’": "'", "‘": "'", "´": "'", "ˆ": "^", "˜": "~", "“": '"',
                       "”": '"', "•": "*", "·": "*"})


def render(path):
    """What a screen of WIDTH columns shows, and the warnings."""
    done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-P-cbou", "-rHY=0", f"-rLL={WIDTH}n", path],
                          check=False, capture_output=True, text=True,
                          env={**os.environ, "LC_ALL": "C.UTF-8", "GROFF_NO_SGR": "1"})
    return done.stdout, done.stderr.strip() if done.stderr or not done.returncode else f"exit code {done.returncode}"


def plain(text):
    """A line of the source without what is not shown."""
    text = re.sub(r'(?<!\\)\\".*', "", text)
    text = re.sub(r"\\f(\[[^]]*\]|\(..|.)", "", text)
    text = re.sub(r"\\[&|^/,:%]|\\c$|\\s[+-]?\d", "", text)
    for escape, char in ESCAPES:
        text = text.replace(escape, char)
    return text.replace("\\ ", " ").replace("\\~", " ")


def arguments(text):
    """The arguments of a macro, as troff splits them."""
    return [quoted.replace('""', '"') if quoted or not bare else bare
            for quoted, bare in re.findall(r'"((?:[^"]|"")*)"?|(\S(?:\\ |\S)*)', text)]


def glued(name, path, rest):
    """Macros of two fonts put their arguments together: what looks like words there needs blanks in quotes."""
    bare = [match for match in re.finditer(r'"(?:[^"]|"")*"?|\S(?:\\ |\S)*', rest)]
    for left, right in zip(bare, bare[1:]):
        pair = plain(left[0]), plain(right[0])
        if '"' not in left[0][0] + right[0][0] and \
                re.search(r"[A-Za-z]{3}$|[;!?)]$", pair[0]) and re.match(r"[A-Za-z]{3}", pair[1]):
            check(False, f"{os.path.basename(path)}: .{name} glues {pair[0]!r} and {pair[1]!r} together: {rest}")


def words_of_source(path):
    """What the source wants to be shown, word by word."""
    found = []
    with open(path, encoding="utf-8") as file:
        for line in file.read().replace("\\\n", "").split("\n"):
            request = re.match(r"\.\s*([A-Za-z]+|\\\")\s*(.*)", line)
            if not request:
                if not line.startswith((".", "'")):
                    found.append(plain(line))
                continue
            name, rest = request[1], re.sub(r'\s*(?<!\\)\\".*', "", request[2])
            if name in ("B", "I", "SM", "SH", "SS"):
                found.append(plain(" ".join(arguments(rest))))
            elif name in ("BR", "RB", "BI", "IB", "RI", "IR"):
                glued(name, path, rest)
                found.append(plain("".join(arguments(rest))))
            elif name in ("IP", "TP"):
                found += [plain(argument) for argument in arguments(rest)[:1] if name == "IP"]
            elif name not in LAYOUT and name not in ("TH", '\\"'):
                check(False, f"{os.path.basename(path)}: the request .{name} is not known here")
    return " ".join(found).translate(ALIKE).split()


def words_of_screen(text):
    """Header and footer are made by the macros."""
    lines = [line for line in text.split("\n") if line.strip()]
    return " ".join(lines[1:-1]).translate(ALIKE).split()


def compare(path):
    name = os.path.basename(path)
    text, warnings = render(path)
    check(not warnings, f"{name}: {warnings}")
    source, screen = (collections.Counter(words) for words in (words_of_source(path), words_of_screen(text)))
    check(len(screen) > 50, f"{name}: only {len(screen)} words are shown")
    check(not screen - source, f"{name}: shown, and not in the source: {dict(screen - source)}")
    check(not source - screen, f"{name}: in the source, and not shown: {dict(source - screen)}")


def main():
    if not shutil.which("groff"):
        print("SKIP: groff is not installed")
        sys.exit(77)
    paths = sorted(glob.glob(os.path.join(PAGES, "*.[1-9]")))
    check(len(paths) > 10, f"only {len(paths)} pages in {PAGES}")
    for path in paths:
        compare(path)
    finish()


main()
