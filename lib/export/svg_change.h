/* SPDX-License-Identifier: MIT */
/* What became of the frames of a flame graph since another recording. */
#ifndef PFX_EXPORT_SVG_CHANGE_H
#define PFX_EXPORT_SVG_CHANGE_H

#include "view/view_tree.h"

/* The colours of more and of less. */
#define PFX_SVG_STEPS 4

struct pfx_svg_change {
	/* By node of the tree. */
	uint64_t *samples;             /* of the event that the tree is of */
	uint64_t *other, *old_samples; /* of the old event; other: as the tree is measured */
	uint64_t gone; /* of the old event: below what the new recording does not have */
};

/* The change of a tree of the event in options->column; @old: the column of the old event. Free it
 * with pfx_svg_change_fini(). */
void pfx_svg_change_make(struct pfx_svg_change *ret, const struct pfx_selection *selection,
			 const struct pfx_view_tree_options *options, uint32_t old,
			 const struct pfx_view_tree *tree);
void pfx_svg_change_fini(struct pfx_svg_change *change);
/* -PFX_SVG_STEPS (much less) to PFX_SVG_STEPS (new), by the shares of both totals; 0: no change
 * that the numbers of samples show. */
int pfx_svg_change_step(const struct pfx_svg_change *change, const struct pfx_view_tree *tree,
			uint32_t node);

#endif
