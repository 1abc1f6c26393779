# SPDX-License-Identifier: MIT
"""Where a script writes to, and how one ends that cannot."""
import os
import sys

from perf_trace_context import pfx_open_output


def fail(sentence, hint=None):
	"""End the script with one sentence, and what can be done about it on the next line."""
	sys.exit("pfx script: " + sentence + ("\n" + hint if hint else ""))


def write_file(name, text):
	"""Write a text file. As with every command, a named pipe is waited for, and what other users put in a
	shared directory is refused."""
	try:
		fd = pfx_open_output(name)
	except OSError as error:
		fail(str(error))
	try:
		with os.fdopen(fd, "w", encoding="utf-8") as file:
			file.write(text)
	except OSError as error:
		fail("cannot write '%s': %s" % (name, error.strerror))
