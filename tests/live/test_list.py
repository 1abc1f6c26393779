# SPDX-License-Identifier: MIT
"""`pfx list`: beside perf where it is installed, other CPUs' tables, search, JSON, static probes."""
import glob
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

PFX = os.environ["PFX"]
PERF = shutil.which("perf")
# Tools of perf 6.14 and newer.
NEW_TOOLS = tuple("  " + name for name in ("num_", "smt_on", "system_tsc_freq", "has_pmem", "slots ",
                                                "core_wide"))
SKX = {"PFX_CPUID": "GenuineIntel-6-55-4"}


def run(*words, code=0, env=None):
    done = subprocess.run([PFX, "list", *words], capture_output=True, text=True, check=False,
                          env={**os.environ, "LC_ALL": "C", "COLUMNS": "80", **(env or {})})
    assert done.returncode == code, (words, done.returncode, done.stderr)
    return done.stdout if code == 0 else done.stderr


class BesidePerf(unittest.TestCase):
    def check(self, word):
        if not PERF:
            self.skipTest("perf is not installed")
        theirs = subprocess.run([PERF, "list", word], capture_output=True, text=True, check=False)
        if theirs.returncode:
            self.skipTest("this perf does not run here")
        # probes of somebody who records with pfx meanwhile come and go
        known = {line.strip() for line in theirs.stdout.splitlines() if "[" in line
                 and not line.startswith("  pfx_")}
        ours = {line.strip() for line in run(word).splitlines() if "[" in line
                and not line.startswith((*NEW_TOOLS, "  pfx_"))}
        self.assertEqual(ours, known)

    def test_software(self):
        self.check("sw")

    def test_hardware(self):
        self.check("hw")

    def test_cache(self):
        self.check("cache")

    def test_tracepoints(self):
        self.check("tracepoint")

    def test_glob(self):
        self.check("sched:*")


class Tables(unittest.TestCase):
    def test_block(self):
        self.assertEqual(run("--details", "mem_load_retired.l3_miss", env=SKX), """
cache:
  mem_load_retired.l3_miss
       [Retired loads that missed the L3 cache. Supports address when precise
        (Precise event)]
       cpu/event=0xd1,period=100007,umask=0x20/
""")

    def test_names_only(self):
        self.assertEqual(run("--no-desc", "mem_load_retired.l3_miss", env=SKX),
                         "\ncache:\n  mem_load_retired.l3_miss\n")

    def test_unit_is_named(self):
        text = run("unc_m_cas_count.rd", env=SKX)
        self.assertIn("[Bytes read from memory by this channel. Unit: uncore_imc]", text)
        self.assertEqual(run("--unit", "imc", "unc_m_cas_count.rd", env=SKX), text)
        run("--unit", "cha", "unc_m_cas_count.rd", env=SKX, code=255)

    def test_kinds_of_cores(self):
        env = {"PFX_CPUID": "GenuineIntel-6-97-2"}
        text = run("--cputype", "atom", "longest_lat_cache", env=env)
        self.assertIn("cpu_atom", text)
        self.assertNotIn("cpu_core", text)

    def test_lines_fit(self):
        for line in run("pmu", env={**SKX, "COLUMNS": "60"}).splitlines():
            if line.startswith("       "):  # names are not cut
                self.assertLessEqual(len(line), 60)

    def test_metrics(self):
        self.assertIn("\nMetrics:\n\n", run("metric", env=SKX))
        names = run("metricgroup", env=SKX).splitlines()
        self.assertEqual(names[:3], ["", "Metric Groups:", ""])
        groups = [line.partition(":")[0] for line in names[3:]]
        self.assertEqual(groups, sorted(groups))
        self.assertIn("TopdownL1: [Top-down metrics of level 1]", names)
        for words in (["metric", "metricgroup"], ["metricgroup", "metric"], []):
            groups = run(*words, env=SKX)
            self.assertRegex(groups, r"\nTopdownL1:[^\n]*\n  tma_backend_bound\n")
            self.assertEqual(groups.count("\nMetric Groups:\n"), 1)
        self.assertIn("[INST_RETIRED.ANY / CPU_CLK_UNHALTED.THREAD]",
                      run("--details", "IPC", env=SKX))

    def test_json(self):
        events = json.loads(run("-j", env=SKX))
        by_name = {e.get("EventName", e.get("MetricName")): e for e in events}
        self.assertEqual(by_name["mem_load_retired.l3_miss"], {
            "Unit": "cpu", "Topic": "cache", "EventName": "mem_load_retired.l3_miss",
            "EventType": "Kernel PMU event",
            "BriefDescription": "Retired loads that missed the L3 cache. "
                "Supports address when precise (Precise event)",
            "Encoding": "cpu/event=0xd1,period=100007,umask=0x20/"})
        self.assertEqual(by_name["IPC"]["MetricExpr"], "INST_RETIRED.ANY / CPU_CLK_UNHALTED.THREAD")
        self.assertEqual(by_name["cpu-clock"]["EventType"], "Software event")

    def test_output(self):
        run("-o", "list.txt", "sw")
        with open("list.txt", encoding="utf-8") as f:
            self.assertEqual(f.read(), run("sw"))


