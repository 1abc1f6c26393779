# SPDX-License-Identifier: MIT
"""Reads and writes by process, from the tracepoints of read() and write(): for rw-by-pid and rwtop."""
from collections import defaultdict


class Task:
	"""What one thread read, or wrote."""

	def __init__(self):
		self.comm = ""
		self.calls = 0
		self.asked = 0   # bytes
		self.done = 0    # bytes
		self.errors = defaultdict(int)


class Transfers:
	"""Of one kind, by the number of the thread. A write counts as done as a whole when it is asked for."""

	def __init__(self):
		self.tasks = defaultdict(Task)

	def enter(self, pid, comm, count):
		task = self.tasks[pid]
		task.comm = comm
		task.calls += 1
		task.asked += count

	def leave(self, pid, ret):
		if ret > 0:
			self.tasks[pid].done += ret
		else:
			self.tasks[pid].errors[ret] += 1

	def leave_failed(self, pid, ret):
		"""Of writes only errors are of interest."""
		if ret <= 0:
			self.tasks[pid].errors[ret] += 1

	def by(self, key):
		return sorted(self.tasks.items(), key=lambda item: (-key(item[1]), item[0]))

	def clear(self):
		self.tasks.clear()

	def show_errors(self):
		print("%6s  %20s  %6s  %10s" % ("pid", "comm", "error #", "# errors"))
		print("%6s  %20s  %6s  %10s" % ("-" * 6, "-" * 20, "-" * 6, "-" * 10))
		rows = [(pid, task.comm, error, number) for pid, task in self.tasks.items()
			for error, number in task.errors.items()]
		for row in sorted(rows, key=lambda row: (-row[3], row[0], row[2])):
			print("%6d  %-20s  %6d  %10s" % row)


def show_reads(reads, limit=None, asked="bytes_requested", line=11):
	print("%6s  %20s  %10s  %10s  %10s" % ("pid", "comm", "# reads", asked, "bytes_read"))
	print("%6s  %-20s  %10s  %10s  %10s" % ("-" * 6, "-" * 20, "-" * line, "-" * 10, "-" * 10))
	for pid, task in reads.by(lambda task: task.done)[:limit]:
		print("%6s  %-20s  %10s  %10s  %10s" % (pid, task.comm, task.calls, task.asked, task.done))


def show_writes(writes, limit=None, width=10, line=11):
	form = "%%6s  %%%s20s  %%10s  %%%ds"
	print((form % ("", width)) % ("pid", "comm", "# writes", "bytes_written"))
	print((form % ("-", width)) % ("-" * 6, "-" * 20, "-" * line, "-" * width))
	for pid, task in writes.by(lambda task: task.asked)[:limit]:
		print((form % ("-", width)) % (pid, task.comm, task.calls, task.asked))
