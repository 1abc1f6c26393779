# SPDX-License-Identifier: MIT
# description: when each task ran, on which CPU, how long, and how long it was away
# args: [--time-limit span] [--summary] [--summary-extended] [--summary-only] [--ns] [--ms] [--limit-to-tasks list] [--filter-tasks list] [--extended-times] [--highlight-tasks list] [--rename-comms-by-tids list] [--stdio-color when] [--csv file] [--csv-summary file]
# record: -e sched:sched_switch
import argparse
import os
import sys
from collections import OrderedDict

from Util import nsecs
from output import open_output

COLOURS = {"grey": 90, "red": 91, "green": 92, "yellow": 93, "blue": 94, "violet": 95}
SLICES = ("Switched-In", "Switched-Out", "CPU", "PID", "TID", "Comm", "Runtime", "Time Out-In")
EXTENDED = ("Time Out-Out", "Time In-Out", "Time In-In")
SUMMARY = ("PID", "TID", "Comm", "Runs", "Accumulated", "Mean", "Median", "Min", "Max", "Max At")
WIDTHS = {"Switched-In": 20, "Switched-Out": 20, "CPU": 4, "PID": 8, "TID": 8, "Comm": 16, "Runs": 6,
	"Max At": 20}
WIDTH = 17


def words_of():
	parser = argparse.ArgumentParser(prog="task-analyzer", description="When each task ran, and how long.")
	parser.add_argument("--time-limit", metavar="START:END", default="",
		help="only from START to END, in seconds of the recording; either may be left out")
	parser.add_argument("--summary", action="store_true", help="a line for each task after the others")
	parser.add_argument("--summary-extended", action="store_true",
		help="the same with the longest times between runs")
	parser.add_argument("--summary-only", action="store_true", help="only the summary")
	parser.add_argument("--ns", action="store_true", help="times in nanoseconds")
	parser.add_argument("--ms", action="store_true", help="times in milliseconds")
	parser.add_argument("--limit-to-tasks", metavar="LIST", default="",
		help="only these tasks: names, PIDs or TIDs, with commas between them")
	parser.add_argument("--filter-tasks", metavar="LIST", default="", help="all but these tasks")
	parser.add_argument("--extended-times", action="store_true",
		help="also the times from out to out, in to out and in to in")
	parser.add_argument("--highlight-tasks", metavar="LIST", default="",
		help="tasks in colour, as 'name:red,1234:green'")
	parser.add_argument("--rename-comms-by-tids", metavar="LIST", default="",
		help="names of threads, as '1234:name,1235:other'")
	parser.add_argument("--stdio-color", choices=("always", "never", "auto"), default="auto",
		help="when colours are used (auto: on a terminal)")
	parser.add_argument("--csv", metavar="FILE", help="write the lines to this file, with ';' between values")
	parser.add_argument("--csv-summary", metavar="FILE", help="the same for the summary")
	words = parser.parse_args()
	if words.ns and words.ms:
		parser.error("--ns and --ms exclude each other")
	if words.limit_to_tasks and words.filter_tasks:
		parser.error("--limit-to-tasks and --filter-tasks exclude each other")
	if words.summary_only and words.csv:
		parser.error("--summary-only has no lines for --csv")
	return parser, words


def pairs(parser, text, option):
	"""{"1234": "name"} of '1234:name,...'."""
	ret = {}
	for word in filter(None, text.split(",")):
		task, colon, value = word.rpartition(":")
		if not colon or not task:
			parser.error("'%s' of %s is not TASK:VALUE" % (word, option))
		ret[task] = value
	return ret


def span_of(parser, text):
	"""(start, end) in ns; None: open."""
	if not text:
		return None, None
	start, colon, end = text.partition(":")
	try:
		if not colon or (start and end and float(start) > float(end)):
			raise ValueError
		return tuple(int(float(word) * 1e9) if word else None for word in (start, end))
	except ValueError:
		parser.error("'%s' of --time-limit is not START:END" % text)


parser, words = words_of()
only = set(filter(None, words.limit_to_tasks.split(",")))
without = set(filter(None, words.filter_tasks.split(",")))
names = pairs(parser, words.rename_comms_by_tids, "--rename-comms-by-tids")
colours = pairs(parser, words.highlight_tasks, "--highlight-tasks")
for colour in colours.values():
	if colour not in COLOURS:
		parser.error("'%s' is not a colour: %s" % (colour, ", ".join(COLOURS)))
