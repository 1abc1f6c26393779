# SPDX-License-Identifier: MIT
# description: samples of each event over the time of the recording, as bars
# args: [number of bars]
# record:
import sys
from collections import defaultdict

BAR = 50     # characters
KEPT = 8192  # spans of time that are counted at most; then two become one

bars = int(sys.argv[1]) if len(sys.argv) > 1 else 20
if bars < 1 or bars > KEPT // 2:
	sys.exit("event-histogram: the number of bars is 1 to %d" % (KEPT // 2))
width = 1000  # ns
counts = defaultdict(lambda: defaultdict(int))
spans = set()


def widen():
	"""Spans of twice the time, so that long recordings take no more memory."""
	global width, spans
	width *= 2
	spans = {span // 2 for span in spans}
	for name, old in counts.items():
		counts[name] = defaultdict(int)
		for span, number in old.items():
			counts[name][span // 2] += number


def count(name, time):
	span = time // width
	counts[name][span] += 1
	spans.add(span)
	if len(spans) > KEPT:
		widen()


def process_event(sample):
	count(sample["ev_name"], sample["sample"]["time"])


def trace_unhandled(event_name, context, fields):
	count(event_name.replace("__", ":", 1), fields["common_s"] * 1000000000 + fields["common_ns"])


def print_event(name, first, step):
	rows = [0] * bars
	for span, number in counts[name].items():
		rows[(span - first) // step] += number
	most = max(rows)
	print("# %s: %d samples" % (name, sum(rows)))
	for i, number in enumerate(rows):
		print("%16.6f %10d %s" % ((first + i * step) * width / 1e9, number,
			"#" * ((number * BAR + most - 1) // most)))
	print()


def trace_end():
	if not spans:
		print("no samples")
		return
	first = min(spans)
	step = -(-(max(spans) - first + 1) // bars)
	for name in sorted(counts):
		print_event(name, first, step)
