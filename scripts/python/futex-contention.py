# SPDX-License-Identifier: MIT
# description: how often and how long each thread waited for each futex
# args:
# record: -e syscalls:sys_enter_futex -e syscalls:sys_exit_futex
from Util import FUTEX_CMD_MASK, FUTEX_WAIT, add_stats, nsecs

names = {}    # thread: command
waiting = {}  # thread: futex, since when
waits = {}    # (thread, futex): (smallest, largest, average, number)


def trace_begin():
	print("Press control+C to stop and show the summary")


def syscalls__sys_enter_futex(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, nr, uaddr, op, *rest):
	if op & FUTEX_CMD_MASK == FUTEX_WAIT:
		names[common_pid] = common_comm
		waiting[common_pid] = (uaddr, nsecs(common_secs, common_nsecs))


def syscalls__sys_exit_futex(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, nr, ret):
	if common_pid in waiting:
		futex, since = waiting.pop(common_pid)
		add_stats(waits, (common_pid, futex), nsecs(common_secs, common_nsecs) - since)


def trace_end():
	for (tid, futex), (low, high, average, number) in waits.items():
		print("%s[%d] lock %x contended %d times, %d avg ns [max: %d ns, min %d ns]" %
			(names[tid], tid, futex, number, average, high, low))
