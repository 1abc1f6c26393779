# SPDX-License-Identifier: MIT
# Events as objects. Samples of old Intel CPUs carry their registers as raw bytes: 144 of them, or
# 176 with what is known of an access to memory.

import struct

EVTYPE_GENERIC = 0
EVTYPE_PEBS = 1
EVTYPE_PEBS_LL = 2
EVTYPE_IBS = 3


def create_event(name, comm, dso, symbol, raw_buf):
	kind = {144: PebsEvent, 176: PebsNHM}.get(len(raw_buf), PerfEvent)
	return kind(name, comm, dso, symbol, raw_buf)


class PerfEvent:
	event_num = 0

	def __init__(self, name, comm, dso, symbol, raw_buf, ev_type=EVTYPE_GENERIC):
		self.name = name
		self.comm = comm
		self.dso = dso
		self.symbol = symbol
		self.raw_buf = raw_buf
		self.ev_type = ev_type
		PerfEvent.event_num += 1

	def show(self):
		print("PMU event: name=%12s, symbol=%24s, comm=%8s, dso=%12s" %
			(self.name, self.symbol, self.comm, self.dso))


class PebsEvent(PerfEvent):
	pebs_num = 0
	_registers = ("flags", "ip", "ax", "bx", "cx", "dx", "si", "di", "bp", "sp")

	def __init__(self, name, comm, dso, symbol, raw_buf, ev_type=EVTYPE_PEBS):
		for register, value in zip(self._registers, struct.unpack("=10Q", raw_buf[:80])):
			setattr(self, register, value)
		PerfEvent.__init__(self, name, comm, dso, symbol, raw_buf, ev_type)
		PebsEvent.pebs_num += 1


class PebsNHM(PebsEvent):
	pebs_nhm_num = 0

	def __init__(self, name, comm, dso, symbol, raw_buf, ev_type=EVTYPE_PEBS_LL):
		self.status, self.dla, self.dse, self.lat = struct.unpack("=4Q", raw_buf[144:176])
		PebsEvent.__init__(self, name, comm, dso, symbol, raw_buf, ev_type)
		PebsNHM.pebs_nhm_num += 1
