# SPDX-License-Identifier: MIT
# description: system calls, the most frequent first, every few seconds
# args: [comm] [interval]
# record: -e raw_syscalls:sys_enter
import sys
from collections import defaultdict

from Util import syscall_name
from counting import by_count, refuse_options
from top import Top

USAGE = "usage: perf script -s sctop.py [comm] [interval]"

args = sys.argv[1:]
refuse_options(args, "sctop")
if len(args) > 2:
	sys.exit(USAGE)
comm = args.pop(0) if args and not (len(args) == 1 and args[0].isdigit()) else None
if args and not args[0].isdigit():
	sys.exit(USAGE)
counts = defaultdict(int)


def show():
	print("\nsyscall events%s:\n" % (" for " + comm if comm else ""))
	print("%-40s  %10s" % ("event", "count"))
	print("%-40s  %10s" % ("-" * 40, "-" * 10))
	for number, count in by_count(counts):
		print("%-40s  %10d" % (syscall_name(number), count))
	counts.clear()


top = Top(int(args[0]) if args else 3, show)


def raw_syscalls__sys_enter(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, id, args):
	top.check()
	if comm is None or comm == common_comm:
		counts[id] += 1


def trace_end():
	top.end()
