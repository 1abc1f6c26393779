/* SPDX-License-Identifier: MIT */
/*
 * Grows a tree node by node. Nodes of the selection with the same frame below the parts of a node
 * become one kid; what is too light is never looked into. The deepest bud is grown first, so that
 * the parts of the others wait on a stack.
 */
#include <string.h>

#include "view/view_tree_internal.h"

static struct pfx_tree_kid *kid_with(struct pfx_tree_growing *growing, uint32_t frame)
{
	uint32_t *slot = &growing->kid_of_frame[frame];
	struct pfx_tree_kid kid = {
		.node = {.frame = frame, .group = PFX_NO_ID},
		.index = (uint32_t)growing->kids.nr,
	};

	if (!*slot) {
		pfx_vec_push(&growing->kids, kid);
		*slot = (uint32_t)growing->kids.nr;
	}
	return &growing->kids.at[*slot - 1];
}

static void find_part(struct pfx_tree_growing *growing, uint32_t node, uint64_t weight)
{
	const struct pfx_nodes *nodes = &growing->selection->nodes;
	struct pfx_tree_kid *kid = kid_with(growing, nodes->frame[node]);

	kid->nr_parts++;
	kid->node.total += weight;
	if (!growing->options->inverted)
		kid->node.self += growing->selfs[node];
	else if (!nodes->parent[node])
		kid->node.self += weight;
	pfx_vec_push(&growing->found, ((struct pfx_tree_part){node, weight}));
	pfx_vec_push(&growing->found_kid, kid->index);
}

static void find_callees(struct pfx_tree_growing *growing, uint32_t node)
{
	const struct pfx_nodes *nodes = &growing->selection->nodes;
	uint32_t kid;

	for (kid = node + 1; kid < nodes->end[node]; kid = nodes->end[kid])
		if (growing->sums[kid])
			find_part(growing, kid, growing->sums[kid]);
}

/* The kids of a node that is made of the current parts. */
static void find_kids(struct pfx_tree_growing *growing)
{
	const struct pfx_nodes *nodes = &growing->selection->nodes;
	const struct pfx_tree_part *part;
	size_t i;

	for (i = 0; i < growing->current.nr; i++) {
		part = &growing->current.at[i];
		if (!growing->options->inverted)
			find_callees(growing, part->node);
		else if (nodes->parent[part->node])
			find_part(growing, nodes->parent[part->node], part->weight);
	}
}

/* --- from found kids to nodes --- */

/* Removes kids that are too light or too deep. */
static void prune(struct pfx_tree_growing *growing, uint32_t depth)
{
	uint32_t max = growing->options->max_depth;
	size_t i, nr = 0;

	for (i = 0; i < growing->kids.nr; i++) {
		growing->kid_of_frame[growing->kids.at[i].node.frame] = 0;
		if (growing->kids.at[i].node.total < growing->min_weight || (max && depth > max))
			continue;
		growing->kids.at[nr++] = growing->kids.at[i];
	}
	growing->kids.nr = nr;
}

/* Adds the kids as nodes, and as buds with places for their parts. */
static void add_kids(struct pfx_tree_growing *growing, uint32_t parent)
{
	struct pfx_view_node *above = &growing->nodes.at[parent];
	uint32_t first = (uint32_t)growing->nodes.nr, depth = above->depth + 1;
	size_t i, at = growing->parts.nr;
	uint64_t x = above->x;
	struct pfx_tree_kid *kid;

	above->first_kid = first;
	above->nr_kids = (uint32_t)growing->kids.nr;
	if (growing->kids.nr && growing->max_depth < depth)
		growing->max_depth = depth;
	for (i = 0; i < growing->kids.nr; i++) {
		kid = &growing->kids.at[i];
		kid->node.parent = parent;
		kid->node.depth = depth;
		kid->node.x = x;
		x += kid->node.total;
		pfx_vec_push(&growing->nodes, kid->node);
		pfx_vec_push(&growing->buds, ((struct pfx_tree_bud){first + (uint32_t)i, at}));
		*pfx_vec_slot(&growing->places, kid->index) = at;
		at += kid->nr_parts;
	}
	pfx_vec_reserve(&growing->parts, at);
	growing->parts.nr = at;
}

/* Sorts the found parts by kid. */
static void give_parts(struct pfx_tree_growing *growing)
{
	size_t i, *place;

	for (i = 0; i < growing->found.nr; i++) {
		place = &growing->places.at[growing->found_kid.at[i]];
		if (*place != SIZE_MAX)
			growing->parts.at[(*place)++] = growing->found.at[i];
	}
}

static void settle_kids(struct pfx_tree_growing *growing, uint32_t at)
{
	size_t i, nr = growing->kids.nr;

	for (i = 0; i < nr; i++)
		*pfx_vec_slot(&growing->places, i) = SIZE_MAX;
	prune(growing, growing->nodes.at[at].depth + 1);
	pfx_tree_sort_kids(growing, growing->kids.at, growing->kids.nr);
	add_kids(growing, at);
	give_parts(growing);
	growing->kids.nr = growing->found.nr = growing->found_kid.nr = growing->current.nr = 0;
}

/* --- all below --- */

static void grow_buds(struct pfx_tree_growing *growing)
{
	struct pfx_tree_bud bud;
	size_t nr;

	while (growing->buds.nr) {
		bud = growing->buds.at[--growing->buds.nr];
		nr = growing->parts.nr - bud.first_part;
		pfx_vec_reserve(&growing->current, nr);
		if (nr)
			memcpy(growing->current.at, growing->parts.at + bud.first_part,
			       nr * sizeof(*growing->current.at));
		growing->current.nr = nr;
		growing->parts.nr = bud.first_part;
		find_kids(growing);
		settle_kids(growing, bud.node);
	}
}

void pfx_tree_grow_parts(struct pfx_tree_growing *growing, uint32_t at)
{
	find_kids(growing);
	settle_kids(growing, at);
	grow_buds(growing);
}

void pfx_tree_grow_all(struct pfx_tree_growing *growing, uint32_t at)
{
	size_t i;

	if (growing->options->inverted)
		for (i = 0; i < growing->ends.nr; i++)
			find_part(growing, growing->ends.at[i],
				  growing->selfs[growing->ends.at[i]]);
	else
		find_callees(growing, 0);
	settle_kids(growing, at);
	grow_buds(growing);
}
