/* SPDX-License-Identifier: MIT */
/* What became of the nodes of a tree since another recording: of a profile with the events of both.
 */
#ifndef PFX_VIEW_TREE_CHANGE_H
#define PFX_VIEW_TREE_CHANGE_H

#include "view/view_tree.h"

/* The colours of more and of less. */
#define PFX_CHANGE_STEPS 4

struct pfx_tree_change {
	/* By node of the tree. */
	uint64_t *samples;             /* of the event that the tree is of */
	uint64_t *other, *old_samples; /* of the old event; other: as the tree is measured */
	uint64_t gone; /* of the old event: below what the new recording does not have */
};

/* The totals in a tree with these options, by node of @tree; the caller frees them. */
uint64_t *pfx_tree_totals_in(const struct pfx_selection *selection,
			     const struct pfx_view_tree_options *options,
			     const struct pfx_view_tree *tree);
/* The change of a tree of the event in options->column; @old: the column of the old event. Free it
 * with pfx_tree_change_fini(). */
void pfx_tree_change_make(struct pfx_tree_change *ret, const struct pfx_selection *selection,
			  const struct pfx_view_tree_options *options, uint32_t old,
			  const struct pfx_view_tree *tree);
void pfx_tree_change_fini(struct pfx_tree_change *change);
/* -PFX_CHANGE_STEPS (much less) to PFX_CHANGE_STEPS (new), by the shares of both totals; 0: no
 * change. Whether it is more than noise, diff/pair_noise.h says. */
int pfx_tree_change_step(const struct pfx_tree_change *change, const struct pfx_view_tree *tree,
			 uint32_t node);

#endif
