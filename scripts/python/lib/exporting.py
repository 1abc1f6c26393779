# SPDX-License-Identifier: MIT
"""Scripts of perf that write another format: pfx has these as formats of `pfx export`, which reads the recording
itself."""
import os
import subprocess
import sys

from output import fail


def recording():
	"""The file that -i names. Scripts get samples of a stream, but cannot read it a second time."""
	path = os.environ.get("PFX_SCRIPT_INPUT", "perf.data")
	if path == "-":
		fail("a stream cannot be exported by a script", "write it to a file, or use 'pfx export'")
	return path


def database_words(words, command):
	"""(name, options of `pfx export`) of "NAME [all] [callchains]". Columns and calls of perf that need decoded traces
	are refused."""
	if not words or words[0].startswith("-"):
		fail("the name of the database is missing", "pfx script report %s NAME" % command)
	for word in words[1:]:
		if word in ("branches", "calls"):
			fail("'%s' needs a decoded trace, and pfx decodes none" % word)
		if word not in ("all", "callchains"):
			fail("'%s' is not one of all, callchains" % word)
	return words[0], () if "callchains" in words[1:] else ("--no-chains",)


def export(form, *words):
	"""Run `pfx export FORM` on the recording; ends the script if that fails."""
	code = subprocess.call([os.environ["PFX_SCRIPT_PROGRAM"], "export", form, "-i", recording(), *words])
	if code:
		sys.exit(code)
