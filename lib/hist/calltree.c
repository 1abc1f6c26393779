/* SPDX-License-Identifier: MIT */
/*
 * The call tree of one row, made from the chains that were kept for it. The chains are split by
 * their next frame again and again; a branch below the threshold is dropped with all its chains as
 * soon as its sum is known, so that the work goes where something is shown. Knows no text.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "hist/hist_internal.h"

/* A chain, or what is left of it. */
struct part {
	const uint32_t *at, *end; /* node ids */
	uint64_t period, count;
};

/* Parts that go on with the same frame. */
struct group {
	uint32_t node;
	uint32_t first, nr; /* in the array of parts */
	uint64_t period, count;
};

struct treeing {
	const struct pfx_hists *hists;
	struct pfx_arena *arena;
	struct pfx_callgraph graph;
	uint64_t min_hit;
	struct part *scratch;
	uint32_t *slot_of, *stamp_of; /* by node id: its group in the current split */
	uint32_t stamp;
	PFX_VEC(struct pfx_call_node *) ends; /* nodes with hits, for flat and folded */
};

static int compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Siblings of equal weight: by dso, then by address of the function or frame, the highest first. */
static int compare_places(const struct pfx_place *a, const struct pfx_place *b, bool by_address)
{
	uint32_t x = a->dso ? a->dso->id + 1 : 0, y = b->dso ? b->dso->id + 1 : 0;

	if (x != y)
		return x > y ? -1 : 1;
	if (a->sym && b->sym && !by_address)
		return compare_u64(b->sym->start, a->sym->start);
	return compare_u64(b->addr, a->addr);
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

	if (a->period != b->period && !sorting->by_place)
		return compare_u64(b->period, a->period);
	return compare_places(sorting->hists->nodes.at[a->node], sorting->hists->nodes.at[b->node],
			      sorting->by_address);
}

static void sort_groups(struct treeing *t, struct group *groups, uint32_t nr)
{
	struct sorting sorting = {t->hists, t->graph.by_address, is_list(t->graph.mode)};

	if (groups)
		qsort_r(groups, nr, sizeof(*groups), compare_groups, &sorting);
}

/* Count what ends in the node, and put the rest in front. Returns how many are left. */
static uint32_t take_ends(struct pfx_call_node *node, struct part *parts, uint32_t nr)
{
	uint32_t i, left = 0;

	for (i = 0; i < nr; i++) {
		if (parts[i].at == parts[i].end) {
			node->hit += parts[i].period;
			node->hits += parts[i].count;
		} else {
			parts[left++] = parts[i];
		}
	}
	return left;
}

/* Whether all parts go on with the same frame. */
static bool is_single(const struct part *parts, uint32_t nr)
{
	uint32_t i;

	for (i = 1; i < nr && *parts[i].at == *parts->at; i++)
		;
	return i >= nr;
}

static void step(struct part *parts, uint32_t nr)
{
	uint32_t i;

	for (i = 0; i < nr; i++)
		parts[i].at++;
}

