/* SPDX-License-Identifier: MIT */
/* Shared by the text of rows and the text of call trees. */
#ifndef PFX_OUT_HIST_TEXT_INTERNAL_H
#define PFX_OUT_HIST_TEXT_INTERNAL_H

#include "out/colour/percent_colour.h"
#include "out/hist_text.h"

/* The colour of a percentage of a row or frame, NULL: none. Output with separators is for programs:
 * without colours. */
static inline const char *pfx_row_colour(const struct pfx_hist_text *how, double percent)
{
	return how->colours && !how->separator ? pfx_percent_colour(percent) : NULL;
}
/* The call tree of a row. */
void pfx_call_text(const struct pfx_hist_text *how, const struct pfx_hists *hists,
		   const struct pfx_hist *hist, const struct pfx_row *row, struct pfx_str *to);

#define PFX_HIST_INDENT 3 /* of a level of a hierarchy */

/* A table row by row, as text in its columns. Borrows everything. */
struct pfx_hist_table;
struct pfx_hist_table *pfx_hist_table_new(const struct pfx_hist_text *how,
					  const struct pfx_hists *hists,
					  const struct pfx_hist *hist);
void pfx_hist_table_free(struct pfx_hist_table *table);
/* The headings: the first line is their names. */
void pfx_hist_table_heads(const struct pfx_hist_table *table, struct pfx_str *to);
/* A line for a row, or for an entry of a hierarchy. */
void pfx_hist_table_row(struct pfx_hist_table *table, const struct pfx_row *row,
			struct pfx_str *to);
void pfx_hist_table_entry(struct pfx_hist_table *table, const struct pfx_hist_entry *entry,
			  struct pfx_str *to);
/* Where a column begins and how wide it is, on a line; false: it is not shown. */
bool pfx_hist_table_extent(const struct pfx_hist_table *table, size_t column, unsigned *ret_x,
			   unsigned *ret_width);
/* The column of a key. */
size_t pfx_hist_table_column(const struct pfx_hist_table *table, enum pfx_key key);
/* The text of a column, in full; nothing for values and columns that are not shown. */
void pfx_hist_table_key(struct pfx_hist_table *table, const struct pfx_row *row, size_t column,
			struct pfx_str *to);

/* Name and value of counter @i, 0, 1, ...; NULL after the last. */
const char *pfx_branch_count(const struct pfx_branch_counts *counts, unsigned i, uint64_t *ret_nr);
/* "COND_BWD CALL CROSS_4K": bits of enum pfx_branch_kind_bit, a blank after each. */
void pfx_branch_kinds_text(uint64_t kinds, struct pfx_str *to);

#endif
