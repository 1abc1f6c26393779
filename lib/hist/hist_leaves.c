/* SPDX-License-Identifier: MIT */
/*
 * Adds up the tree of all chains for rows. A leaf is the weight of one row at the end of a chain;
 * leaves that differ in more than place and chain belong to different contexts. In each context the
 * leaves are summed towards the root, and a walk over the nodes visits each function at its first
 * occurrence on a path: its row gets the sum below, once, even if the function is recursive. The
 * walk also collects these positions, from which the call trees of the displayed rows are built.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "hist/hist_internal.h"

/* --- order: by context, then by node --- */

static uint32_t sort_key(const struct pfx_hist_leaf *leaf, bool by_context)
{
	return by_context ? leaf->context : leaf->end;
}

/* A stable sort. @nr_keys: greater than all keys. */
static void sort_into(struct pfx_hist_leaf *to, const struct pfx_hist_leaf *from, uint32_t nr,
		      uint32_t nr_keys, bool by_context)
{
	uint32_t *first = pfx_calloc(nr_keys + 1, sizeof(*first)), i;

	for (i = 0; i < nr; i++)
		first[sort_key(&from[i], by_context) + 1]++;
	for (i = 1; i < nr_keys; i++)
		first[i] += first[i - 1];
	for (i = 0; i < nr; i++)
		to[first[sort_key(&from[i], by_context)]++] = from[i];
	free(first);
}

/* Merge the leaves of a row with the same context and end; leaves are sorted. */
static void join(struct pfx_hist_leaves *leaves)
{
	struct pfx_hist_leaf *leaf, *last;
	uint32_t i, nr = 0;

	for (i = 0; i < leaves->nr; i++) {
		leaf = &leaves->at[i];
		last = leaf->row->first_leaf ? &leaves->at[leaf->row->first_leaf - 1] : leaf;
		if (last != leaf && last->context == leaf->context && last->end == leaf->end) {
			last->period += leaf->period;
			last->count += leaf->count;
			last->latency += leaf->latency;
			continue;
		}
		leaves->at[nr++] = *leaf;
		leaf->row->first_leaf = nr;
	}
	leaves->nr = nr;
	for (i = 0; i < nr; i++)
		leaves->at[i].row->first_leaf = 0;
}

void pfx_hist_sort_leaves(const struct pfx_hists *hists, struct pfx_hist_build *build,
			  struct pfx_hist_leaves *leaves)
{
	struct pfx_hist_leaf *sorted = pfx_malloc((leaves->nr + 1) * sizeof(*sorted));
	struct pfx_hist_leaf *unsorted = leaves->at;
	uint32_t nr = (uint32_t)leaves->nr;

	sort_into(sorted, unsorted, nr, (uint32_t)hists->tree->nodes.nr, false);
	if (build->contexts.nr > 1) {
		sort_into(unsorted, sorted, nr, build->contexts.nr, true);
		free(sorted);
	} else {
		leaves->at = sorted;
		leaves->cap = nr + 1;
		free(unsorted);
	}
	if (!hists->options.branch_history)
		join(leaves);
}

/* --- sums --- */

/* Collect the ancestors of a context's leaves, in their order. Leaves are sorted, too, so the nodes
 * that a leaf adds follow all others. */
static void gather_nodes(struct pfx_visit *visit, uint32_t first, uint32_t end)
{
	const struct pfx_hist_leaf *leaves = visit->leaves->at;
	struct pfx_tree *tree = visit->hists->tree;
	size_t from, to;
	uint32_t i, node;

	visit->path.nr = 0;
	for (i = first; i < end; i++) {
		from = visit->path.nr;
		for (node = leaves[i].end; node && tree->sums[node].stamp != visit->stamp;
		     node = tree->nodes.at[node].parent) {
			tree->sums[node] = (struct pfx_tree_sum){.stamp = visit->stamp};
			pfx_vec_push(&visit->path, node);
		}
		for (to = visit->path.nr; from + 1 < to; from++) {
			node = visit->path.at[from];
			visit->path.at[from] = visit->path.at[--to];
			visit->path.at[to] = node;
		}
	}
}

static void add_up(struct pfx_tree_sum *sum, uint64_t period, uint64_t latency, uint32_t deepest)
{
	sum->period += period;
	sum->latency += latency;
	if (sum->deepest < deepest)
		sum->deepest = deepest;
}

/* Descendants of a node have higher ids. */
static void sum_up(struct pfx_visit *visit, uint32_t first, uint32_t end)
{
	const struct pfx_hist_leaf *leaf = visit->leaves->at + first;
	struct pfx_tree *tree = visit->hists->tree;
	const struct pfx_tree_sum *sum;
	uint32_t node;
	size_t i;

	for (; first < end; first++, leaf++)
		if (leaf->end)
			add_up(&tree->sums[leaf->end], leaf->period, leaf->latency,
			       pfx_tree_depth(tree, leaf->end));
	for (i = visit->path.nr; i--;) {
		node = visit->path.at[i];
		sum = &tree->sums[node];
		node = tree->nodes.at[node].parent;
		if (node)
			add_up(&tree->sums[node], sum->period, sum->latency, sum->deepest);
	}
}

/* In a group, only the leader's chains count. */
static void note_depth(const struct pfx_visit *visit, struct pfx_row *row, uint32_t depth)
{
	if (!visit->member && row->depth < depth)
		row->depth = depth;
}

