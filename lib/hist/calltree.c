/* SPDX-License-Identifier: MIT */
/*
 * The call tree of one row, made from the tree of all chains: from the nodes in which the row's
 * chains start, weighted with the row's counts. They are split repeatedly by their next frame; a
 * branch below the threshold is dropped as soon as its sum is known, so that no work is done for
 * parts that are not shown. The leaves below a node are contiguous: their weight is the difference
 * of two prefix sums.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/compare.h"
#include "hist/hist_internal.h"

/* Contiguous leaves, by number. */
struct range {
	uint32_t first, end;
};

/* A position in the tree of all chains, with everything below it in one context. A part counts the
 * leaves in @all except the row's own samples, which count from the start of their chain and have
 * separate parts. */
struct part {
	uint32_t node, at; /* the next frame is the one at @at of the node */
	bool is_own;       /* only the row's own samples count */
	struct range all;  /* of the leaves of all rows */
	struct range own;  /* of the row's own leaves */
};

struct parts {
	struct part *at;
	size_t nr, cap;
};

struct weight {
	uint64_t period, count;
};

/* Parts that continue with the same frame. */
struct group {
	uint32_t node;
	uint32_t first, nr; /* in the array of parts */
	uint64_t period, count;
};

struct treeing {
	const struct pfx_hists *hists;
	const struct pfx_hist_leaves *leaves;
	const struct pfx_leaf_sum *sums;
	const struct pfx_tree *tree;
	PFX_VEC(struct pfx_hist_leaf) own; /* of the row, */
	PFX_VEC(struct pfx_leaf_sum) own_sums;
	struct pfx_arena *arena;
	struct pfx_callgraph graph;
	uint64_t min_hit;
	uint32_t *slot_of, *stamp_of; /* by node id: its group in the current split */
	uint32_t stamp;
	PFX_VEC(struct pfx_call_node *) ends; /* nodes with hits, for flat and folded */
};

static const struct pfx_tree_node *node_of(const struct treeing *t, const struct part *part)
{
	return &t->tree->nodes.at[part->node];
}

static struct weight difference(const struct pfx_leaf_sum *sums, const struct range *range)
{
	const struct pfx_leaf_sum *first = &sums[range->first], *end = &sums[range->end];

	return (struct weight){end->period - first->period, end->count - first->count};
}

/* The weight of the part's leaves. */
static struct weight weight_in(const struct treeing *t, const struct part *part)
{
	struct weight own = difference(t->own_sums.at, &part->own), all;

	if (part->is_own)
		return own;
	all = difference(t->sums, &part->all);
	return (struct weight){all.period - own.period, all.count - own.count};
}

static uint32_t next_frame(const struct treeing *t, const struct part *part)
{
	uint32_t frame = t->tree->frames.at[node_of(t, part)->first + part->at];

	return pfx_frame_node(t->hists, frame);
}

/* Siblings of equal weight: by dso, then by address of the function or frame, the highest first. */
static int compare_places(const struct pfx_place *a, const struct pfx_place *b, bool by_address)
{
	uint32_t x = a->dso ? a->dso->id + 1 : 0, y = b->dso ? b->dso->id + 1 : 0;

	if (x != y)
		return x > y ? -1 : 1;
	if (!a->sym || !b->sym || by_address)
		return pfx_compare_u64(b->addr, a->addr);
	if (a->sym->start != b->sym->start)
		return pfx_compare_u64(b->sym->start, a->sym->start);
	return strcmp(a->sym->name, b->sym->name);
}

static bool is_list(enum pfx_graph_mode mode)
{
	return mode == PFX_GRAPH_FLAT || mode == PFX_GRAPH_FOLDED;
}

struct sorting {
	const struct pfx_hists *hists;
	bool by_address, by_place; /* by_place: without regard to weight */
};

static int compare_groups(const void *x, const void *y, void *arg)
{
	const struct group *a = x, *b = y;
	const struct sorting *sorting = arg;
	int rc;

	if (a->period != b->period && !sorting->by_place)
		return pfx_compare_u64(b->period, a->period);
	rc = compare_places(sorting->hists->nodes.at[a->node], sorting->hists->nodes.at[b->node],
			    sorting->by_address);
	return rc ? rc : pfx_compare_u64(a->node, b->node);
}

