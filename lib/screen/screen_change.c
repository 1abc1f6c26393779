/* SPDX-License-Identifier: MIT */
/*
 * A profile of two recordings, of which the new one is looked at: what the old one had beside it.
 * Shares are of the total of each, since totals of two recordings are not comparable.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "screen/screen_internal.h"

#define LEAST_CHANGE 0.005 /* that two digits show */

uint32_t pfx_screen_old_column(const struct pfx_screen *s)
{
	uint32_t event = pfx_screen_old_event(s, s->event);

	return event == PFX_NO_ID ? PFX_NO_ID : pfx_selection_column(&s->selection, event);
}

uint64_t pfx_screen_old_total(const struct pfx_screen *s)
{
	uint32_t column = pfx_screen_old_column(s);

	return column == PFX_NO_ID ? 0 : pfx_screen_total_of(s, column, s->measure);
}

/* Nodes of trees have totals; rows of the table have what it is sorted by. */
void pfx_screen_shares(const struct pfx_screen *s, const struct pfx_screen_row *row, double ret[2])
{
	bool self = row->kind == PFX_ROW_TABLE && s->order != PFX_TABLE_TOTAL;

	ret[0] = pfx_screen_percent(self ? row->old_self : row->old_total, pfx_screen_old_total(s));
	ret[1] = pfx_screen_percent(self ? row->self : row->total, pfx_screen_total(s));
}

/* --- the order of a table --- */

struct changed {
	struct pfx_table_row row;
	double change;
	uint32_t at;
};

static int by_change(const void *a, const void *b)
{
	const struct changed *x = a, *y = b;

	if (fabs(x->change) > fabs(y->change) || fabs(x->change) < fabs(y->change))
		return fabs(x->change) > fabs(y->change) ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static uint64_t part_of(const struct pfx_screen *s, const struct pfx_table_value *value)
{
	if (s->measure == PFX_MEASURE_SAMPLES)
		return value->samples;
	return s->order == PFX_TABLE_TOTAL ? value->total : value->self;
}

void pfx_screen_sort_changes(struct pfx_screen *s)
{
	struct changed *rows = pfx_malloc((s->table.nr_rows + 1ul) * sizeof(*rows));
	uint32_t column = pfx_screen_column(s), old = pfx_screen_old_column(s), i;
	uint64_t whole = pfx_screen_total(s), old_whole = pfx_screen_old_total(s);

	for (i = 0; i < s->table.nr_rows; i++) {
		const struct pfx_table_value *values = s->table.rows[i].values;

		rows[i] = (struct changed){s->table.rows[i], 0, i};
		rows[i].change = pfx_screen_percent(part_of(s, &values[column]), whole);
		if (old != PFX_NO_ID)
			rows[i].change -= pfx_screen_percent(part_of(s, &values[old]), old_whole);
	}
	qsort(rows, s->table.nr_rows, sizeof(*rows), by_change);
	for (i = 0; i < s->table.nr_rows; i++)
		s->table.rows[i] = rows[i].row;
	free(rows);
}

/* --- columns --- */

void pfx_screen_put_change(struct pfx_screen *s, struct pfx_grid *grid, unsigned x, unsigned y,
			   const struct pfx_screen_row *row)
{
	const struct pfx_screen_host *host = &s->options.host;
	struct pfx_pen pen = grid->pen;
	double shares[2], change;
	char text[16];
	bool is_noise = false;

	pfx_screen_shares(s, row, shares);
	change = shares[1] - shares[0];
	if (row->kind == PFX_ROW_TABLE && row->by == PFX_VIEW_FUNCTION && !row->ids &&
	    host->is_noise && s->order != PFX_TABLE_TOTAL && !s->place.nr_zooms)
		is_noise = host->is_noise(host->context, s->event, row->id);
	if (fabs(change) < LEAST_CHANGE)
		snprintf(text, sizeof(text), "%8s", is_noise ? "~" : "");
	else
		snprintf(text, sizeof(text), "%+7.2f%s", change, is_noise ? "~" : "");
	grid->pen.style = is_noise                      ? PFX_STYLE_DIM
			  : fabs(change) < LEAST_CHANGE ? PFX_STYLE_NORMAL
			  : change > 0                  ? PFX_STYLE_HOT
							: PFX_STYLE_WARM;
	pfx_grid_put(grid, x, y, text, 8);
	grid->pen = pen;
}
