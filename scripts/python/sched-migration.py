# SPDX-License-Identifier: MIT
# description: tasks that wait on each CPU, over time, and their moves between CPUs
# args: [--events]
# record: -m 16384 -e sched:sched_wakeup -e sched:sched_wakeup_new -e sched:sched_switch -e sched:sched_migrate_task
import argparse
from collections import defaultdict

from Util import nsecs

BARS = 40       # steps of time of the overview
MARKS = "▁▂▃▄▅▆▇█"
RUNNABLE = 0xff  # of prev_state: no bit of these is a task that can run

parser = argparse.ArgumentParser(prog="sched-migration", description="Run queues and moves between CPUs.")
parser.add_argument("--events", action="store_true", help="a line for each change of a run queue")
options = parser.parse_args()

names = {0: "idle"}
queues = defaultdict(set)     # CPU: tasks that run or wait there
changes = defaultdict(list)   # CPU: (time, length of its queue)
moves = defaultdict(int)      # (from, to): number
movers = defaultdict(int)     # task: moves
first = last = None


def name_of(pid):
	return "%s:%d" % (names.get(pid, "?"), pid)


def changed(now, cpu, what, pid):
	"""A queue has another length."""
	global first, last
	first = now if first is None else first
	last = now
	queue = queues[cpu]
	changes[cpu].append((now, len(queue)))
	if options.events:
		print("%d.%06d [%03d] %-28s load %d of %d" % (now // 1000000000, now % 1000000000 // 1000, cpu,
			"%s %s" % (name_of(pid), what), len(queue), sum(len(other) for other in queues.values())))


def arrives(now, cpu, what, pid):
	if pid and pid not in queues[cpu]:
		queues[cpu].add(pid)
		changed(now, cpu, what, pid)


def leaves(now, cpu, what, pid):
	if pid in queues[cpu]:
		queues[cpu].remove(pid)
		changed(now, cpu, what, pid)


def sched__sched_switch(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
		common_callchain, prev_comm, prev_pid, prev_prio, prev_state, next_comm, next_pid, next_prio):
	now = nsecs(common_secs, common_nsecs)
	if prev_pid:
		names[prev_pid] = prev_comm
	if next_pid:
		names[next_pid] = next_comm
	if prev_state & RUNNABLE:
		leaves(now, common_cpu, "sleeps", prev_pid)
	else:
		arrives(now, common_cpu, "waits", prev_pid)
	arrives(now, common_cpu, "runs", next_pid)


def sched__sched_wakeup(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
		common_callchain, comm, pid, *fields):
	names[pid] = comm
	arrives(nsecs(common_secs, common_nsecs), fields[-1], "woke up", pid)


def sched__sched_wakeup_new(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
		common_callchain, comm, pid, *fields):
	names[pid] = comm
	arrives(nsecs(common_secs, common_nsecs), fields[-1], "was forked", pid)


def sched__sched_migrate_task(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
		common_callchain, comm, pid, prio, orig_cpu, dest_cpu):
	now = nsecs(common_secs, common_nsecs)
	names[pid] = comm
	if orig_cpu == dest_cpu:
		return
	moves[orig_cpu, dest_cpu] += 1
	movers[pid] += 1
	if pid in queues[orig_cpu]:
		leaves(now, orig_cpu, "moves to %d" % dest_cpu, pid)
		arrives(now, dest_cpu, "comes from %d" % orig_cpu, pid)


def trace_unhandled(event_name, context, fields):
	pass


def averages(steps):
	"""The mean length of a queue in each of BARS steps of time, and in all of it."""
	width = max(last - first, 1) / BARS
	sums = [0.0] * BARS
	for (time, length), (until, _) in zip(steps, steps[1:] + [(last, 0)]):
		at = min(int((time - first) / width), BARS - 1)
		while time < until:
			edge = min(until, first + (at + 1) * width) if at < BARS - 1 else until
			sums[at] += length * (edge - time)
			time, at = edge, at + 1
	return [value / width for value in sums], sum(sums) / max(last - first, 1)


def trace_end():
	if first is None:
		print("no events of the scheduler")
		return
	print("tasks that run or wait, over %.6f s" % ((last - first) / 1e9))
	print("%-5s %-*s %8s %8s" % ("CPU", BARS, "time", "mean", "most"))
	for cpu in sorted(changes):
		bars, mean = averages(changes[cpu])
		most = max(length for _, length in changes[cpu])
		marks = "".join(MARKS[min(int(value / max(most, 1) * len(MARKS)), len(MARKS) - 1)] if value else " "
			for value in bars)
		print("%-5d %s %8.2f %8d" % (cpu, marks, mean, most))
	print("\n%-12s %10s" % ("from - to", "moves"))
	for (origin, target), number in sorted(moves.items(), key=lambda move: (-move[1], move[0])):
		print("%5d - %-4d %10d" % (origin, target, number))
	print("\n%-28s %10s" % ("task", "moves"))
	for pid, number in sorted(movers.items(), key=lambda mover: (-mover[1], mover[0])):
		print("%-28s %10d" % (name_of(pid), number))
