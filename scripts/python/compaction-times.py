# SPDX-License-Identifier: MIT
# description: how long the kernel compacted memory, and what came of it
# args: [-h] [-u] [-p|-pv] [-t | [-m] [-fs] [-ms]] [pid|pid-range|comm-regex]
# record: -e compaction:mm_compaction_begin -e compaction:mm_compaction_end -e compaction:mm_compaction_migratepages -e compaction:mm_compaction_isolate_migratepages -e compaction:mm_compaction_isolate_freepages
import re
import sys

from Util import nsecs

USAGE = ("usage: perf script report compaction-times.py -- [-h] [-u] [-p|-pv] [-t | [-m] [-fs] [-ms]] "
	"[pid|pid-range|comm-regex]\n")
HELP = (("-h", "display this help"), ("-p", "display by process"), ("-pv", "display by process (verbose)"),
	("-t", "display stall times only"), ("-m", "display stats for migration"),
	("-fs", "display stats for free scanner"), ("-ms", "display stats for migration scanner"),
	("-u", "display results in microseconds (default nanoseconds)"))
# What is shown besides the time: option, title, names of the two numbers.
PARTS = {"-m": ("migration", "moved", "failed"), "-fs": ("free_scanner", "scanned", "isolated"),
	"-ms": ("migration_scanner", "scanned", "isolated")}


class Spent:
	"""Time, and two numbers for each part."""

	def __init__(self):
		self.time = 0
		self.numbers = {part: [0, 0] for part in PARTS}

	def add(self, other):
		self.time += other.time
		for part, (first, second) in other.numbers.items():
			self.count(part, first, second)

	def count(self, part, first, second):
		self.numbers[part][0] += first
		self.numbers[part][1] += second

	def __str__(self):
		time = "%dns" % self.time if options.ns else "%dus" % (round(self.time, -3) / 1000)
		parts = ["%s: %s=%d %s=%d" % (title, one, self.numbers[part][0], two, self.numbers[part][1])
			for part, (title, one, two) in PARTS.items() if part in options.parts]
		return time + " " + " ".join(parts)


class Process:
	def __init__(self, comm):
		self.comm = comm
		self.total = Spent()
		self.each = []      # with -pv
		self.running = None # (since when, Spent)


class Options:
	"""The words of the command line."""

	def __init__(self, words):
		self.ns, self.by_process, self.each = True, False, False
		self.parts = None
		self.low, self.high, self.comm = None, None, None
		for i, word in enumerate(words):
			if word.startswith("-"):
				self.option(word)
			elif i == len(words) - 1:
				self.whose(word)
		if self.parts is None:
			self.parts = set(PARTS)

	def option(self, word):
		if word == "-h":
			print(USAGE)
			print("\n".join("%s\t%s" % row for row in HELP))
			sys.exit(0)
		elif word in ("-p", "-pv"):
			self.by_process, self.each = True, word == "-pv"
		elif word == "-u":
			self.ns = False
		elif word == "-t":
			self.parts = self.parts or set()
		elif word in PARTS:
			self.parts = (self.parts or set()) | {word}
		else:
			sys.exit(USAGE)

	def whose(self, word):
		found = re.fullmatch(r"(\d*)-(\d*)|(\d+)", word)
		if found:
			self.low = int(found[3] or found[1] or 0)
			self.high = int(found[3] or found[2] or 0)
			return
		try:
			self.comm = re.compile(word)
		except re.error:
			sys.exit("invalid regex '%s'\n%s" % (word, USAGE))

	def takes(self, pid, comm):
		if self.comm is not None:
			found = self.comm.search(comm)
			return bool(found and found.group())
		if self.low is not None:
			return self.low <= pid and (not self.high or pid <= self.high)
		return True


options = Options(sys.argv[1:])
processes = {}  # pid: Process, None for those that are not shown
total = Spent()


def now_of(pid):
	"""What runs for a process; None: not shown, or its beginning was not recorded."""
	process = processes.get(pid)
	if process and not process.running:
		sys.stderr.write("missing start compaction event for pid %d\n" % pid)
	return process.running if process else None


def count(pid, part, first, second):
	running = now_of(pid)
	if running:
		running[1].count(part, first, second)


def compaction__mm_compaction_begin(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, *fields):
	if common_pid not in processes:
		processes[common_pid] = Process(common_comm) if options.takes(common_pid, common_comm) else None
	if processes[common_pid]:
		processes[common_pid].running = (nsecs(common_secs, common_nsecs), Spent())


def compaction__mm_compaction_end(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, *fields):
	running = now_of(common_pid)
	if not running:
		return
	since, spent = running
	process = processes[common_pid]
	spent.time = nsecs(common_secs, common_nsecs) - since
	total.add(spent)
	process.total.add(spent)
	process.running = None
	if options.each:
		process.each.append(spent)


def compaction__mm_compaction_migratepages(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
		common_comm, common_callchain, nr_migrated, nr_failed):
	count(common_pid, "-m", nr_migrated, nr_failed)


def compaction__mm_compaction_isolate_freepages(event_name, context, common_cpu, common_secs, common_nsecs,
		common_pid, common_comm, common_callchain, start_pfn, end_pfn, nr_scanned, nr_taken):
	count(common_pid, "-fs", nr_scanned, nr_taken)


def compaction__mm_compaction_isolate_migratepages(event_name, context, common_cpu, common_secs, common_nsecs,
		common_pid, common_comm, common_callchain, start_pfn, end_pfn, nr_scanned, nr_taken):
	count(common_pid, "-ms", nr_scanned, nr_taken)


def trace_end():
	print("total: %s" % total)
	for pid, process in processes.items():
		if not process or not options.by_process:
			continue
		print("%d[%s]: %s" % (pid, process.comm, process.total))
		for number, spent in enumerate(process.each, 1):
			print("%d[%s].%d: %s" % (pid, process.comm, number, spent))
