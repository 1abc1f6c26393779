/* SPDX-License-Identifier: MIT */
/*
 * What rows get from the tree of all chains. A leaf is what one row has at the end of a chain;
 * leaves that differ in place and chain only have a context in common. In each context the leaves
 * are summed up to the root, and a walk over the nodes meets each function where it is first on a
 * path: there its row gets what is below, once, however often it comes again. The same walk, when
 * the sums are known, notes these places for the rows whose call tree can be shown.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "hist/hist_internal.h"

/* What is done with each row that is met first at a frame of a node, and with the row of a leaf. */
struct steps {
	void (*start)(struct pfx_visit *visit, struct pfx_row *row, uint32_t node, uint32_t at);
	void (*leaf)(struct pfx_visit *visit, struct pfx_hist_leaf *leaf);
};

/* --- order: by context, then by node --- */

static uint32_t sort_key(const struct pfx_hist_leaf *leaf, bool by_context)
{
	return by_context ? leaf->context : leaf->end;
}

/* Stable. @nr_keys: above all of them. */
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

/* Leaves are in order: those that differ in nothing that the tree of chains knows become one. */
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
	uint32_t nr = (uint32_t)leaves->nr;

	sort_into(sorted, leaves->at, nr, (uint32_t)hists->tree->nodes.nr, false);
	sort_into(leaves->at, sorted, nr, build->contexts.nr, true);
	free(sorted);
	if (!hists->options.branch_history)
		join(leaves);
}

/* --- sums --- */

static void add_leaf(struct pfx_visit *visit, const struct pfx_hist_leaf *leaf)
{
	struct pfx_tree *tree = visit->hists->tree;
	uint32_t node, depth = pfx_tree_depth(tree, leaf->end);
	struct pfx_tree_sum *sum;

	for (node = leaf->end; node; node = tree->nodes.at[node].parent) {
		sum = &tree->sums[node];
		if (sum->stamp != visit->stamp)
			*sum = (struct pfx_tree_sum){.stamp = visit->stamp};
		sum->period += leaf->period;
		sum->latency += leaf->latency;
		if (sum->deepest < depth)
			sum->deepest = depth;
	}
}

/* Of a group, the leader's chains count. */
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
}

/* A sample counts once in its own row, be that on the chain or not. */
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

static void keep_start(struct pfx_visit *visit, struct pfx_row *row, uint32_t node, uint32_t at)
{
	struct pfx_row_part *part;

	if (!row->wants_chains)
		return;
	if (row->nr_parts == row->cap_parts) {
		row->cap_parts = row->cap_parts ? row->cap_parts * 2 : 4;
		row->parts = pfx_realloc(row->parts, row->cap_parts * sizeof(*row->parts));
	}
	part = &row->parts[row->nr_parts++];
	part->context = visit->context;
	part->node = node;
	part->at = at;
}

static void keep_leaf(struct pfx_visit *visit, struct pfx_hist_leaf *leaf)
{
	if (!leaf->row->wants_chains || !leaf->end)
		return;
	leaf->next = leaf->row->first_leaf;
	leaf->row->first_leaf = (uint32_t)(leaf - visit->leaves->at) + 1;
}

/* --- the walk --- */

static void visit_node(struct pfx_visit *visit, uint32_t id, const struct steps *steps)
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
		steps->start(visit, row, id, i);
	}
}

/* The nodes above a leaf that the walk did not meet yet; as leaves are in order, so are all nodes.
 */
static void visit_path(struct pfx_visit *visit, uint32_t end, const struct steps *steps)
{
	struct pfx_tree *tree = visit->hists->tree;
	uint32_t node;

	visit->path.nr = 0;
	for (node = end; node && tree->sums[node].visited != visit->stamp;
	     node = tree->nodes.at[node].parent) {
		tree->sums[node].visited = visit->stamp;
		pfx_vec_push(&visit->path, node);
	}
	while (visit->path.nr)
		visit_node(visit, visit->path.at[--visit->path.nr], steps);
}

/* The leaves of one context, from @first on; returns where the next one begins. */
static uint32_t visit_context(struct pfx_visit *visit, uint32_t first, const struct steps *steps)
{
	struct pfx_hist_leaf *leaves = visit->leaves->at;
	bool children = visit->hists->options.children;
	uint32_t i, end = first;

	visit->context = leaves[first].context;
	while (end < visit->leaves->nr && leaves[end].context == visit->context)
		end++;
	visit->stamp = ++visit->hists->tree->stamp;
	pfx_visit_begin(visit,
			&visit->build->tallies[visit->member]->buckets[leaves[first].bucket]);
	for (i = first; i < end && children; i++)
		add_leaf(visit, &leaves[i]);
	for (i = first; i < end; i++) {
		if (children)
			visit_path(visit, leaves[i].end, steps);
		steps->leaf(visit, &leaves[i]);
	}
	return end;
}

static void visit_leaves(struct pfx_visit *visit, const struct steps *steps)
{
	uint32_t i;

	for (i = 0; i < visit->leaves->nr;)
		i = visit_context(visit, i, steps);
}

void pfx_hist_count_leaves(struct pfx_visit *visit)
{
	static const struct steps steps = {count_start, count_leaf};

	visit_leaves(visit, &steps);
}

void pfx_hist_keep_parts(struct pfx_visit *visit)
{
	static const struct steps steps = {keep_start, keep_leaf};

	visit_leaves(visit, &steps);
}

/* --- the leaves of a row --- */

/* The first leaf of the context, or behind it, at @node or behind. */
static uint32_t first_leaf(const struct pfx_hist_leaves *leaves, uint32_t context, uint32_t node)
{
	const struct pfx_hist_leaf *at = leaves->at;

	return (uint32_t)pfx_bisect(i, leaves->nr,
				    at[i].context < context ||
					    (at[i].context == context && at[i].end < node));
}

void pfx_hist_each_leaf(const struct pfx_hists *hists, const struct pfx_hist_build *build,
			const struct pfx_row *row, pfx_leaf_fn fn, void *ctx)
{
	const struct pfx_hist_leaf *leaves = build->leaves.at, *leaf;
	const struct pfx_row_part *part;
	uint32_t i, p, end;

	for (i = row->first_leaf; i; i = leaves[i - 1].next)
		fn(ctx, &leaves[i - 1], NULL);
	for (p = 0; p < row->nr_parts; p++) {
		part = &row->parts[p];
		end = hists->tree->nodes.at[part->node].end;
		for (i = first_leaf(&build->leaves, part->context, part->node);
		     i < build->leaves.nr; i++) {
			leaf = &leaves[i];
			if (leaf->context != part->context || leaf->end >= end)
				break;
			if (leaf->row != row)
				fn(ctx, leaf, part);
		}
	}
}
