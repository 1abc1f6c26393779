/* SPDX-License-Identifier: MIT */
/*
 * The rows of one large table of a SQLite database, made without SQLite, which takes most of the
 * time of a large export: numbers only, the key first, which is 0, 1, 2 and so on. The pages wait
 * in an unnamed file. When the database is complete and closed, they are appended to it as the tree
 * of a table that is empty so far. https://sqlite.org/fileformat2.html describes both.
 *
 *	pfx_sqlite_rows_add(&rows, values, nr); // many times
 *	rc = pfx_sqlite_rows_write(&rows, fd, root);
 *	pfx_sqlite_rows_fini(&rows);
 */
#ifndef PFX_EXPORT_OUTPUT_SQLITE_ROWS_H
#define PFX_EXPORT_OUTPUT_SQLITE_ROWS_H

#include <stdint.h>

#include "base/alloc.h"
#include "base/paged/paged.h"

#define PFX_SQLITE_PAGE 16384 /* bytes of a page of the database */
/* Columns after the key. */
#define PFX_SQLITE_COLUMNS_MAX 63

/* Zero-initialize. */
struct pfx_sqlite_rows {
	/* private */
	struct pfx_paged pages;
	uint64_t nr_pages; /* the last of them is not complete */
	uint64_t nr_rows;
	PFX_VEC(uint64_t) last;      /* the last key of each page */
	uint32_t nr_cells, free_end; /* of the last page */
};

/* The key is the number of rows before it. */
void pfx_sqlite_rows_add(struct pfx_sqlite_rows *rows, const int64_t *values, unsigned nr);
/* Put them into the database in @fd, which nobody has open: @root is the first page of the table. 0
 * or a negative errno; -EFBIG: there are more pages than a database has. */
int pfx_sqlite_rows_write(struct pfx_sqlite_rows *rows, int fd, uint32_t root);
void pfx_sqlite_rows_fini(struct pfx_sqlite_rows *rows);

#endif
