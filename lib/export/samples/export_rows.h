/* SPDX-License-Identifier: MIT */
/*
 * The chosen rows of a profile in groups, one for each thread and event, for formats whose threads
 * have their own lists of samples. Within a group, rows are in the order of the recording.
 *
 *	pfx_export_rows_make(&rows, selection);
 *	for (i = 0; i < rows.nr_groups; i++)
 *		rows.groups[i]	// its rows: rows.at[first] to rows.at[first + nr - 1]
 *	pfx_export_rows_fini(&rows);
 */
#ifndef PFX_EXPORT_EXPORT_ROWS_INTERNAL_H
#define PFX_EXPORT_EXPORT_ROWS_INTERNAL_H

#include "view/select/selection.h"

struct pfx_export_group {
	uint32_t thread, column; /* of the profile; of the selection */
	uint32_t first, nr;
};

struct pfx_export_rows {
	uint32_t *at;
	struct pfx_export_group *groups; /* that have rows, by thread, then column */
	uint32_t nr_groups;
};

/* Filled from the selection; end with pfx_export_rows_fini(). */
void pfx_export_rows_make(struct pfx_export_rows *ret, const struct pfx_selection *selection);
void pfx_export_rows_fini(struct pfx_export_rows *rows);

#endif
