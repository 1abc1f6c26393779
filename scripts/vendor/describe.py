# SPDX-License-Identifier: MIT
"""Sentences about events and metrics in our own words: written ones by name (sentences.txt,
older-sentences.txt and metric-sentences.txt of an architecture or a family), else phrases for the words of the name
(pmu-events/glossary)."""
import functools
import os
import re

from reading import read_text, wrong

LENGTH_MAX = 6  # words of a name that one phrase may cover
FIRST = 6  # letters by which sentences with a variable part are found


def read_lines(path):
    """Lines of a name, a tab and a text as (number, name, text)."""
    found = []
    for nr, line in enumerate(read_text(path).split("\n"), 1):
        if not line or line.startswith("#"):
            continue
        if line.startswith("="):
            found += [(nr, word, word) for word in line[1:].split()]
            continue
        name, tab, text = line.partition("\t")
        if not tab or not text.strip():
            wrong(path, nr, f"'{name}' has no text")
        found.append((nr, name, text.strip()))
    return found


def read_sentences(path):
    """{name: {word of the formula, or "": sentence}} of a file that need not exist."""
    found = {}
    for nr, key, text in read_lines(path) if os.path.exists(path) else []:
        name, _, word = key.lower().partition(" ")
        texts = found.setdefault(name, {})
        if word in texts:
            wrong(path, nr, f"'{key}' occurs twice")
        texts[word] = text
    return found


class Glossary:
    """Phrases for words (of a family, then common ones), for beginnings of names, and for names
    with a variable part ("*")."""

    def __init__(self, folder, names):
        self.folder = folder
        self.words, self.heads, self.requests, self.parts = {}, {}, {}, {}
        self.tails, self.conditions, self.specials = {}, {}, {}
        self.frames = {}  # (beginning, end): sentence
        self.files = set()
        for name in names:
            self.read(name)
        self.framed = self.by_beginning()

    def read(self, name):
        """One file, once; a line "+" names another one, whose words count where this has none."""
        path = os.path.join(self.folder, name + ".txt")
        seen = set()
        if path in self.files:
            return
        self.files.add(path)
        for nr, key, text in read_lines(path) if os.path.exists(path) else []:
            if key == "+":
                self.read(text)
                continue
            if key in seen:
                wrong(path, nr, f"'{key}' occurs twice")
            seen.add(key)
            if "*" in key:
                begin, _, end = key.partition("*")
                self.frames.setdefault((begin, end), text)
            else:
                kind = {"^": self.heads, "?": self.requests, "$": self.tails,
                        ".": self.conditions}.get(key[0], self.words)
                kind.setdefault(key.lstrip("^?$."), "" if text == "-" else text)

    def by_beginning(self):
        """The sentences with a variable part by the first letters of their names, those with most
        fixed letters first; "" has those that any name may begin with."""
        order = sorted(self.frames.items(), key=lambda f: (-sum(map(len, f[0])), f[0]))
        keys = {begin[:FIRST] for begin, _ in self.frames if len(begin) >= FIRST}
        return {key: [f for f in order if len(f[0][0]) < FIRST or f[0][0].startswith(key)]
                for key in keys} | {"": [f for f in order if len(f[0][0]) < FIRST]}

    def phrases(self, words, special=None):
        """The words of a part of a name as phrases, the longest first; @special: phrases that are
        before those for all parts."""
        found, at = [], 0
        while at < len(words):
            for end in range(min(len(words), at + LENGTH_MAX), at, -1):
                key = "_".join(words[at:end])
                text = special.get(key) if special else None
                text = self.words.get(key) if text is None else text
                if text is not None:
                    break
            else:
                end = at + 1
                text = self.numbered(words[at]) or unknown(words[at])
            if text:
                found.append(text)
            at = end
        return found

    def numbered(self, word):
        """"cs11" where "cs" is known: "memory channel 11"."""
        stem = word.rstrip("0123456789")
        text = self.words.get(stem) if 1 < len(stem) < len(word) else ""
        return f"{text} {word[len(stem):]}" if text else ""

    def part(self, text):
        found = self.parts.get(text)
        if found is None:
            found = self.parts[text] = " ".join(self.phrases([w for w in text.split("_") if w]))
        return found

    def rest(self, text):
        """What follows the beginning of a name."""
        whole = self.words.get(text)
        if whole:
            return whole
        parts = [self.part(p) for p in re.split(r"[.:/-]", text) if p]
        return ", ".join(p for p in parts if p)

    def head(self, name):
        """The longest known beginning of a name, and what follows it."""
        for end in sorted({m.start() for m in re.finditer(r"[_.]", name)} | {len(name)},
                          reverse=True):
            text = self.heads.get(name[:end])
            if text is not None and ("{}" not in text or end < len(name)):
                return text, name[end:].lstrip("_.")
        return "", name

    def frame(self, name):
        """The sentence for a name with a variable part; the one with most fixed letters counts."""
        for (begin, end), text in self.framed.get(name[:FIRST], self.framed[""]):
            if (name.startswith(begin) and name.endswith(end)
                    and len(name) > len(begin) + len(end)):
                middle = self.rest(name[len(begin):len(name) - len(end)])
                return text.replace("{}", middle)
        return ""

    def request(self, name):
        """OCR.REQUEST.ANSWER: "demand reads of data that hit L3"."""
        _, request, answers = (name + "..").split(".", 2)
        what = self.requests.get(request) or self.part(request)
        found = [p for a in answers.split(".") if a for p in [self.part(a)] if p]
        return " ".join([what, ", ".join(found)]).strip()

    def special(self, first):
        """Phrases for conditions: those of all names, and those after this first part of a name."""
        found = self.specials.get(first)
        if found is None:
            found = self.specials[first] = dict(self.conditions)
            for key, text in self.conditions.items():
                where, space, word = key.partition(" ")
                if space and where == first:
                    found[word] = text
        return found

    def tail(self, words):
        """The longest known end of the first part of a name, and the number of words before it."""
        for start in range(1, len(words)):
            end = "_".join(words[start:])
            text = self.tails.get(end) or self.tails.get(end.rstrip("0123456789"))
            if text:
                return text, start
        return "", len(words)

    def measured(self, name):
        """What is measured, where, and conditions: "cycles with a full ingress, virtual network 0"."""
        first, _, conditions = name.partition(".")
        words, places = first.split("_"), []
        while len(words) > 1 and PLACE.fullmatch(words[-1]):
            places.insert(0, words.pop())
        text, end = ("", len(words)) if "_".join(words) in self.words else self.tail(words)
        place = self.part("_".join(words[:end]))
        found = [text.replace("{}", place) or place]
        found += [self.part(p) for p in places if not p.isdigit()]
        for part in re.split(r"[.:/-]", conditions):
            phrases = self.phrases([w for w in part.split("_") if w], self.special(first))
            found.append(" ".join(sorted(phrases, key=after_noun)))
        return ", ".join(p for p in found if p)

    def describe(self, name):
        name = name.lower()
        if self.requests and name.startswith(("ocr.", "offcore_response.")):
            return capital(self.request(name))
        framed = self.frame(name)
        if framed:
            return capital(framed)
        head, rest = self.head(name)
        if self.tails and not head:
            return capital(self.measured(rest).replace(",,", ","))
        rest = self.rest(rest)
        if "{}" in head:
            return capital(head.replace("{}", rest))
        return capital(": ".join(p for p in (head.rstrip(":"), rest) if p).replace(",,", ","))


