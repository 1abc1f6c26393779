# SPDX-License-Identifier: MIT
"""Small readers of the formats of pfx export, written from the descriptions of these formats. Each
takes the bytes of an output and returns its sums by event: (samples, period), or one number where
the format has one. The event is None where the output does not name it."""
import csv
import io
import base64
import json
import re
import sqlite3
import tempfile
import xml.etree.ElementTree
import zlib


def folded(data):
    """The events of the tests' recordings are known; other first frames are names of threads."""
    sums = {}
    for line in data.decode().splitlines():
        match = re.fullmatch(r"(?:(cycles|instructions|cpu-clock|page-faults|context-switches);)?[^;]+(?:;[^;]+)* (\d+)", line)
        assert match, f"not a folded line: {line!r}"
        sums[match.group(1)] = sums.get(match.group(1), 0) + int(match.group(2))
    return sums


def fields(data):
    """(number, value) of each field of a protobuf message; a value is an int or bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value
    while at < len(data):
        key = varint()
        assert key & 7 in (0, 1, 2), f"wire type {key & 7}"
        if key & 7 == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
            yield key >> 3, value
            continue
        value = varint()
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
            assert at <= len(data), "a field beyond the message"
        yield key >> 3, value


def numbers(data):
    """A packed field."""
    return [value for _, value in fields(b"".join(b"\x08" + data[a:b] for a, b in varint_ranges(data)))]


def varint_ranges(data):
    first = 0
    for i, byte in enumerate(data):
        if byte < 0x80:
            yield first, i + 1
            first = i + 1


def message(data):
    """The fields of a message, each with the list of its values."""
    found = {}
    for number, value in fields(data):
        found.setdefault(number, []).append(value)
    return found


def pprof_profile(data):
    """A profile with its indices resolved; what refers to nothing fails."""
    profile = message(zlib.decompress(data, 31) if data[:2] == b"\x1f\x8b" else data)
    texts = [text.decode() for text in profile[6]]
    assert texts[0] == "", "text 0 is not empty"
    types = [tuple(texts[message(value)[i][0]] for i in (1, 2)) for value in profile[1]]
    functions, mappings, locations = {}, {}, {}
    for value in profile.get(5, []):
        row = message(value)
        functions[row[1][0]] = (texts[row[2][0]], texts[row.get(4, [0])[0]])
    for value in profile.get(3, []):
        row = message(value)
        mappings[row[1][0]] = (texts[row[5][0]], texts[row.get(6, [0])[0]], row.get(2, [0])[0], row[3][0])
    for value in profile.get(4, []):
        row = message(value)
        lines = [message(line) for line in row[4]]
        mapping = mappings[row[2][0]] if 2 in row else None
        address = row.get(3, [0])[0]
        assert not mapping or mapping[2] <= address <= mapping[3], "an address outside of its mapping"
        locations[row[1][0]] = (mapping, address,
                                [(*functions[line[1][0]], line.get(2, [0])[0]) for line in lines])
    samples = []
    for value in profile.get(2, []):
        row = message(value)
        labels = {}
        for label in row.get(3, []):
            label = message(label)
            labels[texts[label[1][0]]] = texts[label[2][0]] if 2 in label else label.get(3, [0])[0]
        values = numbers(row[2][0])
        assert len(values) == len(types), "values that have no type"
        samples.append(([locations[i] for i in numbers(row[1][0])] if 1 in row else [], values, labels))
    return {"types": types, "samples": samples, "mappings": mappings, "default": texts[profile.get(14, [0])[0]],
            "time": profile.get(9, [0])[0], "comments": [texts[i] for i in profile.get(13, [])]}


def pprof(data):
    profile = pprof_profile(data)
    sums = {}
    for i in range(0, len(profile["types"]), 2):
        name = profile["types"][i + 1][0]
        event = name[:-len("_event")] if name.endswith("_event") else None
        sums[event] = tuple(sum(values[i + k] for _, values, _ in profile["samples"]) for k in (0, 1))
    return sums if any(both[0] for both in sums.values()) else {}


def otlp_request(data):
    """A request with its indices resolved: profiles as (event, type, unit, [(stack, attributes, values, times)]),
    leaf first. Element 0 of each table stands for nothing."""
    request = message(data)
    assert len(request[1]) == len(request[2]) == 1, "one resource, one dictionary"
    tables = message(request[2][0])
    texts = [text.decode() for text in tables[5]]
    assert texts[0] == "" and all(tables[i][0] == b"" for i in (1, 2, 3, 6, 7)), "an element 0 is not empty"
    assert message(tables[4][0]) == {1: [bytes(16)], 2: [bytes(8)]} and len(tables[4]) == 1, "links"
    for table in (tables[5], tables[6], tables[7]):
        assert len(set(table)) == len(table), "an element twice"

    def value(raw):
        return next((v.decode() if kind == 1 else v) for kind, v in fields(raw))

    def rows(table):
        return [message(row) for row in tables[table]]
    attributes = [(texts[row[1][0]], value(row[2][0])) if row else None for row in rows(6)]
    functions = [texts[row.get(1, [0])[0]] for row in rows(3)]
    mappings = [texts[row.get(4, [0])[0]] for row in rows(1)]
    locations = [(mappings[row.get(1, [0])[0]], row.get(2, [0])[0],
                  [functions[message(line)[1][0]] for line in row.get(3, [])]) for row in rows(2)]
    stacks = [[locations[i] for i in numbers(row[1][0])] if row else [] for row in rows(7)]
    found = []
    for raw in message(message(request[1][0])[2][0])[2]:
        profile = message(raw)
        assert len(profile[1]) == 1 and len(profile[7][0]) == 16, "one type, an id"
        kind = message(profile[1][0])
        event = dict(attributes[i] for i in numbers(profile[11][0]))["perf.event"]
        samples = []
        for sample in map(message, profile.get(2, [])):
            times = sample.get(5, [b""])[0]
            times = [int.from_bytes(times[i:i + 8], "little") for i in range(0, len(times), 8)]
            values = numbers(sample[4][0])
            assert not times or len(times) == len(values), "values that have no time"
            samples.append((stacks[sample.get(1, [0])[0]], dict(attributes[i] for i in numbers(sample[2][0])), values, times))
        found.append((event, texts[kind[1][0]], texts[kind[2][0]], samples))
    resource = {pair[1][0].decode(): value(pair[2][0]) for pair in
                (message(raw) for raw in message(message(request[1][0])[1][0]).get(1, []))}
    return found, resource


def otlp(data):
    """Samples are distinct by stack and attributes."""
    sums = {}
    for event, _, _, samples in otlp_request(data)[0]:
        keys = [json.dumps([stack, sorted(attributes.items())]) for stack, attributes, _, _ in samples]
        assert len(set(keys)) == len(keys), "a sample twice"
        if samples:
            sums[event] = sum(sum(values) for _, _, values, _ in samples)
    return sums


def firefox(data):
    """The tables are as long as they say, stacks and frames refer to rows that exist."""
    profile = json.loads(data)
    assert profile["meta"]["preprocessedProfileVersion"] == 66
    shared = profile["shared"]
    for name, table in list(shared.items()) + [(n, t[n]) for t in profile["threads"] for n in ("samples", "markers")]:
        if isinstance(table, dict):
            assert all(not isinstance(column, list) or len(column) == table["length"] for column in table.values()), name
    frames, texts = shared["frameTable"], shared["stringArray"]
    assert all(i is None or 0 <= i < shared["stackTable"]["length"] for t in profile["threads"]
               for i in t["samples"]["stack"]), "a stack that does not exist"
    assert all(0 <= offset <= i for i, offset in enumerate(shared["stackTable"]["prefixOffset"]))
    assert all(0 <= i < frames["length"] for i in shared["stackTable"]["frame"])
    assert all(0 <= i < shared["funcTable"]["length"] for i in frames["func"])
    assert all(0 <= i < len(texts) for i in shared["funcTable"]["name"])
    sums = {}
    for thread in profile["threads"]:
        match = re.search(r" \(([^()]+)\)$", thread["name"])
        samples = thread["samples"]
        if samples["weight"] is None:
            weight = samples["length"]
        elif samples["weightType"] == "tracing-ms":
            weight = sum(round(ms * 1000000) for ms in samples["weight"])
        else:
            weight = sum(samples["weight"])
        event = match.group(1) if match else None
        sums[event] = sums.get(event, 0) + weight
    return sums


def speedscope(data):
    """The merged profile of an event has the weights of its threads."""
    profile = json.loads(data)
    nr = len(profile["shared"]["frames"])
    merged, threads = {}, {}
    for row in profile["profiles"]:
        assert row["type"] == "sampled" and len(row["samples"]) == len(row["weights"])
        assert all(0 <= frame < nr for stack in row["samples"] for frame in stack)
        assert sum(row["weights"]) == row["endValue"] - row["startValue"]
        name, event = re.fullmatch(r"(.*?)(?: \(([^()]+)\))?", row["name"]).groups()
        to = merged if name == "all threads" else threads
        to[event] = to.get(event, 0) + sum(row["weights"])
    assert {k: v for k, v in merged.items() if v} == {k: v for k, v in threads.items() if v}
    return threads


def callgrind(data):
    """The sums of self costs equal the totals that the file names; no call costs more."""
    names, events, sums, totals, is_call = {}, [], None, None, False
    for line in data.decode().splitlines():
        if line.startswith("event: "):
            word, name = line[len("event: "):].split(" : ", 1)
            names[word] = name.removesuffix(", samples")
        elif line.startswith("events: "):
            events = line.split()[1:]
            sums = [0] * len(events)
        elif line.startswith("totals: "):
            totals = [int(word) for word in line.split()[1:]]
        elif line.startswith("calls="):
            is_call = True
        elif line[:1].isdigit():
            costs = [int(word) for word in line.split()[1:]]
            assert 0 < len(costs) <= len(events) and costs[-1], line
            costs += [0] * (len(events) - len(costs))
            if not is_call:
                sums = [a + b for a, b in zip(sums, costs)]
            is_call = False
    assert sums == totals, f"self costs are {sums}, totals {totals}"
    return {names[events[i + 1]]: (sums[i], sums[i + 1]) for i in range(0, len(events), 2) if sums[i]}


def chrome(data):
    """Slices nest, and what ends has begun."""
    stacks, threads, sums, last = {}, {}, {}, {}
    for event in json.loads(data)["traceEvents"]:
        at = (event["pid"], event["tid"])
        if event["ph"] == "M":
            threads[at] = event["args"]["name"] if event["name"] == "thread_name" else None
            continue
        assert event["ts"] >= last.get(at, 0), "a slice before the last one"
        last[at] = event["ts"]
        if event["ph"] == "B":
            stacks.setdefault(at, []).append(event["name"])
            continue
        assert event["ph"] == "E" and stacks[at].pop() == event["name"]
        match = re.search(r" \(([^()]+)\)$", threads[at])
        both = sums.setdefault(match.group(1) if match else None, [0, 0])
        both[0] += event.get("args", {}).get("samples", 0)
        both[1] += event.get("args", {}).get("period", 0)
    assert not any(stacks.values()), "slices that do not end"
    return {event: tuple(both) for event, both in sums.items()}


def csv_rows(data):
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


def csv_file(data):
    sums = {}
    for row in csv_rows(data):
        assert None not in row and None not in row.values(), f"fields are missing or too many: {row}"
        both = sums.setdefault(row["event"], [0, 0])
        both[0] += 1
        both[1] += int(row["period"])
    return {event: tuple(both) for event, both in sums.items()}


def cpuprofile(data):
    """A tree whose nodes all have one parent; as many samples as times."""
    profile = json.loads(data)
    nodes = {node["id"]: node for node in profile["nodes"]}
    children = [child for node in profile["nodes"] for child in node["children"]]
    assert len(children) == len(set(children)) == len(nodes) - 1 and set(children) < set(nodes)
    assert len(profile["samples"]) == len(profile["timeDeltas"]) and set(profile["samples"]) <= set(nodes)
    assert all(delta >= 0 for delta in profile["timeDeltas"])
    sums = {}

    def add(node, event):
        if node["hitCount"]:
            sums[event] = sums.get(event, 0) + node["hitCount"]
        for child in node["children"]:
            add(nodes[child], event)
    root = profile["nodes"][0]
    for child in root["children"]:
        match = re.search(r" \d+ \(([^()]+)\)$", nodes[child]["callFrame"]["functionName"])
        add(nodes[child], match.group(1) if match else None)
    return sums


def html(data):
    """The data is JSON in an element, packed with gzip when it is large."""
    packed, text = re.search(rb'<script id="data" type="application/json"( data-packed="gzip")?>([^<]*)</script>',
                             data).groups()
    if packed:
        text = zlib.decompress(base64.b64decode(text), 31)
    page = json.loads(text)
    samples = page["samples"]
    if not samples["count"]:
        return {}
    columns = {name: page_column(samples[name], samples["count"]) for name in ("event", "stack", "times", "period")}
    assert max(columns["stack"]) < page["stacks"]["count"], "a sample without a stack"
    sums = {}
    for event, times, period in zip(columns["event"], columns["times"], columns["period"]):
        name = page["events"][event]["name"]
        nr, weight = sums.get(name, (0, 0))
        sums[name] = nr + times, weight + period
    assert all(sums.get(of["name"], (0, 0)) == (of["samples"], of["period"]) for of in page["events"]), "sums of events"
    return sums


def page_column(column, count):
    """Numbers in base-64 digits of five bits, the lowest first."""
    if isinstance(column, int):
        return [column] * count
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    numbers, value, shift = [], 0, 0
    for char in column:
        digit = digits.index(char)
        value |= (digit & 31) << shift
        shift += 5
        if digit < 32:
            numbers.append(value)
            value = shift = 0
    assert len(numbers) == count and not shift, "the length of a column"
    return numbers


def svg(data):
    """Well-formed; the frames of a graph lie in their parents, and their titles are text."""
    root = xml.etree.ElementTree.fromstring(data)
    sums = {}
    for graph in (of for of in root.iter(SVG + "g") if of.get("class") == "graph"):
        frames = [of for of in graph if of.get("class") == "f"]
        places = [(int(of.get("y")), *(float(of.get(name).rstrip("%")) for name in ("x", "width"))) for of in frames]
        for y, x, width in places[1:]:
            assert any(above == y - 18 and left - 1e-4 <= x and x + width <= left + wide + 1e-4
                       for above, left, wide in places), f"a frame at {y}, {x} % has no parent"
        assert all(of.find(SVG + "title").text.count("\n") in (1, 2) for of in frames), "lines of titles"
        if int(graph.get("data-weight")):
            sums[graph.get("data-event")] = int(graph.get("data-weight"))
    return sums


SVG = "{http://www.w3.org/2000/svg}"
def perf_json(data):
    """Neither events nor periods."""
    profile = json.loads(data)
    assert profile["linux-perf-json-version"] == 1
    assert all(sample["callchain"] and sample["comm"] for sample in profile["samples"])
    return {None: (len(profile["samples"]), None)} if profile["samples"] else {}


def sqlite(data):
    """Every number refers to a row; the views have a row for each of their table."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        base = sqlite3.connect(file.name)
        assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        for table, column, to in (("samples", "evsel_id", "selected_events"), ("samples", "thread_id", "threads"),
                                  ("samples", "comm_id", "comms"), ("samples", "dso_id", "dsos"),
                                  ("samples", "symbol_id", "symbols"), ("samples", "call_path_id", "call_paths"),
                                  ("call_paths", "parent_id", "call_paths"), ("call_paths", "symbol_id", "symbols"),
                                  ("symbols", "dso_id", "dsos"), ("comms", "c_thread_id", "threads"),
                                  ("threads", "process_id", "threads"), ("comm_threads", "comm_id", "comms"),
                                  ("comm_threads", "thread_id", "threads")):
            lost = base.execute(f"SELECT count(*) FROM {table} WHERE {column} NOT IN (SELECT id FROM {to})").fetchone()
            assert lost == (0,), f"{table}.{column} refers to rows that do not exist"
        for name in ("samples", "symbols", "dsos", "threads", "machines"):
            counts = [base.execute(f"SELECT count(*) FROM {name}{view}").fetchone() for view in ("", "_view")]
            assert counts[0] == counts[1], f"{name}_view: {counts}"
        return {event: (nr, period) for event, nr, period in base.execute(
            "SELECT e.name, count(*), sum(period) FROM samples s JOIN selected_events e ON e.id = s.evsel_id "
            "WHERE s.id > 0 GROUP BY 1")}


READERS = {"perf-json": perf_json, "sqlite": sqlite, "html": html, "svg": svg, "folded": folded, "pprof": pprof, "otlp": otlp, "firefox": firefox, "speedscope": speedscope,
           "callgrind": callgrind, "chrome": chrome, "csv": csv_file, "cpuprofile": cpuprofile}
