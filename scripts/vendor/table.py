# SPDX-License-Identifier: MIT
"""The C table of vendor events; lib/pmu/vendor/vendor_table.h describes it."""
from describe import describe_groups
from packing import Packer

EVENT_KIND = ("pmu", "topic", "scale_unit", "compat", "counters", "latency", "flags")
METRIC_KIND = ("pmu", "topic", "scale_unit", "compat", "group", "constraint", "no_group",
               "default_group")


class Strings:
    """Plain texts, each once; one that ends another shares its bytes."""

    def __init__(self):
        self.offsets = {"": 0}

    def add(self, text):
        self.offsets.setdefault(text, None)
        return text

    def finish(self):
        data = bytearray(b"\0")
        last = ("", 0)
        for text in sorted((t for t in self.offsets if t), key=lambda t: t[::-1], reverse=True):
            raw = text.encode()
            if last[0].endswith(text):
                self.offsets[text] = last[1] + len(last[0].encode()) - len(raw)
                continue
            self.offsets[text] = len(data)
            last = (text, len(data))
            data += raw + b"\0"
        return bytes(data)

    def at(self, text):
        return self.offsets[text]


ESCAPES = {b: chr(b) if 32 <= b < 127 and chr(b) not in '"\\?' else f"\\{b:03o}"
           for b in range(256)}


def c_string(data):
    text = [ESCAPES[b] for b in data]
    return "\n".join(f'\t"{"".join(text[i : i + 96])}"' for i in range(0, len(text), 96))


def numbers(values):
    """Lines of an initializer."""
    words = list(map(str, values))
    return ["\t" + ", ".join(words[i : i + 24]) + "," for i in range(0, len(words), 24)]


class Rows:
    """Events or metrics of all CPUs: different rows by name, their kinds, and the index."""

    def __init__(self, folders, kind, packed, kind_keys):
        found = {}
        for folder in folders:
            for row in getattr(folder, kind).values():
                if id(row) not in found:
                    found[id(row)] = (self.key(row, packed, kind_keys), row)
        unique = {key for key, _ in found.values()}
        # By name, PMU, device and terms: the order of rows that are read at run time, too.
        self.ordered = sorted(unique, key=lambda r: (r[0][0].lower(), r[-1][0], r[-1][3], r))
        at = {key: i for i, key in enumerate(self.ordered)}
        self.place = {i: at[key] for i, (key, _) in found.items()}
        self.kinds = sorted({key[-1] for key in self.ordered})
        self.kind_at = {k: i for i, k in enumerate(self.kinds)}

    @staticmethod
    def key(row, packed, kind_keys):
        texts = tuple((row[k],) for k in packed)
        return texts + ((row["text"], row["details"]), tuple(row[k] for k in kind_keys))

    def add_texts(self, packer, strings):
        for key in self.ordered:
            for texts in key[:-1]:
                packer.add(*texts)
        for kind in self.kinds:
            for value in kind:
                if isinstance(value, str):
                    strings.add(value)

    def index_of(self, folder, kind):
        return sorted(self.place[id(row)] for row in getattr(folder, kind).values())


def fields(values):
    return "{" + ", ".join(map(str, values)) + "}"


def rows_of(name, rows, packer, strings):
    """The C of rows and kinds, and their bytes."""
    nr = len(rows.ordered[0]) - 1 if rows.ordered else 0
    out = [f"const struct pfx_vendor_{name}_row pfx_vendor_{name}_rows[] = {{"]
    for key in rows.ordered:
        out.append("\t" + fields(packer.at(*texts) for texts in key[:-1]) + ",")
    out += ["\t{0},", "};", "", f"const uint16_t pfx_vendor_{name}_row_kinds[] = {{"]
    out += numbers(rows.kind_at[key[-1]] for key in rows.ordered)
    out += ["\t0,", "};", "",
            f"const struct pfx_vendor_{name}_kind pfx_vendor_{name}_kinds[] = {{"]
    width = len(rows.kinds[0]) if rows.kinds else 0
    for kind in rows.kinds:
        out.append("\t" + fields(strings.offsets[v] if isinstance(v, str) else v for v in kind)
                   + ",")
    out += ["\t{0},", "};", ""]
    return out, (4 * nr + 2) * len(rows.ordered) + 4 * width * len(rows.kinds)


