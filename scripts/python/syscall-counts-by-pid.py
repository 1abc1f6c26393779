# SPDX-License-Identifier: MIT
# description: how often each command and process makes each system call, in perf's form
# args: [comm]
# record: -e raw_syscalls:sys_enter
import sys
from collections import defaultdict

from Util import syscall_name
from counting import Whose, by_count

whose = Whose(sys.argv[1:], "perf script -s syscall-counts-by-pid.py [comm]")
counts = defaultdict(lambda: defaultdict(lambda: defaultdict(int)))


def trace_begin():
	print("Press control+C to stop and show the summary")


def raw_syscalls__sys_enter(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, id, args):
	if whose.takes(common_comm, common_pid):
		counts[common_comm][common_pid][id] += 1


def trace_end():
	print(whose.title("syscall events", " by comm/pid"))
	print("%-40s  %10s" % ("comm [pid]/syscalls", "count"))
	print("%-40s  %10s" % ("-" * 40, "-" * 10))
	for comm, pids in counts.items():
		for pid, calls in pids.items():
			print("\n%s [%d]" % (comm, pid))
			for number, count in by_count(calls):
				print("  %-38s  %10d" % (syscall_name(number), count))
