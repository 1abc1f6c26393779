# SPDX-License-Identifier: MIT
# description: cycles per instruction of each CPU and thread in each interval of `stat record`
# args:
# record: -e cycles,instructions
from collections import defaultdict

counts = defaultdict(lambda: {"cycles": 0, "instructions": 0})  # (cpu, thread): values


def keeper(name):
	"""The function that gets the counts of an event."""
	def keep(cpu, thread, time, val, ena, run):
		counts[cpu, thread][name] = val
	return keep


for event in ("cycles", "instructions"):
	for suffix in ("", "_k", "_u"):
		globals()["stat__" + event + suffix] = keeper(event)


def stat__interval(time):
	for (cpu, thread), values in counts.items():
		cycles, instructions = values["cycles"], values["instructions"]
		print("%15f: cpu %d, thread %d -> cpi %f (%d/%d)" % (time / 1e9, cpu, thread,
			cycles / instructions if instructions else 0, cycles, instructions))
	counts.clear()
