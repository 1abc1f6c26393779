# SPDX-License-Identifier: MIT
# description: how often each command and process makes each system call
# args: [comm or pid]
# record: -e raw_syscalls:sys_enter
import sys
from collections import defaultdict

from Util import syscall_name
from counting import by_count, is_perf, refuse_options

refuse_options(sys.argv[1:], "syscall-counts")
only = sys.argv[1] if len(sys.argv) > 1 else None
counts = defaultdict(lambda: defaultdict(int))


def raw_syscalls__sys_enter(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, id, args):
	if only is None or only == common_comm or only == str(common_pid):
		counts[common_comm, common_pid][id] += 1


def show_as_perf():
	"""perf's script of that name only counts, by call."""
	by_call = defaultdict(int)
	for calls in counts.values():
		for number, count in calls.items():
			by_call[number] += count
	print("\nsyscall events%s:\n" % (" for " + only if only else ""))
	print("%-40s  %10s" % ("event", "count"))
	print("%-40s  %10s" % ("-" * 40, "-" * 11))
	for number, count in by_count(by_call):
		print("%-40s  %10d" % (syscall_name(number), count))


def trace_end():
	if is_perf():
		print("Press control+C to stop and show the summary")
		show_as_perf()
		return
	print("%-40s %10s" % ("comm [pid]", ""))
	print("%-40s %10s" % ("  system call", "count"))
	print("%s %s" % ("-" * 40, "-" * 10))
	order = sorted(counts, key=lambda task: (-sum(counts[task].values()), task))
	for task in order:
		calls = counts[task]
		print("%-40s %10d" % ("%s [%d]" % task, sum(calls.values())))
		for number in sorted(calls, key=lambda n: (-calls[n], n)):
			print("  %-38s %10d" % (syscall_name(number), calls[number]))
