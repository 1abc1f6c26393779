# SPDX-License-Identifier: MIT
"""The events and metrics of every CPU below a directory, by its mapfile.csv."""
import os

from describe import Sentences
from reading import (Wrong, json_files, name_of, places_of, read_list, read_mapfile, topic_of,
                     wrong)
from terms import pmu_of, said, terms_of

DEPRECATED, PER_PACKAGE, EXPERIMENTAL = 1, 2, 4
ROLES = {"core": "cpu_core", "atom": "cpu_atom"}
# Files of this project's own events and metrics, which an import of the vendor's does not replace.
OURS = "usual-"


def texts_of(obj, described):
    """The line about an event, and more than that. Both say how exact its samples are."""
    text = obj.get("BriefDescription", "").strip() or described
    details = obj.get("PublicDescription", "").strip()
    if details in (text, text + "."):
        details = ""
    more = ". Supports address when precise" if said(obj, "Data_LA") else ""
    if said(obj, "Errata"):
        more += f". Spec update: {said(obj, 'Errata')}"
    precise = said(obj, "PEBS")
    if precise and "(precise event)" not in text.lower():
        more += " (Must be precise)" if precise == "2" else " (Precise event)"
    if more.startswith("."):
        text, details = text.rstrip("."), details.rstrip(".")
    return text + more if text else "", details + more if details else ""


class Row(dict):
    """An event or a metric, which several CPUs may share."""

    __hash__ = object.__hash__


class Folder:
    """The events and metrics of one CPU."""

    def __init__(self):
        self.events = {}  # (name, pmu): row
        self.metrics = {}
        self.counters = {}  # PMU: (generic, fixed)

    def add_row(self, rows, row, place):
        """A row that occurs twice must be the same both times."""
        key = (row["name"].lower(), row["pmu"], row["compat"])
        if rows.setdefault(key, row) != row:
            wrong(*place, f"'{row['name']}' is defined twice for one CPU")

    def add(self, place, made):
        """What make_rows() made of an object."""
        event, metric, counters = made
        if event:
            self.add_row(self.events, event, place)
        if metric:
            self.add_row(self.metrics, metric, place)
        self.counters.update(counters)


def make_event(path, line, obj, common):
    flags = DEPRECATED if said(obj, "Deprecated") else 0
    flags |= PER_PACKAGE if said(obj, "PerPkg") else 0
    flags |= EXPERIMENTAL if said(obj, "Experimental") else 0
    return Row(common, name=obj["EventName"].lower(), terms=terms_of(path, line, obj),
               flags=flags, counters=obj.get("Counter", ""),
               latency=obj.get("RetirementLatencyMean", ""))


def make_metric(path, line, obj, common):
    if "MetricExpr" not in obj:
        wrong(path, line, f"'{obj['MetricName']}' has no MetricExpr")
    return Row(common, name=obj["MetricName"], expr=obj["MetricExpr"],
               threshold=obj.get("MetricThreshold", ""), group=obj.get("MetricGroup", ""),
               constraint=obj.get("MetricConstraint", ""),
               no_group=obj.get("MetricgroupNoGroup", ""),
               default_group=obj.get("DefaultMetricgroupName", ""))


def make_rows(path, line, obj, topic, sentences, core=""):
    """The event, the metric and the numbers of counters of an object; @core: the PMU of those that
    name none."""
    event = metric = None
    pmu = pmu_of(obj) or core
    described = sentences.of(obj, pmu) if sentences else ""
    text, details = texts_of(obj, described)
    common = {"is_vendors": "BriefDescription" in obj, "pmu": pmu, "text": text, "details": details, "topic": topic,
              "scale_unit": obj.get("ScaleUnit", ""), "compat": obj.get("Compat", "")}
    for key in ("EventName", "MetricName"):
        if obj.get(key) == "":
            wrong(path, line, "a name is empty")
    if "EventName" in obj:
        event = make_event(path, line, obj, common)
    if "MetricName" in obj:
        metric = make_metric(path, line, obj, common)
    counters = {}
    if "CountersNumGeneric" in obj or "CountersNumFixed" in obj:
        counters[pmu if pmu != "uncore_core" else ""] = (
            str(obj.get("CountersNumGeneric", 0)), str(obj.get("CountersNumFixed", 0)))
    elif not event and not metric:
        wrong(path, line, "neither EventName nor MetricName nor ArchStdEvent")
    return event, metric, counters


def standard_events(folder):
    found = {}
    for name in json_files(folder):
        path = os.path.join(folder, name)
        for line, obj in read_list(path):
            if "EventName" not in obj and "MetricName" not in obj:
                wrong(path, line, "a standard event needs an EventName or a MetricName")
            found.setdefault(obj.get("EventName", obj.get("MetricName")).lower(), obj)
    return found


def filled_in(path, line, obj, standard):
    """The object with what its standard event says."""
    if "ArchStdEvent" not in obj:
        return obj
    base = standard.get(obj["ArchStdEvent"].lower())
    if base is None:
        wrong(path, line, f"no standard event '{obj['ArchStdEvent']}'")
    return {**base, **obj}


def read_folder(folder, standard, rows, sentences=None):
    for root, dirs, files in os.walk(folder):
        dirs.sort()
        if os.path.basename(root) == "sys" and root != folder:
            dirs[:] = []
            continue
        for name in sorted(f for f in files if f.endswith(".json")):
            path = os.path.join(root, name)
            for line, obj in read_list(path):
                obj = filled_in(path, line, obj, standard)
                rows.add((path, line), make_rows(path, line, obj, topic_of(name), sentences))
    return rows


