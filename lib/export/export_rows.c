/* SPDX-License-Identifier: MIT */
/* Groups rows by counting; and two questions about frames. */
#include <stdlib.h>

#include "base/alloc.h"
#include "export/export_rows_internal.h"

static size_t slot_of(const struct pfx_selection *selection, uint32_t row)
{
	const struct pfx_profile *profile = selection->profile;
	uint32_t thread = profile->tasks[profile->row_task[row]].thread;

	return (size_t)thread * selection->nr_events +
	       pfx_selection_column(selection, profile->row_event[row]);
}

/* @counts by slot become the positions where their rows begin. */
static void make_groups(struct pfx_export_rows *rows, uint32_t *counts, size_t nr_slots,
			uint32_t nr_events)
{
	uint32_t first = 0, nr;
	size_t i;

	for (i = 0; i < nr_slots; i++) {
		nr = counts[i];
		counts[i] = first;
		if (!nr)
			continue;
		rows->groups[rows->nr_groups++] = (struct pfx_export_group){
			.thread = (uint32_t)(i / nr_events),
			.column = (uint32_t)(i % nr_events),
			.first = first,
			.nr = nr,
		};
		first += nr;
	}
}

void pfx_export_rows_make(struct pfx_export_rows *ret, const struct pfx_selection *selection)
{
	size_t nr_slots = (size_t)selection->profile->nr_threads * selection->nr_events;
	uint32_t *counts = pfx_calloc(nr_slots + 1, sizeof(*counts)), i, row;

	ret->at = pfx_malloc((selection->nr_rows + 1ul) * sizeof(*ret->at));
	ret->groups = pfx_malloc((nr_slots + 1) * sizeof(*ret->groups));
	ret->nr_groups = 0;
	for (i = 0; i < selection->nr_rows; i++)
		counts[slot_of(selection, selection->rows[i])]++;
	make_groups(ret, counts, nr_slots, selection->nr_events);
	for (i = 0; i < selection->nr_rows; i++) {
		row = selection->rows[i];
		ret->at[counts[slot_of(selection, row)]++] = row;
	}
	free(counts);
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
