/* SPDX-License-Identifier: MIT */
/*
 * The view of rows: functions, libraries, lines, threads and so on, with their weights for each
 * chosen event side by side. With functions, the numbers are those of `pfx report`: self counts
 * samples at an address of the function, total also samples in its callees, each sample once even
 * if the function is recursive. Owns its rows.
 *
 *	pfx_table_make(&table, &selection, PFX_VIEW_FUNCTION);
 *	pfx_table_sort(&table, PFX_TABLE_TOTAL, 0);
 */
#ifndef PFX_VIEW_TABLE_H
#define PFX_VIEW_TABLE_H

#include "view/select/selection.h"

/* Of one event. */
struct pfx_table_value {
	uint64_t self, total; /* periods */
	uint64_t samples;     /* number of samples in self */
};

struct pfx_table_row {
	uint32_t id; /* index in the profile, see enum pfx_view_by; PFX_NO_ID: unknown library */
	struct pfx_table_value *values; /* by column of the selection */
};

/* What rows can be distinguished by together: view/table_keys.h. */
enum pfx_table_key {
	PFX_TABLE_BY_COMM,
	PFX_TABLE_BY_THREAD,
	PFX_TABLE_BY_PROCESS,
	PFX_TABLE_BY_CPU,
	PFX_TABLE_BY_SOCKET,
	PFX_TABLE_BY_DSO, /* from here on: of code */
	PFX_TABLE_BY_FUNCTION,
	PFX_TABLE_BY_LINE,
	PFX_TABLE_BY_FILE,
	PFX_TABLE_NR_KEYS,
};

struct pfx_table_keys {
	enum pfx_table_key at[PFX_TABLE_NR_KEYS]; /* each once */
	unsigned nr;
};

struct pfx_table {
	enum pfx_view_by by; /* with several keys: PFX_VIEW_NR_BYS */
	struct pfx_table_row *rows;
	uint32_t nr_rows, nr_columns;
	struct pfx_table_value *values; /* private: of all rows */
	struct pfx_table_keys keys;
	uint32_t *ids;     /* private: of the keys of all rows */
	uint32_t *sockets; /* private: by CPU of the profile */
	const struct pfx_profile *profile;
};

enum pfx_table_order {
	PFX_TABLE_SELF,
	PFX_TABLE_TOTAL,
	PFX_TABLE_SAMPLES,
	PFX_TABLE_NAME,    /* and numbers, ascending */
	PFX_TABLE_LIBRARY, /* of functions; other rows: as PFX_TABLE_TOTAL */
	PFX_TABLE_KEY,     /* and above: the first key and those after it, ascending */
};

/* A row for everything with samples in self or total, in order of ids. Rows of processes, threads,
 * names, CPUs and events have equal self and total. Libraries with equal short names are one. */
void pfx_table_make(struct pfx_table *ret, const struct pfx_selection *selection,
		    enum pfx_view_by by);
void pfx_table_fini(struct pfx_table *table);
/* The largest first; those that are equal are ordered by the next columns, then by total, self,
 * and id; those of equal self by library and name. @column: the one to begin with. */
void pfx_table_sort(struct pfx_table *table, const struct pfx_profile *profile,
		    enum pfx_table_order order, uint32_t column);

#endif
