# SPDX-License-Identifier: MIT
# description: work that was queued and executed: by CPU, by function
# args:
# record: -e workqueue:workqueue_queue_work -e workqueue:workqueue_execute_start -e workqueue:workqueue_execute_end
from collections import defaultdict

from Util import nsecs
from counting import Unhandled


class Work:
	def __init__(self):
		self.queued = self.executed = 0
		self.time = self.longest = 0  # ns


works = defaultdict(Work)  # (CPU, function)
running = {}               # the structure's address: (CPU, function, since when)
unhandled = Unhandled("::")


def name_of(value):
	return value if isinstance(value, str) else "0x%x" % value


def workqueue__workqueue_queue_work(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, work, function, *rest):
	works[common_cpu, name_of(function)].queued += 1


def workqueue__workqueue_execute_start(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, work, function):
	running[work] = (common_cpu, name_of(function), nsecs(common_secs, common_nsecs))


def workqueue__workqueue_execute_end(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, work, *rest):
	if work not in running:
		return
	cpu, function, since = running.pop(work)
	spent = nsecs(common_secs, common_nsecs) - since
	row = works[cpu, function]
	row.executed += 1
	row.time += spent
	row.longest = max(row.longest, spent)


def trace_unhandled(event_name, context, fields):
	unhandled.count(event_name)


def trace_end():
	print("workqueue work stats:\n")
	print("%3s %6s %6s %12s %12s  %s" % ("cpu", "ins", "exec", "total us", "longest us", "function"))
	print("%3s %6s %6s %12s %12s  %s" % ("---", "-" * 6, "-" * 6, "-" * 12, "-" * 12, "-" * 20))
	for (cpu, function), row in sorted(works.items()):
		print("%3d %6d %6d %12.3f %12.3f  %s" % (cpu, row.queued, row.executed, row.time / 1e3,
			row.longest / 1e3, function))
	unhandled.show()
