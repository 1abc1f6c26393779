# SPDX-License-Identifier: MIT
# description: call chains in one line each, with their number, for flame graph programs
# args: [--include-pid] [--include-tid] [--no-comm] [--tidy-java] [--kernel]
# record: -g
import argparse
from collections import defaultdict

from counting import is_perf
from stacks import frame_name, is_kernel, rows_of

parser = argparse.ArgumentParser(prog="stackcollapse", description="Call chains in one line each.")
parser.add_argument("--include-pid", action="store_true", help="the process behind the command")
parser.add_argument("--include-tid", action="store_true", help="process and thread behind it")
parser.add_argument("--no-comm", action="store_true", help="leave the command out")
parser.add_argument("--tidy-java", action="store_true", help="signatures of Java as in its sources")
parser.add_argument("--kernel", action="store_true", help="mark functions of the kernel with _[k]")
options = parser.parse_args()
counts = defaultdict(int)


def clean(name):
	"""A name must not hold what separates names and lines."""
	return name.replace(";", ":").replace("\n", " ")


def head_of(sample):
	ids = sample["sample"]
	if options.include_tid and options.include_pid and is_perf():
		return ["%s-%d/%d" % (clean(sample["comm"]).replace(" ", "_"), ids["pid"], ids["tid"])]
	if (options.include_tid or options.include_pid) and is_perf():
		number = ids["tid"] if options.include_tid else ids["pid"]
		return ["%s-%d" % (clean(sample["comm"]).replace(" ", "_"), number)]
	if options.include_tid:
		return ["%s-%d/%d" % (clean(sample["comm"]), ids["pid"], ids["tid"])]
	if options.include_pid:
		return ["%s-%d" % (clean(sample["comm"]), ids["pid"])]
	return [] if options.no_comm else [clean(sample["comm"]).replace(" ", "_")]


def tidy(name):
	"""Lorg/a/Box;.<init>(Ljava/lang/Object;)V is org/a/Box:.init"""
	name = name.replace("<", "").replace(">", "").split("(", 1)[0]
	return name[1:] if name.startswith("L") and "/" in name else name


def function_of(frame):
	if is_perf() and "sym" not in frame:
		return "[unknown]"
	name = clean(frame_name(frame))
	return tidy(name) if options.tidy_java else name


def name_of(frame):
	return function_of(frame) + ("_[k]" if options.kernel and is_kernel(frame) else "")


def process_event(sample):
	frames = list(reversed(sample["callchain"])) if is_perf() else rows_of(sample)
	names = head_of(sample) + [name_of(frame) for frame in frames]
	counts[";".join(names)] += 1


def trace_unhandled(event_name, context, fields, sample):
	process_event(sample)


def trace_end():
	for stack in sorted(counts):
		print(stack, counts[stack])
