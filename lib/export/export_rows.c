/* SPDX-License-Identifier: MIT */
/* Sorts rows by counting; and two questions about frames. */
#include <stdlib.h>

#include "base/alloc.h"
#include "export/export_rows_internal.h"

typedef uint32_t (*key_fn)(const struct pfx_selection *selection, uint32_t row);

static uint32_t thread_of(const struct pfx_selection *selection, uint32_t row)
{
	const struct pfx_profile *profile = selection->profile;

	return profile->tasks[profile->row_task[row]].thread;
}

static uint32_t column_of(const struct pfx_selection *selection, uint32_t row)
{
	return pfx_selection_column(selection, selection->profile->row_event[row]);
}

/* Sorts by a key below @nr_keys; rows with the same key stay in their order. */
static void sort(const struct pfx_selection *selection, const uint32_t *from, uint32_t *to,
		 key_fn key, uint32_t nr_keys)
{
	uint32_t *at = pfx_calloc(nr_keys + 1ul, sizeof(*at)), i;

	for (i = 0; i < selection->nr_rows; i++)
		at[key(selection, from[i]) + 1]++;
	for (i = 0; i < nr_keys; i++)
		at[i + 1] += at[i];
	for (i = 0; i < selection->nr_rows; i++)
		to[at[key(selection, from[i])]++] = from[i];
	free(at);
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

/* By column, then by thread. */
void pfx_export_rows_make(struct pfx_export_rows *ret, const struct pfx_selection *selection)
{
	uint32_t *by_column = pfx_malloc((selection->nr_rows + 1ul) * sizeof(*by_column));

	ret->at = pfx_malloc((selection->nr_rows + 1ul) * sizeof(*ret->at));
	sort(selection, selection->rows, by_column, column_of, selection->nr_events);
	sort(selection, by_column, ret->at, thread_of, selection->profile->nr_threads);
	make_groups(ret, selection);
	free(by_column);
}

void pfx_export_rows_fini(struct pfx_export_rows *rows)
{
	free(rows->at);
	free(rows->groups);
	*rows = (struct pfx_export_rows){0};
}

bool pfx_export_is_in_parent(const struct pfx_selection *selection, uint32_t node)
{
	const struct pfx_profile *profile = selection->profile;
	uint32_t parent = selection->nodes.parent[node];
	const struct pfx_profile_frame *frame, *outer;

	if (!parent)
		return false;
	frame = &profile->frames[selection->nodes.frame[node]];
	outer = &profile->frames[selection->nodes.frame[parent]];
	return profile->functions[frame->function].is_inlined && frame->dso == outer->dso &&
	       frame->address == outer->address;
}

bool pfx_export_is_jit(const struct pfx_profile_dso *dso)
{
	return dso->kind == PFX_DSO_JITDUMP || dso->kind == PFX_DSO_ANON;
}
