# SPDX-License-Identifier: MIT
"""Sentences about events and metrics, in our own words."""
import os

from reading import read_text, wrong


def read_sentences(path):
    """Lines of a name, a tab and its sentence."""
    found = {}
    if not os.path.exists(path):
        return found
    for nr, line in enumerate(read_text(path).split("\n"), 1):
        if not line or line.startswith("#"):
            continue
        name, tab, text = line.partition("\t")
        if not tab or not text.strip():
            wrong(path, nr, f"'{name}' has no sentence")
        if name.lower() in found:
            wrong(path, nr, f"'{name}' occurs twice")
        found[name.lower()] = text.strip()
    return found


class Sentences:
    """The sentences of an architecture, and of a family in it."""

    def __init__(self, folder, above=None):
        self.folder = folder
        self.above = above
        self.written = read_sentences(os.path.join(folder, "sentences.txt"))

    def family(self, name):
        return Sentences(os.path.join(self.folder, name), self)

    def written_for(self, name):
        return self.written.get(name) or (self.above.written_for(name) if self.above else "")

    def of(self, obj, pmu):
        """The sentence for an object, or ""."""
        for key in ("EventName", "MetricName"):
            found = self.written_for(obj.get(key, "").lower())
            if found:
                return found
        return ""
