# SPDX-License-Identifier: MIT
# description: call chains in one line each, with their number, for flame graph programs
# args: [--include-pid] [--include-tid] [--no-comm] [--kernel]
# record: -g
import argparse
from collections import defaultdict

from stacks import frame_name, is_kernel, rows_of

parser = argparse.ArgumentParser(prog="stackcollapse", description="Call chains in one line each.")
parser.add_argument("--include-pid", action="store_true", help="the process behind the command")
parser.add_argument("--include-tid", action="store_true", help="process and thread behind it")
parser.add_argument("--no-comm", action="store_true", help="leave the command out")
parser.add_argument("--kernel", action="store_true", help="mark functions of the kernel with _[k]")
options = parser.parse_args()
counts = defaultdict(int)


def clean(name):
	"""A name must not hold what separates names and lines."""
	return name.replace(";", ":").replace("\n", " ")


def head_of(sample):
	ids = sample["sample"]
	if options.include_tid:
		return ["%s-%d/%d" % (clean(sample["comm"]), ids["pid"], ids["tid"])]
	if options.include_pid:
		return ["%s-%d" % (clean(sample["comm"]), ids["pid"])]
	return [] if options.no_comm else [clean(sample["comm"]).replace(" ", "_")]


def name_of(frame):
	return clean(frame_name(frame)) + ("_[k]" if options.kernel and is_kernel(frame) else "")


def process_event(sample):
	names = head_of(sample) + [name_of(frame) for frame in rows_of(sample)]
	counts[";".join(names)] += 1


def trace_unhandled(event_name, context, fields, sample):
	process_event(sample)


def trace_end():
	for stack in sorted(counts):
		print(stack, counts[stack])
