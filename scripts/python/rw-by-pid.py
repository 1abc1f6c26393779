# SPDX-License-Identifier: MIT
# description: reads and writes of each thread: calls, bytes and errors
# args:
# record: -e syscalls:sys_enter_read -e syscalls:sys_exit_read -e syscalls:sys_enter_write -e syscalls:sys_exit_write
from counting import Unhandled
from transfers import Transfers, show_reads, show_writes

reads, writes, unhandled = Transfers(), Transfers(), Unhandled("::")


def syscalls__sys_enter_read(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, nr, fd, buf, count):
	reads.enter(common_pid, common_comm, count)


def syscalls__sys_exit_read(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, nr, ret):
	reads.leave(common_pid, ret)


def syscalls__sys_enter_write(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, nr, fd, buf, count):
	writes.enter(common_pid, common_comm, count)


def syscalls__sys_exit_write(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, nr, ret):
	writes.leave_failed(common_pid, ret)


def trace_unhandled(event_name, context, fields):
	unhandled.count(event_name)


def trace_end():
	print("read counts by pid:\n")
	show_reads(reads)
	print("\nfailed reads by pid:\n")
	reads.show_errors()
	print("\nwrite counts by pid:\n")
	show_writes(writes)
	print("\nfailed writes by pid:\n")
	writes.show_errors()
	unhandled.show()
