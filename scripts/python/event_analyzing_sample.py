# SPDX-License-Identifier: MIT
# description: histograms of all samples: by command, by symbol, by binary, and latencies of old Intel CPUs
# args:
# record:
import sqlite3

from EventClass import EVTYPE_GENERIC, EVTYPE_PEBS_LL, create_event

ADDRESS = 0x7fffffffffffffff  # SQLite's integers have a sign
MEMORY = ("name", "symbol", "comm", "dso", "flags", "ip", "status", "dse", "dla", "lat")
LINE = "%%%ds %%8d     %%s"

tables = sqlite3.connect("")  # in a temporary file that has no name
tables.isolation_level = None


def trace_begin():
	print("In trace_begin:\n")
	tables.execute("create table gen_events (name text, symbol text, comm text, dso text)")
	tables.execute("create table pebs_ll (%s)" % ", ".join(MEMORY))
	tables.execute("begin")


def process_event(sample):
	event = create_event(sample["ev_name"], sample["comm"], sample.get("dso", "Unknown_dso"),
		sample.get("symbol", "Unknown_symbol"), sample["raw_buf"])
	if event.ev_type == EVTYPE_GENERIC:
		tables.execute("insert into gen_events values (?, ?, ?, ?)",
			(event.name, event.symbol, event.comm, event.dso))
	elif event.ev_type == EVTYPE_PEBS_LL:
		event.ip &= ADDRESS
		event.dla &= ADDRESS
		tables.execute("insert into pebs_ll values (%s)" % ", ".join("?" * len(MEMORY)),
			[getattr(event, name) for name in MEMORY])


def trace_unhandled(event_name, context, fields):
	print(" ".join("%s=%s" % field for field in sorted(fields.items())))


def histogram(table, column, title, width, line, order="-count({0})"):
	"""As many marks as the number has binary digits."""
	print("\n%*s %8s %16s\n%s" % (width, title, "number", "histogram", "=" * line))
	for value, number in tables.execute("select {0}, count({0}) from {1} group by {0} order by {2}".format(
			column, table, order.format(column))):
		print(LINE % width % (value, number, "#" * number.bit_length()))


def show(table, what):
	"""The number of rows, and whether there are some."""
	number = tables.execute("select count(*) from " + table).fetchone()[0]
	print("There is %d records in %s table" % (number, table))
	if number:
		print("Statistics about the %s: \n" % what)
	return number


def trace_end():
	print("In trace_end:\n")
	if show("gen_events", "general events grouped by thread/symbol/dso"):
		histogram("gen_events", "comm", "comm", 16, 42)
		histogram("gen_events", "symbol", "symbol", 32, 58)
		histogram("gen_events", "dso", "dso", 40, 74)
	if show("pebs_ll", "PEBS Load Latency events grouped by thread/symbol/dse/latency"):
		histogram("pebs_ll", "comm", "comm", 16, 42)
		histogram("pebs_ll", "symbol", "symbol", 32, 58)
		histogram("pebs_ll", "dse", "dse", 32, 58)
		histogram("pebs_ll", "lat", "latency", 32, 58, "{0}")
	tables.close()
