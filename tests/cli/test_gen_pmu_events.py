# SPDX-License-Identifier: MIT
"""scripts/gen_pmu_events: what it makes of small inputs, how it names what is wrong, and that every
file below pmu-events keeps to the schema."""
import functools
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ["PFX_SOURCE_DIR"]
SCRIPT = os.path.join(SOURCE, "scripts", "gen_pmu_events")
GEN = runpy.run_path(SCRIPT)
MAP = "Family-model,Version,Filename,EventType\n# a comment\nVendor-1-.*,v1,small,core\n"


@functools.lru_cache(None)
def shipped():
    """The CPUs below pmu-events, read once."""
    return GEN["read_all"]([os.path.join(SOURCE, "pmu-events")])


class Tree:
    """A folder of events in a temporary directory, which goes with the object."""

    def __init__(self, files, mapfile=MAP):
        self.dir = tempfile.TemporaryDirectory()
        unittest.addModuleCleanup(self.dir.cleanup)
        self.put("arch/x86/mapfile.csv", mapfile)
        for name, text in files.items():
            self.put("arch/x86/" + name, text if isinstance(text, str) else json.dumps(text))

    def put(self, name, text):
        path = os.path.join(self.dir.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)

    def run(self):
        out = os.path.join(self.dir.name, "out.c")
        done = subprocess.run([sys.executable, SCRIPT, self.dir.name, out], capture_output=True,
                              text=True, check=False)
        return done.returncode, done.stderr.replace(self.dir.name + "/", "")

    def folder(self):
        return GEN["read_all"]([self.dir.name])[0][3]

    def terms(self, name):
        return next(r["terms"] for r in self.folder().events.values() if r["name"] == name)


def event(name, **keys):
    return {"EventName": name, **keys}


class Terms(unittest.TestCase):
    def check(self, obj, wanted):
        tree = Tree({"small/a.json": [obj]})
        self.assertEqual(tree.terms(obj["EventName"].lower()), wanted)

    def test_code_and_umask(self):
        self.check(event("A.B", EventCode="0x3C", UMask="0x01"), "event=0x3c,umask=0x01")

    def test_zero_is_left_out(self):
        self.check(event("A", EventCode="0x3C", UMask="0x00", CounterMask="0", Invert="0"),
                   "event=0x3c")

    def test_everything_in_order(self):
        self.check(event("A", EventCode="0xA3", UMask="0x6", CounterMask="6", Invert="1",
                         EdgeDetect="1", AnyThread="1", SampleAfterValue="1000"),
                   "event=0xa3,any=1,cmask=6,edge=1,inv=1,period=1000,umask=0x6")

    def test_extension_of_the_code(self):
        self.check(event("A", EventCode="0x01", ExtSel="0x2"), "event=0x201")

    def test_first_of_two_codes(self):
        self.check(event("A", EventCode="0xB7, 0xBB", UMask="0x1", MSRIndex="0x1a6,0x1a7",
                         MSRValue="0x3F80400001"),
                   "event=0xb7,umask=0x1,offcore_rsp=0x3F80400001")

    def test_latency(self):
        self.check(event("A", EventCode="0xcd", MSRIndex="0x3F6", MSRValue="0x4"),
                   "event=0xcd,ldlat=0x4")

    def test_config(self):
        self.check(event("A", ConfigCode="0x8000000000000003"), "config=0x8000000000000003")

    def test_fixed_counters(self):
        self.check(event("INST_RETIRED.ANY", EventCode="0x00", UMask="0x01",
                         SampleAfterValue="2000003"), "event=0xc0,period=2000003")

    def test_filter(self):
        self.check(event("A", EventCode="0x35", Filter="filter_opc=0x182"),
                   "event=0x35,filter_opc=0x182")


    def test_number_in_place_of_the_code(self):
        self.check(event("A", EventidCode="0x9", NodeType="0x5"), "eventid=0x9,type=0x5")
        self.check(event("A", LegacyConfigCode="3"), "legacy-hardware-config=0x3")

    def test_extension_is_hexadecimal(self):
        self.check(event("A", EventCode="0x01", ExtSel="10"), "event=0x1001")

    def test_extension_of_the_umask(self):
        self.check(event("A", EventCode="0x35", UMask="0x21", UMaskExt="0xC8"),
                   "event=0x35,umask=0xc821")

    def test_what_is_empty_says_nothing(self):
        self.check(event("A", EventCode="0x35", UMask="", Filter="na", MSRIndex="", Errata="null"),
                   "event=0x35")


