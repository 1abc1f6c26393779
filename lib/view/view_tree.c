/* SPDX-License-Identifier: MIT */
/* Makes the trees of all samples, of groups, and of one function. */
#include "view/view_tree.h"

#include <stdlib.h>

#include "view/view_tree_internal.h"

static bool is_chosen(const struct pfx_tree_growing *growing, uint32_t stack)
{
	const struct pfx_selection *selection = growing->selection;

	return !growing->options->own ||
	       selection->profile->frames[selection->stack_own[stack]].function ==
		       growing->options->function;
}

/* The stacks with a weight. The caller frees both arrays. */
static void weigh(struct pfx_tree_growing *growing, uint32_t **ret_nodes, uint64_t **ret_prefix)
{
	const struct pfx_selection *selection = growing->selection;
	const uint64_t *weights = pfx_selection_weights(selection, growing->options->column,
							growing->options->measure);
	uint32_t *nodes = pfx_malloc((selection->nr_stacks + 1ul) * sizeof(*nodes)), i, nr = 0;
	uint64_t *prefix = pfx_malloc((selection->nr_stacks + 1ul) * sizeof(*prefix));

	prefix[0] = 0;
	for (i = 0; i < selection->nr_stacks; i++) {
		if (!weights[i] || !is_chosen(growing, i))
			continue;
		nodes[nr] = selection->stack_node[i];
		prefix[nr + 1] = prefix[nr] + weights[i];
		nr++;
	}
	growing->ends = (struct pfx_tree_ends){nodes, prefix, 0, nr};
	*ret_nodes = nodes;
	*ret_prefix = prefix;
}

static void set_root(struct pfx_tree_growing *growing, uint32_t frame, uint64_t total)
{
	const struct pfx_view_node root = {
		.frame = frame,
		.group = PFX_NO_ID,
		.parent = PFX_NO_ID,
		.total = total,
	};

	double min = (double)total * growing->options->min_share;

	pfx_vec_push(&growing->nodes, root);
	growing->min_weight = (uint64_t)min;
	if ((double)growing->min_weight < min)
		growing->min_weight++;
	if (growing->min_weight < growing->options->min_weight)
		growing->min_weight = growing->options->min_weight;
}

static uint32_t any_frame(const struct pfx_profile *profile, uint32_t function)
{
	uint32_t i;

	for (i = 0; i < profile->nr_frames; i++)
		if (profile->frames[i].function == function)
			return i;
	return PFX_NO_ID;
}

/* Its outermost nodes. */
static void grow_function(struct pfx_tree_growing *growing, uint32_t function)
{
	const struct pfx_nodes *nodes = &growing->selection->nodes;
	const struct pfx_profile *profile = growing->selection->profile;
	uint64_t total = 0, self = 0;
	struct pfx_tree_part part;
	uint32_t i;

	for (i = 1; i < nodes->nr; i++) {
		if (profile->frames[nodes->frame[i]].function != function)
			continue;
		part = pfx_tree_part_of(growing, i);
		i = nodes->end[i] - 1;
		if (!part.weight)
			continue;
		total += part.weight;
		if (!growing->options->inverted)
			self += pfx_tree_part_self(growing, &part);
		else if (!nodes->parent[part.node])
			self += part.weight;
		pfx_vec_push(&growing->current, part);
	}
	set_root(growing, any_frame(profile, function), total);
	growing->nodes.at[0].self = self;
	pfx_tree_grow_parts(growing, 0);
}

static void grow(struct pfx_tree_growing *growing)
{
	const struct pfx_view_tree_options *options = growing->options;
	uint64_t *prefix, total;
	uint32_t *nodes;

	total = pfx_selection_total(growing->selection, options->column, options->measure);
	if (options->function == PFX_NO_ID && options->grouped) {
		set_root(growing, PFX_NO_ID, total);
		pfx_tree_grow_groups(growing);
		return;
	}
	weigh(growing, &nodes, &prefix);
	if (options->function != PFX_NO_ID) {
		grow_function(growing, options->function);
	} else {
		set_root(growing, PFX_NO_ID, total);
		pfx_tree_grow_all(growing, 0);
	}
	free(nodes);
	free(prefix);
}

void pfx_view_tree_make(struct pfx_view_tree *ret, const struct pfx_selection *selection,
			const struct pfx_view_tree_options *options)
{
	struct pfx_tree_growing growing = {.selection = selection, .options = options};

	growing.kid_of_frame =
		pfx_calloc(selection->profile->nr_frames + 1ul, sizeof(*growing.kid_of_frame));
	grow(&growing);
	*ret = (struct pfx_view_tree){
		.nodes = growing.nodes.at,
		.nr_nodes = (uint32_t)growing.nodes.nr,
		.max_depth = growing.max_depth,
	};
	free(growing.kid_of_frame);
	pfx_vec_free(&growing.buds);
	pfx_vec_free(&growing.parts);
	pfx_vec_free(&growing.kids);
	pfx_vec_free(&growing.current);
	pfx_vec_free(&growing.found);
	pfx_vec_free(&growing.found_kid);
	pfx_vec_free(&growing.places);
}

void pfx_view_tree_fini(struct pfx_view_tree *tree)
{
	free(tree->nodes);
	*tree = (struct pfx_view_tree){0};
}

void pfx_sandwich_make(struct pfx_sandwich *ret, const struct pfx_selection *selection,
		       const struct pfx_view_tree_options *options)
{
	struct pfx_view_tree_options side = *options;

	side.inverted = true;
	pfx_view_tree_make(&ret->callers, selection, &side);
	side.inverted = false;
	pfx_view_tree_make(&ret->callees, selection, &side);
}

void pfx_sandwich_fini(struct pfx_sandwich *sandwich)
{
	pfx_view_tree_fini(&sandwich->callers);
	pfx_view_tree_fini(&sandwich->callees);
}
