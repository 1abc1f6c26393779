# SPDX-License-Identifier: MIT
# description: the recording as a SQLite database, with the tables that exported-sql-viewer.py reads
# args: [database] [all|branches] [calls] [callchains]
# record:
import sys

from exporting import export
from output import fail

WORDS = ("all", "branches", "calls", "callchains", "pyside-version-1")

words = sys.argv[1:]
if not words or words[0].startswith("-"):
	fail("the name of the database is missing", "pfx script report export-to-sqlite FILE")
for word in words[1:]:
	if word not in WORDS:
		fail("'%s' is not one of %s" % (word, ", ".join(WORDS[:4])))
print("Creating database ...")
export("sqlite", "-o", words[0])
print("Done")
sys.exit(0)
