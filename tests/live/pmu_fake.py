# SPDX-License-Identifier: MIT
"""A machine that seems to have other PMUs, and a kernel that opens any counter of them: what pfx and perf
list there, and which counters they open."""
import functools
import os
import re
import subprocess
import tempfile
from fnmatch import fnmatch

from live import PATIENCE

FAKE = os.environ.get("PFX_FAKE_COUNTERS", "")
CORE_TYPES = (24, 25)
FORMATS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "events", "formats.txt")
TOPDOWN = ("slots", "topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound",
           "topdown-heavy-ops", "topdown-br-mispredict", "topdown-fetch-lat", "topdown-mem-bound")
EVENTS = {"msr": ("tsc", "aperf", "mperf", "smi"), "power": ("energy-pkg", "energy-ram"),
          "cstate_core": ("c1-residency", "c3-residency", "c6-residency", "c7-residency"),
          "cstate_pkg": tuple(f"c{i}-residency" for i in (2, 3, 6, 7, 8, 9, 10)),
          "uncore_imc": ("cas_count_read", "cas_count_write"), "cpu": TOPDOWN, "cpu_core": TOPDOWN}
PLAIN = {"msr": "config:0-63", "power": "config:0-7", "cstate_core": "config:0-63", "cstate_pkg": "config:0-63"}
# Those of all models of perf 6.1.
UNCORE = ("uncore_imc_0", "uncore_imc_1", "uncore_cha_0", "uncore_cha_1", "uncore_cbox_0", "uncore_arb_0",
          "uncore_upi_0", "uncore_pcu", "uncore_iio_0", "uncore_ha_0", "uncore_irp_0", "uncore_m2m_0",
          "uncore_m3upi_0", "uncore_qpi_0", "uncore_r2pcie", "uncore_r3qpi_0", "uncore_ubox", "uncore_m2pcie_0",
          "uncore_sbox_0", "uncore_edc_uclk_0", "uncore_edc_eclk_0", "uncore_imc_uclk_0", "uncore_imc_dclk_0",
          "uncore_h_imc_0", "uncore_clock", "amd_l3", "amd_df")


def is_hybrid(cpuid):
    return cpuid.startswith(("GenuineIntel-6-97", "GenuineIntel-6-AA"))


def put(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as file:
        file.write(text + "\n")


def formats_of(place, pmu):
    """The terms of a PMU as (term, bits): the first row of formats.txt that matches."""
    with open(FORMATS, encoding="ascii") as file:
        for line in file:
            words = line.split()
            if not line.startswith("#") and fnmatch(place, words[0]) and fnmatch(pmu, words[1]):
                return [word.split("=") for word in words[2:]]
    raise ValueError(f"formats.txt has no terms of {pmu} on {place}")


TOP = tempfile.TemporaryDirectory()  # the machines, which go with it


@functools.lru_cache(None)
def make_pmus(is_amd, cores):
    """The directory of a machine's PMUs, with the kernel's own events."""
    top = tempfile.mkdtemp(dir=TOP.name)
    put(f"{top}/software/type", "1")
    for number, pmu in enumerate(cores, CORE_TYPES[0]):
        put(f"{top}/{pmu}/type", str(number))
        if len(cores) > 1:
            put(f"{top}/{pmu}/cpus", str(number - CORE_TYPES[0]))
    uncore = [pmu for pmu in UNCORE if pmu.startswith("amd_") == is_amd]
    for number, pmu in enumerate((*PLAIN, *uncore), 30):
        put(f"{top}/{pmu}/type", str(number))
        put(f"{top}/{pmu}/cpumask", "0")
    for pmu in (*cores, *PLAIN, *uncore):
        kind = re.sub(r"_\d$", "", pmu)
        terms = [("event", PLAIN[pmu])] if pmu in PLAIN else formats_of("x86/amd" if is_amd else "x86/intel", kind)
        for term, bits in terms:
            put(f"{top}/{pmu}/format/{term}", bits)
        for code, name in enumerate(EVENTS.get(kind, ()), 1):
            put(f"{top}/{pmu}/events/{name}", f"event={code:#x}")
    return top


def on_machine(cpuid, *argv, log=None, events=""):
    """The tool's run on a machine that seems to have the PMUs; None: it cannot be made. @events: a directory
    of events and metrics for pfx."""
    env = dict(os.environ, LC_ALL="C", PFX_CPUID=cpuid, PERF_CPUID=cpuid, PFX_PMU_EVENTS=events,
               PERF_CONFIG="/dev/null")
    if log:
        argv = ("env", f"LD_PRELOAD={FAKE}", f"FAKE_LOG={log}", *argv)
    top = make_pmus(cpuid.startswith("AuthenticAMD"), ("cpu_core", "cpu_atom") if is_hybrid(cpuid) else ("cpu",))
    script = f'mount --bind {top} /sys/bus/event_source/devices || exit 9; exec "$@"'
    done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", *argv], env=env, capture_output=True,
                          text=True, timeout=PATIENCE, check=False)
    return None if done.returncode == 9 else done


def counters(cpuid, tool, *words, log="", **machine):
    """The counters that `stat` of the tool opens: each its number, that of its group's leader, type, config,
    config1, config2 and flags; or what it says where it stops. @log: a name of its own for what runs at the
    same time."""
    log = os.path.abspath(f"log-{cpuid}-{log}")
    if os.path.exists(log):
        os.unlink(log)
    done = on_machine(cpuid, os.path.abspath(tool), "stat", *words, "true", log=log, **machine)
    if done.returncode or not os.path.exists(log):
        return "stopped: " + done.stderr[:300]
    with open(log, encoding="ascii") as file:
        return [tuple(map(int, line.split())) for line in file]
