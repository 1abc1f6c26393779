/* SPDX-License-Identifier: MIT */
/*
 * Grows a tree node by node. Nodes of the selection with the same frame below the parts of a node
 * become one kid; what is too light is never looked into. The deepest bud is grown first, so that
 * the parts of the others wait on a stack.
 */
#include <string.h>

#include "base/bisect.h"
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

struct pfx_tree_part pfx_tree_part_of(const struct pfx_tree_growing *growing, uint32_t node)
{
	const struct pfx_tree_ends *ends = &growing->ends;
	const uint32_t *nodes = ends->nodes + ends->first;
	uint32_t nr = ends->end - ends->first, below = growing->selection->nodes.end[node];
	struct pfx_tree_part part = {.node = node};

	part.first = ends->first + (uint32_t)pfx_bisect(i, nr, nodes[i] < node);
	part.end = ends->first + (uint32_t)pfx_bisect(i, nr, nodes[i] < below);
	part.weight = ends->prefix[part.end] - ends->prefix[part.first];
	return part;
}

uint64_t pfx_tree_part_self(const struct pfx_tree_growing *growing,
			    const struct pfx_tree_part *part)
{
	const struct pfx_tree_ends *ends = &growing->ends;
	uint32_t i = part->first;

	while (i < part->end && ends->nodes[i] == part->node)
		i++;
	return ends->prefix[i] - ends->prefix[part->first];
}

static void find_part(struct pfx_tree_growing *growing, const struct pfx_tree_part *part)
{
	const struct pfx_nodes *nodes = &growing->selection->nodes;
	struct pfx_tree_kid *kid = kid_with(growing, nodes->frame[part->node]);

	kid->nr_parts++;
	kid->node.total += part->weight;
	if (!growing->options->inverted)
		kid->node.self += pfx_tree_part_self(growing, part);
	else if (!nodes->parent[part->node])
		kid->node.self += part->weight;
	pfx_vec_push(&growing->found, *part);
	pfx_vec_push(&growing->found_kid, kid->index);
}

/* Each child of the part's node that any of its ends are in. */
static void find_callees(struct pfx_tree_growing *growing, const struct pfx_tree_part *part)
{
	const struct pfx_nodes *nodes = &growing->selection->nodes;
	const struct pfx_tree_ends *ends = &growing->ends;
	struct pfx_tree_part kid = {.node = part->node + 1, .end = part->first};

	while (kid.end < part->end && ends->nodes[kid.end] == part->node)
		kid.end++;
	for (; kid.end < part->end; kid.node = nodes->end[kid.node]) {
		if (ends->nodes[kid.end] >= nodes->end[kid.node])
			continue;
		kid.first = kid.end;
		kid.end += (uint32_t)pfx_bisect(i, part->end - kid.first,
						ends->nodes[kid.first + i] < nodes->end[kid.node]);
		kid.weight = ends->prefix[kid.end] - ends->prefix[kid.first];
		find_part(growing, &kid);
	}
}

static void find_caller(struct pfx_tree_growing *growing, const struct pfx_tree_part *part)
{
	struct pfx_tree_part caller = {
		.node = growing->selection->nodes.parent[part->node],
		.weight = part->weight,
	};

	if (caller.node)
		find_part(growing, &caller);
}

/* The nodes where samples end. */
static void find_ends(struct pfx_tree_growing *growing)
{
	const struct pfx_tree_ends *ends = &growing->ends;
	struct pfx_tree_part part = {.end = ends->first};

	while (part.end < ends->end) {
		part.first = part.end;
		part.node = ends->nodes[part.first];
		while (part.end < ends->end && ends->nodes[part.end] == part.node)
			part.end++;
		part.weight = ends->prefix[part.end] - ends->prefix[part.first];
		find_part(growing, &part);
	}
}

/* The kids of a node that is made of the current parts. */
static void find_kids(struct pfx_tree_growing *growing)
{
	size_t i;

	for (i = 0; i < growing->current.nr; i++)
		if (growing->options->inverted)
			find_caller(growing, &growing->current.at[i]);
		else
			find_callees(growing, &growing->current.at[i]);
}

/* --- from found kids to nodes --- */

/* Removes kids that are too light or too deep. */
static void prune(struct pfx_tree_growing *growing, uint32_t depth)
{
	uint32_t max = growing->options->max_depth;
	size_t i, nr = 0;

	for (i = 0; i < growing->kids.nr; i++) {
		growing->kid_of_frame[growing->kids.at[i].node.frame] = 0;
		if (!growing->kids.at[i].node.total ||
		    growing->kids.at[i].node.total < growing->min_weight || (max && depth > max))
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
	const struct pfx_tree_ends *ends = &growing->ends;
	const struct pfx_tree_part root = {0, ends->first, ends->end, 0};

	if (growing->options->inverted)
		find_ends(growing);
	else
		find_callees(growing, &root);
	settle_kids(growing, at);
	grow_buds(growing);
}