GROUP_RULES = (
    (re.compile(r"TopdownL([0-9])$"), "Top-down metrics of level {}"),
    (re.compile(r"tma_L([0-9])_group$"), "Top-down metrics of level {}"),
    (re.compile(r"tma_issue.*$"), "Top-down metrics about the same problem"),
    (re.compile(r"tma_(.*)_group$"), "Parts of tma_{}"),
    (re.compile(r"([a-z]+_[a-z_]+)_group$"), "Parts of {}"),
)


def describe_groups(folder, names):
    """[(group of metrics, what they are about)], for those of which something is known."""
    path = os.path.join(folder, "groups.txt")
    known = {name: text for _, name, text in read_lines(path)} if os.path.exists(path) else {}
    found = []
    for name in sorted(names):
        text = known.get(name, "")
        for pattern, rule in () if text else GROUP_RULES:
            match = pattern.match(name)
            if match:
                text = rule.format(*match.groups())
                break
        if text:
            found.append((name, text))
    return found


# Words at the end of the first part of a name that are conditions, not what is measured.
PLACE = re.compile(r"vn[01]|[ps]?ch[0-9]|chn[0-9]|ag[01]|ext|grp[0-9]|[0-9]+")


RANKS = {"of": 1, "from": 2, "homed": 3, "to": 4, "in": 4, "that": 5, "with": 6}


def after_noun(phrase):
    """The rank of a phrase among those of a condition: a noun, of what, from where, to where, with
    which result."""
    word, _, rest = phrase.partition(" ")
    return RANKS.get(word, 0) if rest else 0


def unknown(word):
    """A word without a phrase: short ones are mostly abbreviations."""
    return word if word.isdigit() or len(word) > 5 else word.upper()


def capital(text):
    return text[:1].upper() + text[1:] if not text.startswith("x87") else text


@functools.lru_cache(None)
def glossary(folder, *names):
    return Glossary(folder, names)


class Sentences:
    """The sentences of an architecture (@folder is arch/ARCH), and of a family in it."""

    def __init__(self, folder, above=None, name=""):
        self.folder = folder
        self.above = above
        self.arch = above.arch if above else os.path.basename(os.path.abspath(folder))
        self.words = above.words if above else os.path.join(folder, "..", "..", "glossary")
        self.has_words = above.has_words if above else os.path.isdir(self.words)
        self.family_name = name.split("/")[0]
        self.events = {**read_sentences(os.path.join(folder, "older-sentences.txt")),
                       **read_sentences(os.path.join(folder, "sentences.txt"))}
        self.metrics = read_sentences(os.path.join(folder, "metric-sentences.txt"))

    def family(self, name):
        return Sentences(os.path.join(self.folder, name), self, name)

    def written_for(self, obj, key):
        """The written sentence for the event or the metric of an object, or "". Among those of a
        metric, one whose word occurs in the formula is before the one for all formulas."""
        name = obj[key].lower()
        found = self.metrics.get(name) if key == "MetricName" else None
        for word, text in found.items() if found else ():
            if word and word in obj.get("MetricExpr", "").lower():
                return text
        found = (found or self.events.get(name, {})).get("")
        return found or (self.above.written_for(obj, key) if self.above else "")

    def composed(self, obj, pmu):
        family = self.family_name
        names = [family, self.arch, "common"]
        if obj.get("EventName", "").lower().startswith(("ocr.", "offcore_response.")):
            names = [family + "-offcore", "common"]
        if pmu and not pmu.startswith("cpu"):
            names = [family + "-uncore", "uncore"] + names[2:]
        if "MetricName" in obj:
            names = [family + "-metrics", "metrics", "common"]
        return glossary(self.words, *names).describe(obj.get("MetricName") or obj["EventName"])

    def of(self, obj, pmu):
        """The sentence for an object, or ""."""
        for key in ("EventName", "MetricName"):
            found = self.written_for(obj, key) if key in obj else ""
            if found:
                return found
        if not self.has_words or not (obj.get("EventName") or obj.get("MetricName")):
            return ""
        return self.composed(obj, pmu)
