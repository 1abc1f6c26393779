# SPDX-License-Identifier: MIT
# description: how long tasks ran, and how long they waited for a CPU when they could have run
# args: [comm]
# record: -a -e sched:sched_switch -e sched:sched_wakeup -e sched:sched_wakeup_new
import sys

from counting import refuse_options

refuse_options(sys.argv[1:], "sched-latency")
only = sys.argv[1] if len(sys.argv) > 1 else None
RUNNABLE = 0xff  # of prev_state: no bit of these is a task that was pushed aside


class Task:
	"""What is known of one thread."""

	def __init__(self, comm):
		self.comm = comm
		self.since = None     # it can run, or it runs, from here on
		self.is_running = False
		self.runtime = 0
		self.waits = 0
		self.waited = 0
		self.longest = 0
		self.longest_at = 0


tasks = {}


def task_of(pid, comm):
	task = tasks.get(pid)
	if task is None:
		task = tasks[pid] = Task(comm)
	task.comm = comm
	return task


def starts(task, now):
	if task.since is not None and not task.is_running:
		wait = now - task.since
		task.waits += 1
		task.waited += wait
		if wait > task.longest:
			task.longest, task.longest_at = wait, now
	task.since, task.is_running = now, True


def stops(task, now, can_run):
	if task.is_running:
		task.runtime += now - task.since
	task.since, task.is_running = now if can_run else None, False


def sched__sched_switch(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, prev_comm, prev_pid, prev_prio, prev_state, next_comm,
		next_pid, next_prio):
	now = common_secs * 1000000000 + common_nsecs
	if prev_pid:
		stops(task_of(prev_pid, prev_comm), now, not prev_state & RUNNABLE)
	if next_pid:
		starts(task_of(next_pid, next_comm), now)


def wakes(now, pid, comm):
	task = task_of(pid, comm)
	if pid and task.since is None:
		task.since = now


def sched__sched_wakeup(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, comm, pid, *rest):
	wakes(common_secs * 1000000000 + common_nsecs, pid, comm)


sched__sched_wakeup_new = sched__sched_wakeup


def trace_end():
	print("%-26s %12s %8s %12s %12s %18s" %
		("comm:tid", "ran ms", "waits", "average ms", "longest ms", "ended at s"))
	order = sorted(tasks, key=lambda pid: (-tasks[pid].longest, pid))
	for pid in order:
		task = tasks[pid]
		if not pid or (only is not None and task.comm != only):
			continue
		print("%-26s %12.3f %8d %12.3f %12.3f %18.6f" % (
			"%s:%d" % (task.comm, pid), task.runtime / 1e6, task.waits,
			task.waited / task.waits / 1e6 if task.waits else 0,
			task.longest / 1e6, task.longest_at / 1e9))
