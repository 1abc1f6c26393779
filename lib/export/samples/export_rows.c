/* SPDX-License-Identifier: MIT */
/* Groups the rows of a selection by event, then by thread. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/groups.h"
#include "export/samples/export_rows.h"

/* The rows of a selection in another order; at is NULL for the order of the selection. */
struct ordered {
	const struct pfx_selection *selection;
	const uint32_t *at;
};

static uint32_t row_at(const struct ordered *rows, uint32_t i)
{
	return rows->selection->rows[rows->at ? rows->at[i] : i];
}

static uint32_t thread_of(const struct pfx_selection *selection, uint32_t row)
{
	const struct pfx_profile *profile = selection->profile;

	pfx_profile_pass(profile, row);
	return profile->tasks[profile->row_task[row]].thread;
}

static uint32_t column_of(const struct pfx_selection *selection, uint32_t row)
{
	pfx_profile_pass(selection->profile, row);
	return pfx_selection_column(selection, selection->profile->row_event[row]);
}

static uint32_t thread_key(const void *context, uint32_t i)
{
	const struct ordered *rows = context;

	return thread_of(rows->selection, row_at(rows, i));
}

static uint32_t column_key(const void *context, uint32_t i)
{
	const struct ordered *rows = context;

	return column_of(rows->selection, row_at(rows, i));
}

static void make_groups(struct pfx_export_rows *rows, const struct pfx_selection *selection)
{
	struct pfx_export_group group = {0}, *last = NULL;
	PFX_VEC(struct pfx_export_group) groups = {0};
	uint32_t i;

	for (i = 0; i < selection->nr_rows; i++) {
		group.thread = thread_of(selection, rows->at[i]);
		group.column = column_of(selection, rows->at[i]);
		group.first = i;
		if (!last || last->thread != group.thread || last->column != group.column)
			pfx_vec_push(&groups, group);
		last = &groups.at[groups.nr - 1];
		last->nr++;
	}
	rows->groups = groups.at;
	rows->nr_groups = (uint32_t)groups.nr;
}

/* By column, then by thread: rows of a thread stay in order of columns. */
void pfx_export_rows_make(struct pfx_export_rows *ret, const struct pfx_selection *selection)
{
	struct ordered rows = {.selection = selection};
	struct pfx_groups by_column, by_thread;
	uint32_t i;

	pfx_groups_make(&by_column, selection->nr_rows, selection->nr_events, column_key, &rows);
	rows.at = by_column.at;
	pfx_groups_make(&by_thread, selection->nr_rows, selection->profile->nr_threads, thread_key,
			&rows);
	ret->at = by_thread.at;
	for (i = 0; i < selection->nr_rows; i++)
		ret->at[i] = row_at(&rows, ret->at[i]);
	make_groups(ret, selection);
	free(by_thread.first);
	pfx_groups_fini(&by_column);
}

void pfx_export_rows_fini(struct pfx_export_rows *rows)
{
	free(rows->at);
	free(rows->groups);
	*rows = (struct pfx_export_rows){0};
}
