# SPDX-License-Identifier: MIT
"""Texts in few bytes. A text becomes codes: a printable character is itself, other bytes choose a
word of one dictionary. lib/pmu/vendor/vendor_text.c is the reader.

0x00 ends a text, 0x01-0x1f and 0x80-0xbf are the most frequent words, 0xc0-0xff and the byte after
it the others, 0x7f says that the byte after it is itself."""
import re
from collections import Counter
from itertools import chain

SHORT = list(range(0x01, 0x20)) + list(range(0x80, 0xC0))
WORDS_MAX = len(SHORT) + 64 * 256
WORD_LENGTH_MAX = 255
ROUNDS = 2

# Pieces: a term of an event, a word with what separates it from the one before, else a character.
PIECE = re.compile(r",?[a-z_0-9]+=(?:0x[0-9A-Fa-f]{1,4}\b|[0-9]+\b)?"
                   r"|[^A-Za-z0-9]{0,2}(?:[A-Za-z]+|[0-9]+)|.", re.S)


def pieces_of(text):
    return [p for p in PIECE.findall(text) if p]


def worth(word, times):
    """Bytes that a word of the dictionary saves."""
    return times * (len(word) - 2) - len(word) - 4


def chosen(counts, limit):
    good = [(worth(w, n), w) for w, n in counts.items()
            if len(w) > 2 and len(w) <= WORD_LENGTH_MAX and worth(w, n) > 0]
    good.sort(key=lambda pair: (-pair[0], pair[1]))
    return {w for _, w in good[:limit]}


def merged(lines, joined):
    """The lines with each pair in @joined as one piece."""
    found = []
    for line in lines:
        pairs = list(zip(line, line[1:]))
        if joined.isdisjoint(pairs):
            found.append(line)
            continue
        out, i = [], 0
        while i < len(pairs):
            if pairs[i] in joined:
                out.append(line[i] + line[i + 1])
                i += 2
            else:
                out.append(line[i])
                i += 1
        found.append(out + line[i:])
    return found


class Packer:
    """All texts; each equal text is stored once."""

    def __init__(self):
        self.texts = {}

    def add(self, *texts):
        """A text, or several that follow each other."""
        self.texts.setdefault(texts, None)
        return texts

    def lines(self):
        """The pieces of each text, with frequent neighbours joined."""
        lines = [pieces_of(t) for texts in self.texts for t in texts]
        for _ in range(ROUNDS):
            pairs = Counter(chain.from_iterable(zip(line, line[1:]) for line in lines))
            joined = {p for p, n in pairs.most_common(3000)
                      if n > 7 and len(p[0]) + len(p[1]) < WORD_LENGTH_MAX}
            lines = merged(lines, joined)
        return lines

    def finish(self):
        """The packed bytes, the words as (offset, length), and the bytes of the words."""
        lines = self.lines()
        counts = Counter(chain.from_iterable(lines))
        words = chosen(counts, WORDS_MAX)
        by_count = sorted(words, key=lambda w: (-counts[w], w))
        self.codes = {}
        for i, word in enumerate(by_count):
            more = i - len(SHORT)
            self.codes[word] = (bytes([SHORT[i]]) if more < 0
                                else bytes([0xC0 | more >> 8, more & 0xFF]))
        data = bytearray(b"\0")
        at = iter(lines)
        for texts in self.texts:
            self.texts[texts] = len(data) if any(texts) else 0
            encoded = b"".join(self.encode(next(at)) + b"\0" for _ in texts)
            if any(texts):
                data += encoded
        return bytes(data), by_count

    def encode(self, line):
        return b"".join(self.codes.get(p) or literal(p) for p in line)

    def at(self, *texts):
        return self.texts[texts]


def literal(piece):
    return b"".join(bytes([b]) if 0x20 <= b < 0x7F else bytes([0x7F, b])
                    for b in piece.encode())