static void sort_groups(struct treeing *t, struct group *groups, uint32_t nr)
{
	struct sorting sorting = {t->hists, t->graph.key != PFX_GRAPH_FUNCTION,
				  is_list(t->graph.mode)};

	if (groups)
		qsort_r(groups, nr, sizeof(*groups), compare_groups, &sorting);
}

/* The first of the leaves in @range that ends at @node or after; usually it is near. */
static uint32_t first_at(const struct pfx_hist_leaf *leaves, const struct range *range,
			 uint32_t node)
{
	uint32_t left = range->end - range->first, width = 1, near;

	if (!left)
		return range->first;
	leaves += range->first;
	while (width < left && leaves[width].end < node)
		width *= 2;
	near = width / 2;
	left = (width < left ? width : left) - near;
	return range->first + near + (uint32_t)pfx_bisect(i, left, leaves[near + i].end < node);
}

/* Remove the leaves that end before @node from the front of @rest. */
static struct range cut_range(const struct pfx_hist_leaf *leaves, struct range *rest, uint32_t node)
{
	struct range front = {rest->first, first_at(leaves, rest, node)};

	rest->first = front.end;
	return front;
}

static struct part cut_part(const struct treeing *t, struct part *rest, uint32_t node)
{
	return (struct part){
		.all = cut_range(t->leaves->at, &rest->all, node),
		.own = cut_range(t->own.at, &rest->own, node),
		.is_own = rest->is_own,
	};
}

/* After the last frame of a part's node: count the leaves that end there, and continue with its
 * kids. */
static void leave_node(struct treeing *t, struct pfx_call_node *node, const struct part *part,
		       struct parts *to)
{
	const struct pfx_tree_node *nodes = t->tree->nodes.at;
	struct part rest = *part, cut = cut_part(t, &rest, part->node + 1);
	struct weight weight = weight_in(t, &cut);
	uint32_t kid;

	node->hit += weight.period;
	node->hits += weight.count;
	for (kid = part->node + 1; rest.all.first < rest.all.end || rest.own.first < rest.own.end;
	     kid = nodes[kid].end) {
		cut = cut_part(t, &rest, nodes[kid].end);
		cut.node = kid;
		if (weight_in(t, &cut).count)
			pfx_vec_push(to, cut);
	}
}

/* Take @nr frames of all parts. */
static void step(struct treeing *t, struct pfx_call_node *node, struct parts *parts, uint32_t nr)
{
	struct parts next = {0};
	size_t i;

	for (i = 0; i < parts->nr; i++) {
		parts->at[i].at += nr;
		if (parts->at[i].at < node_of(t, &parts->at[i])->nr)
			pfx_vec_push(&next, parts->at[i]);
		else
			leave_node(t, node, &parts->at[i], &next);
	}
	pfx_vec_free(parts);
	*parts = next;
}

/* Whether all parts continue with the same frame. */
static bool is_single(const struct treeing *t, const struct parts *parts)
{
	size_t i;

	for (i = 1; i < parts->nr && next_frame(t, &parts->at[i]) == next_frame(t, parts->at); i++)
		;
	return parts->nr && i >= parts->nr;
}

/* The frames of a node: until something ends or forks. The rest of the parts stays in @parts. */
static void take_run(struct treeing *t, struct pfx_call_node *node, struct parts *parts)
{
	PFX_VEC(struct pfx_place *) run = {0};
	const struct pfx_tree_node *from;
	const uint32_t *frames;
	uint32_t i, nr;

	do {
		from = node_of(t, parts->at);
		nr = parts->nr == 1 ? from->nr - parts->at->at : 1;
		frames = t->tree->frames.at + from->first + parts->at->at;
		for (i = 0; i < nr; i++)
			pfx_vec_push(&run, t->hists->nodes.at[pfx_frame_node(t->hists, frames[i])]);
		step(t, node, parts, nr);
	} while (!node->hits && is_single(t, parts));
	node->frames = pfx_arena_memdup(t->arena, run.at, run.nr * sizeof(*run.at));
	node->nr_frames = (uint32_t)run.nr;
	pfx_vec_free(&run);
}

