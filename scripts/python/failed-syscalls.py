# SPDX-License-Identifier: MIT
# description: system calls that failed, by command, process and error
# args: [comm or pid]
# record: -e raw_syscalls:sys_exit
import sys
from collections import defaultdict

from Util import strerror, syscall_name

MAX_ERROR = 4095  # the kernel's; other negative values are addresses
only = sys.argv[1] if len(sys.argv) > 1 else None
counts = defaultdict(lambda: defaultdict(int))


def raw_syscalls__sys_exit(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, id, ret):
	if not -MAX_ERROR <= ret < 0:
		return
	if only is None or only == common_comm or only == str(common_pid):
		counts[common_comm, common_pid][id, ret] += 1


def trace_end():
	print("%-30s %-20s %10s" % ("comm [pid]", "", ""))
	print("%-30s %-20s %10s" % ("  system call", "error", "count"))
	print("%s %s %s" % ("-" * 30, "-" * 20, "-" * 10))
	for task in sorted(counts, key=lambda t: (-sum(counts[t].values()), t)):
		failed = counts[task]
		print("%-30s %-20s %10d" % ("%s [%d]" % task, "", sum(failed.values())))
		for number, ret in sorted(failed, key=lambda key: (-failed[key], key)):
			print("  %-28s %-20s %10d" % (syscall_name(number), strerror(ret),
				failed[number, ret]))
