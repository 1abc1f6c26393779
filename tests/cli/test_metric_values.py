# SPDX-License-Identifier: MIT
"""Every metric and threshold of every CPU: the program's value on made-up counts beside that of an
evaluation in Python, which reads the formulas from pmu-events itself."""
import math
import os
import re
import runpy
import subprocess
import unittest

SOURCE = os.environ["PFX_SOURCE_DIR"]
GEN = runpy.run_path(os.path.join(SOURCE, "scripts", "gen_pmu_events"))
CPUID = "GenuineIntel-6-55-7"
FACTS = {"smt_on": 1.0, "core_wide": 0.0, "num_cpus": 64.0, "num_cpus_online": 48.0,
         "num_cores": 24.0, "num_dies": 2.0, "num_packages": 2.0, "system_tsc_freq": 2.5e9,
         "slots": 8.0, "has_pmem": 1.0, "target_cpu": 1.0}
TOKEN = re.compile(
    r"\s*(?:(?P<cpuid>strcmp_cpuid_str\((?P<text>[^)]*)\))|#(?P<fact>[A-Za-z_]+)"
    r"|(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?(?![A-Za-z0-9_.:@?\\]))"
    r"|(?P<name>(?:[A-Za-z0-9_.:?]|\\.|@(?:[^@\\]|\\.)*@)+)"
    r"|(?P<sign>[-+*/%()<>|&^,]))")


class Undefined(Exception):
    """A division by zero."""


def count_of(name):
    value = 2166136261
    for byte in name.lower().encode():
        value = ((value ^ byte) * 16777619) & 0xFFFFFFFF
    return float(1 + value % 100000)


class Formula:
    """A recursive evaluation of one text; operators as in C, `a if b else c` as in Python."""

    LEVELS = ("|", "^", "&", "<>", "+-", "*/%")

    def __init__(self, text, value_of):
        self.tokens = list(TOKEN.finditer(text))
        assert "".join(t.group() for t in self.tokens).strip() == text.strip(), text
        self.at = 0
        self.value_of = value_of

    def peek(self):
        return self.tokens[self.at].group().strip() if self.at < len(self.tokens) else ""

    def take(self, word):
        if self.peek() != word:
            return False
        self.at += 1
        return True

    def choice(self):
        """Both branches are read, and only the chosen one must have a value."""
        first = self.level(0)
        if not self.take("if"):
            return first
        condition = self.level(0)
        assert self.take("else")
        other = self.choice()
        return lambda: first() if condition() != 0 else other()

    def level(self, nr):
        if nr == len(self.LEVELS):
            return self.primary()
        left = self.level(nr + 1)
        while self.peek() and self.peek() in self.LEVELS[nr]:
            sign = self.peek()
            self.at += 1
            left = self.joined(sign, left, self.level(nr + 1))
        return left

    @staticmethod
    def joined(sign, a, b):
        def divide(x, y):
            if y == 0:
                raise Undefined
            return x / y

        def rest(x, y):
            if y == 0:
                raise Undefined
            return math.fmod(x, y)

        def bits(work):
            def on_whole(x, y):
                if not abs(x) < 9e18 or not abs(y) < 9e18:
                    raise Undefined
                return float(work(int(x), int(y)))
            return on_whole

        work = {"+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y,
                "/": divide, "%": rest, "<": lambda x, y: float(x < y),
                ">": lambda x, y: float(x > y), "|": bits(lambda x, y: x | y),
                "&": bits(lambda x, y: x & y), "^": bits(lambda x, y: x ^ y)}[sign]
        return lambda: work(a(), b())

    def arguments(self):
        found = [self.choice()]
        while self.take(","):
            found.append(self.choice())
        assert self.take(")")
        return found

    def primary(self):
        if self.take("-"):
            inner = self.primary()
            return lambda: -inner()
        if self.take("("):
            inner = self.choice()
            assert self.take(")")
            return inner
        token = self.tokens[self.at]
        self.at += 1
        if token["cpuid"]:
            return lambda: float(CPUID.startswith(token["text"].strip()))
        if token["fact"]:
            return lambda: FACTS[token["fact"].lower()]
        if token["number"]:
            return lambda: float(token["number"])
        if self.peek() == "(" and token["name"] in ("min", "max", "d_ratio", "source_count",
                                                    "has_event"):
            self.at += 1
            return self.call(token["name"], self.arguments())
        return lambda: self.value_of(token["name"])

    @staticmethod
    def call(name, args):
        if name in ("source_count", "has_event"):
            return lambda: 1.0
        if name == "d_ratio":
            return lambda: args[0]() / args[1]() if args[1]() else 0.0
        work = min if name == "min" else max
        return lambda: work(args[0](), args[1]())

    def value(self):
        made = self.choice()
        assert self.at == len(self.tokens), self.peek()
        return made()