start, end = span_of(parser, words.time_limit)
columns = SLICES + (EXTENDED if words.extended_times else ())
DIVIDE, DIGITS = (1, 0) if words.ns else (1000000, 3) if words.ms else (1000, 0)
UNIT = "ns" if words.ns else "ms" if words.ms else "us"
is_coloured = words.stdio_color == "always" or (words.stdio_color == "auto" and sys.stdout.isatty()
	and "NO_COLOR" not in os.environ)
files = {}
running = {}            # CPU: (TID, since when)
pids = {}               # TID: PID
before = {}             # TID: the last run
tasks = OrderedDict()   # (PID, TID): Task


class Task:
	"""What is known of the runs of one thread, for the summary."""

	def __init__(self):
		self.comm = ""
		self.runs = []  # (length, begin)
		self.gaps = {}  # name of a column: its longest time


def show_time(time):
	return "%.*f" % (DIGITS, time / DIVIDE) if time is not None else "-1"


def show_at(time):
	return "%d.%09d" % (time // 1000000000, time % 1000000000)


def write_row(name, cells, header, task=()):
	"""On the screen as columns, or into the file of --csv (name "csv") or --csv-summary."""
	path = vars(words)[name]
	if path:
		if name not in files:
			files[name] = open_output(path)
			files[name].write(";".join(header) + "\n")
		files[name].write(";".join(str(cell) for cell in cells) + "\n")
		return
	line = "  ".join("%*s" % (WIDTHS.get(title, WIDTH), cell) for title, cell in zip(header, cells))
	colour = next((colours[word] for word in task if word in colours), None)
	print("\x1b[%dm%s\x1b[0m" % (COLOURS[colour], line) if colour and is_coloured else line)


def is_wanted(task):
	if only:
		return bool(only & set(task))
	return not without & set(task)


def name_of(tid, comm):
	return names.get(str(tid), comm)


def ends(cpu, now, tid, comm):
	"""A run that began after the recording did is a line."""
	ran = running.pop(cpu, None)
	if not ran or ran[0] != tid or not tid:
		return
	since, pid = ran[1], pids.get(tid, tid)
	last = before.get(tid)
	before[tid] = (since, now)
	comm = name_of(tid, comm)
	words_for = (comm, str(pid), str(tid))
	if not is_wanted(words_for) or (start is not None and since < start) or (end is not None and now > end):
		return
	gaps = {"Time Out-In": since - last[1], "Time Out-Out": now - last[1], "Time In-Out": now - last[0],
		"Time In-In": since - last[0]} if last else {}
	task = tasks.setdefault((pid, tid), Task())
	task.comm = comm
	task.runs.append((now - since, since))
	for name, time in gaps.items():
		task.gaps[name] = max(task.gaps.get(name, 0), time)
	if not words.summary_only:
		write_row("csv", [show_at(since), show_at(now), "%03d" % cpu, pid, tid, comm, show_time(now - since)] +
			[show_time(gaps.get(name)) for name in columns[7:]], columns, words_for)


def trace_begin():
	if not words.summary_only and not words.csv:
		print("times in %s, moments in s" % UNIT)
		write_row("csv", columns, columns)


def sched__sched_switch(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
		common_callchain, prev_comm, prev_pid, prev_prio, prev_state, next_comm, next_pid, next_prio, sample):
	now = nsecs(common_secs, common_nsecs)
	pids[prev_pid] = sample["sample"]["pid"]
	ends(common_cpu, now, prev_pid, prev_comm)
	running[common_cpu] = (next_pid, now)


def trace_unhandled(event_name, context, fields):
	pass


def show_summary():
	gaps = ["Time Out-In"] + (list(EXTENDED) if words.extended_times else [])
	header = SUMMARY + (tuple("Max " + name[5:] for name in gaps) if words.summary_extended else ())
	if not words.csv_summary:
		print("\nSummary, times in %s" % UNIT)
		write_row("csv_summary", header, header)
	for (pid, tid), task in tasks.items():
		lengths = sorted(length for length, _ in task.runs)
		nr = len(lengths)
		median = (lengths[nr // 2] + lengths[(nr - 1) // 2]) / 2
		longest, at = max(task.runs, key=lambda run: run[0])
		cells = [pid, tid, task.comm, nr] + [show_time(time) for time in (sum(lengths), sum(lengths) / nr,
			median, lengths[0], longest)] + [show_at(at)]
		if words.summary_extended:
			cells += [show_time(task.gaps.get(name)) for name in gaps]
		write_row("csv_summary", cells, header, (task.comm, str(pid), str(tid)))


def trace_end():
	if words.summary or words.summary_extended or words.summary_only or words.csv_summary:
		show_summary()
	for file in files.values():
		file.close()
