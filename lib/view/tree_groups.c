/* SPDX-License-Identifier: MIT */
/*
 * A subtree for each process, thread and so on. The samples are sorted by group and stack, so that
 * the ends of each group are a range of them.
 */
#include <stdlib.h>

#include "view/view_by_internal.h"
#include "view/view_tree_internal.h"

struct grouping {
	struct pfx_tree_growing *growing;
	uint32_t nr_groups, nr_rows;
	uint32_t *rows;   /* of the profile, by group, then by stack of the selection */
	uint32_t *first;  /* by group: its first row; and the end */
	uint64_t *totals; /* by group */
	uint32_t *nodes;  /* by place in rows: where the sample ends, */
	uint64_t *prefix; /* and the weight of all before it */
};

static uint32_t stack_of(const struct grouping *grouping, uint32_t row)
{
	const struct pfx_selection *selection = grouping->growing->selection;

	return selection->stack_at[selection->profile->row_stack[row]];
}

static uint32_t key_of(const struct grouping *grouping, uint32_t row, bool by_group)
{
	if (!by_group)
		return stack_of(grouping, row);
	return pfx_row_key(grouping->growing->selection->profile,
			   grouping->growing->options->groups, row);
}

/* A stable sort; returns the place of the first of each key, and the end. */
static uint32_t *sort_rows(const struct grouping *grouping, const uint32_t *from, uint32_t *to,
			   uint32_t nr_keys, bool by_group)
{
	uint32_t *first = pfx_calloc(nr_keys + 2ul, sizeof(*first)), i;

	for (i = 0; i < grouping->nr_rows; i++)
		first[key_of(grouping, from[i], by_group) + 2]++;
	for (i = 2; i < nr_keys + 2; i++)
		first[i] += first[i - 1];
	for (i = 0; i < grouping->nr_rows; i++)
		to[first[key_of(grouping, from[i], by_group) + 1]++] = from[i];
	return first;
}

static void order_rows(struct grouping *grouping)
{
	const struct pfx_selection *selection = grouping->growing->selection;
	uint32_t event = selection->events[grouping->growing->options->column], i;
	uint32_t *all = pfx_malloc((selection->nr_rows + 1ul) * sizeof(*all));
	uint32_t *sorted = pfx_malloc((selection->nr_rows + 1ul) * sizeof(*sorted));

	for (i = 0; i < selection->nr_rows; i++)
		if (selection->profile->row_event[selection->rows[i]] == event)
			all[grouping->nr_rows++] = selection->rows[i];
	free(sort_rows(grouping, all, sorted, selection->nr_stacks, false));
	grouping->first = sort_rows(grouping, sorted, all, grouping->nr_groups, true);
	grouping->rows = all;
	free(sorted);
}

/* --- all groups --- */

static void weigh_rows(struct grouping *grouping)
{
	const struct pfx_selection *selection = grouping->growing->selection;
	uint32_t i, group;

	grouping->nodes = pfx_malloc((grouping->nr_rows + 1ul) * sizeof(*grouping->nodes));
	grouping->prefix = pfx_malloc((grouping->nr_rows + 1ul) * sizeof(*grouping->prefix));
	grouping->totals = pfx_calloc(grouping->nr_groups + 1ul, sizeof(*grouping->totals));
	grouping->prefix[0] = 0;
	for (i = 0; i < grouping->nr_rows; i++) {
		grouping->nodes[i] = selection->stack_node[stack_of(grouping, grouping->rows[i])];
		grouping->prefix[i + 1] =
			grouping->prefix[i] + pfx_row_weight(selection->profile,
							     grouping->growing->options->measure,
							     grouping->rows[i]);
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