class Search(unittest.TestCase):
    def test_near(self):
        """Only names with most letters of the word in a row, and still an error."""
        done = subprocess.run([PFX, "list", "memloadl3mis"], capture_output=True, text=True, check=False,
                              env={**os.environ, **SKX})
        self.assertIn("  mem_load_retired.l3_miss\n", done.stdout)
        self.assertEqual((done.returncode, done.stderr), (
            255, "pfx list: no event is called 'memloadl3mis'; these are similar\n"))
        self.assertEqual(run("foo:bar", code=255).splitlines()[0],
                         "pfx list: no event of this machine is called 'foo:bar'")

    def test_misspelled(self):
        for word, near in (("page-fualts", "page-faults"), ("cotnext-switches", "context-switches")):
            self.assertEqual(run(word, code=255).splitlines()[:2],
                             [f"pfx list: no event of this machine is called '{word}'", f"did you mean '{near}'?"])

    def test_nothing(self):
        self.assertEqual(run("zzzzqqqq", code=255).splitlines()[0],
                         "pfx list: no event of this machine is called 'zzzzqqqq'")
        self.assertEqual(run("zz*qq", code=255).splitlines()[0],
                         "pfx list: no event of this machine is called 'zz*qq'")

    def test_empty(self):
        self.assertEqual(run("--unit", "nosuch", code=255).splitlines()[0],
                         "pfx list: no event here is of the PMU 'nosuch'")
        self.assertEqual(run("--cputype", "x", code=255).splitlines()[0],
                         "pfx list: no event here is of cores of the type 'x'")
        done = subprocess.run([PFX, "list", "metric"], capture_output=True, text=True, check=False,
                              env={**os.environ, "PFX_CPUID": "Nobody-1-2-3"})
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "", "pfx list: this machine has none of these events\n"))

    def test_other_machines(self):
        """The PMUs of another CPU alone."""
        self.assertNotIn("msr/", run("pmu", env=SKX))
        self.assertIn("  L1-dcache-load-misses ", run("cache", env=SKX))
        self.assertIn("  cpu-cycles OR cycles ", run("hw", env=SKX))
        zhaoxin = run("--details", "branches_retired", env={"PFX_CPUID": "  Shanghai  -7-3B-0"})
        self.assertIn("cpu/event=0x28/", zhaoxin)

    def test_uncounted(self):
        if run("hw"):
            self.skipTest("this machine counts cycles")
        self.assertIn("pfx list: this machine cannot count 'cycles'\n", run("cycles", code=255))

    def test_common_metrics(self):
        listed = json.loads(run("-j", "cs_per_second"))
        self.assertEqual([m["MetricGroup"] for m in listed], ["Default"])

    def test_narrow(self):
        for line in run("sw", env={"COLUMNS": "50"}).splitlines():
            self.assertLessEqual(len(line), 50)
        for line in run("--details", "metric", env={**SKX, "COLUMNS": "60"}).splitlines():
            if line.startswith("       ") and " " in line.strip():
                self.assertLessEqual(len(line), 60)

    def test_formulas(self):
        """Without backslashes, which JSON keeps."""
        self.assertIn("[branches / (cpu-clock if #target_cpu else task-clock)]",
                      run("--details", "branch_frequency", env=SKX))
        self.assertIn("cpu\\-clock", json.loads(run("-j", "branch_frequency", env=SKX))[0]["MetricExpr"])

    def test_unknown_cpu(self):
        self.assertIn("cpu-clock", run(env={"PFX_CPUID": "Nobody-1-2-3"}))


