# SPDX-License-Identifier: MIT
# description: the kinds of memory that the physical addresses of samples are in
# args:
# record: --phys-data -e mem_inst_retired.all_loads:P
import os
import re
from bisect import bisect
from collections import Counter

IOMEM = "/proc/iomem"
UNKNOWN = "N/A"
MAIN = ("System RAM", "Persistent Memory")

kinds = Counter()
event = None
areas = []  # (first, last, name) of all lines, as nested as they are
inner = {}  # name of MAIN: starts and ends in order


def trace_begin():
	for name in MAIN:
		inner[name] = []
	with open(os.environ.get("PFX_IOMEM", IOMEM), encoding="utf-8", errors="replace") as file:
		for line in file:
			found = re.match(r"\s*([0-9a-f]+)-([0-9a-f]+) : (.*)", line)
			first, last, name = int(found[1], 16), int(found[2], 16), found[3]
			areas.append((first, last, name))
			if name in MAIN:
				inner[name] += [first, last]


def kind_of(address):
	if not address:
		return UNKNOWN
	for name in MAIN:
		if bisect(inner[name], address) % 2:
			return name
	return next((name for first, last, name in areas if first <= address <= last), UNKNOWN)


def process_event(sample):
	global event
	event = event or sample["ev_name"]
	kinds[kind_of(sample["sample"]["phys_addr"])] += 1


def trace_end():
	print("Event: %s" % event)
	print("%-40s  %10s  %10s" % ("Memory type", "count", "percentage"))
	print("%-40s  %10s  %10s" % ("-" * 40, "-" * 11, "-" * 11))
	total = sum(kinds.values())
	for kind, number in sorted(kinds.items(), key=lambda item: (item[1], item[0]), reverse=True):
		print("%-40s  %10d  %10.1f%%" % (kind, number, 100 * number / total))
