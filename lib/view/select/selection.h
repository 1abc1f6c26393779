/* SPDX-License-Identifier: MIT */
/*
 * What a filter leaves of a profile: the samples, the tree of their frames, and their weights by
 * stack. All views are made of it. Making one passes over the samples and the nodes once; it never
 * compares names. Owns its arrays; borrows the profile, which it may share nodes with. It does not
 * see later changes of the filter.
 *
 *	rc = pfx_selection_make(&selection, &filter, &err);
 *	...	// views
 *	pfx_selection_fini(&selection);
 */
#ifndef PFX_VIEW_SELECTION_H
#define PFX_VIEW_SELECTION_H

#include "view/select/view_filter.h"

/* What counts as the weight of a sample. */
enum pfx_measure {
	PFX_MEASURE_PERIOD,
	PFX_MEASURE_SAMPLES,
};

struct pfx_selection {
	const struct pfx_profile *profile;
	/* The chosen events in their order: the columns of all weights. */
	uint32_t nr_events;
	uint32_t *events;
	uint64_t *total_period, *total_samples; /* by column */

	/* The tree of frames that are left, in the form of profile->nodes. */
	struct pfx_nodes nodes;

	/*
	 * The stacks of the chosen samples, in order of nodes. The weights of a column are
	 * nr_stacks numbers from column * nr_stacks on; see pfx_selection_weights().
	 */
	uint32_t nr_stacks;
	uint32_t *stack_node, *stack_own; /* own: a frame, as in the profile */
	uint64_t *periods, *samples;

	/* The chosen rows of the profile, ascending; and by stack of the profile, the stack here,
	 * PFX_NO_ID if it has no chosen samples. */
	uint32_t nr_rows;
	uint32_t *rows, *stack_at;
	bool owns_nodes; /* private */
};

/* -EINVAL with a message if the filter has times, but the profile was read without them. */
int pfx_selection_make(struct pfx_selection *ret, const struct pfx_view_filter *filter,
		       struct pfx_error *err);
void pfx_selection_fini(struct pfx_selection *selection);
/* The column of an event of the profile; PFX_NO_ID: not chosen. */
uint32_t pfx_selection_column(const struct pfx_selection *selection, uint32_t event);
/* The weights of a column by stack, and their sum. */
const uint64_t *pfx_selection_weights(const struct pfx_selection *selection, uint32_t column,
				      enum pfx_measure measure);
uint64_t pfx_selection_total(const struct pfx_selection *selection, uint32_t column,
			     enum pfx_measure measure);
/* The same with callees: the sums by node, nodes.nr of them in @ret. */
void pfx_selection_sum(const struct pfx_selection *selection, const uint64_t *weights,
		       uint64_t *ret);
/* The node of the stack of a chosen row of the profile, in the tree that is left. */
static inline uint32_t pfx_selection_node(const struct pfx_selection *selection, uint32_t row)
{
	pfx_profile_pass(selection->profile, row);
	return selection->stack_node[selection->stack_at[selection->profile->row_stack[row]]];
}
/* The weight of a row of the profile. */
static inline uint64_t pfx_row_weight(const struct pfx_profile *profile, enum pfx_measure measure,
				      uint32_t row)
{
	pfx_profile_pass(profile, row);
	return measure == PFX_MEASURE_PERIOD ? profile->row_period[row]
					     : pfx_profile_count(profile, row);
}

#endif
