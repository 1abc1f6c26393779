/* SPDX-License-Identifier: MIT */
/*
 * The order of rows, including perf's order of ties. Rows are first sorted by their keys, then
 * inserted one by one into a red-black tree by -s and the overheads. It has to be that tree: the
 * rule that sorts a caller before a callee of equal weight applies within a thread only, so the
 * order is not transitive and the result depends on the comparisons made during insertion.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/compare.h"
#include "hist/hist_internal.h"

#define NIL UINT32_MAX

struct node {
	uint32_t up, left, right;
	bool red;
};

struct tree {
	struct pfx_hists *hists;
	const struct pfx_hist_build *build;
	struct pfx_row **rows; /* by node */
	struct node *nodes;
	uint32_t root;
	size_t nr_keys; /* of columns->order: number of keys to compare */
};

/* By weight, descending; with equal weight in the same thread, the caller before the callee. */
static int compare_children(const struct tree *tree, const struct pfx_row *a,
			    const struct pfx_row *b)
{
	const struct pfx_hist_options *options = &tree->hists->options;
	int rc;

	if (!options->children)
		return 0;
	rc = pfx_compare_u64(b->stat->children, a->stat->children);
	if (rc || a->thread != b->thread || options->graph->mode == PFX_GRAPH_NONE)
		return rc;
	rc = pfx_compare_u64(b->depth, a->depth);
	return options->graph->caller ? rc : -rc;
}

static int compare_member(const struct pfx_row_stat *a, const struct pfx_row_stat *b, uint32_t m,
			  enum pfx_key key)
{
	return pfx_compare_u64(pfx_row_value(&b[m], key), pfx_row_value(&a[m], key));
}

int pfx_hist_compare_stats(const struct pfx_hists *hists, const struct pfx_hist *hist,
			   const struct pfx_row_stat *a, const struct pfx_row_stat *b,
			   enum pfx_key key)
{
	uint32_t m, chosen = hists->options.sort_member;
	int rc;

	/* If the chosen member does not exist, sort by the leader. */
	if (chosen >= hist->nr_members)
		return compare_member(a, b, 0, key);
	rc = compare_member(a, b, chosen, key);
	/* With a chosen member, ties are sorted by the other members, not by the leader. */
	for (m = 1; m < hist->nr_members && !rc; m++)
		rc = compare_member(a, b, m, key);
	return rc;
}

static int compare_value(const struct tree *tree, const struct pfx_row *a, const struct pfx_row *b,
			 enum pfx_key key)
{
	if (key == PFX_KEY_OVERHEAD_CHILDREN)
		return compare_children(tree, a, b);
	return pfx_hist_compare_stats(tree->hists, &tree->build->hist, a->stat, b->stat, key);
}

static int compare_by(const struct tree *tree, const struct pfx_row *a, const struct pfx_row *b,
		      enum pfx_key key)
{
	return pfx_key_is_value(key) ? compare_value(tree, a, b, key)
				     : pfx_hist_key_shown_order(tree->hists, a, b, key);
}

/* Whether row @a sorts before (-) or after (+) @b, or as an equal after it (0). */
static int compare_rows(const struct tree *tree, const struct pfx_row *a, const struct pfx_row *b)
{
	const struct pfx_columns *columns = tree->hists->options.columns;
	enum pfx_key first = tree->hists->first_key;
	size_t i;
	int rc = first == PFX_KEY_NR ? 0 : compare_by(tree, a, b, first);

	for (i = 0; i < tree->nr_keys && !rc; i++)
		rc = compare_by(tree, a, b, columns->order.at[i]);
	return rc;
}

static void rotate(struct tree *tree, uint32_t at, bool left)
{
	struct node *nodes = tree->nodes;
	uint32_t other = left ? nodes[at].right : nodes[at].left;
	uint32_t middle = left ? nodes[other].left : nodes[other].right;
	uint32_t up = nodes[at].up;

	*(left ? &nodes[at].right : &nodes[at].left) = middle;
	if (middle != NIL)
		nodes[middle].up = at;
	*(left ? &nodes[other].left : &nodes[other].right) = at;
	nodes[at].up = other;
	nodes[other].up = up;
	if (up == NIL)
		tree->root = other;
	else if (nodes[up].left == at)
		nodes[up].left = other;
	else
		nodes[up].right = other;
}

