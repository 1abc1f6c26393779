#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The built-in vendor events beside two other tables of the same CPUs: libpfm4's, and perf's own,
which it lists on a machine that seems to have the PMUs. Whatever both know must be the same event."""
import ctypes
import functools
import glob
import itertools
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from live import PATIENCE, PERF, PFX, check, finish, in_parallel, run, skip
from pmu_fake import FAKE, counters, is_hybrid, on_machine

# libpfm4's name of a CPU (it has those of the machine's architecture): one of its models, and how many
# events at least are known to both by name. Its tables of AMD's newer CPUs have other names.
PFM = {
    "nhm": ("GenuineIntel-6-1A-5", 248), "nhm_ex": ("GenuineIntel-6-2E-6", 244),
    "wsm": ("GenuineIntel-6-25-2", 276), "wsm_dp": ("GenuineIntel-6-2C-2", 274),
    "snb": ("GenuineIntel-6-2A-7", 216), "snb_ep": ("GenuineIntel-6-2D-7", 215),
    "ivb": ("GenuineIntel-6-3A-9", 212), "ivb_ep": ("GenuineIntel-6-3E-4", 216),
    "hsw": ("GenuineIntel-6-3C-3", 289), "hsw_ep": ("GenuineIntel-6-3F-2", 292),
    "bdw": ("GenuineIntel-6-3D-4", 283), "bdw_ep": ("GenuineIntel-6-4F-1", 286),
    "skl": ("GenuineIntel-6-5E-3", 233), "skx": ("GenuineIntel-6-55-4", 253),
    "clx": ("GenuineIntel-6-55-7", 255), "icl": ("GenuineIntel-6-7E-5", 310),
    "icx": ("GenuineIntel-6-6A-6", 323), "spr": ("GenuineIntel-6-8F-6", 333),
    "slm": ("GenuineIntel-6-37-8", 46), "glm": ("GenuineIntel-6-5C-9", 73),
    "tmt": ("GenuineIntel-6-86-5", 23), "knl": ("GenuineIntel-6-57-1", 61),
    "amd64_fam17h_zen1": ("AuthenticAMD-23-1-1", 12),
}
# Where the vendor's newer files, and with them our table, say something else than libpfm4 4.13.
PFM_DIFFERS = {
    "arith.idiv_active",  # cmask=1 was added later
    "cpu_clk_unhalted.thread", "inst_retired.any", "cpu_clk_unhalted.ref", "cpu_clk_unhalted.core",
    "cpu_clk_unhalted.core_p",  # what the kernel takes for the fixed counters
    "mem_trans_retired.store_sample",
    "topdown.backend_bound_slots", "topdown.bad_spec_slots", "topdown.br_mispredict_slots",
    "topdown.memory_bound_slots",
    "uops_retired.stall_cycles",
    "uops_retired.total_cycles",  # umask and cmask were corrected
    "mem_load_misc_retired.uc",  # 0xd4: libpfm4 has 0xc4, the code of branches
    "arith.int_divider_active",  # cmask=1 was added later
    "int_misc.unknown_branch_cycles", "uops_retired.ms",  # with a register of the front end
    "macro_insts.fusions_decoded",  # 0xa6 by the manual: libpfm4 has 0xd0, the code of decoded instructions
    "inst_retired.any_p", "br_inst_retired.all_branches",
    "br_misp_retired.all_branches",  # with and without the precise form's umask, the same count
    # By the manual; libpfm4 has them the other way round.
    "move_elimination.int_eliminated", "move_elimination.int_not_eliminated",
    "mem_load_uops_llc_miss_retired.local_dram",  # 3: an erratum
    "l2_rqsts.code_rd_hit", "l2_rqsts.demand_data_rd_hit", "l2_rqsts.l2_pf_hit", "l2_rqsts.l2_pf_miss",
    "l2_rqsts.rfo_hit",  # the vendor corrected these
    "ocr.demand_data_rd.l3_miss", "ocr.demand_rfo.l3_miss",  # and the answers that these select
    # Walks that begin: libpfm4 has a cmask beside the edge.
    "page_walks.d_side_walks", "page_walks.i_side_walks", "page_walks.walks",
}

# All x86 models of perf 6.1, and how many of their events at least are known to both.
PERF_CPUS = {
    "GenuineIntel-6-1A-5": 533, "GenuineIntel-6-1C-2": 252, "GenuineIntel-6-25-2": 552,
    "GenuineIntel-6-2A-7": 417, "GenuineIntel-6-2C-2": 523, "GenuineIntel-6-2D-7": 843,
    "GenuineIntel-6-2E-6": 533, "GenuineIntel-6-2F-2": 552, "GenuineIntel-6-37-8": 126,
    "GenuineIntel-6-3A-9": 339, "GenuineIntel-6-3C-3": 388, "GenuineIntel-6-3D-4": 737,
    "GenuineIntel-6-3E-4": 1328, "GenuineIntel-6-3F-2": 1619, "GenuineIntel-6-4F-1": 1610,
    "GenuineIntel-6-55-4": 2890, "GenuineIntel-6-55-7": 3850, "GenuineIntel-6-56-3": 1183,
    "GenuineIntel-6-57-1": 795, "GenuineIntel-6-5C-9": 155, "GenuineIntel-6-5E-3": 552,
    "GenuineIntel-6-6A-6": 4132, "GenuineIntel-6-7A-1": 174, "GenuineIntel-6-7E-5": 310,
    "GenuineIntel-6-86-5": 2706, "GenuineIntel-6-8C-1": 232, "GenuineIntel-6-8F-6": 843,
    "GenuineIntel-6-96-1": 291, "GenuineIntel-6-97-2": 415, "GenuineIntel-6-AA-1": 60,
    "AuthenticAMD-23-1-1": 174,
    "AuthenticAMD-23-31-0": 203, "AuthenticAMD-25-1-1": 232,
}
# Where the vendor's newer files, and with them our table, say something else than perf 6.1: a reason, a PMU
# and an event, the CPUs. "write" prints what it is today.
DIFFERENCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "events", "perf_events.txt")


def read_differences():
    """{(reason, PMU/event): CPUs}"""
    with open(DIFFERENCES, encoding="ascii") as file:
        rows = [line.split("\t") for line in file if line.strip() and not line.startswith("#")]
    return {(reason, name): set(cpus.split()) for reason, name, cpus in rows}


def terms(text):
    """The numbers of an encoding that say something; the period is a matter of taste."""
    words = (w.partition("=") for w in text.split(","))
    found = {name: int(value or "1", 0) for name, _, value in words}
    found.pop("period", None)
    return {name: value for name, value in found.items() if value}


@functools.lru_cache(None)
def listed(cpuid):
    """Our table as [(PMU, name, terms)]; both comparisons need that of most CPUs."""
    env = dict(os.environ, PFX_CPUID=cpuid, PFX_PMU_EVENTS="")
    done = subprocess.run([PFX, "list", "--deprecated", "-j", "pmu"], env=env, capture_output=True,
                          text=True, timeout=PATIENCE, check=True)
    parts = [(event["EventName"], event["Encoding"].partition("/")) for event in json.loads(done.stdout)
             if "Topic" in event and "Encoding" in event]
    return [(pmu, name, words.rstrip("/")) for name, (pmu, _, words) in parts]


def ours(cpuid):
    """(PMU, name): terms of our table."""
    return {(pmu, name): terms(words) for pmu, name, words in listed(cpuid)}


class Encoding(ctypes.Structure):
    _fields_ = [("codes", ctypes.POINTER(ctypes.c_uint64)), ("fstr", ctypes.c_void_p),
                ("size", ctypes.c_size_t), ("count", ctypes.c_int), ("idx", ctypes.c_int)]


def pfm_terms(library, pmu, name):
    """What libpfm4 makes of a name, or None."""
    event, _, mask = name.partition(".")
    word = f"{pmu}::{event}" + (":" + mask.replace(".", "_") if mask else "")
    arg = Encoding(size=ctypes.sizeof(Encoding))
    if library.pfm_get_os_event_encoding(word.encode(), 9, 0, ctypes.byref(arg)):
        return None
    code = arg.codes[0]
    more = code >> 24 & 0xf00 if pmu.startswith("amd") else 0
    found = {"event": code & 0xff | more, "umask": code >> 8 & 0xff, "edge": code >> 18 & 1,
             "any": code >> 21 & 1, "inv": code >> 23 & 1, "cmask": code >> 24 & 0xff}
    if arg.count > 1:
        found["more"] = arg.codes[1]
    return {name: value for name, value in found.items() if value}


def with_pfm():
    files = glob.glob("/usr/lib/*/libpfm.so.4.13*")
    if not files:
        return False
    os.environ["LIBPFM_ENCODE_INACTIVE"] = "1"
    library = ctypes.CDLL(files[0])
    if library.pfm_initialize():
        return False
    for pmu, (cpuid, least) in PFM.items():
        known = 0
        for (unit, name), mine in ours(cpuid).items():
            theirs = pfm_terms(library, pmu, name) if unit == "cpu" else None
            if theirs is None or name in PFM_DIFFERS:
                continue
            known += 1
            for register in ("frontend", "ldlat", "offcore_rsp"):
                if register in mine:
                    mine["more"] = mine.pop(register)
            if "more" in theirs and "more" not in mine:
                theirs.pop("more")
            check(mine == theirs, f"{pmu} {name}: {mine} is not libpfm4's {theirs}")
        check(known >= least, f"libpfm4 knows {known} of our events for {pmu}")
    return True


def perf_list(cpuid):
    """(PMU, name): terms as perf lists them; None where no machine can be made."""
    done = on_machine(cpuid, PERF, "list", "--details", "pmu")
    if done is None or done.returncode:
        return None
    found, name = {}, None
    for line in done.stdout.split("\n"):
        if re.match(r"  \S", line):
            name = line.split()[0].lower()
        words = re.match(r"\s+(\S+)/((?:event|config)=\S*)/\s*$", line)
        if words and name:
            found[re.sub(r"_\d$", "", words[1]), name] = terms(words[2])
    return found


# Events that are opened at a time: perf needs most of its time to begin, and a word has at most 128 KB.
OPENED = 2500


def opened(cpuid, tool, words):
    """What the kernel is asked for. Which of two PMUs of the same kind is first, is the directory's order."""
    found = counters(cpuid, tool, "-e", ",".join(words), log=f"{words[0].replace('/', '-')}-{tool == PFX}")
    if isinstance(found, str):
        return found
    rows = [counter[2:] for counter in found]
    if is_hybrid(cpuid) and "/" not in words[0]:
        return sorted(rows)
    return [row for _, same in itertools.groupby(rows, lambda row: row[1:]) for row in sorted(same)]


