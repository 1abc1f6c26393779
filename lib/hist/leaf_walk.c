/* SPDX-License-Identifier: MIT */
/* The leaves of a row's call tree: its own, and those below its frames. */
#include "base/bisect.h"
#include "hist/hist_internal.h"

/* The context's first leaf at @node or after it. */
static uint32_t first_leaf(const struct pfx_hist_leaves *leaves, uint32_t context, uint32_t node)
{
	const struct pfx_hist_leaf *at = leaves->at;

	return (uint32_t)pfx_bisect(i, leaves->nr,
				    at[i].context < context ||
					    (at[i].context == context && at[i].end < node));
}

void pfx_hist_each_leaf(const struct pfx_hists *hists, const struct pfx_hist_build *build,
			const struct pfx_row *row, pfx_leaf_fn fn, void *ctx)
{
	const struct pfx_hist_leaf *leaves = build->leaves.at, *leaf;
	const struct pfx_row_part *part;
	uint32_t i, p, end;

	for (i = row->first_leaf; i; i = leaves[i - 1].next)
		fn(ctx, &leaves[i - 1], NULL);
	for (p = 0; p < row->nr_parts; p++) {
		part = &row->parts[p];
		end = hists->tree->nodes.at[part->node].end;
		for (i = first_leaf(&build->leaves, part->context, part->node);
		     i < build->leaves.nr; i++) {
			leaf = &leaves[i];
			if (leaf->context != part->context || leaf->end >= end)
				break;
			if (leaf->row != row)
				fn(ctx, leaf, part);
		}
	}
}
