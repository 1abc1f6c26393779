# SPDX-License-Identifier: MIT
# Names of flags and values of tracepoints, for scripts. The functions define_...() are called by
# pfx when the first sample of a tracepoint comes; the others are for scripts.

from collections import defaultdict


def autodict():
	"""A dict whose missing entries are dicts of the same kind."""
	return defaultdict(autodict)


flag_fields = autodict()
symbolic_fields = autodict()

trace_flags = {
	0x00: "NONE",
	0x01: "IRQS_OFF",
	0x02: "IRQS_NOSUPPORT",
	0x04: "NEED_RESCHED",
	0x08: "HARDIRQ",
	0x10: "SOFTIRQ",
}

_TASK_STATES = {0: "R", 1: "S", 2: "D", 64: "DEAD"}


def define_flag_field(event_name, field_name, delim):
	flag_fields[event_name][field_name]["delim"] = delim


def define_flag_value(event_name, field_name, value, field_str):
	flag_fields[event_name][field_name]["values"][value] = field_str


def define_symbolic_field(event_name, field_name):
	symbolic_fields[event_name][field_name]["values"]


def define_symbolic_value(event_name, field_name, value, field_str):
	symbolic_fields[event_name][field_name]["values"][value] = field_str


def _known(table, event_name, field_name):
	return table.get(event_name, {}).get(field_name, {}).get("values", {})


def _flag_names(names, value):
	if not value:
		return [names[0]] if 0 in names else []
	found = []
	for bits in sorted(names):
		if bits and value & bits == bits:
			found.append(names[bits])
			value &= ~bits
	return found


def flag_str(event_name, field_name, value):
	"""The names of the flags that are set in the field, as the kernel would print them."""
	names = _known(flag_fields, event_name, field_name)
	if not names:
		return ""
	delim = flag_fields[event_name][field_name]["delim"] or ""
	return (" %s " % delim if delim else "").join(_flag_names(names, value))


def symbol_str(event_name, field_name, value):
	"""The name of the field's value; "" where it has none."""
	return _known(symbolic_fields, event_name, field_name).get(value, "")


def trace_flag_str(value):
	"""The names of common_flags()."""
	return " | ".join(_flag_names(trace_flags, value))


def taskState(state):
	return _TASK_STATES.get(state, "Unknown")


class EventHeaders:
	"""The arguments that all functions of tracepoints have in common."""

	def __init__(self, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
			common_callchain):
		self.cpu = common_cpu
		self.secs = common_secs
		self.nsecs = common_nsecs
		self.pid = common_pid
		self.comm = common_comm
		self.callchain = common_callchain

	def ts(self):
		return self.secs * 1000000000 + self.nsecs

	def ts_format(self):
		return "%d.%d" % (self.secs, self.nsecs // 1000)
