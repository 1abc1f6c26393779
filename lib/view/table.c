/* SPDX-License-Identifier: MIT */
/*
 * Rows by code are made of the tree: its nodes in depth-first order, each with the sum of all that
 * is below; a node below another of the same row does not count again. Rows by thread and the like
 * are made of the samples.
 */
#include "view/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "view/view_by_internal.h"

struct making {
	const struct pfx_selection *selection;
	const struct pfx_profile *profile;
	enum pfx_view_by by;
	uint32_t nr_keys, nr_columns;
	uint32_t *first_dso;            /* by library: the first with its short name */
	struct pfx_table_value *values; /* by key, then by column */
	uint8_t *seen;                  /* by key */
};

/* Ids, and one more for unknown libraries. */
static uint32_t frame_key(const struct making *making, uint32_t frame)
{
	const struct pfx_profile_frame *at = &making->profile->frames[frame];

	if (making->by == PFX_VIEW_FUNCTION)
		return at->function;
	if (making->by == PFX_VIEW_LINE)
		return frame;
	return at->dso == PFX_NO_ID ? making->profile->nr_dsos : making->first_dso[at->dso];
}

static struct pfx_table_value *value_at(const struct making *making, uint32_t key, uint32_t column)
{
	return &making->values[(uint64_t)key * making->nr_columns + column];
}

/* --- rows by code --- */

/* The nodes with a chosen sample in or below them. */
static uint8_t *used_nodes(const struct pfx_selection *selection)
{
	const struct pfx_nodes *nodes = &selection->nodes;
	uint8_t *used = pfx_calloc(nodes->nr, 1);
	uint32_t i;

	for (i = 0; i < selection->nr_stacks; i++)
		used[selection->stack_node[i]] = 1;
	for (i = nodes->nr; i-- > 1;)
		used[nodes->parent[i]] |= used[i];
	return used;
}

struct walk {
	const struct making *making;
	uint32_t column;
	const uint64_t *periods, *samples; /* by stack */
	const uint64_t *sums;              /* by node */
	uint32_t *covered; /* by key: the end of its last node that has been counted */
};

/* The stacks from @stack on that end in the node; returns the first that does not. */
static uint32_t take_stacks(struct walk *walk, uint32_t node, uint32_t stack)
{
	const struct pfx_selection *selection = walk->making->selection;
	struct pfx_table_value *value;
	uint32_t key;

	for (; stack < selection->nr_stacks && selection->stack_node[stack] == node; stack++) {
		if (!walk->samples[stack])
			continue;
		key = frame_key(walk->making, selection->stack_own[stack]);
		value = value_at(walk->making, key, walk->column);
		value->self += walk->periods[stack];
		value->samples += walk->samples[stack];
		/* the own function may not be on the chain */
		if (walk->covered[key] <= node)
			value->total += walk->periods[stack];
		walk->making->seen[key] = 1;
	}
	return stack;
}

static void walk_nodes(struct walk *walk, const uint8_t *used)
{
	const struct pfx_nodes *nodes = &walk->making->selection->nodes;
	uint32_t node, key, stack = take_stacks(walk, 0, 0);

	for (node = 1; node < nodes->nr; node++) {
		if (!used[node]) {
			node = nodes->end[node] - 1;
			continue;
		}
		key = frame_key(walk->making, nodes->frame[node]);
		if (walk->covered[key] <= node) {
			walk->covered[key] = nodes->end[node];
			value_at(walk->making, key, walk->column)->total += walk->sums[node];
			walk->making->seen[key] = 1;
		}
		stack = take_stacks(walk, node, stack);
	}
}

static void make_by_code(struct making *making)
{
	const struct pfx_selection *selection = making->selection;
	uint64_t *sums = pfx_calloc(selection->nodes.nr, sizeof(*sums));
	size_t size = (making->nr_keys + 1ul) * sizeof(uint32_t);
	uint8_t *used = used_nodes(selection);
	struct walk walk = {.making = making, .sums = sums, .covered = pfx_malloc(size)};

	for (; walk.column < making->nr_columns; walk.column++) {
		walk.periods = pfx_selection_weights(selection, walk.column, PFX_MEASURE_PERIOD);
		walk.samples = pfx_selection_weights(selection, walk.column, PFX_MEASURE_SAMPLES);
		pfx_selection_sum(selection, walk.periods, sums);
		memset(walk.covered, 0, size);
		walk_nodes(&walk, used);
	}
	free(sums);
	free(used);
	free(walk.covered);
}

/* --- rows by thread and the like --- */

static void make_by_rows(struct making *making)
{
	const struct pfx_selection *selection = making->selection;
	const struct pfx_profile *profile = making->profile;
	uint32_t *columns = pfx_calloc(profile->nr_events + 1ul, sizeof(*columns)), i, row, key;
	struct pfx_table_value *value;

	for (i = 0; i < selection->nr_events; i++)
		columns[selection->events[i]] = i;
	for (i = 0; i < selection->nr_rows; i++) {
		row = selection->rows[i];
		key = pfx_row_key(profile, making->by, row);
		value = value_at(making, key, columns[profile->row_event[row]]);
		value->self += profile->row_period[row];
		value->total += profile->row_period[row];
		value->samples += pfx_profile_count(profile, row);
		making->seen[key] = 1;
	}
	free(columns);
}

/* --- the table --- */

static void take_rows(const struct making *making, struct pfx_table *ret)
{
	uint32_t key;

	ret->rows = pfx_malloc((making->nr_keys + 1ul) * sizeof(*ret->rows));
	for (key = 0; key < making->nr_keys; key++)
		if (making->seen[key])
			ret->rows[ret->nr_rows++] =
				(struct pfx_table_row){key, value_at(making, key, 0)};
	if (making->by == PFX_VIEW_DSO && ret->nr_rows &&
	    ret->rows[ret->nr_rows - 1].id == making->profile->nr_dsos)
		ret->rows[ret->nr_rows - 1].id = PFX_NO_ID;
}

void pfx_table_make(struct pfx_table *ret, const struct pfx_selection *selection,
		    enum pfx_view_by by)
{
	struct making making = {
		.selection = selection,
		.profile = selection->profile,
		.by = by,
		.nr_columns = selection->nr_events,
	};

	making.nr_keys = pfx_view_nr_ids(selection->profile, by) + (by == PFX_VIEW_DSO);
	making.values = pfx_calloc((uint64_t)making.nr_keys * making.nr_columns + 1,
				   sizeof(*making.values));
	if (by == PFX_VIEW_DSO)
		making.first_dso = pfx_view_first_dsos(making.profile);
	making.seen = pfx_calloc(making.nr_keys + 1ul, 1);
	if (by == PFX_VIEW_FUNCTION || by == PFX_VIEW_DSO || by == PFX_VIEW_LINE)
		make_by_code(&making);
	else
		make_by_rows(&making);
	*ret = (struct pfx_table){
		.by = by,
		.nr_columns = making.nr_columns,
		.values = making.values,
		.profile = making.profile,
	};
	take_rows(&making, ret);
	free(making.first_dso);
	free(making.seen);
}

void pfx_table_fini(struct pfx_table *table)
{
	free(table->rows);
	free(table->values);
	free(table->ids);
	free(table->sockets);
	*table = (struct pfx_table){0};
}
