# SPDX-License-Identifier: MIT
# description: a flame graph in one HTML file, to be searched and zoomed into
# args: [-o file] [--title text] [--by-period]
# record: -g
import argparse
import json
import os
import sys

from output import fail, write_file
from stacks import frame_name, is_kernel, rows_of

parser = argparse.ArgumentParser(prog="flamegraph", description="A flame graph as an HTML file.")
parser.add_argument("-o", "--output", default="flamegraph.html",
	help="the file, - is standard output")
parser.add_argument("--title", default="Flame graph")
parser.add_argument("--by-period", action="store_true",
	help="as wide as the periods of the samples, not as their number")
options = parser.parse_args()

stem, suffix = os.path.splitext(options.output)
if suffix.lower() in (".svg", ".png", ".pdf"):
	fail("'%s' names another kind of file: the flame graph is written as HTML" % options.output,
		"write it with -o %s.html" % stem)

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib", "flamegraph.html")

# A node is [name, kind, value, children by (name, kind)].
root = ["all", "r", 0, {}]


def add(names, value):
	node = root
	node[2] += value
	for key in names:
		child = node[3].get(key)
		if child is None:
			child = node[3][key] = [key[0], key[1], 0, {}]
		child[2] += value
		node = child


def process_event(sample):
	names = [(sample["comm"], "c")]
	for frame in rows_of(sample):
		names.append((frame_name(frame), "k" if is_kernel(frame) else "u"))
	add(names, sample["sample"]["period"] if options.by_period else 1)


def trace_unhandled(event_name, context, fields, sample):
	process_event(sample)


def rows():
	"""The tree in one list: depth, number of the name, kind, value; children by name."""
	numbers, names, flat = {}, [], []
	stack = [(0, root)]
	while stack:
		depth, node = stack.pop()
		number = numbers.setdefault(node[0], len(names))
		if number == len(names):
			names.append(node[0])
		flat += [depth, number, "rcku".index(node[1]), node[2]]
		for key in sorted(node[3], reverse=True):
			stack.append((depth + 1, node[3][key]))
	return {"title": options.title, "unit": "period" if options.by_period else "samples",
		"names": names, "rows": flat}


def page():
	# no name can end the script element that holds the data
	data = json.dumps(rows(), separators=(",", ":"))
	for char in "<>&":
		data = data.replace(char, "\\u%04x" % ord(char))
	with open(PAGE, encoding="utf-8") as file:
		return file.read().replace("@DATA@", data)


def trace_end():
	if not root[2]:
		return  # pfx says that there are no samples
	if options.output == "-":
		sys.stdout.write(page())
		return
	write_file(options.output, page())
	print("flame graph of %d %s in %s" %
		(root[2], "events" if options.by_period else "samples", options.output))