class Rows(unittest.TestCase):
    def test_standard_events_are_filled_in(self):
        tree = Tree({"std.json": [event("STD", EventCode="0x11", BriefDescription="Cycles")],
                     "small/a.json": [{"ArchStdEvent": "std", "BriefDescription": "Own words"}]})
        row = next(iter(tree.folder().events.values()))
        self.assertEqual((row["name"], row["terms"], row["text"]),
                         ("std", "event=0x11", "Own words"))

    def test_units_become_pmus(self):
        for unit, pmu in (("iMC", "uncore_imc"), ("CHA", "uncore_cha"), ("UPI LL", "uncore_upi"),
                          ("L3PMC", "amd_l3"), ("cpu_atom", "cpu_atom"), ("", "")):
            tree = Tree({"small/a.json": [event("A", EventCode="1", Unit=unit)]})
            self.assertEqual(next(iter(tree.folder().events.values()))["pmu"], pmu)

    def test_topic_is_the_file(self):
        tree = Tree({"small/virtual-memory.json": [event("A", EventCode="1")]})
        self.assertEqual(next(iter(tree.folder().events.values()))["topic"], "virtual memory")

    def test_event_and_metric_in_one(self):
        tree = Tree({"small/a.json": [event("A", EventCode="1", MetricName="M", MetricExpr="A/2")]})
        folder = tree.folder()
        self.assertEqual((len(folder.events), len(folder.metrics)), (1, 1))

    def test_groups_file_is_no_list(self):
        tree = Tree({"small/metricgroups.json": {"Cache": "about caches"},
                     "small/a.json": [event("A", EventCode="1")]})
        self.assertEqual(len(tree.folder().events), 1)

    def test_devices_of_their_own(self):
        tree = Tree({"small/a.json": [event("A", EventCode="1")],
                     "maker/board/sys/ddr.json": [event("D", EventCode="2", Unit="imx8_ddr",
                                                        Compat="i.MX8")]})
        cpus = GEN["read_all"]([tree.dir.name])
        self.assertEqual([(c[1], c[2]) for c in cpus], [("Vendor-1-.*", "small")])
        self.assertEqual([(r["name"], r["pmu"], r["compat"]) for r in cpus[0][3].events.values()],
                         [("a", "", ""), ("d", "imx8_ddr", "i.MX8")])

    def test_metrics_of_every_cpu(self):
        tree = Tree({"small/a.json": [event("A", EventCode="1"), {"MetricName": "own", "MetricExpr": "1"}]})
        tree.put("arch/common/metrics.json", json.dumps([{"MetricName": "all", "MetricExpr": "2"},
                                                         {"MetricName": "Own", "MetricExpr": "3"}]))
        self.assertEqual({r["name"]: r["expr"] for r in tree.folder().metrics.values()}, {"own": "1", "all": "2"})

    def test_standard_metrics_are_filled_in(self):
        tree = Tree({"std.json": [{"MetricName": "Slow", "MetricExpr": "a / b"}],
                     "small/a.json": [{"ArchStdEvent": "slow", "MetricGroup": "Own"}]})
        row = next(iter(tree.folder().metrics.values()))
        self.assertEqual((row["name"], row["expr"], row["group"]), ("Slow", "a / b", "Own"))

    def test_how_exact_samples_are(self):
        tree = Tree({"small/a.json": [event(
            "A", EventCode="1", PEBS="2", Data_LA="1", Errata="SKL1", BriefDescription="Words",
            PublicDescription="Words.")]})
        row = next(iter(tree.folder().events.values()))
        self.assertEqual(row["text"], "Words. Supports address when precise. Spec update: SKL1 "
                         "(Must be precise)")
        self.assertEqual(row["details"], "")

    def test_the_same_twice(self):
        tree = Tree({"small/a.json": [event("A", EventCode="1")] * 2})
        self.assertEqual(len(tree.folder().events), 1)

    def test_counts_of_counters_are_no_events(self):
        tree = Tree({"small/counter.json": [{"Unit": "core", "CountersNumFixed": "4",
                                             "CountersNumGeneric": 8}],
                     "small/a.json": [event("A", EventCode="1")]})
        self.assertEqual(len(tree.folder().events), 1)

    def test_strings_share_their_ends(self):
        strings = GEN["Strings"]()
        for text in ("cycles", "ref-cycles", "", "les"):
            strings.add(text)
        data = strings.finish()
        for text in ("cycles", "ref-cycles", "", "les"):
            at = strings.at(text)
            self.assertEqual(data[at : data.index(b"\0", at)], text.encode())
        self.assertEqual(len(data), len("ref-cycles") + 2)