def check_opened(cpuid, words):
    """Both tools open the same counters for the same words, in the same order."""
    theirs, ours_ = opened(cpuid, PERF, words), opened(cpuid, PFX, words)
    if theirs == ours_ and not isinstance(ours_, str):
        check(len(theirs) >= len(words), f"{cpuid}: {len(theirs)} counters of {len(words)}")
    elif len(words) > 1:
        half = len(words) // 2
        check_opened(cpuid, words[:half])
        check_opened(cpuid, words[half:])
    else:
        check(False, f"{cpuid} {words[0]}: perf opens {theirs}, pfx {ours_}")


def to_open(cpuid, table, mine, equals):
    """Lists of words: names, and on a hybrid CPU those of each kind of core, and those that both tools
    know of the same kinds."""
    words = list(dict.fromkeys(name for _, name in equals))
    lists = [words]
    if is_hybrid(cpuid):
        kinds = [{name: {unit for unit, other in keys if other == name} for name in words}
                 for keys in (table, mine)]
        lists = [[name for name in words if kinds[0][name] == kinds[1][name]],
                 [f"{unit}/{name}/" for unit, name in equals if unit.startswith("cpu_")]]
    return [(cpuid, part[at:at + OPENED]) for part in lists for at in range(0, len(part), OPENED)]