class Cpu:
    """The metrics of a CPU, each evaluated once for each kind of core."""

    def __init__(self, folder):
        self.rows = {}
        for row in folder.metrics.values():
            self.rows.setdefault(row["name"].lower(), []).append(row)
        self.known = {}

    def metric(self, name, pmu):
        found = self.rows.get(name.lower())
        if not found:
            return None
        # The table is in the order of PMUs.
        found = sorted(found, key=lambda r: (r["pmu"], r["compat"], r["expr"]))
        return next((r for r in found if r["pmu"] == pmu), found[0])

    def value(self, text, pmu):
        return Formula(text.replace("?", "0"), lambda name: self.named(name, pmu)).value()

    def named(self, name, pmu):
        plain = re.sub(r"\\(.)|@", lambda m: m[1] or "/", name)
        row = self.metric(plain, pmu)
        if not row:
            return count_of(plain)
        key = (id(row), pmu)
        if key not in self.known:
            try:
                self.known[key] = self.value(row["expr"], pmu)
            except Undefined:
                self.known[key] = None
        if self.known[key] is None:
            raise Undefined
        return self.known[key]


def text_of(cpu, text, pmu):
    if not text:
        return "-"
    try:
        return cpu.value(text, pmu)
    except Undefined:
        return "undefined"


class Values(unittest.TestCase):
    def test_every_metric(self):
        done = subprocess.run([os.environ["PFX_METRIC_VALUES"]], capture_output=True, text=True,
                              check=True)
        folders = {}
        for _, _, name, folder in GEN["read_all"]([os.path.join(SOURCE, "pmu-events")]):
            folders.setdefault(name, folder)
        cpus = {name: Cpu(folder) for name, folder in folders.items()}
        rows = {name: {(r["pmu"], r["name"], r["compat"]): r for r in f.metrics.values()}
                for name, f in folders.items()}
        compared, seen = 0, set()
        for line in done.stdout.splitlines():
            name, pmu, metric, *values = line.split("\t")
            found = [r for k, r in rows[name].items() if k[:2] == (pmu, metric)]
            self.assertEqual(len(found), 1, line)
            if (id(found[0]), name.split("/")[0]) in seen and not pmu.startswith("cpu"):
                continue  # of devices: the same for every CPU
            if found[0]["compat"]:
                seen.add((id(found[0]), name.split("/")[0]))
            for got, text in zip(values, (found[0]["expr"], found[0]["threshold"])):
                self.compare(f"{name} {pmu} {metric}", got, text_of(cpus[name], text, pmu))
                compared += got != "-"
        self.assertGreater(compared, 8000)

    def compare(self, where, got, wanted):
        if isinstance(wanted, str):
            self.assertEqual(got, wanted, where)
            return
        self.assertNotIn(got, ("-", "undefined"), f"{where}: not {wanted}")
        self.assertFalse(got.startswith("error"), f"{where}: {got}")
        self.assertTrue(math.isclose(float(got), wanted, rel_tol=1e-9, abs_tol=1e-9),
                        f"{where}: {got} is not {wanted}")


if __name__ == "__main__":
    unittest.main()
