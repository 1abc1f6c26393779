# SPDX-License-Identifier: MIT
# description: time from a wakeup to the next switch on that CPU: smallest, largest, average
# args:
# record: -e sched:sched_switch -e sched:sched_wakeup
from Util import nsecs
from counting import Unhandled

NONE = 1000000000  # ns: what is shown as the smallest without any

woken = {}  # CPU: when
latencies = []
unhandled = Unhandled("::")


def sched__sched_switch(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, *fields):
	since = woken.pop(common_cpu, 0)
	if since:
		latencies.append(nsecs(common_secs, common_nsecs) - since)


def sched__sched_wakeup(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, *fields):
	woken[fields[-1]] = nsecs(common_secs, common_nsecs)  # the last field is the target CPU


def trace_unhandled(event_name, context, fields):
	unhandled.count(event_name)


def trace_end():
	print("wakeup_latency stats:\n")
	print("total_wakeups: %d" % len(latencies))
	average = "%d" % (sum(latencies) // len(latencies)) if latencies else "N/A"
	print("avg_wakeup_latency (ns): %s" % average)
	print("min_wakeup_latency (ns): %d" % min([NONE] + latencies))
	print("max_wakeup_latency (ns): %d" % max([0] + latencies))
	unhandled.show()
