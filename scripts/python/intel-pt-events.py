# SPDX-License-Identifier: MIT
# description: events of Intel PT: branches, instructions, power events, PTWRITE; from recordings that have them decoded
# args: [--insn-trace] [--src-trace] [--all-switch-events]
# record: -e intel_pt/pwr_evt,ptw/
import argparse
import struct

import perf_trace_context as asked
from sources import Sources, offset_of, place_of

CFE = ("", "INTR", "IRET", "SMI", "RSM", "SIPI", "INIT", "VMENTRY", "VMEXIT", "VMEXIT_INTR", "SHUTDOWN", "",
	"UINT", "UIRET")
EVD = ("", "PFA", "VMXQ", "VMXR")

parser = argparse.ArgumentParser(prog="intel-pt-events", description="Events of Intel PT.")
parser.add_argument("--insn-trace", action="store_true", help="instructions")
parser.add_argument("--src-trace", action="store_true", help="source lines")
parser.add_argument("--all-switch-events", action="store_true",
	help="all context switches, not only those before an event of their CPU")
options = parser.parse_args()
shows_code = options.insn_trace or options.src_trace
switches = {}  # CPU: the line of its last switch
sources = Sources()


def payload(raw):
	"""The flags, and the 8 bytes after them."""
	return struct.unpack_from("<IQ", raw)


def ptwrite(raw):
	flags, value = payload(raw)
	text = value.to_bytes(8, "little").rstrip(b"\0")
	text = text.decode("ascii") if text.isascii() else ""
	return "IP: %u payload: %#x %s" % (flags & 1, value, text if text.isprintable() else "")


def cbr(raw):
	ratio, _, most, _, khz, _ = struct.unpack_from("<BBBBII", raw)
	return "%3u  freq: %4u MHz  (%3u%%)" % (ratio, (khz + 500) / 1000, (ratio * 1000 / most + 5) / 10)


def mwait(raw):
	value = payload(raw)[1]
	return "hints: %#x extensions: %#x" % (value & 0xff, value >> 32 & 3)


def pwre(raw):
	value = payload(raw)[1]
	return "hw: %u cstate: %u sub-cstate: %u" % (value >> 7 & 1, value >> 12 & 0xf, value >> 8 & 0xf)


def exstop(raw):
	return "IP: %u" % (struct.unpack_from("<I", raw)[0] & 1)


def pwrx(raw):
	value = payload(raw)[1]
	return "deepest cstate: %u last cstate: %u wake reason: %#x" % (value & 0xf, value >> 4 & 0xf, value >> 8 & 0xf)


def psb(raw):
	return "offset: %#x" % payload(raw)[1]


def named(names, number, other):
	return names[number] if number < len(names) and names[number] else other % number


def evt(raw):
	kind, vector, count = struct.unpack_from("<BBH", raw)
	text = " cfe: %s IP: %u vector: %u" % (named(CFE, kind & 0x1f, "%u"), kind >> 7, vector)
	for i in range(min(count, (len(raw) - 4) // 16)):
		kind, value = struct.unpack_from("<QQ", raw, 4 + 16 * i)
		text += " %s: %#x" % (named(EVD, kind & 0x3f, "EVD_%u"), value)
	return text


def iflag(raw):
	flags, _ = payload(raw)
	return "IFLAG: %u->%u %s branch" % (flags & 1 ^ 1, flags & 1, "via" if flags & 2 else "non")


# Events of power and others: what their bytes mean.
EVENTS = {"ptwrite": ptwrite, "cbr": cbr, "mwait": mwait, "pwre": pwre, "exstop": exstop, "pwrx": pwrx, "psb": psb,
	"evt": evt, "iflag": iflag}


def who(comm, fields):
	vm = "VM:%5d VCPU:%03d " % (fields["machine_pid"], fields["vcpu"]) if "machine_pid" in fields else ""
	return "%s%16s %5u/%-5u [%03u] %9u.%09u  " % (vm, comm, fields["pid"], fields["tid"], fields["cpu"],
		fields["time"] // 1000000000, fields["time"] % 1000000000)


def place(sample, fields):
	text = "%16x" % fields["ip"]
	if shows_code:
		code = asked.perf_sample_insn(asked.perf_script_context)
		text += "".join(" %02x" % byte for byte in code or b"")
		text = text.ljust(60)
	text += " %s%s (%s)" % (sample.get("symbol", "[unknown]"), offset_of(sample, "symoff"),
		sample.get("dso", "[unknown]"))
	if "addr_correlates_sym" in fields:
		text += " => %x %s%s (%s)" % (fields["addr"], fields.get("addr_symbol", "[unknown]"),
			offset_of(fields, "addr_symoff"), fields.get("addr_dso", "[unknown]"))
	if fields.get("cyc_cnt"):
		instructions = fields.get("insn_cnt", 0)
		text += "  IPC: %#.2f (%u/%u)" % (instructions / fields["cyc_cnt"], instructions, fields["cyc_cnt"])
	return text


def process_event(sample):
	fields, name, comm = sample["sample"], sample["ev_name"], sample["comm"]
	switch = switches.pop(fields["cpu"], None)
	if switch:
		print(switch)
	is_code = name.startswith("instructions")
	if options.src_trace and (is_code or name.startswith("branches")):
		print(who(comm, fields) + place_of(sample, fields), sources.of(sample.get("dso", "[unknown]")))
	elif is_code:
		print(who(comm, fields) + ("x" if "x" in fields.get("flags", "") else " "), place(sample, fields))
	else:
		what = EVENTS[name](sample["raw_buf"]) + " " if name in EVENTS else ""
		print("%s%8s  %21s %s%s" % (who(comm, fields), name, fields.get("flags_disp", ""), what,
			place(sample, fields)))


def trace_begin():
	print("Intel PT Instruction Trace" if options.insn_trace else
		"Intel PT Source Trace" if options.src_trace else
		"Intel PT Branch Trace, Power Events, Event Trace and PTWRITE")
	asked.perf_set_itrace_options(asked.perf_script_context, "i0nsepwxI" if shows_code else "bepwxI")


def trace_unhandled(event_name, context, fields):
	print(" ".join("%s=%s" % field for field in sorted(fields.items())))


def auxtrace_error(kind, code, cpu, pid, tid, ip, ts, msg, cpumode, *guest):
	vm = "VM:%5d VCPU:%03d " % guest[:2] if len(guest) > 1 and guest[0] else ""
	print("%s%16s %5u/%-5u [%03u] %9u.%09u  error type %u code %u: %s ip 0x%16x" % (vm, "Trace error", pid, tid, cpu,
		ts // 1000000000, ts % 1000000000, kind, code, msg, ip))


def context_switch(ts, cpu, pid, tid, np_pid, np_tid, machine_pid, out, out_preempt, *guest):
	vcpu = guest[1] if len(guest) > 1 and guest[0] else None
	machine_pid = guest[0] if vcpu is not None else machine_pid
	machine = "" if machine_pid == -1 else "machine PID %d" % machine_pid
	machine += " VCPU %d" % vcpu if vcpu is not None and machine else ""
	line = "%16s %5d/%-5d [%03u] %9u.%09u %5d/%-5d %s %s" % ("Switch out " if out else "Switch In  ", pid, tid, cpu,
		ts // 1000000000, ts % 1000000000, np_pid, np_tid, machine, "preempt" if out_preempt else "")
	if options.all_switch_events:
		print(line)
	else:
		switches[cpu] = line


def trace_end():
	print("End")