static struct group *group_of(struct treeing *t, uint32_t node, struct group **groups, uint32_t *nr,
			      uint32_t *cap)
{
	struct group *group;

	if (t->stamp_of[node] == t->stamp)
		return &(*groups)[t->slot_of[node]];
	if (*nr == *cap) {
		*cap = *cap ? *cap * 2 : 16;
		*groups = pfx_realloc(*groups, *cap * sizeof(**groups));
	}
	t->stamp_of[node] = t->stamp;
	t->slot_of[node] = *nr;
	group = &(*groups)[(*nr)++];
	*group = (struct group){.node = node};
	return group;
}

/* Make the parts of each group contiguous. */
static void spread(struct treeing *t, struct parts *parts, struct group *groups, uint32_t nr_groups)
{
	struct part *sorted = pfx_malloc(parts->nr * sizeof(*sorted));
	struct group *group;
	uint32_t i, first = 0;

	for (i = 0; i < nr_groups; i++) {
		groups[i].first = first;
		first += groups[i].nr;
		groups[i].nr = 0;
	}
	for (i = 0; i < parts->nr; i++) {
		group = &groups[t->slot_of[next_frame(t, &parts->at[i])]];
		sorted[group->first + group->nr++] = parts->at[i];
	}
	free(parts->at);
	parts->at = sorted;
	parts->cap = parts->nr;
}

/* Split @parts by their next frame. The caller frees the result. */
static struct group *split(struct treeing *t, struct parts *parts, uint32_t *ret_nr)
{
	struct group *groups = NULL, *group;
	struct weight weight;
	uint32_t i, cap = 0;

	t->stamp++;
	*ret_nr = 0;
	for (i = 0; i < parts->nr; i++) {
		group = group_of(t, next_frame(t, &parts->at[i]), &groups, ret_nr, &cap);
		weight = weight_in(t, &parts->at[i]);
		group->nr++;
		group->period += weight.period;
		group->count += weight.count;
	}
	spread(t, parts, groups, *ret_nr);
	sort_groups(t, groups, *ret_nr);
	return groups;
}

static uint64_t threshold(const struct treeing *t, const struct pfx_call_node *node)
{
	if (t->graph.mode != PFX_GRAPH_FRACTAL)
		return t->min_hit;
	return (uint64_t)ceil(node->kids_hit * (t->graph.min_percent / 100.0));
}

static void grow_kids(struct treeing *t, struct pfx_call_node *node, struct parts *parts);

static struct pfx_call_node *grow(struct treeing *t, struct pfx_call_node *parent,
				  const struct part *from, uint32_t nr)
{
	struct pfx_call_node *node = pfx_arena_new(t->arena, struct pfx_call_node);
	struct parts parts = {0};
	uint32_t i;

	for (i = 0; i < nr; i++)
		pfx_vec_push(&parts, from[i]);
	node->parent = parent;
	take_run(t, node, &parts);
	grow_kids(t, node, &parts);
	pfx_vec_free(&parts);
	if (is_list(t->graph.mode) && node->hit && node->hit >= t->min_hit) {
		node->order = t->ends.nr;
		pfx_vec_push(&t->ends, node);
	}
	return node;
}

/* Add the kids of a node that are above the threshold. The node's ends were already counted. */
static void grow_kids(struct treeing *t, struct pfx_call_node *node, struct parts *parts)
{
	struct weight weight;
	struct group *groups;
	uint32_t i, nr_groups;
	uint64_t min;

	for (i = 0; i < parts->nr; i++) {
		weight = weight_in(t, &parts->at[i]);
		node->kids_hit += weight.period;
		node->kids_hits += weight.count;
	}
	if (!parts->nr)
		return;
	groups = split(t, parts, &nr_groups);
	node->kids = pfx_arena_alloc(t->arena, nr_groups * sizeof(*node->kids));
	min = threshold(t, node);
	for (i = 0; groups && i < nr_groups; i++)
		if (groups[i].period >= min)
			node->kids[node->nr_kids++] =
				grow(t, node, parts->at + groups[i].first, groups[i].nr);
	free(groups);
}

static int by_hit(const void *x, const void *y)
{
	const struct pfx_call_node *a = *(struct pfx_call_node *const *)x;
	const struct pfx_call_node *b = *(struct pfx_call_node *const *)y;

	return a->hit != b->hit ? pfx_compare_u64(b->hit, a->hit)
				: pfx_compare_u64(a->order, b->order);
}

