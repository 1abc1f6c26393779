# SPDX-License-Identifier: MIT
# description: the recording as a SQLite database, with the tables that exported-sql-viewer.py reads
# args: [database] [all] [callchains]
# record:
import sys

from exporting import database_words, export

database, options = database_words(sys.argv[1:], "export-to-sqlite")
print("Creating database ...")
export("sqlite", "-o", database, *options)
print("Done")
sys.exit(0)
