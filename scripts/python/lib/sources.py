# SPDX-License-Identifier: MIT
"""Lines of traces: who, when and where, and source lines that are not printed twice. For intel-pt-events and
arm-cs-trace-disasm."""
import perf_trace_context as asked

NAME_WIDTH = 40


def offset_of(owner, field):
	return "+%#x" % owner[field] if field in owner else ""


class Sources:
	"""The source line of a sample, "" if it is that of the sample before; else the binary."""

	def __init__(self):
		self.name = self.line = self.dso = None

	def of(self, dso):
		name, line, text = asked.perf_sample_srccode(asked.perf_script_context)
		is_new = (name, line) != (self.name, self.line)
		self.name, self.line = name, line
		if name:
			self.dso = None
			return self.shown(name, line, text) if is_new else ""
		is_new, self.dso = dso != self.dso, dso
		return dso if is_new else ""

	@staticmethod
	def shown(name, line, text):
		name = "..." + name[3 - NAME_WIDTH:] + " " if len(name) > NAME_WIDTH else name.ljust(NAME_WIDTH + 1)
		return name + str(line).rjust(4) + " " + ("<source not found>" if text is None else text)


def place_of(sample, fields):
	"""The symbol with its offset, or the address, in 40 columns."""
	symbol = sample.get("symbol", "[unknown]")
	if symbol == "[unknown]":
		return ("%x" % fields["ip"]).rjust(16).ljust(NAME_WIDTH)
	return (symbol + offset_of(sample, "symoff")).ljust(NAME_WIDTH)