def index_bytes(index):
    return b"".join(i.to_bytes(3, "little") for i in index)


def counters_text(folder):
    return ";".join(f"{pmu}={generic},{fixed}"
                    for pmu, (generic, fixed) in sorted(folder.counters.items()))


def unique_folders(cpus):
    return list({id(cpu[3]): cpu[3] for cpu in cpus}.values())


def words_of(words):
    """The dictionary: bytes, and for each word its place and length in one number."""
    strings = Strings()
    for word in words:
        strings.add(word)
    data = strings.finish()
    return data, [strings.offsets[w] << 8 | len(w.encode()) for w in words]


def cpu_lines(cpus, ranges, strings):
    out = ["const struct pfx_vendor_cpu_row pfx_vendor_cpu_rows[] = {"]
    for arch, cpuid, name, folder in cpus:
        head = [strings.offsets[t] for t in (arch, cpuid, name, counters_text(folder))]
        out.append(f"\t{fields(head + ranges[id(folder)])}, /* {arch} {name} */")
    return out + ["\t{0},", "};", ""]


def group_lines(groups, strings):
    out = ["const struct pfx_vendor_group pfx_vendor_groups[] = {"]
    out += [f"\t{fields((strings.offsets[name], strings.offsets[text]))},"
            for name, text in sorted(groups, key=lambda g: g[0].encode())]
    return out + ["\t{0},", "};", "", f"const uint32_t pfx_vendor_nr_groups = {len(groups)};", ""]


def group_names(folders):
    return {name for folder in folders for row in folder.metrics.values()
            for name in row["group"].split(";") if name}


def generate(cpus, glossary=""):
    folders = unique_folders(cpus)
    events = Rows(folders, "events", ("name", "terms"), EVENT_KIND)
    metrics = Rows(folders, "metrics", ("name", "expr", "threshold"), METRIC_KIND)
    packer, strings = Packer(), Strings()
    groups = describe_groups(glossary, group_names(folders))
    for rows in (events, metrics):
        rows.add_texts(packer, strings)
    for name, text in groups:
        strings.add(name)
        strings.add(text)
    for arch, cpuid, name, folder in cpus:
        for text in (arch, cpuid, name, counters_text(folder)):
            strings.add(text)
    plain = strings.finish()
    data, words = packer.finish()
    word_bytes, word_places = words_of(words)
    index, ranges = [], {}
    for folder in folders:
        spans = []
        for kind, rows in (("events", events), ("metrics", metrics)):
            found = rows.index_of(folder, kind)
            spans += [len(index), len(found)]
            index += found
        ranges[id(folder)] = spans

    out = ["/* Made by scripts/gen_pmu_events; changes are lost. */",
           '#include "pmu/vendor/vendor_table.h"', ""]
    out += ["const char pfx_vendor_strings[] =", c_string(plain) + ";", ""]
    out += ["const unsigned char pfx_vendor_packed[] =", c_string(data) + ";", ""]
    out += ["const char pfx_vendor_word_bytes[] =", c_string(word_bytes) + ";", ""]
    out += ["const uint32_t pfx_vendor_words[] = {"] + numbers(word_places) + ["\t0,", "};", ""]
    out += [f"const uint32_t pfx_vendor_nr_words = {len(words)};", ""]
    lines, size_events = rows_of("event", events, packer, strings)
    out += lines
    lines, size_metrics = rows_of("metric", metrics, packer, strings)
    out += lines
    out += ["const unsigned char pfx_vendor_index[] =", c_string(index_bytes(index)) + ";", ""]
    out += group_lines(groups, strings)
    out += cpu_lines(cpus, ranges, strings)
    size = (len(plain) + len(data) + len(word_bytes) + 4 * len(words) + size_events + size_metrics
            + 3 * len(index) + 8 * len(groups) + 40 * len(cpus))
    out += [f"const uint32_t pfx_vendor_nr_cpus = {len(cpus)};",
            f"const uint32_t pfx_vendor_bytes = {size};", ""]
    return "\n".join(out)