class Arch:
    """One architecture of a tree."""

    def __init__(self, folder):
        self.folder = folder
        self.standard = standard_events(folder)
        self.sentences = Sentences(folder)
        self.mapfile = os.path.join(folder, "mapfile.csv")
        self.lines = [w for w in read_mapfile(self.mapfile) if w[2][3] == "core"]
        self.known = {}

    def read_family(self, name):
        """Files beside the folders of CPUs, whose objects list the CPUs that share them."""
        place = os.path.join(self.folder, name)
        sentences = self.sentences.family(name)
        for file in json_files(place):
            path = os.path.join(place, file)
            topic = topic_of(file[len(OURS):] if file.startswith(OURS) else file)
            for line, obj in read_list(path):
                if "Models" not in obj:
                    wrong(path, line, f"{name_of(obj)}the CPUs are missing: 'Models'")
                made = make_rows(path, line, filled_in(path, line, obj, self.standard), topic,
                                 sentences)
                for model in obj["Models"].split():
                    rows = self.known.get(f"{name}/{model}")
                    if rows is None:
                        wrong(path, line, f"{name_of(obj)}mapfile.csv has no '{name}/{model}'")
                    rows.add((path, line), made)

    def read_devices(self):
        """The events of devices belong to every CPU of the architecture."""
        devices = Folder()
        for root, dirs, _ in os.walk(self.folder):
            dirs.sort()
            if os.path.basename(root) == "sys" and root != self.folder:
                read_folder(root, self.standard, devices,
                            self.sentences.family(os.path.relpath(root, self.folder)))
        return devices

    def read_common(self):
        """Metrics that every CPU of every architecture has, beside the architectures."""
        common = Folder()
        place = os.path.join(os.path.dirname(os.path.abspath(self.folder)), "common")
        for root, dirs, files in os.walk(place):
            dirs.sort()
            for name in sorted(f for f in files if f.endswith("metrics.json")):
                path = os.path.join(root, name)
                for line, obj in read_list(path):
                    common.add((path, line), make_rows(path, line, obj, "metrics", None))
        return common

    def read(self):
        """The CPUs as (cpuid, folder name, Folder)."""
        own = set()
        for line, _, words in self.lines:
            name = words[2]
            if name not in self.known and name not in own:
                self.known[name] = Folder()
                if os.path.isdir(os.path.join(self.folder, name)):
                    own.add(name)
        families = sorted({n.split("/")[0] for n in self.known if "/" in n} - own)
        for name in families:
            if os.path.isdir(os.path.join(self.folder, name)):
                self.read_family(name)
        devices, common = self.read_devices(), self.read_common()
        for line, _, words in self.lines:
            rows = self.known[words[2]]
            if words[2] in own:
                own.discard(words[2])
                read_folder(os.path.join(self.folder, words[2]), self.standard, rows,
                            self.sentences.family(words[2]))
            if not rows.events and not rows.metrics:
                wrong(self.mapfile, line, f"there is no folder '{words[2]}'")
        for rows in self.known.values():
            for key, row in devices.events.items():
                rows.events.setdefault(key, row)
            for key, row in [*devices.metrics.items(), *common.metrics.items()]:
                rows.metrics.setdefault(key, row)
            replace_deprecated(rows)
        return [(cpuid, words[2], self.known[words[2]]) for _, cpuid, words in self.lines]


def selecting(row):
    """The terms of an event that choose what it counts, without the period of its samples."""
    return frozenset(t for t in row["terms"].split(",") if not t.startswith("period="))


REPLACED = {}


def replace_deprecated(rows):
    """The description of an event that the vendor replaced names the one that counts the same."""
    current = {}
    if not any(row["flags"] & DEPRECATED for row in rows.events.values()):
        return
    for row in rows.events.values():
        if not row["flags"] & DEPRECATED:
            current.setdefault((row["pmu"], selecting(row)), row["name"])
    for key, row in rows.events.items():
        if not row["flags"] & DEPRECATED or row["is_vendors"]:
            continue
        other = current.get((row["pmu"], selecting(row)))
        made = REPLACED.get((id(row), other))
        if made is None:
            text = f"Deprecated, use {other}" if other else "Deprecated"
            text += f": {row['text']}" if row["text"] and not other else ""
            made = REPLACED[id(row), other] = Row(row, text=text, replaced=row)
        rows.events[key] = made


def read_published(place, lines):
    """The CPUs of perfmon files: all lines of one CPU together are its events. Events with values
    for which there is no term are left out."""
    cpus = {}
    for line, cpuid, words in lines:
        path = os.path.join(place, words[2].lstrip("/"))
        if "core" not in words[3]:  # core, hybridcore, uncore; not metrics
            continue
        if not os.path.isfile(path):
            wrong(os.path.join(place, "mapfile.csv"), line, f"there is no file '{words[2]}'")
        name, rows = cpus.setdefault(cpuid, (words[2].lstrip("/").split("/")[0].lower(), Folder()))
        for at, obj in read_list(path):
            try:
                core = ROLES.get(words[6].lower(), "") if len(words) > 6 else ""
                rows.add((path, at), make_rows(path, at, obj, topic_of(os.path.basename(path)),
                                               None, core))
            except Wrong:
                continue
    return [(cpuid, name, rows) for cpuid, (name, rows) in cpus.items()]


def read_all(places):
    """The CPUs as (arch, cpuid, folder name, Folder); the first place that has an architecture
    counts."""
    cpus, seen = [], set()
    for place in places:
        for arch, folder in places_of(place):
            if arch in seen:
                continue
            seen.add(arch)
            lines = read_mapfile(os.path.join(folder, "mapfile.csv"))
            if any(words[2].endswith(".json") for _, _, words in lines):
                found = read_published(folder, lines)
            else:
                found = Arch(folder).read()
            cpus += [(arch,) + cpu for cpu in found]
    return cpus
