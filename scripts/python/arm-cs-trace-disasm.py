# SPDX-License-Identifier: MIT
# description: code that ran by branches of Arm CoreSight, from recordings that have them decoded
# args: [-k vmlinux] [-d objdump] [-v]
# record: -e cs_etm//u
import argparse
import os
import subprocess

from sources import Sources, place_of

INSN = 4        # bytes of an instruction
KEPT = 65536    # ranges of code whose text is kept
KERNEL = "[kernel.kallsyms]"

parser = argparse.ArgumentParser(prog="arm-cs-trace-disasm", description="Code that ran by branches of CoreSight.")
parser.add_argument("-k", "--vmlinux", help="the kernel's image")
parser.add_argument("-d", "--objdump", help="the program that disassembles; without, only places are shown")
parser.add_argument("-v", "--verbose", action="store_true", help="also print each sample")
options = parser.parse_args()
targets = {}  # CPU: where the last branch went
texts = {}    # (file, first, end): lines
sources = Sources()


def file_of(dso, build_id):
	"""The copy in the build-id cache."""
	if dso in (KERNEL, "vmlinux"):
		return options.vmlinux or dso
	folder = os.environ.get("PERF_BUILDID_DIR") or os.path.expanduser("~/.debug")
	return os.path.join(folder, dso.lstrip("/"), build_id, "vdso" if dso == "[vdso]" else "elf")


def disassembled(path, first, end):
	key = (path, first, end)
	if len(texts) >= KEPT:
		texts.clear()
	if key not in texts:
		out = subprocess.run([options.objdump, "-d", "-z", "--start-address=%#x" % first, "--stop-address=%#x" % end,
			path], stdout=subprocess.PIPE, check=True).stdout.decode("utf-8", "replace")
		texts[key] = [line for line in out.split("\n") if is_code(line)]
	return texts[key]


def is_code(line):
	"""A line of an instruction, or the name of a function."""
	head = line.strip().split(":")[0].split(" ")[0]
	return ":" in line and bool(head) and all(char in "0123456789abcdefABCDEF" for char in head)


def show_code(dso, build_id, base, first, end):
	path = file_of(dso, build_id)
	if not os.path.exists(path):
		print("Failed to find dso %s for address range [ 0x%x .. 0x%x ]" % (dso, first, end))
		return
	base = 0 if dso == KERNEL else base
	for line in disassembled(path, first - base, end - base):
		print("\t" + line)


def is_inside(what, address, sample):
	low, high = sample["dso_map_start"], sample["dso_map_end"]
	if low <= address <= high:
		return True
	print("%s address 0x%x is out of range [ 0x%x .. 0x%x ] for dso %s" % (what, address, low, high, sample["dso"]))
	return False


def show_source(sample, fields):
	who = "%16s %5u/%-5u [%04u] %9u.%09u  " % (sample["comm"], fields["pid"], fields["tid"], fields["cpu"],
		fields["time"] // 1000000000, fields["time"] % 1000000000)
	print(who + place_of(sample, fields), sources.of(sample["dso"]))


def show_branch(sample, fields):
	"""The code from where the branch before went to, up to this one."""
	cpu, end = fields["cpu"], fields["ip"] + INSN
	first = targets.get(cpu)
	targets[cpu] = fields["addr"]
	if first is None:
		return
	if first == 0 and end == INSN:
		print("CPU%d: CS_ETM_TRACE_ON packet is inserted" % cpu)
		return
	if not is_inside("Start", first, sample) or not is_inside("Stop", end, sample):
		return
	if options.objdump:
		show_code(sample["dso"], sample.get("dso_bid", "[unknown]"), sample["dso_map_start"], first, end)
	show_source(sample, fields)


def process_event(sample):
	fields, name = sample["sample"], sample["ev_name"]
	if options.verbose:
		print("Event type: %s" % name)
		print("Sample = { cpu: %04d addr: 0x%016x phys_addr: 0x%016x ip: 0x%016x pid: %d tid: %d period: %d time: %d }" %
			tuple(fields[key] for key in ("cpu", "addr", "phys_addr", "ip", "pid", "tid", "period", "time")))
	if "dso" not in sample:
		return
	if "dso_map_start" not in sample or "dso_map_end" not in sample:
		print("Failed to find valid dso map for dso %s" % sample["dso"])
	elif name.startswith("instructions"):
		show_source(sample, fields)
	elif name.startswith("branches"):
		show_branch(sample, fields)


def trace_begin():
	print("ARM CoreSight Trace Data Assembler Dump")


def trace_unhandled(event_name, context, fields):
	print(" ".join("%s=%s" % field for field in sorted(fields.items())))


def trace_end():
	print("End")
