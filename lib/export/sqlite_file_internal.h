/* SPDX-License-Identifier: MIT */
/* A SQLite database in a file that is open and has no name. Only for files that are compiled with
 * SQLite. */
#ifndef PFX_EXPORT_SQLITE_FILE_INTERNAL_H
#define PFX_EXPORT_SQLITE_FILE_INTERNAL_H

#include <sqlite3.h>

/* Make a new database in @fd, which must be empty, readable and seekable; the caller closes it
 * after the database. Without a journal: a failure leaves an unusable file. For one thread at a
 * time. Returns a code of SQLite; the database must be closed with sqlite3_close() in any case. */
int pfx_sqlite_open(sqlite3 **ret, int fd);
/* The errno of the last write or read that failed; 0: none. */
int pfx_sqlite_errno(void);

#endif
