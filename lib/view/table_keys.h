/* SPDX-License-Identifier: MIT */
/*
 * Tables with several keys: a row for each combination that samples have, as in `pfx report -s
 * comm,dso,sym`, with the numbers of that report. A sample counts in the total of a row once, if
 * the code of the row is on its stack and its thread and CPU are the row's. Rows without a key of
 * code have equal self and total.
 *
 *	pfx_table_make_by_keys(&table, &selection, &keys, meta);
 *	pfx_table_sort(&table, profile, PFX_TABLE_KEY + 1, 0);
 *	for (k = 0; k < keys.nr; k++)
 *		show(keys.at[k], pfx_table_id(&table, table.rows[0].id, k));
 */
#ifndef PFX_VIEW_TABLE_KEYS_H
#define PFX_VIEW_TABLE_KEYS_H

#include "view/table.h"

struct pfx_meta;

/* @meta: for sockets of CPUs; NULL: they are unknown. The id of a row is for the functions below.
 * Free it with pfx_table_fini(). */
void pfx_table_make_by_keys(struct pfx_table *ret, const struct pfx_selection *selection,
			    const struct pfx_table_keys *keys, const struct pfx_meta *meta);
/* The @k-th key of a row, as an index in the profile: of comms, threads, processes, cpus, dsos,
 * functions; of a source line or file: a frame with it. A socket is its number. PFX_NO_ID: unknown.
 * Threads with equal numbers are one, and so are processes; and binaries with equal short names. */
static inline uint32_t pfx_table_id(const struct pfx_table *table, uint32_t id, unsigned k)
{
	return table->ids[(uint64_t)id * table->keys.nr + k];
}
/* Choose only samples with the thread, process, name and CPU of a row. */
void pfx_table_narrow(const struct pfx_table *table, uint32_t id, struct pfx_view_filter *filter);
/* Whether the keys have this one, and where. */
bool pfx_table_keys_find(const struct pfx_table_keys *keys, enum pfx_table_key key, unsigned *ret);
/* What the ids of a key are, for filters and names; PFX_VIEW_NR_BYS: sockets and files. */
enum pfx_view_by pfx_table_key_by(enum pfx_table_key key);
/* Whether the key is about the code of a sample. */
static inline bool pfx_table_key_is_code(enum pfx_table_key key)
{
	return key >= PFX_TABLE_BY_DSO;
}

#endif
