# SPDX-License-Identifier: MIT
"""Names of code that programs make while they run: jitdumps and perf maps, also when they are gone."""
import glob
import json
import os
import re
import shutil

from live import PERF, PFX, check, equal, finish, need_recording, record_to, run, skip

JIT = os.environ.get("PFX_JIT", "build/dev/tests/live/live-jit")
SCRIPT = """
function hot(n) { return n < 2 ? n : hot(n - 1) + hot(n - 2); }
const start = process.cpuUsage();
while (process.cpuUsage(start).user < 600000) for (let i = 0; i < 20; i++) hot(20);
"""


def record(data, *command, options=("-k", "mono")):
    done = record_to(PFX, data, "-e", "cpu-clock", "-F", "999", *options, "--", *command,
                           common=("--buildid-dir", "cache"))
    equal(done.returncode, 0, f"{data}: {done.stderr.strip()[:300]}")


def share(data, pattern):
    out = run(PFX, "--buildid-dir", "cache", "report", "--stdio", "-i", data).stdout
    found = re.findall(r"^ +(\d+\.\d+)% +(.*\S)", out, re.MULTILINE)
    return sum(float(percent) for percent, text in found if re.search(pattern, text))


def jitdump():
    os.makedirs("dumps", exist_ok=True)
    record("jit.data", JIT, "dumps", "0.3")
    for when in ("with its jitdump", "without its jitdump"):
        total = share("jit.data", r"jit_function_[0-2]")
        check(total > 90, f"{when}: {total} % in jitted functions")
        shutil.rmtree("dumps", ignore_errors=True)
    check(not glob.glob("**/jitted-*.so", recursive=True), "files were written for functions")
    out = run(PFX, "--buildid-dir", "cache", "script", "-F", "ip,sym,srcline", "-i",
              "jit.data").stdout
    check("script.js:1" in out, "lines of jitted functions")
    if PERF:
        equal(run(PERF, "report", "--stdio", "--no-inline", "-i", "jit.data").returncode, 0, "perf reads it")


MEMORY = """
import ctypes, mmap, os, sys, time
code = bytes([0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3])  # a loop that counts down
fd = os.memfd_create("doublemapper")
os.write(fd, code.ljust(4096, b"\\x90"))
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
at = libc.mmap(None, 4096, mmap.PROT_READ | mmap.PROT_EXEC, mmap.MAP_SHARED, fd, 0)
with open(f"/tmp/perf-{os.getpid()}.map", "w", encoding="ascii") as file:
    file.write(f"{at:x} 6 managed_loop\\n")
function = ctypes.CFUNCTYPE(None, ctypes.c_uint64)(at)
end = time.process_time() + 0.4
while time.process_time() < end:
    function(3000000)
"""


def shared_memory():
    """Code in memory of a name, as .NET has it."""
    if os.uname().machine != "x86_64":
        return
    with open("memory.py", "w", encoding="ascii") as file:
        file.write(MEMORY)
    record("memory.data", "python3", "memory.py", options=())
    maps = re.findall(r"/tmp/perf-\d+\.map", run(PFX, "buildid-list", "-i", "memory.data").stdout)
    check(maps, "the perf map of code in shared memory")
    for path in maps:
        os.unlink(path)
    check(share("memory.data", r"managed_loop") > 50, "names of code in shared memory")


def holes():
    """A perf map that is little but a hole is no copy of that size."""
    if os.uname().machine != "x86_64":
        return
    with open("holes.py", "w", encoding="ascii") as file:
        file.write(MEMORY.replace("    file.write", "    file.seek(64 << 20)\n    file.write"))
    done = run(PFX, "--buildid-dir", "cache", "record", "-v", "-e", "cpu-clock", "-F", "999", "-o", "holes.data", "--",
               "python3", "holes.py")
    said = re.findall(r"'(?:/proc/\d+/root)?(/tmp/perf-\d+\.map)' is not kept: 67108864 of its \d+ bytes are holes", done.stderr)
    check(said, f"holes are not said: {done.stderr}")
    for path in said:
        check(not os.path.exists(f"cache{path}"), f"a copy of {path}")
        os.unlink(path)


def frames_by_tables():
    """Callers of jitted code that has no frame pointer: the jitdump has its unwind tables."""
    if os.uname().machine != "x86_64":
        return
    os.makedirs("dumps", exist_ok=True)
    record("frames.data", JIT, "dumps", "0.4", "frames", options=("-k", "mono", "--call-graph", "dwarf,2048"))
    out = run(PFX, "--buildid-dir", "cache", "script", "-F", "ip,sym", "-i", "frames.data").stdout
    chains = [chain for chain in out.split("\n\n") if "jit_function_4" in chain]
    whole = [chain for chain in chains
             if re.search(r"jit_function_4\n.*jit_function_3\n.*(run_caller|main).*\n(.*\n)*.*\b_start", chain)]
    check(chains, "samples below the function with tables")
    check(len(whole) >= 0.95 * len(chains),
          f"{len(whole)} of {len(chains)} chains go through it: {out[:400]}")


def chains_through(tool, data, pattern, *options):
    """How many chains there are with the pattern, and how many of them reach the program's start."""
    out = run(tool, "script", "-F", "ip,sym", *options, "-i", data).stdout
    chains = [chain for chain in out.split("\n\n") if re.search(pattern, chain)]
    return len(chains), sum(bool(re.search(r" _start\b", chain)) for chain in chains)


def incomplete(data, style):
    done = run(PFX, "report", "--json", "--no-inline", "--unwind-style", style, "-i", data)
    return json.loads(done.stdout)["missing"]["chains_incomplete"]