class Places(unittest.TestCase):
    def test_a_tree_of_the_user_comes_before_ours(self):
        """What PFX_PMU_EVENTS_DIR does: its architectures count in place of ours."""
        tree = Tree({"small/a.json": [event("MY.OWN", EventCode="0x1", BriefDescription="Mine")]})
        ours = os.path.join(tree.dir.name, "ours", "arch")
        for arch in ("x86/amd-arch", "x86/intel-arch", "riscv"):
            shutil.copytree(os.path.join(SOURCE, "pmu-events", "arch", arch),
                            os.path.join(ours, arch))
        with open(os.path.join(ours, "x86", "mapfile.csv"), "w", encoding="utf-8") as f:
            f.write("h\nGenuineIntel-.*,v1,intel-arch,core\n")
        cpus = GEN["read_all"]([tree.dir.name, ours])
        x86 = [c for c in cpus if c[0] == "x86"]
        self.assertEqual([c[2] for c in x86], ["small"])
        self.assertEqual([k[0] for k in x86[0][3].events], ["my.own"])
        self.assertTrue(any(c[0] == "riscv" for c in cpus))
        out = os.path.join(tree.dir.name, "out.c")
        subprocess.run([sys.executable, SCRIPT, tree.dir.name, ours, out], check=True)
        with open(out, encoding="utf-8") as made:
            self.assertIn("my.own", made.read())


    def test_one_architecture(self):
        tree = Tree({"small/a.json": [event("A", EventCode="1")]})
        cpus = GEN["read_all"]([os.path.join(tree.dir.name, "arch", "x86")])
        self.assertEqual([(c[0], c[2], len(c[3].events)) for c in cpus], [("x86", "small", 1)])

    def test_nothing_there(self):
        with tempfile.TemporaryDirectory() as empty:
            done = subprocess.run([sys.executable, SCRIPT, empty, os.path.join(empty, "out.c")],
                                  capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no mapfile.csv below it", done.stderr)

    def test_published_files(self):
        """Intel's own layout: lines of mapfile.csv name files, values may be numbers."""
        tree = Tree({})
        tree.put("mapfile.csv", "Family-model,Version,Filename,EventType,Core Type,Id,Role\n"
                 "GenuineIntel-6-97,V1,/ADL/events/core.json,hybridcore,0x40,0x1,Core\r\n"
                 "GenuineIntel-6-97,V1,/ADL/events/atom.json,hybridcore,0x20,0x1,Atom\r\n"
                 "GenuineIntel-6-97,V1,/ADL/events/uncore.json,uncore,,,\r\n"
                 "GenuineIntel-6-97,V1,/ADL/metrics/gone.json,metrics,,,\r\n")
        for name, rows in (("core", [event("BIG", EventCode=1, Errata=None, Counter=[1])]),
                           ("atom", [event("SMALL", EventCode="0x2")]),
                           ("uncore", [event("UNC", EventCode="0x3", Unit="ARB"),
                                       event("LOST", EventCode="0x3", Filter="Box1")])):
            tree.put(f"ADL/events/{name}.json", json.dumps({"Header": {}, "Events": rows}))
        cpus = GEN["read_all"]([tree.dir.name])
        self.assertEqual([c[:3] for c in cpus], [("x86", "GenuineIntel-6-97", "adl")])
        self.assertEqual([(r["name"], r["pmu"], r["terms"]) for r in cpus[0][3].events.values()],
                         [("big", "cpu_core", "event=0x1"), ("small", "cpu_atom", "event=0x2"),
                          ("unc", "uncore_arb", "event=0x3")])


class AtRunTime(unittest.TestCase):
    """A tree with every key of the kernel's, built in and read by the program: the same rows."""

    EVENTS = [
        event("PLAIN.ONE", EventCode="0x3C", UMask="0x01", BriefDescription="Line",
              PublicDescription="More than the line", Counter="0,1,2,3", CounterHTOff="0",
              SampleAfterValue="2000003", CollectPEBSRecord="1", Speculative="1"),
        event("ALL.BITS", EventCode="0xA3", UMask="0x6", CounterMask="6", Invert="1",
              EdgeDetect="1", AnyThread="1", BriefDescription="Bits"),
        event("PRECISE", EventCode="0xD0", PEBS="2", Data_LA="1", Errata="SKL091",
              L1_Hit_Indication="1", ELLC="0", TakenAlone="0", BriefDescription="Exact"),
        event("OCR.READS", EventCode="0xB7,0xBB", UMask="0x1", MSRIndex="0x1a6,0x1a7",
              MSRValue="0x3F80400001", Offcore="1", BriefDescription="Reads"),
        event("LATENCY", EventCode="0xcd", UMask="0x1", MSRIndex="0x3F6", MSRValue="0x4",
              RetirementLatencyMean="1.00", RetirementLatencyMin="0", RetirementLatencyMax="9",
              BriefDescription="Loads"),
        event("FRONTEND", EventCode="0xc6", MSRIndex="0x3F7", MSRValue="0x11", PEBS="1",
              BriefDescription="Fetches"),
        event("OLD.NAME", EventCode="0x1", Deprecated="1", BriefDescription="Replaced"),
        event("INST_RETIRED.ANY", EventCode="0x00", UMask="0x01", SampleAfterValue="2000003",
              BriefDescription="Retired"),
        event("UNC_FILTER", EventCode="0x35", Filter="config1=0x40433", Unit="CHA", PerPkg="1",
              PortMask="0x0f", FCMask="0x07", ScaleUnit="64Bytes", BriefDescription="Filtered"),
        event("UNC_EXT", EventCode="0x1", ExtSel="1", Unit="QPI LL", BriefDescription="Extended"),
        event("L3", EventCode="0x4", UMask="0xff", Unit="L3PMC", EnAllCores="0x1",
              EnAllSlices="0x1", SliceId="0x3", ThreadMask="0x3", BriefDescription="Third"),
        event("UMC", EventCode="0xa", RdWrMask="0x1", Unit="UMCPMC", BriefDescription="Memory"),
        event("CONFIG", ConfigCode="0x8000000000000003", BriefDescription="Config"),
        event("CMN", EventidCode="0x9", NodeType="0x5", Unit="arm_cmn", Compat="(434|436).*",
              BriefDescription="Mesh"),
        event("LEGACY", LegacyConfigCode="2", BriefDescription="Generic"),
        event("HYBRID", EventCode="0x2", Unit="cpu_atom", BriefDescription="Small core"),
        {"ArchStdEvent": "STANDARD", "BriefDescription": "Own words"},
        event("BOTH", EventCode="0x5", MetricName="Both", MetricExpr="BOTH / 2",
              BriefDescription="An event and a metric"),
        {"MetricName": "Ratio", "MetricExpr": "plain.one / all.bits", "MetricGroup": "A;B",
         "MetricThreshold": "Ratio > 0.2", "DefaultMetricgroupName": "Top",
         "MetricgroupNoGroup": "Top", "MetricConstraint": "NO_GROUP_EVENTS", "ScaleUnit": "100%",
         "BriefDescription": "A share"},
    ]

    def rows(self, tree):
        """What the generator makes, in the keys of list --json."""
        folder = tree.folder()
        made = {}
        for row in list(folder.events.values()) + list(folder.metrics.values()):
            metric = "expr" in row
            found = {"BriefDescription": row["text"], "PublicDescription": row["details"],
                     "ScaleUnit": row["scale_unit"]}
            if metric:
                found.update(MetricExpr=row["expr"], MetricThreshold=row["threshold"],
                             MetricGroup=row["group"])
            else:
                found.update(Encoding=f"{row['pmu'] or 'cpu'}/{row['terms']}/",
                             Deprecated="1" if row["flags"] & 1 else "", Topic=row["topic"])
            made[row["name"]] = {k: v for k, v in found.items() if v}
        return made

    def test_every_key(self):
        tree = Tree({"standard.json": [event("STANDARD", EventCode="0x11", UMask="0x1",
                                             BriefDescription="Its words")],
                     "small/counter.json": [{"Unit": "core", "CountersNumFixed": "4"}],
                     "small/metricgroups.json": {"Top": "about it"},
                     "small/two_words-file.json": self.EVENTS},
                    "h\nGenuineIntel-6-EE,v1,small,core\n")
        made = self.rows(tree)
        self.assertEqual(len(made), len(self.EVENTS) + 1)
        env = {**os.environ, "PFX_PMU_EVENTS": tree.dir.name, "PFX_CPUID": "GenuineIntel-6-EE-1"}
        done = subprocess.run([os.environ["PFX"], "list", "--deprecated", "--json"],
                              capture_output=True, text=True, check=True, env=env)
        if "json-c" in done.stderr:
            self.skipTest("the program is built without json-c")
        read = {}
        for row in json.loads(done.stdout):
            read.setdefault(row.get("MetricName") or row["EventName"], row)
        for name, wanted in made.items():
            self.assertTrue(name in read, name)
            self.assertEqual({k: read[name].get(k) for k in wanted}, wanted, name)


class Importing(unittest.TestCase):
    """scripts/import_vendor_events, in a copy with a family of its own."""

    PUBLISHED = {
        "new": [event("SHARED.ONE", EventCode="0x3C", UMask="0x01", SampleAfterValue="2000003",
                      Counter="0,1,2,3", BriefDescription="The vendor's words"),
                event("OWN", EventCode="0xB7, 0xBB", MSRIndex="0x1a6,0x1a7", MSRValue="0x10",
                      Counter="0,1", PublicDescription="More of them"),
                {"MetricName": "Ratio", "MetricExpr": "OWN / SHARED.ONE"}],
        "other": [event("SHARED.ONE", EventCode="0x3c", UMask="0x1", SampleAfterValue="2000003",
                        Counter="0,1,2,3", Invert="0")],
    }

    def setUp(self):
        self.tree = Tree({f"{name}/pipeline.json": rows for name, rows in self.PUBLISHED.items()},
                         "h\nGenuineIntel-6-F1,v1,new,core\nGenuineIntel-6-F2,v2,other,core\n")
        self.copy = os.path.join(self.tree.dir.name, "copy")
        shutil.copytree(os.path.join(SOURCE, "scripts", "vendor"),
                        os.path.join(self.copy, "scripts", "vendor"))
        shutil.copy(os.path.join(SOURCE, "scripts", "import_vendor_events"),
                    os.path.join(self.copy, "scripts"))

    def run_import(self, *words):
        return subprocess.run([sys.executable,
                               os.path.join(self.copy, "scripts", "import_vendor_events"),
                               self.tree.dir.name, *words], capture_output=True, text=True,
                              check=False)

    def text(self, name):
        with open(os.path.join(self.copy, "pmu-events", "arch", "x86", name),
                  encoding="utf-8") as f:
            return f.read()

    def test_one_line_for_all_cpus(self):
        self.assertEqual(self.run_import().stderr, "")
        text = self.text("intel/pipeline.json")
        self.assertEqual(text.count("SHARED.ONE"), 2)  # the event and the formula
        self.assertIn('{"EventName": "SHARED.ONE", "EventCode": "0x3c", "UMask": "0x1", '
                      '"SampleAfterValue": "2000003", "Models": "new other"}', text)
        self.assertIn('"MSRValue": "0x10", "Counter": "0,1", "Models": "new"}', text)
        self.assertNotIn("words", text + "More")
        self.assertEqual(self.text("mapfile.csv").split("\n")[1:3],
                         ["GenuineIntel-6-F1,v1,intel/new,core",
                          "GenuineIntel-6-F2,v2,intel/other,core"])
        cpus = GEN["read_all"]([os.path.join(self.copy, "pmu-events")])
        self.assertEqual([sorted(k[0] for k in c[3].events) for c in cpus],
                         [["own", "shared.one"], ["shared.one"]])
        made = cpus[0][3].events[("own", "", "")]
        self.assertEqual(made["terms"], "event=0xb7,offcore_rsp=0x10")

    def test_again_and_only_one(self):
        self.run_import()
        before = self.text("intel/pipeline.json")
        self.assertEqual(self.run_import("other").returncode, 0)
        self.assertEqual(self.text("intel/pipeline.json"), before)
        self.tree.put("arch/x86/other/pipeline.json", json.dumps([event("LATER", EventCode="1")]))
        self.run_import("other")
        self.assertIn('"Models": "new"}', self.text("intel/pipeline.json"))
        self.assertNotIn("new other", self.text("intel/pipeline.json"))
        self.assertIn('{"EventName": "LATER", "EventCode": "0x1", "Models": "other"}',
                      self.text("intel/pipeline.json"))

    def test_mistakes(self):
        done = self.run_import("none")
        self.assertEqual((done.returncode, done.stderr.split(" has ")[1]),
                         (1, "none of these CPUs\n"))
        self.tree.put("arch/x86/new/pipeline.json", '[\n{"EventName": "A",\n}\n]')
        done = self.run_import()
        self.assertEqual(done.returncode, 1)
        self.assertIn("new/pipeline.json:3: ", done.stderr)


class Described(unittest.TestCase):
    """Phrases for the words of names."""

    def setUp(self):
        sys.path.insert(0, os.path.join(SOURCE, "scripts", "vendor"))
        self.addCleanup(sys.path.pop, 0)
        self.module = runpy.run_path(os.path.join(SOURCE, "scripts", "vendor", "describe.py"))
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        self.put("a", "^uops_issued\tUops issued\n^by\tLoads {} once\nany\tof any kind\n"
                      "stall_cycles\tcycles without any\nport\tport\n?rd\treads\n"
                      "hit\tthat hit\nl2\t-\n= cold warm\n")

    def put(self, name, text):
        with open(os.path.join(self.dir.name, name + ".txt"), "w", encoding="utf-8") as f:
            f.write(text)

    def test_names(self):
        glossary = self.module["Glossary"](self.dir.name, ("a",))
        for name, wanted in (("UOPS_ISSUED.ANY", "Uops issued: of any kind"),
                             ("UOPS_ISSUED.STALL_CYCLES", "Uops issued: cycles without any"),
                             ("BY.COLD_L2", "Loads cold once"), ("warm_port_3", "Warm port 3"),
                             ("WARM.PORT7", "Warm, port 7"), ("cold_xyz", "Cold XYZ"),
                             ("ocr.rd.hit", "Reads that hit")):
            self.assertEqual(glossary.describe(name), wanted)

    def test_names_with_a_variable_part(self):
        """The sentence with most fixed letters counts; the words of another file, where this one
        has none."""
        self.put("c", "*_stall\tStalled on {}\nlsu_*_stall\tLoads stalled on {}\nport\ta port\n"
                      "+\ta\n+\tc\n")
        glossary = self.module["Glossary"](self.dir.name, ("c",))
        for name, wanted in (("PORT_STALL", "Stalled on a port"), ("stall", "STALL"),
                             ("lsu_cold_port_stall", "Loads stalled on cold a port"),
                             ("lsu_stall", "Stalled on LSU"), ("warm_rd", "Warm RD")):
            self.assertEqual(glossary.describe(name), wanted)

    def test_a_word_twice(self):
        self.put("b", "one\tx\none\ty\n")
        with self.assertRaises(Exception) as caught:
            self.module["Glossary"](self.dir.name, ("b",))
        self.assertIn("b.txt:2: 'one' occurs twice", str(caught.exception))


class Wrong(unittest.TestCase):
    def check(self, files, text, mapfile=MAP):
        code, err = Tree(files, mapfile).run()
        self.assertEqual(code, 1)
        self.assertEqual(err.strip(), "gen_pmu_events: " + text)

    def test_bad_json(self):
        self.check({"small/a.json": '[\n{"EventName": "A",\n}\n]'},
                   "arch/x86/small/a.json:3: Expecting property name enclosed in double quotes")

    def test_missing_comma(self):
        self.check({"small/a.json": '[\n{"EventName": "A"}\n{"EventName": "B"}]'},
                   "arch/x86/small/a.json:3: a comma or the end of the list is missing")

    def test_no_name(self):
        self.check({"small/a.json": '[\n\n{"UMask": "0x1"}]'},
                   "arch/x86/small/a.json:3: neither EventName nor MetricName nor ArchStdEvent")

    def test_no_number(self):
        self.check({"small/a.json": [event("A", EventCode="blue")]},
                   "arch/x86/small/a.json:1: 'A': 'blue' of 'EventCode' is not a number")

    def test_unknown_standard(self):
        self.check({"small/a.json": [{"ArchStdEvent": "NONE"}]},
                   "arch/x86/small/a.json:1: no standard event 'NONE'")

    def test_twice(self):
        self.check({"small/a.json": [event("A", EventCode="1")],
                    "small/b.json": [event("a", EventCode="2")]},
                   "arch/x86/small/b.json:1: 'a' is defined twice for one CPU")

    def test_no_expression(self):
        self.check({"small/a.json": [{"MetricName": "M"}]},
                   "arch/x86/small/a.json:1: 'M' has no MetricExpr")

    def test_value_is_no_string(self):
        self.check({"small/a.json": '[{"EventName": "A", "EventCode": 1}]'},
                   "arch/x86/small/a.json:1: 'A': the value of 'EventCode' must be a string")

    def test_no_number_that_fits(self):
        for word in ("0x10000000000000000", "-1", "1_000", "0x", "12q"):
            self.check({"small/a.json": [event("A", EventCode="1", SampleAfterValue=word)]},
                       f"arch/x86/small/a.json:1: 'A': '{word}' of 'SampleAfterValue' is not "
                       "a number")

    def test_filter_is_no_term(self):
        self.check({"small/a.json": [event("A", Filter="Box1")]},
                   "arch/x86/small/a.json:1: 'A': the filter 'Box1' is not a term")

    def test_empty_name(self):
        self.check({"small/a.json": [event("")]}, "arch/x86/small/a.json:1: a name is empty")

    def test_characters(self):
        for text in ('"a\\u0000b"', '"\\ud800"'):
            self.check({"small/a.json": f'[\n{{"EventName": "A", "ScaleUnit": {text}}}]'},
                       "arch/x86/small/a.json:2: 'A': the value of 'ScaleUnit' has a character that "
                       "cannot be stored")

    def test_no_utf8(self):
        tree = Tree({"small/a.json": "[]"})
        with open(os.path.join(tree.dir.name, "arch/x86/small/a.json"), "wb") as f:
            f.write(b'[\n{"EventName":\n"\xff"}]')
        self.assertEqual(tree.run(),
                         (1, "gen_pmu_events: arch/x86/small/a.json:3: this is not UTF-8\n"))

    def test_depth(self):
        code, err = Tree({"small/a.json": "[" * 200000}).run()
        self.assertEqual(code, 1)
        self.assertRegex(err, "^gen_pmu_events: arch/x86/small/a.json:1: ")
        self.assertNotIn("Traceback", err)

    def test_end(self):
        self.check({"small/a.json": '[]\nmore'},
                   "arch/x86/small/a.json:2: there is text after the list")
        self.check({"small/a.json": ''}, "arch/x86/small/a.json:1: Expecting value")
        self.check({"small/a.json": '[1]'}, "arch/x86/small/a.json:1: an event must be an object")

    def test_unknown_register(self):
        self.check({"small/a.json": [event("A", MSRIndex="0x99", MSRValue="1")]},
                   "arch/x86/small/a.json:1: 'A': register 0x99 of 'MSRIndex' has no term")

    def test_mapfile(self):
        self.check({"small/a.json": [event("A")]}, "arch/x86/mapfile.csv:2: "
                   "a line has CPU, version, folder and type", "head\nx,y\n")
        self.check({"small/a.json": [event("A")]}, "arch/x86/mapfile.csv:2: "
                   "there is no folder 'none'", "head\nx,v1,none,core\n")
        self.check({"small/a.json": [event("A")]}, "arch/x86/mapfile.csv:3: "
                   "'../../etc' leads out of the tree", "head\n\nx,v1,../../etc,core\n")
        self.check({"small/a.json": [event("A")]}, "arch/x86/mapfile.csv:2: the CPU is missing",
                   "head\n,v1,small,core\n")
        code, err = Tree({"small/a.json": [event("A")]}, "head\n(x,v1,small,core\n").run()
        self.assertEqual(code, 1)
        self.assertIn("arch/x86/mapfile.csv:2: '(x' is not a valid regular expression", err)


class Shipped(unittest.TestCase):
    """The schema of the files below pmu-events."""

    KEYS = {
        "EventName": r"[A-Za-z0-9_.:/\-]+",
        "ArchStdEvent": r"[A-Za-z0-9_]+",
        "EventCode": r"(0x[0-9a-fA-F]+|[0-9]+)",
        "ConfigCode": r"0x[0-9a-f]+",
        "LegacyConfigCode": r"[0-9]+",
        "EventidCode": r"0x[0-9a-f]+",
        "NodeType": r"0x[0-9a-f]+",
        "ExtSel": "0x1",
        "UMask": r"0x[0-9a-fA-F]{1,10}",
        "CounterMask": r"[1-9][0-9]*",
        "Invert": "1",
        "EdgeDetect": "1",
        "AnyThread": "1",
        "PortMask": r"0x[0-9a-f]+",
        "FCMask": r"0x[1-7]",
        "RdWrMask": r"0x[12]",
        "EnAllCores": "0x1",
        "EnAllSlices": "0x1",
        "SliceId": "0x3",
        "ThreadMask": "0x3",
        "Filter": r"[a-z_0-9]+=0?x?[0-9a-fA-F]+(,[a-z_0-9]+=0?x?[0-9a-fA-F]+)*",
        "SampleAfterValue": r"[1-9][0-9]*",
        "PEBS": "[12]",
        "Data_LA": "1",
        "MSRIndex": r"0x3f[67]|0x1a[67](,0x1a7)?|0x3e0,0x3e1,0x3e2,0x3e3",
        "MSRValue": r"0x[0-9a-f]+",
        "Unit": r"[A-Za-z0-9_, -]+",
        "Compat": r"[^ ]+",
        "Counter": r"[0-9]+(,[0-9]+)*|(Fixed|FIXED|fixed)( [Cc]ounter [0-9]+)?",
        "CountersNumGeneric": "[0-9]+",
        "CountersNumFixed": "[0-9]+",
        "RetirementLatencyMin": r"[0-9.]+",
        "RetirementLatencyMean": r"[0-9.]+",
        "RetirementLatencyMax": r"[0-9.]+",
        "ScaleUnit": r"[0-9.Ee+-]*[A-Za-z_%/ #0-9-]*",
        "PerPkg": "1",
        "Deprecated": "1",
        "Experimental": "1",
        "BriefDescription": r"[A-Zx0-9][^.]{5,120}",
        "MetricName": r"[A-Za-z0-9_.%;-]+",
        "MetricGroup": r"[A-Za-z0-9_ -]+(;[A-Za-z0-9_ -]+)*;?",
        "MetricgroupNoGroup": r"TopdownL[12](;Default)?",
        "DefaultMetricgroupName": r"TopdownL[12]",
        "MetricExpr": r".+",
        "MetricThreshold": r"[A-Za-z_0-9 .<>&|()+*/-]+",
        "MetricConstraint": r"NO_GROUP_EVENTS(_NMI|_SMT)?|NO_THRESHOLD_AND_NMI",
        "AggregationMode": "PerChip|PerCore",
        "DefaultShowEvents": "1",
        "Models": r"[a-z0-9_-]+( [a-z0-9_-]+)*",
    }

    def files(self):
        for root, _, names in os.walk(os.path.join(SOURCE, "pmu-events")):
            for name in names:
                if name.endswith(".json"):
                    yield os.path.join(root, name)

    def test_schema(self):
        patterns = {key: re.compile(pattern) for key, pattern in self.KEYS.items()}
        count = 0
        for path in self.files():
            self.assertLess(os.path.getsize(path), 1 << 20, path)
            with open(path, encoding="utf-8") as f:
                for obj in json.load(f):
                    count += 1
                    for key, value in obj.items():
                        if key not in patterns or not patterns[key].fullmatch(value):
                            self.fail(f"{path}: {key} of {obj}")
                    names = {"EventName", "ArchStdEvent", "MetricName", "CountersNumGeneric",
                             "CountersNumFixed"} & set(obj)
                    self.assertTrue(names, path)
        self.assertGreater(count, 25000)

    CALLS = {"if", "else", "min", "max", "d_ratio", "source_count", "has_event",
             "strcmp_cpuid_str", "duration_time"}
    # Names that the kernel defines, in the PMU of the core or in one of its own.
    KERNELS = re.compile(
        r"topdown-|slots$|tsc$|aperf$|mperf$|smi$|c[0-9]+-residency$|energy-|instructions$|"
        r"cpu-cycles$|cycles$|branches$|branch-misses$|ref-cycles$|msr/|cstate_|power/|"
        r"read-cycles|write-cycles|cas_count_|clockticks|user_time|system_time|task-clock|"
        r"stalled-cycles|cpu-clock|context-switches$|cpu-migrations$|page-faults$|L1-[di]cache|LLC-|[di]TLB-|cycles-c?t$|el-start$|tx-start$")
    KERNELS_PMU = re.compile(r"hv_24x7|nest_|imx[89]_ddr0|armv8_pmuv3_0")
    # Architectural events of arm64, which the kernel has for every core.
    ARCHITECTURAL = {"hisilicon/hip08": {"CPU_CYCLES", "INST_RETIRED", "INST_SPEC", "BR_MIS_PRED",
                                         "L2I_CACHE", "L2I_CACHE_REFILL", "L2I_TLB",
                                         "L2I_TLB_REFILL"}}

    @staticmethod
    def names_in(expr):
        """The names of a formula as pairs (PMU, name); terms without a name are left out."""
        expr = re.sub(r"strcmp_cpuid_str\([^)]*\)|#[A-Za-z_]+", "1", expr)
        found = []
        for pmu, terms in re.findall(r"([A-Za-z0-9_.]*)@((?:[^@\\]|\\.)*)@", expr):
            name = re.split(r"\\,|,", terms)[0].replace("\\", "")
            if "=" not in name:
                found.append((pmu, name))
        expr = re.sub(r"[A-Za-z0-9_.]*@(?:[^@\\]|\\.)*@[a-zA-Z]*", "1", expr)
        for word in re.findall(r"(?:[A-Za-z0-9_.:]|\\.)+", expr):
            if not re.fullmatch(r"[0-9.]+([eE][0-9]+)?", word):
                found.append(("", re.split(r":[a-zA-Z]$", word)[0].replace("\\", "")))
        return found

    def test_metrics_use_events_that_exist(self):
        missing = set()
        for _, _, name, folder in shipped():
            events = {k[0] for k in folder.events}
            metrics = {k[0] for k in folder.metrics}
            for row in folder.metrics.values():
                for pmu, used in self.names_in(row["expr"]):
                    if used.lower() in events or used.lower() in metrics or used in self.CALLS \
                            or self.KERNELS.match(used) or self.KERNELS_PMU.match(pmu) \
                            or used in self.ARCHITECTURAL.get(name, ()):
                        continue
                    missing.add(f"{name}: {row['name']}: {pmu}/{used}/")
        self.assertEqual(sorted(missing), [])

    # What people ask of any CPU: a name of each row must fit a metric of its core.
    ASKED = ("^ipc$", "^(branch.*_ratio)$", "^branch_mpki$", "^l1d(_cache)?_mpki$",
             "^l1d(_cache)?_miss_ratio$", "^(ic|l1i(_cache)?)_mpki$", "^l2(_cache)?_mpki$",
             "^l2(_cache)?_miss_ratio$", "^(l3|ll_cache_read|llc).*_(mpki|ratio)$",
             "^(dtlb|l1d_tlb).*_mpki$", "^(itlb|l1i_tlb).*_mpki$")
    WELL_KNOWN = (
        "intel/skylake intel/skylakex intel/cascadelakex intel/icelake intel/icelakex "
        "intel/tigerlake intel/rocketlake intel/alderlake intel/sapphirerapids intel/meteorlake "
        "intel/emeraldrapids intel/graniterapids intel/arrowlake intel/lunarlake intel/pantherlake "
        "amd/amdzen2 amd/amdzen3 amd/amdzen4 amd/amdzen5 arm/cortex-a76 arm/cortex-a78 "
        "arm/neoverse-n1 arm/neoverse-v1 arm/neoverse-n2-v2 arm/neoverse-n3 arm/neoverse-v3 "
        "nvidia/t410").split()

    def test_well_known_cpus_have_the_usual_metrics(self):
        cpus = {c[2]: c[3] for c in shipped()}
        for name in self.WELL_KNOWN:
            folder = cpus[name]
            cores = {k[1] for k in folder.events if k[1] in ("cpu_core", "cpu_atom")} or {""}
            for pmu in cores if name == "intel/alderlake" else {""}:
                found = [k[0] for k in folder.metrics if k[1] == pmu or not pmu]
                for row in self.ASKED:
                    self.assertTrue(any(re.match(row, f) for f in found), f"{name} {pmu}: {row}")

    def test_every_event_is_described(self):
        """Names with nothing to say are few; none of them is of a core of a current CPU."""
        for _, _, name, folder in shipped():
            for row in list(folder.events.values()) + list(folder.metrics.values()):
                self.assertTrue(row["text"], f"{name} {row['name']}")
                self.assertLess(len(row["text"]), 200, row["text"])

    def test_descriptions_are_no_strings_of_words(self):
        """Signs and words that only phrases put one after another have twice, or in a wrong place."""
        wrong = re.compile(r"[,;:] ?[,;:]|^[ ,:;]|[ ,:]$|  | ,|\b([a-z]{3,}) \1\b|\b(?:of|by|from|for) (?:of|by|from|for)\b")
        found = {row["text"] for _, _, name, folder in shipped() for row in
                 list(folder.events.values()) + list(folder.metrics.values())}
        self.assertEqual([], sorted(text for text in found if wrong.search(text))[:20])

    def test_models(self):
        """All CPUs that are known, and none without events."""
        cpus = shipped()
        self.assertGreaterEqual(len({c[2] for c in cpus}), 97)
        for _, cpuid, name, folder in cpus:
            self.assertTrue(folder.events, f"{cpuid} {name}")


if __name__ == "__main__":
    unittest.main()
