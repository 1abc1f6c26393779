#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The built-in vendor events beside two other tables of the same CPUs: libpfm4's, and perf's own,
which it lists on a machine that seems to have the PMUs. Whatever both know must be the same event."""
import ctypes
import glob
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from live import PATIENCE, PERF, PFX, check, finish, in_parallel, run, skip
from pmu_fake import FAKE, counters

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
    "GenuineIntel-6-96-1": 291, "GenuineIntel-6-97-2": 417, "AuthenticAMD-23-1-1": 174,
    "AuthenticAMD-23-31-0": 203, "AuthenticAMD-25-1-1": 232,
}
# Where the vendor's newer files, and with them our table, say something else than perf 6.1.
PERF_DIFFERS = {
    "arith.idiv_active",
    "unc_cha_core_snp.remote_gtone",  # perf 6.1 gives it the umask of ext_gtone
    "ls_st_commit_cancel2.st_commit_cancel_wcb_full",  # perf 6.1 has no umask for it on Zen 2
    "uops_retired.total_cycles",  # cmask was corrected
    "l2_rqsts.code_rd_hit", "l2_rqsts.demand_data_rd_hit", "l2_rqsts.l2_pf_hit",
    "l2_rqsts.rfo_hit",  # umasks of Broadwell DE as those of Broadwell
    "unc_p_power_state_occupancy.cores_c0", "unc_p_power_state_occupancy.cores_c3",
    "unc_p_power_state_occupancy.cores_c6",  # perf 6.1 does not select the state
    "unc_c_tor_occupancy.miss_opcode",  # the opcode is the user's, not 0x182
    "unc_iio_comp_buf_occupancy.cmpd.all_parts",  # the masks were corrected
}
PMUS = ("cpu", "cpu_core", "cpu_atom", "uncore_imc_0", "uncore_cha_0", "uncore_upi_0",
        "uncore_arb_0", "amd_l3", "amd_df", "uncore_cbox_0", "uncore_ha_0", "uncore_iio_0",
        "uncore_irp_0", "uncore_m2m_0", "uncore_m3upi_0", "uncore_pcu", "uncore_qpi_0",
        "uncore_r2pcie", "uncore_r3qpi_0", "uncore_ubox", "uncore_m2pcie_0", "uncore_sbox_0",
        "uncore_edc_uclk_0", "uncore_edc_eclk_0")
MAKE_PMUS = """mount -t tmpfs none /sys/bus/event_source/devices || exit 9
number=4
for pmu in $PMUS; do
	mkdir -p /sys/bus/event_source/devices/$pmu/format
	cd /sys/bus/event_source/devices/$pmu
	echo $number >type
	number=$((number + 20))
	case $pmu in
	cpu_*) echo 0-3 >cpus ;;
	cpu) ;;
	*) echo 0 >cpumask ;;
	esac
	echo config:0-7 >format/event
done
exec "$PERF" list --details"""


def terms(text):
    """The numbers of an encoding that say something; the period is a matter of taste."""
    words = (w.partition("=") for w in text.split(","))
    found = {name: int(value or "1", 0) for name, _, value in words}
    found.pop("period", None)
    return {name: value for name, value in found.items() if value}


def ours(cpuid):
    """(PMU, name): terms of our table."""
    env = dict(os.environ, PFX_CPUID=cpuid, PFX_PMU_EVENTS="")
    done = subprocess.run([PFX, "list", "--deprecated", "-j"], env=env, capture_output=True,
                          text=True, timeout=PATIENCE, check=True)
    found = {}
    for event in json.loads(done.stdout):
        if "Topic" in event and "Encoding" in event:
            pmu, _, words = event["Encoding"].partition("/")
            found[pmu, event["EventName"]] = terms(words.rstrip("/"))
    return found


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
    env = dict(os.environ, LC_ALL="C", PERF_CPUID=cpuid, PERF=PERF, PMUS=" ".join(PMUS))
    done = subprocess.run(["unshare", "-m", "sh", "-c", MAKE_PMUS], env=env, capture_output=True,
                          text=True, timeout=PATIENCE, check=False)
    if done.returncode:
        return None
    found, name = {}, None
    for line in done.stdout.split("\n"):
        if re.match(r"  \S", line):
            name = line.split()[0].lower()
        words = re.match(r"\s+(\S+)/((?:event|config)=\S*)/\s*$", line)
        if words and name:
            found[re.sub(r"_\d$", "", words[1]), name] = terms(words[2])
    return found


OPENED = 800  # events that are opened at a time


def check_opened(cpuid, names):
    """Both tools open the same counters for the same names, in the same order."""
    theirs, ours_ = ([counter if isinstance(counter, str) else counter[2:] for counter in
                      counters(cpuid, tool, "-e", ",".join(names), log=f"{names[0]}-{tool == PFX}")]
                     for tool in (PERF, PFX))
    for name, one, two in zip(names, theirs, ours_):
        if one != two:
            check(False, f"{cpuid} {name}: perf opens {one}, pfx {two}")
    check(len(theirs) == len(ours_) == len(names), f"{cpuid}: {len(theirs)} and {len(ours_)} of {len(names)} counters")


def with_perf():
    if not PERF or "6.1." not in run(PERF, "--version").stdout or os.geteuid():
        return False
    jobs = []
    for cpuid, least in PERF_CPUS.items():
        table, known, equals = perf_list(cpuid), 0, []
        if table is None:
            return False
        for (unit, name), mine in ours(cpuid).items():
            theirs = table.get((unit, name))
            if theirs is None or name in PERF_DIFFERS:
                continue
            known += 1
            if "offcore_rsp" in mine:  # perf shows the lower half
                mine["offcore_rsp"] &= 0xffffffff
                mine = {key: value for key, value in mine.items() if value}
            check(mine == theirs, f"{cpuid} {name}: {mine} is not perf's {theirs}")
            if unit == "cpu":
                equals.append(name)
        check(known >= least, f"perf knows {known} of our events for {cpuid}")
        if FAKE and equals:
            jobs += [(cpuid, equals[i:i + OPENED]) for i in range(0, len(equals), OPENED)]
    in_parallel(check_opened, jobs)
    return True


def main():
    done = [with_pfm(), with_perf()]
    if not any(done):
        skip("neither libpfm4 4.13 nor perf 6.1 and root")
    finish()


main()