def all_unwinders(data, pattern, what):
    """All that can walk stacks walk through the code, as it was recorded and with files for functions."""
    injected = f"{data}.injected"
    done = run(PFX, "inject", "-j", "-i", data, "-o", injected)
    equal((done.returncode, done.stderr), (0, ""), f"{what}: inject")
    for source in (data, injected):
        for style in ("rows", "libdw", "libunwind"):
            if "has no" in run(PFX, "script", "--unwind-style", style, "-i", data).stderr:
                print(f"{style} is not built in")
                continue
            nr, whole = chains_through(PFX, source, pattern, "--unwind-style", style)
            check(nr > 20 and whole >= 0.98 * nr, f"{what}: {source}, {style}: {whole} of {nr} chains are whole")
    rows, libdw = incomplete(data, "rows"), incomplete(data, "libdw")
    # Of a few it is chance at which instruction a sample was taken.
    check(rows < 20 or libdw >= 0.98 * rows, f"{what}: {libdw} chains are incomplete by libdw, {rows} by rows")
    if PERF:
        ours = chains_through(PFX, injected, pattern)
        # it replaces our files of the functions
        equal(run(PERF, "inject", "-j", "-i", data, "-o", f"{data}.theirs").returncode, 0, f"{what}: perf reads it")
        theirs = chains_through(PERF, f"{data}.theirs", pattern)
        check(ours[1] >= theirs[1], f"{what}: chains, whole chains: {ours}; of perf: {theirs}")


def trampolines():
    """Code as CPython's: no machine in the jitdump, tables without an end, and a rounded size."""
    if os.uname().machine != "x86_64":
        return
    os.makedirs("dumps", exist_ok=True)
    record("trampolines.data", JIT, os.path.abspath("dumps"), "0.4", "python",
           options=("-k", "mono", "--call-graph", "dwarf,2048"))
    all_unwinders("trampolines.data", r"jit_function_4\n(.*\n)+.*jit_function_0\n", "trampolines")


def python():
    """The real one, where a Python is installed that writes jitdumps."""
    program = os.environ.get("PFX_PYTHON") or shutil.which("python3.13") or shutil.which("python3.14")
    if not program or run(program, "-X", "perf_jit", "-c", "").returncode:
        print("no Python with -X perf_jit is installed: its jitdumps are not tested (PFX_PYTHON names one)")
        return
    with open("hot.py", "w", encoding="ascii") as file:
        file.write("import time\ndef spin():\n    while time.process_time() < 0.5: pass\ndef outer(): spin()\nouter()\n")
    record("python.data", program, "-X", "perf_jit", "hot.py", options=("-k", "mono", "--call-graph", "dwarf,16384"))
    all_unwinders("python.data", r"py::spin:.*\n(.*\n)*.*py::outer:", "Python")
    for path in glob.glob("/tmp/jit-*.dump") + glob.glob("/tmp/jitted-*.so"):
        if re.search(rf"-({'|'.join(pids('python.data'))})[.-]", path):
            os.unlink(path)


def pids(data):
    return set(re.findall(r"\d+", run(PFX, "script", "-F", "pid", "-G", "-i", data).stdout))


def other_clock():
    os.makedirs("dumps", exist_ok=True)
    record("clock.data", JIT, "dumps", "0.2", options=())
    done = run(PFX, "--buildid-dir", "cache", "report", "--stdio", "-i", "clock.data")
    check("-k mono" in done.stderr, f"another clock is not said: {done.stderr!r}")
    check(re.search(r"'\S*dumps/jit-\d+\.dump' has times", done.stderr), f"not the recorded name: {done.stderr!r}")
    shutil.rmtree("dumps")
    gone = run(PFX, "--buildid-dir", "cache", "report", "--stdio", "-i", "clock.data")
    equal(gone.stderr, done.stderr, "the jitdump's name when it is gone")
    check("jit_function" in done.stdout, "names in spite of another clock")


def node():
    if not shutil.which("node"):
        print("node is not installed: its perf maps are not tested")
        return
    with open("hot.js", "w", encoding="utf-8") as file:
        file.write(SCRIPT)
    record("node.data", "node", "--perf-basic-prof", "hot.js", options=())
    ids = run(PFX, "buildid-list", "-i", "node.data").stdout
    maps = re.findall(r"/tmp/perf-\d+\.map", ids)
    check(maps, "the perf map is in the table of build ids")
    for path in maps:
        os.unlink(path)
    check(share("node.data", r"JS:.*hot") > 50, "names of a perf map that is gone")
    if PERF:
        equal(run(PERF, "report", "--stdio", "--no-inline", "-i", "node.data").returncode, 0, "perf reads it")
    record("prof.data", "node", "--perf-prof", "hot.js")
    check(share("prof.data", r"JS:.*hot") > 50, "names of node's jitdump")
    record("tables.data", "node", "--perf-prof", "--perf-prof-unwinding-info", "hot.js",
           options=("-k", "mono", "--call-graph", "dwarf,16384"))
    out = run(PFX, "--buildid-dir", "cache", "script", "-F", "ip,sym", "-i", "tables.data").stdout
    chains = [chain for chain in out.split("\n\n") if re.match(r"\s*\S+ JS:.*hot", chain)]
    whole = [chain for chain in chains if re.search(r" _start\b", chain)]
    check(len(chains) > 5 and len(whole) >= 0.9 * len(chains),
          f"{len(whole)} of {len(chains)} chains lead out of node's code")


need_recording()
if not os.path.exists(JIT):
    skip(f"{JIT} was not built")
jitdump()
shared_memory()
holes()
frames_by_tables()
trampolines()
python()
other_clock()
node()
finish()
