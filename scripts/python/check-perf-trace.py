# SPDX-License-Identifier: MIT
# description: prints tracepoints of two kinds with the common fields, and counts the others: a check of scripting
# args:
# record: -a -e kmem:kmalloc -e irq:softirq_entry -e kmem:kfree
from Core import flag_str, symbol_str, trace_flag_str
from counting import Unhandled
from perf_trace_context import common_flags, common_lock_depth, common_pc

unhandled = Unhandled()


def show_common(event_name, context, cpu, secs, nsecs, pid, comm):
	print("%-20s %5u %05u.%09u %8u %-20s " % (event_name, cpu, secs, nsecs, pid, comm), end=" ")
	print("common_preempt_count=%d, common_flags=%s, common_lock_depth=%d, " % (common_pc(context),
		trace_flag_str(common_flags(context)), common_lock_depth(context)))


def trace_begin():
	print("trace_begin")


def irq__softirq_entry(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
		common_callchain, vec):
	show_common(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm)
	print("vec=%s" % symbol_str("irq__softirq_entry", "vec", vec))


def kmem__kmalloc(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
		common_callchain, call_site, ptr, bytes_req, bytes_alloc, gfp_flags, *rest):
	show_common(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm)
	print("call_site=%u, ptr=%u, bytes_req=%u, bytes_alloc=%u, gfp_flags=%s" % (call_site, ptr, bytes_req,
		bytes_alloc, flag_str("kmem__kmalloc", "gfp_flags", gfp_flags)))


def trace_unhandled(event_name, context, fields):
	unhandled.count(event_name)


def trace_end():
	unhandled.show("\n")
