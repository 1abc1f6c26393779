# SPDX-License-Identifier: MIT
# description: the recording as a PostgreSQL database, with the tables that exported-sql-viewer.py reads
# args: [database] [all] [callchains]
# record:
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

from exporting import database_words, export
from output import fail

# Types of the SQLite tables; text and numbers are all there are.
TYPES = {"integer": "bigint", "bigint": "bigint", "boolean": "boolean", "real": "double precision"}


def quoted(name):
	return '"%s"' % name.replace('"', '""')


def copied(value):
	"""A value in the text form of COPY."""
	if value is None:
		return "\\N"
	text = value.hex() if isinstance(value, bytes) else str(value)
	return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r").replace("\0", "")


def write_tables(tables, out):
	"""Statements that make the tables and fill them."""
	names = [name for name, in tables.execute("select name from sqlite_master where type = 'table' order by rowid")]
	for name in names:
		columns = [(row[1], row[2].lower()) for row in tables.execute("pragma table_info(%s)" % quoted(name))]
		kinds = ["%s %s" % (quoted(column), TYPES.get(kind.split("(")[0], "text")) for column, kind in columns]
		out.write("create table %s (%s);\n" % (quoted(name), ", ".join(kinds)))
		out.write("copy %s from stdin;\n" % quoted(name))
		for row in tables.execute("select * from " + quoted(name)):
			out.write("\t".join(copied(value) for value in row) + "\n")
		out.write("\\.\n")
		if columns and columns[0][0] == "id":
			out.write("alter table %s add primary key (id);\n" % quoted(name))


def load(name, path):
	with subprocess.Popen(["psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", name], stdin=subprocess.PIPE, text=True,
			encoding="utf-8", errors="replace") as psql:
		try:
			psql.stdin.write("begin;\n")
			write_tables(sqlite3.connect(path), psql.stdin)
			psql.stdin.write("commit;\n")
			psql.stdin.close()
		except BrokenPipeError:
			pass
		if psql.wait():
			fail("psql could not fill the database '%s'" % name)


database, options = database_words(sys.argv[1:], "export-to-postgresql")
if not shutil.which("psql"):
	fail("psql is not installed", "install PostgreSQL's client, which reaches the server by PGHOST and PGUSER")
print("Creating database ...")
with tempfile.TemporaryDirectory() as folder:
	export("sqlite", "-q", "-o", os.path.join(folder, "db"), *options)
	if subprocess.call(["psql", "-q", "-d", "postgres", "-c", "create database %s" % quoted(database)]):
		fail("psql could not create the database '%s'" % database)
	load(database, os.path.join(folder, "db"))
print("Done")
sys.exit(0)