class Probes(unittest.TestCase):
    def test_beside_readelf(self):
        files = glob.glob("/usr/lib/*/libstdc++.so.6")
        if not files or not shutil.which("readelf"):
            self.skipTest("no libstdc++ or no readelf")
        text = subprocess.run(["readelf", "-nW", files[0]], capture_output=True, text=True,
                              check=True).stdout
        wanted = set(re.findall(r"Provider: (\S+)\s+Name: (\S+)\s+Location: 0x0*([0-9a-f]+)", text))
        if not wanted:
            self.skipTest("this libstdc++ has no static probes")
        got = set()
        for probe in json.loads(run("-j", "sdt", files[0])):
            provider, name = probe["EventName"][len("sdt_"):].split(":")
            got.add((provider, name))
            self.assertTrue(probe["Encoding"].startswith(f"uprobe:{files[0]}:0x"))
        self.assertEqual(got, {(p, n) for p, n, _ in wanted})

    def test_cache(self):
        """Probes of the binaries that the cache of build ids keeps."""
        files = glob.glob("/usr/lib/*/libstdc++.so.6")
        if not files:
            self.skipTest("no libstdc++")
        home = tempfile.mkdtemp()
        env = {**os.environ, "HOME": home}
        subprocess.run([PFX, "buildid-cache", "-a", os.path.realpath(files[0])], env=env, check=True)
        there = json.loads(run("-j", "sdt", files[0]))
        if not there:
            self.skipTest("this libstdc++ has no static probes")
        name = there[0]["EventName"]
        self.assertEqual({e["EventName"] for e in json.loads(run("-j", "sdt", env={"HOME": home}))},
                         {e["EventName"] for e in there})
        for words in ([], ["sdt", "libstdcxx"], [name], ["sdt_*:*"]):
            self.assertIn("  " + name, run(*words, env={"HOME": home}), words)
        self.assertNotIn(name, run("--raw-dump", env={"HOME": home}))
        copy = os.path.join(home, "copy.so")
        shutil.copy(files[0], copy)
        with open(copy, "r+b") as f:  # another build of the same library
            data = f.read()
            at = data.index(b"GNU\0", data.index(b"\x14\0\0\0\x03\0\0\0")) + 4
            f.seek(at)
            f.write(b"\xaa" * 6)
        subprocess.run([PFX, "buildid-cache", "-a", copy], env=env, check=True)
        text = run("--details", "sdt", env={"HOME": home})
        self.assertIn(f"  {name}@{copy}(aaaaaaaaaaaa) [SDT event]\n       uprobe:{copy}:0x", text)
        shutil.rmtree(home)

    def test_closed_places(self):
        """What an ordinary user cannot read is left out, or is said where it was asked for."""
        if os.geteuid() != 0 or not shutil.which("setpriv"):
            self.skipTest("not root")
        home = tempfile.mkdtemp()
        os.makedirs(home + "/.debug/.build-id")

        def as_nobody(*words):
            return subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                                   PFX, *words], capture_output=True, text=True, check=False,
                                  cwd="/", env={**os.environ, "HOME": home, "LC_ALL": "C"})

        if as_nobody("--version").returncode:
            self.skipTest("another user cannot run this pfx")
        done = as_nobody("list", "cpu-clock")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("cpu-clock", done.stdout)
        self.assertIn("cannot read", as_nobody("list", "sdt").stderr)
        if subprocess.run(["setpriv", "--reuid=65534", "ls", "/sys/kernel/tracing/events"],
                          capture_output=True, check=False).returncode:
            for word in ("tracepoint", "sched:sched_switch"):
                done = as_nobody("list", word)
                self.assertNotEqual(done.returncode, 0, done.stdout)
                self.assertRegex(done.stderr, "cannot read tracepoints|tracefs")
        shutil.rmtree(home)

    def test_errors(self):
        self.assertEqual(run("sdt", "/etc/passwd", code=255),
                         "pfx list: '/etc/passwd' is not an ELF file\n")
        self.assertIn("No such file", run("sdt", "/nonexistent", code=255))


if __name__ == "__main__":
    unittest.main()
