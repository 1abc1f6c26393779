# SPDX-License-Identifier: MIT
"""A machine that seems to have other PMUs, and a kernel that opens any counter of them: what pfx and perf
list there, and which counters they open."""
import os
import subprocess

from live import PATIENCE

FAKE = os.environ.get("PFX_FAKE_COUNTERS", "")
CORE_TYPES = (24, 25)
MAKE_PMUS = """mount -t tmpfs none /sys/bus/event_source/devices || exit 9
number=23
for pmu in software $PMUS; do
	dir=/sys/bus/event_source/devices/$pmu
	mkdir -p $dir/format $dir/events
	case $pmu in
	software) echo 1 >$dir/type; continue ;;
	cpu) ;;
	cpu_core) echo 0 >$dir/cpus ;;
	cpu_atom) echo 1 >$dir/cpus ;;
	*) [ $number -lt 30 ] && number=30; echo 0 >$dir/cpumask ;;
	esac
	number=$((number + 1))
	echo $number >$dir/type
	for format in $FORMATS; do
		echo ${format#*=} >$dir/format/${format%=*}
	done
	for event in $EVENTS; do
		case $event in $pmu/*) echo event=${event##*=} >$dir/events/${event#*/} ;; esac
	done
done
for file in /sys/bus/event_source/devices/*/events/*=*; do
	[ -e "$file" ] && mv "$file" "${file%=*}"
done
exec "$@"
"""
FORMATS = ("event=config:0-7,32-37 umask=config:8-15,40-63 edge=config:18 any=config:21 inv=config:23 cmask=config:24-31 "
           "ldlat=config1:0-15 offcore_rsp=config1:0-63 frontend=config1:0-23 "
           "filter_opc=config1:52-60")
TOPDOWN = ("slots", "topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound",
           "topdown-heavy-ops", "topdown-br-mispredict", "topdown-fetch-lat", "topdown-mem-bound")
EVENTS = {"msr": ("tsc", "aperf", "mperf", "smi"), "power": ("energy-pkg", "energy-ram"),
          "cstate_core": ("c1-residency", "c3-residency", "c6-residency", "c7-residency"),
          "cstate_pkg": tuple(f"c{i}-residency" for i in (2, 3, 6, 7, 8, 9, 10)),
          "cpu": TOPDOWN, "cpu_core": TOPDOWN}
PMUS = ("msr", "power", "cstate_core", "cstate_pkg", "uncore_imc_0", "uncore_cha_0", "uncore_cbox_0",
        "uncore_arb_0", "uncore_upi_0", "uncore_pcu", "uncore_iio_0", "uncore_ha_0", "amd_l3", "amd_df")


def is_hybrid(cpuid):
    return cpuid.startswith("GenuineIntel-6-97")


def on_machine(cpuid, *argv, log=None):
    """The tool's run on a machine that seems to have the PMUs; None: it cannot be made."""
    cores = ("cpu_core", "cpu_atom") if is_hybrid(cpuid) else ("cpu",)
    env = dict(os.environ, LC_ALL="C", PFX_CPUID=cpuid, PERF_CPUID=cpuid, PFX_PMU_EVENTS="",
               PERF_CONFIG="/dev/null", FORMATS=FORMATS, PMUS=" ".join(cores + PMUS),
               EVENTS=" ".join(f"{pmu}/{name}={code}" for pmu, names in EVENTS.items()
                               for code, name in enumerate(names, 1)))
    if log:
        argv = ("env", f"LD_PRELOAD={FAKE}", f"FAKE_LOG={log}", *argv)
    done = subprocess.run(["unshare", "-m", "sh", "-c", MAKE_PMUS, "sh", *argv], env=env,
                          capture_output=True, text=True, timeout=PATIENCE, check=False)
    return None if done.returncode == 9 else done


def counters(cpuid, tool, *words, log=""):
    """The counters that `stat` of the tool opens: each its number, that of its group's leader, type, config
    and config1; or what it says where it stops. @log: a name of its own for what runs at the same time."""
    log = os.path.abspath(f"log-{cpuid}-{log}")
    if os.path.exists(log):
        os.unlink(log)
    done = on_machine(cpuid, os.path.abspath(tool), "stat", *words, "true", log=log)
    if done.returncode or not os.path.exists(log):
        return "stopped: " + done.stderr[:300]
    with open(log, encoding="ascii") as file:
        return [tuple(map(int, line.split())) for line in file]
