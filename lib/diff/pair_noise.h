/* SPDX-License-Identifier: MIT */
/*
 * What `pfx diff` finds of the functions and call paths that a picture of two recordings shows: the
 * intervals and verdicts of its own comparisons, see diff/noise.h. A place that is not exactly one
 * row of a comparison has no verdict.
 */
#ifndef PFX_DIFF_PAIR_NOISE_H
#define PFX_DIFF_PAIR_NOISE_H

#include "diff/join_profiles.h"
#include "diff/noise.h"
#include "view/view_tree.h"

enum pfx_pair_verdict {
	PFX_PAIR_UNKNOWN,
	PFX_PAIR_WITHIN, /* noise, or nothing changed */
	PFX_PAIR_BEYOND,
};

struct pfx_pair_finding {
	enum pfx_pair_verdict verdict;
	double half; /* the difference plus and minus this; unless unknown */
};

enum pfx_pair_rows { PFX_PAIR_SELF, PFX_PAIR_TOTAL, PFX_PAIR_PATHS, PFX_PAIR_COMMS };
#define PFX_PAIR_NR_ROWS (PFX_PAIR_COMMS + 1)

/* What is compared: how samples are counted and put on one footing. */
struct pfx_pair_footing {
	enum pfx_measure measure;
	bool is_share; /* of the totals; else numbers */
};

/* What is shown, and the comparison of both by library and function, with noise. */
struct pfx_pair {
	const struct pfx_profile *old, *new;
	const struct pfx_joined *joined;       /* both, with the renames that were found */
	const struct pfx_selection *selection; /* of the joined one */
	const struct pfx_diff *functions;
	bool by_comm; /* call paths are those of threads with one name */
};

struct pfx_pair_noise;

/* Borrows what the pair points to. */
struct pfx_pair_noise *pfx_pair_noise_new(const struct pfx_pair *pair);
void pfx_pair_noise_free(struct pfx_pair_noise *noise); /* may be NULL */

/* Of the functions of the joined profile, by function: PFX_PAIR_SELF or _TOTAL. @event: a new one
 * that is compared. The caller frees the array; so with the others. */
struct pfx_pair_finding *pfx_pair_functions(struct pfx_pair_noise *noise, uint32_t event,
					    enum pfx_pair_rows rows,
					    const struct pfx_pair_footing *footing);
/* Of the nodes of the selection. */
struct pfx_pair_finding *pfx_pair_nodes(struct pfx_pair_noise *noise, uint32_t event,
					const struct pfx_pair_footing *footing);
/* Of the nodes of a tree of the selection, top down; by names of threads with by_comm. @samples and
 * @old_samples: what its nodes have in both recordings. */
struct pfx_pair_finding *pfx_pair_tree(struct pfx_pair_noise *noise, uint32_t event,
				       const struct pfx_pair_footing *footing,
				       const struct pfx_view_tree *tree, const uint64_t *samples,
				       const uint64_t *old_samples);

#endif