def differences(cpuid, table, mine):
    """Why events of perf are not the same here, and the names of those that are: {(reason, PMU/event)}, [(PMU, event)]."""
    found, equals, units = set(), [], {}
    for unit, name in mine:
        units.setdefault(name, unit)
    for (unit, name), theirs in table.items():
        ours_ = mine.get((unit, name))
        if ours_ is None:
            found.add((f"unit {units[name]}" if name in units else "gone", f"{unit}/{name}"))
            continue
        if "offcore_rsp" in ours_:  # perf shows the lower half
            ours_["offcore_rsp"] &= 0xffffffff
            ours_ = {key: value for key, value in ours_.items() if value}
        if ours_ != theirs:
            found.add(("terms", f"{unit}/{name}"))
        elif cpuid not in DIFFERS.get(("bits", f"{unit}/{name}"), ()):
            equals.append((unit, name))
    return found, equals


DIFFERS = read_differences()
WHOLE = os.environ.get("PFX_WHOLE")


def with_perf():
    if not PERF or "6.1." not in run(PERF, "--version").stdout or os.geteuid():
        return False
    jobs, seen, once = [], {}, set()
    for cpuid, least in PERF_CPUS.items():
        table, mine = perf_list(cpuid), ours(cpuid)
        if table is None:
            return False
        found, equals = differences(cpuid, table, mine)
        for row in found:
            seen.setdefault(row, set()).add(cpuid)
        check(len(equals) >= least, f"perf knows {len(equals)} of our events for {cpuid}")
        if FAKE:  # what is the same on several CPUs is opened on one of them
            keys = {row: (row, *mine[row].items()) for row in equals}
            jobs += to_open(cpuid, table, mine, [row for row in equals if WHOLE or keys[row] not in once])
            once.update(keys.values())
    if sys.argv[1:] == ["write"]:
        for (reason, name), cpus in sorted(seen.items()):
            print(f"{reason}\t{name}\t{' '.join(sorted(cpus))}")
        return True
    for row in {**seen, **DIFFERS}:
        have, listed = seen.get(row, set()), DIFFERS.get(row, set())
        check(have == listed or row[0] == "bits", f"{' '.join(row)}: {sorted(have ^ listed)} in one of table and list only")
    in_parallel(check_opened, jobs)
    return True


def main():
    done = [with_pfm(), with_perf()]
    if not any(done):
        skip("neither libpfm4 4.13 nor perf 6.1 and root")
    finish()


main()
