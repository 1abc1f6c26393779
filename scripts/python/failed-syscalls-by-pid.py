# SPDX-License-Identifier: MIT
# description: system calls that failed, by command, process, call and error, in perf's form
# args: [comm]
# record: -e raw_syscalls:sys_exit
import sys
from collections import defaultdict

from Util import strerror, syscall_name
from counting import Whose, by_count

whose = Whose(sys.argv[1:], "perf script -s failed-syscalls-by-pid.py [comm|pid]")
counts = defaultdict(lambda: defaultdict(lambda: defaultdict(lambda: defaultdict(int))))


def trace_begin():
	print("Press control+C to stop and show the summary")


def raw_syscalls__sys_exit(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, id, ret):
	if ret < 0 and whose.takes(common_comm, common_pid):
		counts[common_comm][common_pid][id][ret] += 1


def trace_end():
	print(whose.title("syscall errors"))
	print("%-30s  %10s" % ("comm [pid]", "count"))
	print("%-30s  %10s" % ("-" * 30, "-" * 10))
	for comm, pids in counts.items():
		for pid, calls in pids.items():
			print("\n%s [%d]" % (comm, pid))
			for number, errors in calls.items():
				print("  syscall: %-16s" % syscall_name(number))
				for ret, count in by_count(errors):
					print("    err = %-20s  %10d" % (strerror(ret), count))