/* The frames of a node: as long as nothing ends and nothing forks. Returns the parts left. */
static uint32_t take_run(struct treeing *t, struct pfx_call_node *node, struct part *parts,
			 uint32_t nr)
{
	PFX_VEC(struct pfx_place *) run = {0};
	uint32_t left = nr;

	do {
		pfx_vec_push(&run, t->hists->nodes.at[*parts->at]);
		step(parts, left);
		left = take_ends(node, parts, left);
	} while (left == nr && is_single(parts, left));
	node->frames = pfx_arena_memdup(t->arena, run.at, run.nr * sizeof(*run.at));
	node->nr_frames = run.nr;
	pfx_vec_free(&run);
	return left;
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

/* Put the parts of each group side by side. */
static void spread(struct treeing *t, struct part *parts, uint32_t nr, struct group *groups,
		   uint32_t nr_groups)
{
	uint32_t i, first = 0;
	struct group *group;

	for (i = 0; i < nr_groups; i++) {
		groups[i].first = first;
		first += groups[i].nr;
		groups[i].nr = 0;
	}
	memcpy(t->scratch, parts, nr * sizeof(*parts));
	for (i = 0; i < nr; i++) {
		group = &groups[t->slot_of[*t->scratch[i].at]];
		parts[group->first + group->nr++] = t->scratch[i];
	}
}

/* Split @parts by their next frame. The caller frees the result. */
static struct group *split(struct treeing *t, struct part *parts, uint32_t nr, uint32_t *ret_nr)
{
	struct group *groups = NULL, *group;
	uint32_t i, cap = 0;

	t->stamp++;
	*ret_nr = 0;
	for (i = 0; i < nr; i++) {
		group = group_of(t, *parts[i].at, &groups, ret_nr, &cap);
		group->nr++;
		group->period += parts[i].period;
		group->count += parts[i].count;
	}
	spread(t, parts, nr, groups, *ret_nr);
	sort_groups(t, groups, *ret_nr);
	return groups;
}

static uint64_t threshold(const struct treeing *t, const struct pfx_call_node *node)
{
	if (t->graph.mode != PFX_GRAPH_FRACTAL)
		return t->min_hit;
	return (uint64_t)ceil(node->kids_hit * (t->graph.min_percent / 100.0));
}

static void grow_kids(struct treeing *t, struct pfx_call_node *node, struct part *parts,
		      uint32_t nr);

static struct pfx_call_node *grow(struct treeing *t, struct pfx_call_node *parent,
				  struct part *parts, uint32_t nr)
{
	struct pfx_call_node *node = pfx_arena_new(t->arena, struct pfx_call_node);
	uint32_t left;

	node->parent = parent;
	left = take_run(t, node, parts, nr);
	grow_kids(t, node, parts, left);
	if (is_list(t->graph.mode) && node->hit && node->hit >= t->min_hit) {
		node->order = t->ends.nr;
		pfx_vec_push(&t->ends, node);
	}
	return node;
}

/* The kids of a node that are above the threshold. The node's ends were taken. */
static void grow_kids(struct treeing *t, struct pfx_call_node *node, struct part *parts,
		      uint32_t nr)
{
	struct group *groups;
	uint32_t i, nr_groups;
	uint64_t min;

	for (i = 0; i < nr; i++) {
		node->kids_hit += parts[i].period;
		node->kids_hits += parts[i].count;
	}
	if (!nr)
		return;
	groups = split(t, parts, nr, &nr_groups);
	node->kids = pfx_arena_alloc(t->arena, nr_groups * sizeof(*node->kids));
	min = threshold(t, node);
	for (i = 0; groups && i < nr_groups; i++)
		if (groups[i].period >= min)
			node->kids[node->nr_kids++] =
				grow(t, node, parts + groups[i].first, groups[i].nr);
	free(groups);
}

static int by_hit(const void *x, const void *y)
{
	const struct pfx_call_node *a = *(struct pfx_call_node *const *)x;
	const struct pfx_call_node *b = *(struct pfx_call_node *const *)y;

	return a->hit != b->hit ? compare_u64(b->hit, a->hit) : compare_u64(a->order, b->order);
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

static struct part *copy_parts(const struct pfx_row *row)
{
	struct part *parts = pfx_malloc(row->nr_chains * sizeof(*parts));
	const struct pfx_row_chain *chain;
	uint32_t i;

	for (i = 0; i < row->nr_chains; i++) {
		chain = &row->chains[i];
		parts[i].at = chain->frames->nodes + chain->pos;
		parts[i].end = chain->frames->nodes + chain->frames->nr;
		parts[i].period = chain->period;
		parts[i].count = chain->count;
	}
	return parts;
}

struct pfx_call_node *pfx_hist_calltree(const struct pfx_hists *hists, const struct pfx_hist *hist,
					const struct pfx_row *row, struct pfx_arena *arena)
{
	struct treeing t = {.hists = hists, .arena = arena, .graph = *hists->options.graph};
	struct pfx_call_node *root;
	struct part *parts;

	if (!row->nr_chains)
		return NULL;
	t.min_hit = pfx_hist_min_hit(hists, hist, row);
	t.scratch = pfx_malloc(row->nr_chains * sizeof(*t.scratch));
	t.slot_of = pfx_malloc((hists->nodes.nr + 1) * sizeof(*t.slot_of));
	t.stamp_of = pfx_calloc(hists->nodes.nr + 1, sizeof(*t.stamp_of));
	parts = copy_parts(row);
	root = pfx_arena_new(arena, struct pfx_call_node);
	grow_kids(&t, root, parts, row->nr_chains);
	if (is_list(t.graph.mode))
		list_ends(&t, root);
	free(parts);
	free(t.scratch);
	free(t.slot_of);
	free(t.stamp_of);
	return root->nr_kids ? root : NULL;
}
