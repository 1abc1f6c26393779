/* SPDX-License-Identifier: MIT */
/* What the files of trees share: growing a tree, and the weights that it grows by. */
#ifndef PFX_VIEW_VIEW_TREE_INTERNAL_H
#define PFX_VIEW_VIEW_TREE_INTERNAL_H

#include "base/alloc.h"
#include "view/view_tree.h"

/* Where samples end: nodes of the selection, ascending, some several times. A subtree is a range of
 * them, whose weight is a difference of prefix sums: nodes that are too light are never visited. */
struct pfx_tree_ends {
	const uint32_t *nodes;
	const uint64_t *prefix; /* prefix[i]: the sum of all before i; one more than nodes */
	uint32_t first, end;    /* those to use */
};

/* A node of the selection that is part of a node of the view, and the samples that both share. */
struct pfx_tree_part {
	uint32_t node;
	uint32_t first, end; /* the ends in or below it; unless inverted */
	uint64_t weight;
};

/* A kid that is being found. */
struct pfx_tree_kid {
	struct pfx_view_node node;
	uint32_t index; /* in order of appearance */
	uint32_t nr_parts;
};

/* A node of the view without its kids yet. */
struct pfx_tree_bud {
	uint32_t node;
	size_t first_part; /* the last bud's parts are those up to the end */
};

struct pfx_tree_growing {
	const struct pfx_selection *selection;
	const struct pfx_view_tree_options *options;
	struct pfx_tree_ends ends;
	uint64_t min_weight;
	PFX_VEC(struct pfx_view_node) nodes;
	PFX_VEC(struct pfx_tree_bud) buds;
	PFX_VEC(struct pfx_tree_part) parts; /* of the buds */
	/* Scratch for the kids of one node. */
	uint32_t *kid_of_frame; /* index of kids, plus 1 */
	PFX_VEC(struct pfx_tree_kid) kids;
	PFX_VEC(struct pfx_tree_part) current, found;
	PFX_VEC(uint32_t) found_kid; /* by found part */
	PFX_VEC(size_t) places;      /* by index of a kid: of its next part; SIZE_MAX: omitted */
	uint32_t max_depth;
};

/* Grow everything below a node of the view whose kids are the roots of all stacks, or if inverted
 * their ends. */
void pfx_tree_grow_all(struct pfx_tree_growing *growing, uint32_t at);
/* The part of all ends that are in or below a node. */
struct pfx_tree_part pfx_tree_part_of(const struct pfx_tree_growing *growing, uint32_t node);
/* The weight of a part that ends in its node. */
uint64_t pfx_tree_part_self(const struct pfx_tree_growing *growing,
			    const struct pfx_tree_part *part);
/* Grow everything below a node that is made of the current parts, which are emptied. */
void pfx_tree_grow_parts(struct pfx_tree_growing *growing, uint32_t at);
/* The order of siblings. */
void pfx_tree_sort_kids(const struct pfx_tree_growing *growing, struct pfx_tree_kid *kids,
			size_t nr);
/* Groups as kids of the root, and everything below. */
void pfx_tree_grow_groups(struct pfx_tree_growing *growing);

#endif
