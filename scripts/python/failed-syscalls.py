# SPDX-License-Identifier: MIT
# description: system calls that failed, by command, process and error
# args: [comm or pid]
# record: -e raw_syscalls:sys_exit
import sys
from collections import defaultdict

from Util import strerror, syscall_name
from counting import is_perf, refuse_options

MAX_ERROR = 4095  # the kernel's; other negative values are addresses
refuse_options(sys.argv[1:], "failed-syscalls")
only = sys.argv[1] if len(sys.argv) > 1 else None
counts = defaultdict(lambda: defaultdict(int))


def raw_syscalls__sys_exit(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, id, ret):
	if not -MAX_ERROR <= ret < 0:
		return
	if only is None or only == common_comm or only == str(common_pid):
		counts[common_comm, common_pid][id, ret] += 1


def show_as_perf():
	"""perf's script of that name only counts, by command."""
	by_comm = defaultdict(int)
	for (comm, _), failed in counts.items():
		by_comm[comm] += sum(failed.values())
	print("\nfailed syscalls by comm:\n")
	print("%-20s  %10s" % ("comm", "# errors"))
	print("%-20s  %6s" % ("-" * 20, "-" * 10))
	for comm, number in sorted(by_comm.items(), key=lambda item: (-item[1], item[0])):
		print("%-20s  %10d" % (comm, number))


def trace_end():
	if is_perf():
		show_as_perf()
		return
	print("%-30s %-20s %10s" % ("comm [pid]", "", ""))
	print("%-30s %-20s %10s" % ("  system call", "error", "count"))
	print("%s %s %s" % ("-" * 30, "-" * 20, "-" * 10))
	for task in sorted(counts, key=lambda t: (-sum(counts[t].values()), t)):
		failed = counts[task]
		print("%-30s %-20s %10d" % ("%s [%d]" % task, "", sum(failed.values())))
		for number, ret in sorted(failed, key=lambda key: (-failed[key], key)):
			print("  %-28s %-20s %10d" % (syscall_name(number), strerror(ret),
				failed[number, ret]))
