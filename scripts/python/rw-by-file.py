# SPDX-License-Identifier: MIT
# description: reads and writes of a command by file descriptor
# args: <comm>
# record: -e syscalls:sys_enter_read -e syscalls:sys_enter_write
import sys
from collections import defaultdict

from counting import Unhandled, refuse_options

refuse_options(sys.argv[1:], "rw-by-file")
if len(sys.argv) != 2:
	sys.exit("usage: rw-by-file <comm>")
comm = sys.argv[1]
reads = defaultdict(lambda: [0, 0])   # fd: calls, bytes
writes = defaultdict(lambda: [0, 0])
unhandled = Unhandled("::")


def add(files, common_comm, fd, count):
	if common_comm == comm:
		files[fd][0] += 1
		files[fd][1] += count


def syscalls__sys_enter_read(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, nr, fd, buf, count):
	add(reads, common_comm, fd, count)


def syscalls__sys_enter_write(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, nr, fd, buf, count):
	add(writes, common_comm, fd, count)


def trace_unhandled(event_name, context, fields):
	unhandled.count(event_name)


def show(files, calls, size):
	print("%6s  %10s  %10s" % ("fd", calls, size))
	print("%6s  %10s  %10s" % ("-" * 6, "-" * 10, "-" * 11))
	for fd, (number, total) in sorted(files.items(), key=lambda item: (-item[1][1], item[0])):
		print("%6d  %10d  %10d" % (fd, number, total))


def trace_end():
	print("file read counts for %s:\n" % comm)
	show(reads, "# reads", "bytes_requested")
	print("\nfile write counts for %s:\n" % comm)
	show(writes, "# writes", "bytes_written")
	unhandled.show()