/* Restore "no red node has a red parent" above a new red node. */
static void rebalance(struct tree *tree, uint32_t at)
{
	struct node *nodes = tree->nodes;
	uint32_t parent, grand, uncle;
	bool is_left;

	while ((parent = nodes[at].up) != NIL && nodes[parent].red) {
		grand = nodes[parent].up;
		is_left = nodes[grand].left == parent;
		uncle = is_left ? nodes[grand].right : nodes[grand].left;
		if (uncle != NIL && nodes[uncle].red) {
			nodes[parent].red = nodes[uncle].red = false;
			nodes[grand].red = true;
			at = grand;
			continue;
		}
		if ((is_left ? nodes[parent].right : nodes[parent].left) == at) {
			rotate(tree, parent, is_left);
			parent = at;
		}
		nodes[parent].red = false;
		nodes[grand].red = true;
		rotate(tree, grand, !is_left);
		break;
	}
	nodes[tree->root].red = false;
}

static void insert(struct tree *tree, uint32_t at)
{
	struct node *nodes = tree->nodes;
	uint32_t up = NIL, next = tree->root;
	bool left = false;

	while (next != NIL) {
		up = next;
		left = compare_rows(tree, tree->rows[at], tree->rows[up]) < 0;
		next = left ? nodes[up].left : nodes[up].right;
	}
	nodes[at] = (struct node){.up = up, .left = NIL, .right = NIL, .red = true};
	if (up == NIL)
		tree->root = at;
	else if (left)
		nodes[up].left = at;
	else
		nodes[up].right = at;
	rebalance(tree, at);
}

/* The rows of the tree from left to right. */
static void walk(const struct tree *tree, struct pfx_row **out)
{
	const struct node *nodes = tree->nodes;
	uint32_t at = tree->root, from;
	size_t nr = 0;

	while (at != NIL && nodes[at].left != NIL)
		at = nodes[at].left;
	while (at != NIL) {
		out[nr++] = tree->rows[at];
		if (nodes[at].right != NIL) {
			for (at = nodes[at].right; nodes[at].left != NIL;)
				at = nodes[at].left;
			continue;
		}
		do {
			from = at;
			at = nodes[at].up;
		} while (at != NIL && nodes[at].right == from);
	}
}

static int by_identity(const void *x, const void *y, void *arg)
{
	const struct pfx_row *a = *(struct pfx_row *const *)x, *b = *(struct pfx_row *const *)y;
	struct pfx_hists *hists = arg;
	const struct pfx_columns *columns = hists->options.columns;
	size_t i;
	int rc = 0;

	for (i = 0; i < columns->order.nr && !rc; i++)
		rc = pfx_hist_key_order(hists, a, b, columns->order.at[i]);
	return rc ? rc : (a->id > b->id) - (a->id < b->id);
}

/* Rows are already sorted by their keys, and equal ones keep their order, so the last keys need not
 * be compared again. But symbols are sorted by address and shown by name. */
static size_t count_keys(const struct pfx_columns *columns)
{
	size_t nr = columns->order.nr;

	if (pfx_columns_has(columns, PFX_KEY_SYM))
		return nr;
	while (nr && !pfx_key_is_value(columns->order.at[nr - 1]))
		nr--;
	return nr;
}

/* Select the rows to show. Returns their number. */
static uint32_t choose_rows(const struct pfx_hists *hists, const struct pfx_hist_build *build,
			    struct pfx_row **rows)
{
	const struct pfx_hist_options *options = &hists->options;
	uint32_t i, nr = 0;

	for (i = 0; i < build->all.nr; i++)
		if (!options->children ||
		    pfx_filter_symbol_part(options->filter, build->all.at[i]->place->sym))
			rows[nr++] = build->all.at[i];
	return nr;
}

/* Relative percentages are of what these rows have themselves. */
static void sum_chosen(const struct pfx_hists *hists, struct pfx_hist *hist,
		       struct pfx_row *const *rows, uint32_t nr)
{
	uint32_t m, i;

	if (!hists->options.children || !hists->options.filter->symbol_part)
		return;
	for (m = 0; m < hist->nr_members; m++) {
		hist->totals[m].passed_period = 0;
		for (i = 0; i < nr; i++)
			hist->totals[m].passed_period += rows[i]->stat[m].period;
	}
}

/* --- the first rows alone --- */

/* The rows of the largest weight so far, the least one first. */
struct heaviest {
	const struct pfx_hists *hists;
	const struct pfx_hist *hist;
	enum pfx_key key;
	struct pfx_row **heap;
	uint32_t nr;
};

