/* SPDX-License-Identifier: MIT */
/*
 * Call trees and flame graphs: one kind of tree for both. Top down from the roots of stacks, or
 * inverted, from the ends of stacks to their callers; of all samples, or above or below one
 * function; of all together, or with a subtree for each process, thread and so on. Every node has
 * its place in a flame graph. Owns its nodes.
 *
 *	struct pfx_view_tree_options options = {.function = PFX_NO_ID, .min_share = 0.001};
 *
 *	pfx_view_tree_make(&tree, &selection, &options);
 *	for (i = 0; i < tree.nodes[0].nr_kids; i++)
 *		show(&tree.nodes[tree.nodes[0].first_kid + i]);
 */
#ifndef PFX_VIEW_VIEW_TREE_H
#define PFX_VIEW_VIEW_TREE_H

#include "view/select/selection.h"

enum pfx_view_tree_order {
	PFX_TREE_BY_WEIGHT, /* the heaviest first */
	PFX_TREE_BY_NAME,   /* places do not change much when filters change: for flame graphs */
};

struct pfx_view_tree_options {
	uint32_t column; /* of the selection */
	enum pfx_measure measure;
	enum pfx_view_tree_order order;
	bool inverted; /* kids are callers */
	/* The root of the tree: its callees, or if inverted its callers. PFX_NO_ID: everything */
	uint32_t function;
	bool own;                /* with a function: only samples at an address of it */
	bool grouped;            /* the kids of the root are groups: */
	enum pfx_view_by groups; /* PFX_VIEW_PROCESS, _THREAD, _COMM, _CPU */
	double min_share;        /* of the total: lighter nodes are omitted; 0: none */
	uint64_t min_weight;     /* the same, whatever the total */
	uint32_t max_depth;      /* levels below the root; 0: no limit */
};

struct pfx_view_node {
	uint32_t frame;  /* as in the profile; PFX_NO_ID: the root of everything, or a group */
	uint32_t group;  /* of a group: its id, else PFX_NO_ID */
	uint32_t parent; /* PFX_NO_ID: the root */
	uint32_t first_kid, nr_kids; /* kids are neighbours, in order */
	uint32_t depth;
	/* total: with kids, also omitted ones. self: samples that end here; inverted: whose stacks
	 * begin here. */
	uint64_t self, total;
	uint64_t x; /* left edge in a flame graph, in units of weight; the width is total */
};

struct pfx_view_tree {
	struct pfx_view_node *nodes; /* [0] is the root; parents first */
	uint32_t nr_nodes, max_depth;
};

/* A function on a stack more than once counts where it is outermost: its callers are those of that
 * frame, its callees all frames below. */
void pfx_view_tree_make(struct pfx_view_tree *ret, const struct pfx_selection *selection,
			const struct pfx_view_tree_options *options);
void pfx_view_tree_fini(struct pfx_view_tree *tree);

/* Both sides of one function. */
struct pfx_sandwich {
	struct pfx_view_tree callers, callees; /* the root of both is the function */
};

/* @options: inverted and grouped are ignored. */
void pfx_sandwich_make(struct pfx_sandwich *ret, const struct pfx_selection *selection,
		       const struct pfx_view_tree_options *options);
void pfx_sandwich_fini(struct pfx_sandwich *sandwich);

#endif
