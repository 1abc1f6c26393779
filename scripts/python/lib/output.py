# SPDX-License-Identifier: MIT
"""Where a script writes to, and how one ends that cannot."""
import os
import sys

from perf_trace_context import pfx_open_output


def fail(sentence, hint=None):
	"""End the script with one sentence, and what can be done about it on the next line."""
	sys.exit("pfx script: " + sentence + ("\n" + hint if hint else ""))


def open_output(name):
	"""A text file for writing. As with every command, a named pipe is waited for, and what other users put in a
	shared directory is refused."""
	try:
		return os.fdopen(pfx_open_output(name), "w", encoding="utf-8")
	except OSError as error:
		fail(str(error))


def write_file(name, text):
	"""Write a text file as a whole."""
	try:
		with open_output(name) as file:
			file.write(text)
	except OSError as error:
		fail("cannot write '%s': %s" % (name, error.strerror))
