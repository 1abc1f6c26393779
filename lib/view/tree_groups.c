/* SPDX-License-Identifier: MIT */
/*
 * A subtree for each process, thread and so on. The samples are sorted by group and stack, so that
 * the ends of each group are a range of them: few groups by adding up a row of stacks for each,
 * many by sorting twice.
 */
#include <stdlib.h>
#include <string.h>

#include "view/view_by_internal.h"
#include "view/view_tree_internal.h"

/* A sample: copied, so that sorting reads in order. */
struct row {
	uint32_t group, stack; /* stack: of the selection */
	uint64_t weight;
};

/* What rows are grouped by: a column, or what the task of a row belongs to. */
struct row_keys {
	const uint32_t *column;
	uint32_t *of_task; /* NULL: column is the key */
};

struct grouping {
	struct row_keys keys;
	struct pfx_tree_growing *growing;
	uint32_t nr_groups, nr_rows;
	struct row *rows; /* by group, then by stack */
	uint32_t *first;  /* by group: its first row; and the end */
	uint64_t *totals; /* by group */
	uint32_t *nodes;  /* by row: where the sample ends, */
	uint64_t *prefix; /* and the weight of all before it */
};

static struct row_keys make_keys(const struct pfx_profile *profile, enum pfx_view_by by)
{
	struct row_keys keys = {profile->row_task, NULL};
	const struct pfx_profile_task *task;
	uint32_t i;

	if (by != PFX_VIEW_PROCESS && by != PFX_VIEW_THREAD && by != PFX_VIEW_COMM) {
		keys.column = by == PFX_VIEW_CPU ? profile->row_cpu : profile->row_event;
		return keys;
	}
	keys.of_task = pfx_malloc((profile->nr_tasks + 1ul) * sizeof(*keys.of_task));
	for (i = 0; i < profile->nr_tasks; i++) {
		task = &profile->tasks[i];
		keys.of_task[i] = by == PFX_VIEW_COMM     ? task->comm
				  : by == PFX_VIEW_THREAD ? task->thread
							  : profile->threads[task->thread].process;
	}
	return keys;
}

static uint32_t key_of(const struct row_keys *keys, uint32_t row)
{
	return keys->of_task ? keys->of_task[keys->column[row]] : keys->column[row];
}

static struct row make_row(const struct grouping *grouping, uint32_t row)
{
	const struct pfx_selection *selection = grouping->growing->selection;
	const struct pfx_profile *profile = selection->profile;

	return (struct row){
		key_of(&grouping->keys, row),
		selection->stack_at[profile->row_stack[row]],
		pfx_row_weight(profile, grouping->growing->options->measure, row),
	};
}

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
			grouping->rows[grouping->nr_rows++] = make_row(grouping, row);
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

/* Whether a look at all stacks for each group costs no more than sorting the samples. */
static bool has_few_groups(const struct grouping *grouping)
{
	return (uint64_t)grouping->nr_groups * grouping->growing->selection->nr_stacks <=
	       4ull * grouping->growing->selection->nr_rows;
}

/* The rows @from to @to are one group: puts one for each of their stacks, in order, at @at; returns
 * where they end. @weights: by stack, all 0 before and after. */
static uint32_t merge_group(struct grouping *grouping, const struct row *from, uint32_t nr,
			    uint64_t *weights, uint32_t at)
{
	uint32_t nr_stacks = grouping->growing->selection->nr_stacks, i;

	for (i = 0; i < nr; i++)
		weights[from[i].stack] += from[i].weight;
	for (i = 0; i < nr_stacks; i++)
		if (weights[i])
			grouping->rows[at++] = (struct row){from->group, i, weights[i]};
	memset(weights, 0, nr_stacks * sizeof(*weights));
	return at;
}

/* The samples of the chosen event by group; returns the place of the first of each, and the end. */
static uint32_t *copy_by_group(const struct grouping *grouping, struct row *to)
{
	const struct pfx_selection *selection = grouping->growing->selection;
	const uint32_t *events = selection->profile->row_event;
	uint32_t event = selection->events[grouping->growing->options->column];
	uint32_t *first = pfx_calloc(grouping->nr_groups + 2ul, sizeof(*first)), i, row;

	for (i = 0; i < selection->nr_rows; i++)
		if (events[selection->rows[i]] == event)
			first[key_of(&grouping->keys, selection->rows[i]) + 2]++;
	for (i = 2; i < grouping->nr_groups + 2; i++)
		first[i] += first[i - 1];
	for (i = 0; i < selection->nr_rows; i++) {
		row = selection->rows[i];
		if (events[row] == event)
			to[first[key_of(&grouping->keys, row) + 1]++] = make_row(grouping, row);
	}
	return first;
}

/* One row for all samples of a group with the same stack; there are no more of them than samples.
 */
static void merge_rows(struct grouping *grouping)
{
	const struct pfx_selection *selection = grouping->growing->selection;
	struct row *by_group = pfx_malloc((selection->nr_rows + 1ul) * sizeof(*by_group));
	uint64_t *weights = pfx_calloc(selection->nr_stacks + 1ul, sizeof(*weights));
	uint32_t *first = copy_by_group(grouping, by_group), group, at = 0, begin, end;

	grouping->rows = pfx_malloc((selection->nr_rows + 1ul) * sizeof(*grouping->rows));
	grouping->first = first;
	for (group = 0, begin = 0; group < grouping->nr_groups; group++, begin = end) {
		end = first[group + 1];
		first[group] = at;
		if (begin < end)
			at = merge_group(grouping, by_group + begin, end - begin, weights, at);
	}
	first[grouping->nr_groups] = grouping->nr_rows = at;
	free(weights);
	free(by_group);
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
	grouping.keys = make_keys(growing->selection->profile, growing->options->groups);
	if (has_few_groups(&grouping)) {
		merge_rows(&grouping);
	} else {
		copy_rows(&grouping);
		order_rows(&grouping);
	}
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
	free(grouping.keys.of_task);
	free(grouping.first);
	free(grouping.totals);
	free(grouping.nodes);
	free(grouping.prefix);
}