static int compare_weight(const struct heaviest *heaviest, const struct pfx_row *a,
			  const struct pfx_row *b)
{
	if (heaviest->key == PFX_KEY_OVERHEAD_CHILDREN)
		return pfx_compare_u64(b->stat->children, a->stat->children);
	return pfx_hist_compare_stats(heaviest->hists, heaviest->hist, a->stat, b->stat,
				      heaviest->key);
}

static void swap_rows(struct pfx_row **rows, uint32_t a, uint32_t b)
{
	struct pfx_row *row = rows[a];

	rows[a] = rows[b];
	rows[b] = row;
}

static void sift_up(struct heaviest *heaviest, uint32_t at)
{
	struct pfx_row **heap = heaviest->heap;

	for (; at && compare_weight(heaviest, heap[at], heap[(at - 1) / 2]) > 0; at = (at - 1) / 2)
		swap_rows(heap, at, (at - 1) / 2);
}

static void sift_down(struct heaviest *heaviest)
{
	struct pfx_row **heap = heaviest->heap;
	uint32_t at = 0, kid;

	while ((kid = 2 * at + 1) < heaviest->nr) {
		if (kid + 1 < heaviest->nr &&
		    compare_weight(heaviest, heap[kid + 1], heap[kid]) > 0)
			kid++;
		if (compare_weight(heaviest, heap[kid], heap[at]) <= 0)
			return;
		swap_rows(heap, at, kid);
		at = kid;
	}
}

/* Drop rows that are not among the first @most. Returns the number of those that are left. */
static uint32_t keep_heaviest(const struct pfx_hists *hists, const struct pfx_hist_build *build,
			      struct pfx_row **rows, uint32_t nr)
{
	uint32_t most = hists->most_rows, nr_kept = 0, i;
	struct heaviest heaviest = {hists, &build->hist, hists->options.columns->order.at[0]};

	for (i = 0; i < nr; i++)
		if (pfx_hist_row_is_shown(hists, &build->hist, rows[i]))
			rows[nr_kept++] = rows[i];
	nr = nr_kept;
	if (nr <= most)
		return nr;
	heaviest.heap = pfx_malloc(most * sizeof(*heaviest.heap));
	for (i = 0; i < nr; i++) {
		if (heaviest.nr < most) {
			heaviest.heap[heaviest.nr] = rows[i];
			sift_up(&heaviest, heaviest.nr++);
		} else if (compare_weight(&heaviest, rows[i], heaviest.heap[0]) < 0) {
			heaviest.heap[0] = rows[i];
			sift_down(&heaviest);
		}
	}
	for (i = nr_kept = 0; i < nr; i++)
		if (compare_weight(&heaviest, rows[i], heaviest.heap[0]) <= 0)
			rows[nr_kept++] = rows[i];
	free(heaviest.heap);
	return nr_kept;
}

/* Whether the rows of the first column's largest values are the first ones. */
static bool can_keep_heaviest(const struct pfx_hists *hists)
{
	const struct pfx_columns *columns = hists->options.columns;

	return hists->most_rows && !hists->options.hierarchy && columns->order.nr &&
	       pfx_key_is_value(columns->order.at[0]);
}

void pfx_hist_sort(struct pfx_hists *hists, struct pfx_hist_build *build)
{
	struct tree tree = {.hists = hists,
			    .build = build,
			    .root = NIL,
			    .nr_keys = count_keys(hists->options.columns)};
	struct pfx_hist *hist = &build->hist;
	uint32_t nr, i;

	free(hist->rows);
	hist->rows = pfx_calloc(build->all.nr + 1, sizeof(struct pfx_row *));
	tree.rows = pfx_malloc((build->all.nr + 1) * sizeof(struct pfx_row *));
	nr = choose_rows(hists, build, tree.rows);
	sum_chosen(hists, hist, tree.rows, nr);
	if (can_keep_heaviest(hists))
		nr = keep_heaviest(hists, build, tree.rows, nr);
	hist->nr_rows = nr;
	tree.nodes = pfx_malloc((nr + 1) * sizeof(*tree.nodes));
	qsort_r(tree.rows, nr, sizeof(struct pfx_row *), by_identity, hists);
	for (i = 0; i < nr; i++)
		insert(&tree, i);
	walk(&tree, hist->rows);
	free(tree.rows);
	free(tree.nodes);
}
