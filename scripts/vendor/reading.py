# SPDX-License-Identifier: MIT
"""JSON files of vendor events: their objects with the line of each, and every mistake with its
place."""
import json
import os
import re


class Wrong(Exception):
    """A mistake in the input, already with its place."""


def wrong(path, line, text):
    raise Wrong(f"{path}:{line}: {text}")


# Keys whose values become terms as they are, in the order in which the terms stand.
TERM_OF_KEY = (
    ("AnyThread", "any"),
    ("PortMask", "ch_mask"),
    ("CounterMask", "cmask"),
    ("EdgeDetect", "edge"),
    ("FCMask", "fc_mask"),
    ("Invert", "inv"),
    ("SampleAfterValue", "period"),
    ("UMask", "umask"),
    ("NodeType", "type"),
    ("RdWrMask", "rdwrmask"),
    ("EnAllCores", "enallcores"),
    ("EnAllSlices", "enallslices"),
    ("SliceId", "sliceid"),
    ("ThreadMask", "threadmask"),
)

# Every key that is read, in the order in which the importer writes them; others are ignored.
KEYS = (
    "EventName", "ArchStdEvent", "MetricName", "Unit", "Compat", "EventCode", "ConfigCode",
    "LegacyConfigCode", "EventidCode", "NodeType", "ExtSel", "UMask", "UMaskExt", "CounterMask",
    "Invert", "EdgeDetect", "AnyThread", "PortMask", "FCMask", "Filter", "RdWrMask", "EnAllCores",
    "EnAllSlices", "SliceId", "ThreadMask", "MSRIndex", "MSRValue", "SampleAfterValue", "PEBS",
    "Data_LA", "PerPkg", "Counter", "CountersNumGeneric", "CountersNumFixed",
    "RetirementLatencyMin", "RetirementLatencyMean", "RetirementLatencyMax", "MetricExpr",
    "MetricGroup", "MetricgroupNoGroup", "DefaultMetricgroupName", "DefaultShowEvents",
    "MetricThreshold", "MetricConstraint", "AggregationMode", "ScaleUnit", "Errata", "Deprecated",
    "Experimental", "BriefDescription", "PublicDescription", "Models")
KNOWN = frozenset(KEYS)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def read_text(path):
    """A file's text; "" for one that is empty."""
    with open(path, "rb") as f:
        data = f.read()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as e:
        wrong(path, data.count(b"\n", 0, e.start) + 1, "this is not UTF-8")


def name_of(obj):
    """The name of an event or metric for messages: "'X': ", or ""."""
    for key in ("EventName", "MetricName", "ArchStdEvent"):
        if isinstance(obj.get(key), str):
            return f"'{obj[key]}': "
    return ""


UNFIT = re.compile("[\0\ud800-\udfff]")


def check_object(path, line, obj):
    """Values of keys that are read are texts that can be stored."""
    if not isinstance(obj, dict):
        wrong(path, line, "an event must be an object")
    for key, value in obj.items():
        if key not in KNOWN or key.startswith("CountersNum"):
            continue
        if not isinstance(value, str):
            wrong(path, line, f"{name_of(obj)}the value of '{key}' must be a string")
        if not value.isascii() and UNFIT.search(value) or "\0" in value:
            wrong(path, line,
                  f"{name_of(obj)}the value of '{key}' has a character that cannot be stored")


SKIP = re.compile(r"[ \t\r\n]*")


def elements(path, decoder, text, at):
    """The elements of the list that begins at @at as pairs (line, element)."""
    found = []
    line, counted = 1, 0
    at = SKIP.match(text, at + 1).end()
    while text[at : at + 1] != "]":
        obj, end = decoder.raw_decode(text, at)
        line += text.count("\n", counted, at)
        counted = at
        found.append((line, obj))
        at = SKIP.match(text, end).end()
        if text[at : at + 1] == ",":
            at = SKIP.match(text, at + 1).end()
        elif text[at : at + 1] != "]":
            wrong(path, line_of(text, at), "a comma or the end of the list is missing")
    at = SKIP.match(text, at + 1).end()
    if text[at:]:
        wrong(path, line_of(text, at), "there is text after the list")
    return found


def published(obj):
    """The events of a perfmon file: numbers and words become texts, nested values are dropped."""
    found = []
    for event in obj["Events"] if isinstance(obj.get("Events"), list) else []:
        if isinstance(event, dict):
            words = {k: v if isinstance(v, str) else json.dumps(v) for k, v in event.items()
                     if v is not None and not isinstance(v, (dict, list))}
            found.append((1, words))
    return found


DECODER = json.JSONDecoder()


def read_list(path):
    """The objects of a file as pairs (line, object); none for an object that describes groups of
    metrics."""
    text = read_text(path)
    at = SKIP.match(text).end()
    try:
        if text[at : at + 1] != "[":
            obj, _ = DECODER.raw_decode(text, at)
            found = published(obj) if isinstance(obj, dict) else []
        else:
            found = elements(path, DECODER, text, at)
    except json.JSONDecodeError as e:
        wrong(path, e.lineno, e.msg)
    except RecursionError:
        wrong(path, line_of(text, at), "it is nested too deeply")
    for line, obj in found:
        check_object(path, line, obj)
    return found


def json_files(folder):
    return sorted(n for n in os.listdir(folder) if n.endswith(".json"))


def read_mapfile(path):
    """Lines as (line number, cpuid, words): the third word is a folder, the fourth a type."""
    found = []
    for nr, line in enumerate(read_text(path).split("\n"), 1):
        line = line.strip()
        if nr == 1 or not line or line.startswith("#"):
            continue
        words = line.split(",")
        if len(words) < 4:
            wrong(path, nr, "a line has CPU, version, folder and type")
        pattern = words[0].replace("[[:xdigit:]]", "[0-9a-fA-F]").replace("[[:digit:]]", "[0-9]")
        try:
            re.compile(pattern)
        except re.error as e:
            wrong(path, nr, f"'{words[0]}' is not a valid regular expression: {e}")
        if not words[0]:
            wrong(path, nr, "the CPU is missing")
        if ".." in words[2].split("/"):
            wrong(path, nr, f"'{words[2]}' leads out of the tree")
        found.append((nr, words[0], words))
    return found


def is_metrics(name):
    return name.endswith("metrics")


def topic_of(name):
    stem = name[: -len(".json")]
    return "metrics" if is_metrics(stem) else stem.replace("-", " ")


def places_of(place):
    """The (architecture, folder with mapfile.csv) below a directory; the architecture of Intel's
    perfmon files, whose mapfile names files, is x86."""
    if not os.path.isdir(place):
        raise Wrong(f"{place}: no such folder")
    mapfile = os.path.join(place, "mapfile.csv")
    if os.path.exists(mapfile):
        lines = read_mapfile(mapfile)
        names_files = any(words[2].endswith(".json") for _, _, words in lines)
        return [("x86" if names_files else os.path.basename(os.path.abspath(place)), place)]
    below = os.path.join(place, "arch") if os.path.isdir(os.path.join(place, "arch")) else place
    found = [(arch, os.path.join(below, arch)) for arch in sorted(os.listdir(below))
             if arch not in ("test", "common")
             and os.path.exists(os.path.join(below, arch, "mapfile.csv"))]
    if not found:
        raise Wrong(f"{place}: there is no mapfile.csv below it")
    return found
