/* SPDX-License-Identifier: MIT */
/*
 * A subtree for each process, thread and so on. The samples are sorted by group and stack, so that
 * the ends of each group are a range of them.
 */
#include <stdlib.h>

#include "view/view_by_internal.h"
#include "view/view_tree_internal.h"

/* A sample: copied, so that sorting reads in order. */
struct row {
	uint32_t group, stack; /* stack: of the selection */
	uint64_t weight;
};

struct grouping {
	struct pfx_tree_growing *growing;
	uint32_t nr_groups, nr_rows;
	struct row *rows; /* by group, then by stack */
	uint32_t *first;  /* by group: its first row; and the end */
	uint64_t *totals; /* by group */
	uint32_t *nodes;  /* by row: where the sample ends, */
	uint64_t *prefix; /* and the weight of all before it */
};

/* The samples of the chosen event, in the order of the recording. */
static void copy_rows(struct grouping *grouping)
{
	const struct pfx_selection *selection = grouping->growing->selection;
	const struct pfx_view_tree_options *options = grouping->growing->options;
	const struct pfx_profile *profile = selection->profile;
	uint32_t event = selection->events[options->column], i, row;

	grouping->rows = pfx_malloc((selection->nr_rows + 1ul) * sizeof(*grouping->rows));
	for (i = 0; i < selection->nr_rows; i++) {
		row = selection->rows[i];
		if (profile->row_event[row] == event)
			grouping->rows[grouping->nr_rows++] = (struct row){
				pfx_row_key(profile, options->groups, row),
				selection->stack_at[profile->row_stack[row]],
				pfx_row_weight(profile, options->measure, row),
			};
	}
}

static uint32_t sort_key(const struct row *row, bool by_group)
{
	return by_group ? row->group : row->stack;
}

/* A stable sort; returns the place of the first of each key, and the end. */
static uint32_t *sort_rows(const struct row *from, struct row *to, uint32_t nr, uint32_t nr_keys,
			   bool by_group)
{
	uint32_t *first = pfx_calloc(nr_keys + 2ul, sizeof(*first)), i;

	for (i = 0; i < nr; i++)
		first[sort_key(&from[i], by_group) + 2]++;
	for (i = 2; i < nr_keys + 2; i++)
		first[i] += first[i - 1];
	for (i = 0; i < nr; i++)
		to[first[sort_key(&from[i], by_group) + 1]++] = from[i];
	return first;
}

static void order_rows(struct grouping *grouping)
{
	uint32_t nr = grouping->nr_rows;
	struct row *by_stack = pfx_malloc((nr + 1ul) * sizeof(*by_stack));

	free(sort_rows(grouping->rows, by_stack, nr, grouping->growing->selection->nr_stacks,
		       false));
	grouping->first = sort_rows(by_stack, grouping->rows, nr, grouping->nr_groups, true);
	free(by_stack);
}

static void weigh_rows(struct grouping *grouping)
{
	const struct pfx_selection *selection = grouping->growing->selection;
	uint32_t nr = grouping->nr_rows, i, group;

	grouping->nodes = pfx_malloc((nr + 1ul) * sizeof(*grouping->nodes));
	grouping->prefix = pfx_malloc((nr + 1ul) * sizeof(*grouping->prefix));
	grouping->totals = pfx_calloc(grouping->nr_groups + 1ul, sizeof(*grouping->totals));
	grouping->prefix[0] = 0;
	for (i = 0; i < nr; i++) {
		grouping->nodes[i] = selection->stack_node[grouping->rows[i].stack];
		grouping->prefix[i + 1] = grouping->prefix[i] + grouping->rows[i].weight;
	}
	for (group = 0; group < grouping->nr_groups; group++)
		grouping->totals[group] = grouping->prefix[grouping->first[group + 1]] -
					  grouping->prefix[grouping->first[group]];
}

static void add_groups(struct grouping *grouping)
{
	struct pfx_tree_growing *growing = grouping->growing;
	uint32_t *order = pfx_malloc((grouping->nr_groups + 1ul) * sizeof(*order)), i, nr;
	uint64_t x = 0, total;

	nr = pfx_view_order_ids(growing->selection->profile, growing->options->groups,
				grouping->totals, grouping->nr_groups, growing->min_weight,
				growing->options->order == PFX_TREE_BY_NAME, order);
	for (i = 0; i < nr; i++) {
		total = grouping->totals[order[i]];
		pfx_vec_push(&growing->nodes, ((struct pfx_view_node){.frame = PFX_NO_ID,
								      .group = order[i],
								      .depth = 1,
								      .total = total,
								      .x = x}));
		x += total;
	}
	growing->nodes.at[0].first_kid = 1;
	growing->nodes.at[0].nr_kids = nr;
	growing->max_depth = nr ? 1 : 0;
	free(order);
}

void pfx_tree_grow_groups(struct pfx_tree_growing *growing)
{
	struct grouping grouping = {.growing = growing};
	uint32_t i, nr, group;

	grouping.nr_groups = pfx_view_nr_ids(growing->selection->profile, growing->options->groups);
	copy_rows(&grouping);
	order_rows(&grouping);
	weigh_rows(&grouping);
	add_groups(&grouping);
	nr = growing->nodes.at[0].nr_kids;
	for (i = 1; i <= nr; i++) {
		group = growing->nodes.at[i].group;
		growing->ends =
			(struct pfx_tree_ends){grouping.nodes, grouping.prefix,
					       grouping.first[group], grouping.first[group + 1]};
		pfx_tree_grow_all(growing, i);
	}
	free(grouping.rows);
	free(grouping.first);
	free(grouping.totals);
	free(grouping.nodes);
	free(grouping.prefix);
}
