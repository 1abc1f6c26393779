/* SPDX-License-Identifier: MIT */
/*
 * The branch history before call chains. A chain that begins with branches has two frames for each,
 * target and origin, the newest first; samples with equal chains may have different flags and
 * cycles, which are summed by bucket and, for call trees, by frame. Frames of inlined functions
 * have no branch.
 */
#include <string.h>

#include "base/alloc.h"
#include "hist/hist_internal.h"

#define NO_STEP UINT32_MAX

/* The PFX_KIND_* bits of a branch; none if its type is unknown. */
static uint64_t kinds_of(const struct pfx_branch *branch)
{
	unsigned type = pfx_branch_type(branch), more = pfx_branch_new_type(branch);
	uint64_t apart = branch->from ^ branch->to, kinds;

	if (!type || !branch->from)
		return 0;
	if (type == PFX_BRANCH_COND_TYPE)
		kinds = 1ull << (branch->to > branch->from ? PFX_KIND_FORWARD : PFX_KIND_BACKWARD);
	else if (type == PFX_BRANCH_MORE_TYPES)
		kinds = 1ull << (PFX_KIND_MORE + more);
	else
		kinds = 1ull << (PFX_KIND_TYPE + type);
	if (apart >> 21)
		kinds |= 1ull << PFX_KIND_CROSS_2M;
	else if (apart >> 12)
		kinds |= 1ull << PFX_KIND_CROSS_4K;
	return kinds;
}

void pfx_hist_steps_add(struct pfx_hists *hists, struct pfx_bucket *bucket)
{
	const struct pfx_branch_step *steps;
	uint32_t i, nr = pfx_resolver_branches(hists->options.resolver, &steps);
	struct pfx_branch_sum *sum;
	struct pfx_hist_steps *sums;

	if (!nr)
		return;
	if (!bucket->steps) {
		sum = pfx_arena_array(&hists->arena, struct pfx_branch_sum, nr);
		pfx_vec_push(&hists->steps, ((struct pfx_hist_steps){sum, nr}));
		bucket->steps = (uint32_t)hists->steps.nr;
	}
	sums = &hists->steps.at[bucket->steps - 1];
	for (i = 0; i < nr && i < sums->nr; i++) {
		sum = &sums->at[i];
		sum->to++;
		sum->predicted += pfx_branch_predicted(&steps[i].branch);
		sum->aborts += pfx_branch_abort(&steps[i].branch);
		sum->kinds |= kinds_of(&steps[i].branch);
		sum->cycles += pfx_branch_cycles(&steps[i].branch);
		sum->loops += steps[i].nr_loops;
		sum->loop_cycles += steps[i].loop_cycles;
	}
}

uint32_t *pfx_hist_steps_of(struct pfx_hists *hists, struct pfx_place **places, uint32_t nr)
{
	uint32_t *steps = pfx_arena_alloc(&hists->arena, (nr + 1) * sizeof(*steps));
	const struct pfx_symbol *sym;
	uint32_t i, next = 0;

	for (i = 0; i < nr; i++) {
		sym = pfx_place_symbol(hists->options.resolver, places[i]);
		steps[i] = sym && sym->is_inlined ? NO_STEP : next++;
	}
	return steps;
}

/* Add the sum of a chain's frame to a frame of the tree. */
static void add_sum(struct pfx_branch_sum *to, const struct pfx_branch_sum *sum, bool is_from)
{
	if (is_from) {
		to->from += sum->to;
		to->cycles += sum->cycles;
		to->loops += sum->loops;
		to->loop_cycles += sum->loop_cycles;
	} else {
		to->to += sum->to;
		to->predicted += sum->predicted;
		to->aborts += sum->aborts;
		to->kinds |= sum->kinds;
	}
}

void pfx_hist_steps_count(struct pfx_hists *hists, const struct pfx_bucket *bucket,
			  struct pfx_row *row)
{
	const struct pfx_hist_steps *sums;
	uint32_t i;

	if (!bucket->steps)
		return;
	if (!row->branches)
		row->branches = pfx_arena_new(&hists->arena, struct pfx_branch_sum);
	sums = &hists->steps.at[bucket->steps - 1];
	for (i = 0; i < sums->nr; i++) {
		add_sum(row->branches, &sums->at[i], false);
		add_sum(row->branches, &sums->at[i], true);
	}
}

static struct pfx_call_node *kid_with(const struct pfx_call_node *node,
				      const struct pfx_place *frame)
{
	uint32_t i;

	for (i = 0; i < node->nr_kids; i++)
		if (node->kids[i]->frames[0] == frame)
			return node->kids[i];
	return NULL;
}

/* @steps: of the node's frames, at most @nr. */
static void fill_node(struct pfx_call_node *node, const struct pfx_hist_steps *sums,
		      const uint32_t *steps, uint32_t nr)
{
	uint32_t i;

	for (i = 0; i < node->nr_frames && i < nr; i++)
		if (steps[i] != NO_STEP && steps[i] / 2 < sums->nr)
			add_sum(&node->branches[i], &sums->at[steps[i] / 2], steps[i] % 2);
}

struct filling {
	const struct pfx_hists *hists;
	struct pfx_call_node *root;
	struct pfx_arena *arena;
	const struct pfx_bucket *buckets; /* from which the leaves were made */
	PFX_VEC(uint32_t) frames;         /* of the current chain, as displayed */
};

/* The frames of the path down to @end; returns their number. */
static uint32_t path_frames(struct filling *filling, uint32_t end)
{
	const struct pfx_tree *tree = filling->hists->tree;
	uint32_t nr = pfx_tree_depth(tree, end);
	const struct pfx_tree_node *node;

	pfx_vec_reserve(&filling->frames, nr);
	for (; end; end = node->parent) {
		node = &tree->nodes.at[end];
		memcpy(filling->frames.at + node->depth, tree->frames.at + node->first,
		       node->nr * sizeof(*tree->frames.at));
	}
	return nr;
}

static void fill_leaf(void *ctx, const struct pfx_hist_leaf *leaf, const struct pfx_row_part *part)
{
	struct filling *filling = ctx;
	const struct pfx_hists *hists = filling->hists;
	const struct pfx_bucket *bucket = &filling->buckets[leaf->bucket];
	const uint32_t *steps = hists->frame_steps.at[bucket->key.chain];
	uint32_t pos = part ? hists->tree->nodes.at[part->node].depth + part->at : 0;
	uint32_t nr = path_frames(filling, leaf->end), frame;
	struct pfx_call_node *node = filling->root;

	for (; bucket->steps && pos < nr; pos += node->nr_frames) {
		frame = pfx_frame_node(hists, filling->frames.at[pos]);
		node = kid_with(node, hists->nodes.at[frame]);
		if (!node)
			break;
		if (!node->branches)
			node->branches = pfx_arena_array(filling->arena, struct pfx_branch_sum,
							 node->nr_frames);
		fill_node(node, &hists->steps.at[bucket->steps - 1], steps + pos, nr - pos);
	}
}

void pfx_hist_steps_fill(const struct pfx_hists *hists, const struct pfx_hist_build *build,
			 const struct pfx_row *row, struct pfx_call_node *root,
			 struct pfx_arena *arena)
{
	struct filling filling = {.hists = hists, .root = root, .arena = arena};

	if (build->tallies[0])
		filling.buckets = build->tallies[0]->buckets;
	pfx_hist_each_leaf(hists, build, row, fill_leaf, &filling);
	pfx_vec_free(&filling.frames);
}
