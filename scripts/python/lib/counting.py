# SPDX-License-Identifier: MIT
"""What scripts that count have in common: whose events they take, and tables of what they do not know."""
import os
import sys


def is_perf():
	"""Whether pfx was started as perf: then tables look as those of perf's script of the same name."""
	return os.environ.get("PFX_SCRIPT_AS") == "perf"


def refuse_options(words, script):
	"""End with a sentence at a word like -x or --word: it would be taken for the name of a command. "-bash" is one."""
	for word in words:
		if word.startswith("--") or len(word) == 2 and word[0] == "-":
			sys.exit("%s: '%s' is not an option of this script" % (script, word))


class Whose:
	"""The argument "comm or pid" of a script, or none: all."""

	def __init__(self, args, usage):
		refuse_options(args, usage.split(".py")[0].split()[-1])
		if len(args) > 1:
			sys.exit("usage: " + usage)
		self.word = args[0] if args else None
		self.pid = int(self.word) if self.word and self.word.isdigit() else None

	def takes(self, comm, pid):
		if self.pid is not None:
			return pid == self.pid
		return self.word is None or comm == self.word

	def title(self, what, all_of=""):
		"""The line above a table: names the command, if it was given by name."""
		if self.word and self.pid is None:
			return "\n%s for %s:\n" % (what, self.word)
		return "\n%s%s:\n" % (what, all_of)


def by_count(counts):
	"""(key, count), the largest count first, and then the largest key."""
	return sorted(counts.items(), key=lambda item: (item[1], item[0]), reverse=True)


class Unhandled:
	"""Events that the script has no function for, with their number. @divider: between the two parts of a name,
	as in the language of perf's script."""

	def __init__(self, divider="__"):
		self.counts = {}
		self.divider = divider

	def count(self, event_name):
		self.counts[event_name] = self.counts.get(event_name, 0) + 1

	def show(self, gap=""):
		if not self.counts:
			return
		print("\nunhandled events:\n")
		print("%-40s  %10s" % ("event", "count"))
		print("%-40s  %10s" % ("-" * 40, "-" * 11))
		for name, number in self.counts.items():
			print("%-40s  %10d%s" % (name.replace("__", self.divider, 1), number, gap))
