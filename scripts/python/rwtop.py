# SPDX-License-Identifier: MIT
# description: threads that read and write most, every few seconds
# args: [interval]
# record: -e syscalls:sys_enter_read -e syscalls:sys_exit_read -e syscalls:sys_enter_write -e syscalls:sys_exit_write
import sys

from counting import Unhandled
from top import Top
from transfers import Transfers, show_reads, show_writes

LINES = 20

args = sys.argv[1:]
if len(args) > 1 or (args and not args[0].isdigit()):
	sys.exit("usage: rwtop [interval]")
reads, writes, unhandled = Transfers(), Transfers(), Unhandled("::")


def show():
	print("\nread counts by pid:\n")
	show_reads(reads, LINES, "bytes_req", 10)
	print("\nwrite counts by pid:\n")
	show_writes(writes, LINES, 13, 10)
	reads.clear()
	writes.clear()


top = Top(int(args[0]) if args else 3, show)


def syscalls__sys_enter_read(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, nr, fd, buf, count):
	top.check()
	reads.enter(common_pid, common_comm, count)


def syscalls__sys_exit_read(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, nr, ret):
	top.check()
	reads.leave(common_pid, ret)


def syscalls__sys_enter_write(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, nr, fd, buf, count):
	top.check()
	writes.enter(common_pid, common_comm, count)


def syscalls__sys_exit_write(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, nr, ret):
	top.check()
	writes.leave_failed(common_pid, ret)


def trace_unhandled(event_name, context, fields):
	unhandled.count(event_name)


def trace_end():
	unhandled.show()
	top.end()