/* Flat and folded: the nodes in which something ends, instead of the tree. */
static void list_ends(struct treeing *t, struct pfx_call_node *root)
{
	root->nr_kids = t->ends.nr;
	root->kids = NULL;
	if (t->ends.nr) {
		qsort(t->ends.at, t->ends.nr, sizeof(*t->ends.at), by_hit);
		root->kids =
			pfx_arena_memdup(t->arena, t->ends.at, t->ends.nr * sizeof(*t->ends.at));
	}
	pfx_vec_free(&t->ends);
}

/* --- the row's parts in the tree of all chains --- */

static void take_own(struct treeing *t, const struct pfx_row *row)
{
	const struct pfx_hist_leaf *leaf;
	struct pfx_leaf_sum sum = {0};
	uint32_t i;

	pfx_vec_push(&t->own_sums, sum);
	for (i = row->first_leaf; i; i = leaf->next) {
		leaf = &t->leaves->at[i - 1];
		sum.period += leaf->period;
		sum.count += leaf->count;
		pfx_vec_push(&t->own, *leaf);
		pfx_vec_push(&t->own_sums, sum);
	}
}

/* The chains of the row's own samples, in each context. */
static void start_own(struct treeing *t, struct parts *to)
{
	struct part all = {.is_own = true};
	struct pfx_call_node none = {0};
	uint32_t i;

	for (i = 0; i < t->own.nr; i++)
		if (i + 1 == t->own.nr || t->own.at[i].context != t->own.at[i + 1].context) {
			all.own.end = i + 1;
			leave_node(t, &none, &all, to);
			all.own.first = i + 1;
		}
}

static bool is_before(const struct pfx_hist_leaf *leaf, uint32_t context, uint32_t node)
{
	return leaf->context < context || (leaf->context == context && leaf->end < node);
}

static struct range leaves_below(const struct pfx_hist_leaf *leaves, size_t nr,
				 const struct pfx_row_part *part, uint32_t end)
{
	return (struct range){
		(uint32_t)pfx_bisect(i, nr, is_before(&leaves[i], part->context, part->node)),
		(uint32_t)pfx_bisect(i, nr, is_before(&leaves[i], part->context, end)),
	};
}

/* Where the row's chains start. */
static void find_starts(struct treeing *t, const struct pfx_row *row, struct parts *to)
{
	const struct pfx_row_part *from;
	struct part part;
	uint32_t i, end;

	start_own(t, to);
	for (i = 0; i < row->nr_parts; i++) {
		from = &row->parts[i];
		end = t->tree->nodes.at[from->node].end;
		part = (struct part){.node = from->node, .at = from->at};
		part.all = leaves_below(t->leaves->at, t->leaves->nr, from, end);
		part.own = leaves_below(t->own.at, t->own.nr, from, end);
		if (weight_in(t, &part).count)
			pfx_vec_push(to, part);
	}
}

struct pfx_call_node *pfx_hist_calltree(const struct pfx_hists *hists, const struct pfx_hist *hist,
					const struct pfx_row *row, struct pfx_arena *arena)
{
	const struct pfx_hist_build *build = (const struct pfx_hist_build *)hist;
	struct treeing t = {.hists = hists, .arena = arena, .graph = *hists->options.graph};
	struct pfx_call_node *root;
	struct parts parts = {0};

	if (!row->nr_parts && !row->first_leaf)
		return NULL;
	t.tree = hists->tree;
	t.leaves = &build->leaves;
	t.sums = build->leaf_sums;
	t.min_hit = pfx_hist_min_hit(hists, hist, row);
	t.slot_of = pfx_malloc((hists->nodes.nr + 1) * sizeof(*t.slot_of));
	t.stamp_of = pfx_calloc(hists->nodes.nr + 1, sizeof(*t.stamp_of));
	take_own(&t, row);
	find_starts(&t, row, &parts);
	root = pfx_arena_new(arena, struct pfx_call_node);
	grow_kids(&t, root, &parts);
	if (hists->options.branch_history)
		pfx_hist_steps_fill(hists, build, row, root, arena);
	if (is_list(t.graph.mode))
		list_ends(&t, root);
	pfx_vec_free(&parts);
	pfx_vec_free(&t.own);
	pfx_vec_free(&t.own_sums);
	free(t.slot_of);
	free(t.stamp_of);
	return root->nr_kids ? root : NULL;
}
