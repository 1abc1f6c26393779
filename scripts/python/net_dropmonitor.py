# SPDX-License-Identifier: MIT
# description: where the kernel dropped packets, and how many
# args:
# record: -e skb:kfree_skb
import os
from bisect import bisect_right
from collections import defaultdict

KALLSYMS = "/proc/kallsyms"

drops = defaultdict(int)  # address: packets


def trace_begin():
	print("Starting trace (Ctrl-C to dump results)")


def skb__kfree_skb(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
		common_callchain, skbaddr, location, *rest):
	drops[location] += 1


def kernel_symbols():
	"""(address, name) of this kernel, in order; the addresses of another boot are other ones."""
	try:
		with open(os.environ.get("PFX_KALLSYMS", KALLSYMS), encoding="ascii", errors="replace") as file:
			words = [line.split()[:3] for line in file]
	except OSError:
		return []
	return sorted((int(address, 16), name) for address, _, name in words)


def trace_end():
	print("Gathering kallsyms data")
	symbols = kernel_symbols()
	starts = [start for start, _ in symbols]
	print("%25s %25s %25s" % ("LOCATION", "OFFSET", "COUNT"))
	for location, number in drops.items():
		at = bisect_right(starts, location) - 1
		name, offset = (symbols[at][1], location - starts[at]) if at >= 0 else (location, 0)
		print("%25s %25s %25s" % (name, offset, number))