static void count_start(struct pfx_visit *visit, struct pfx_row *row, uint32_t node, uint32_t at)
{
	const struct pfx_tree *tree = visit->hists->tree;
	const struct pfx_tree_sum *sum = &tree->sums[node];
	struct pfx_row_stat *stat = &row->stat[visit->member];
	uint32_t depth = sum->deepest - tree->nodes.at[node].depth - at;

	stat->children += sum->period;
	stat->latency_children += sum->latency;
	note_depth(visit, row, depth);
	if (visit->keeps_starts && !visit->member)
		pfx_vec_push(&visit->starts,
			     ((struct pfx_row_start){row->id, {visit->context, node, at}}));
}

/* Count a sample once in its own row, even if the row's function is not on the chain. */
static void count_leaf(struct pfx_visit *visit, struct pfx_hist_leaf *leaf)
{
	uint32_t depth = pfx_tree_depth(visit->hists->tree, leaf->end);
	struct pfx_row *row = leaf->row;

	note_depth(visit, row, depth);
	if (row->stamp == visit->stamp && row->covered > leaf->end)
		return;
	row->stat[visit->member].children += leaf->period;
	row->stat[visit->member].latency_children += leaf->latency;
}

/* --- places for call trees --- */

static void keep_part(struct pfx_row *row, const struct pfx_row_part *part)
{
	if (row->nr_parts == row->cap_parts) {
		row->cap_parts = row->cap_parts ? row->cap_parts * 2 : 4;
		row->parts = pfx_realloc(row->parts, row->cap_parts * sizeof(*row->parts));
	}
	row->parts[row->nr_parts++] = *part;
}

/* Link the leaves of each row, in order. */
static void chain_leaves(struct pfx_hist_leaves *leaves)
{
	struct pfx_hist_leaf *leaf;
	size_t i;

	for (i = leaves->nr; i--;) {
		leaf = &leaves->at[i];
		if (!leaf->row->wants_chains || !leaf->end)
			continue;
		leaf->next = leaf->row->first_leaf;
		leaf->row->first_leaf = (uint32_t)i + 1;
	}
}

static void sum_leaves(struct pfx_hist_build *build)
{
	const struct pfx_hist_leaf *leaf = build->leaves.at;
	struct pfx_leaf_sum *sum;
	size_t i;

	sum = build->leaf_sums = pfx_calloc(build->leaves.nr + 1, sizeof(*sum));
	for (i = 0; i < build->leaves.nr; i++, leaf++, sum++)
		sum[1] =
			(struct pfx_leaf_sum){sum->period + leaf->period, sum->count + leaf->count};
}

void pfx_hist_keep_parts(struct pfx_visit *visit)
{
	struct pfx_hist_build *build = visit->build;
	struct pfx_row *row;
	size_t i;

	for (i = 0; i < visit->starts.nr; i++) {
		row = build->all.at[visit->starts.at[i].row];
		if (row->wants_chains)
			keep_part(row, &visit->starts.at[i].part);
	}
	chain_leaves(&build->leaves);
	sum_leaves(build);
}

/* --- the walk --- */

#define AHEAD 8 /* distance of prefetching nodes' frames */

static void fetch_frames(const struct pfx_visit *visit, size_t at)
{
	const struct pfx_tree *tree = visit->hists->tree;

	if (at < visit->path.nr)
		__builtin_prefetch(&tree->frames.at[tree->nodes.at[visit->path.at[at]].first]);
}

static void visit_node(struct pfx_visit *visit, uint32_t id)
{
	const struct pfx_tree *tree = visit->hists->tree;
	const struct pfx_tree_node *node = &tree->nodes.at[id];
	struct pfx_row *row;
	uint32_t i;

	for (i = 0; i < node->nr; i++) {
		row = pfx_visit_row(visit, id, i);
		if (row->stamp == visit->stamp && row->covered > id)
			continue;
		row->stamp = visit->stamp;
		row->covered = node->end;
		count_start(visit, row, id, i);
	}
}

/* Process the leaves of one context, from @first on; returns the start of the next context. */
static uint32_t visit_context(struct pfx_visit *visit, uint32_t first)
{
	struct pfx_hist_leaf *leaves = visit->leaves->at;
	bool children = visit->hists->options.children;
	uint32_t i, end = first;
	size_t at = 0;

	visit->context = leaves[first].context;
	while (end < visit->leaves->nr && leaves[end].context == visit->context)
		end++;
	visit->stamp = ++visit->hists->tree->stamp;
	visit->path.nr = 0;
	pfx_visit_begin(visit,
			&visit->build->tallies[visit->member]->buckets[leaves[first].bucket]);
	if (children) {
		gather_nodes(visit, first, end);
		sum_up(visit, first, end);
	}
	for (i = first; i < end; i++) {
		while (at < visit->path.nr && visit->path.at[at] <= leaves[i].end) {
			fetch_frames(visit, at + AHEAD);
			visit_node(visit, visit->path.at[at++]);
		}
		count_leaf(visit, &leaves[i]);
	}
	return end;
}

void pfx_hist_count_leaves(struct pfx_visit *visit)
{
	uint32_t i;

	for (i = 0; i < visit->leaves->nr;)
		i = visit_context(visit, i);
}
