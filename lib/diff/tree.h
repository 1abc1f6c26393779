/* SPDX-License-Identifier: MIT */
/*
 * What explains a change, in the tree of calls: the smallest subtrees. A subtree is a frame with
 * its callers above it, and all that it calls. It is reported for what changed in it without the
 * smaller subtrees that are reported themselves, so that a caller is not blamed for its callee.
 *
 * The comparison is of its own: pfx_diff_tree_options() of the usual one's options, with profiles
 * that have call chains.
 */
#ifndef PFX_DIFF_TREE_H
#define PFX_DIFF_TREE_H

#include "base/str.h"
#include "diff/noise.h"

struct pfx_diff_subtree {
	const struct pfx_diff_row *row; /* its values are inclusive */
	double change;                  /* without the subtrees below it */
	double half;                    /* of the interval of the change; 0: unknown */
};

struct pfx_diff_subtrees {
	struct pfx_diff_subtree *at; /* the largest change first */
	uint32_t nr;
};

/* The options of the tree of a comparison. */
struct pfx_diff_options pfx_diff_tree_options(const struct pfx_diff_options *of);
/* The subtrees of how->event that changed beyond noise, and by at least @least. @noise may be NULL:
 * all changes count. */
void pfx_diff_explain(const struct pfx_diff_measure *how, const struct pfx_diff_noise *noise,
		      uint32_t side, double least, struct pfx_diff_subtrees *ret);
void pfx_diff_subtrees_fini(struct pfx_diff_subtrees *subtrees);
/* The names of the frames of a row, callers first, with semicolons; escaped. */
void pfx_diff_path_text(const struct pfx_diff *diff, const struct pfx_diff_row *row,
			struct pfx_str *to);
/* The same as an array of JSON. */
void pfx_diff_path_json(const struct pfx_diff *diff, const struct pfx_diff_row *row,
			struct pfx_str *to);

#endif
