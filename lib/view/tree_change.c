/* SPDX-License-Identifier: MIT */
/* Nodes of trees with other weights are found by their paths. */
#include "view/tree_change.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"

#define OF_GROUP 0x80000000u

static uint64_t kid_key(uint64_t parent, const struct pfx_view_node *node)
{
	uint32_t own = node->group == PFX_NO_ID ? node->frame : node->group | OF_GROUP;

	return parent << 32 | own;
}

uint64_t *pfx_tree_totals_in(const struct pfx_selection *selection,
			     const struct pfx_view_tree_options *options,
			     const struct pfx_view_tree *tree)
{
	uint64_t *totals = pfx_calloc(tree->nr_nodes + 1ul, sizeof(*totals));
	uint32_t *at = pfx_calloc(tree->nr_nodes + 1ul, sizeof(*at)), i; /* its node, plus 1 */
	struct pfx_hash kids = {0};
	struct pfx_view_tree in;
	const uint64_t *found;

	pfx_view_tree_make(&in, selection, options);
	for (i = 1; i < in.nr_nodes; i++)
		*pfx_hash_add(&kids, kid_key(in.nodes[i].parent, &in.nodes[i]), NULL) = i;
	at[0] = 1;
	totals[0] = in.nodes->total;
	for (i = 1; i < tree->nr_nodes; i++) {
		if (!at[tree->nodes[i].parent])
			continue;
		found = pfx_hash_get(&kids,
				     kid_key(at[tree->nodes[i].parent] - 1ul, &tree->nodes[i]));
		if (!found)
			continue;
		at[i] = (uint32_t)*found + 1;
		totals[i] = in.nodes[*found].total;
	}
	pfx_view_tree_fini(&in);
	pfx_hash_fini(&kids);
	free(at);
	return totals;
}

/* What the old event has in places that the new one does not have. */
static uint64_t sum_gone(const struct pfx_selection *selection,
			 const struct pfx_view_tree_options *options, uint32_t old)
{
	const struct pfx_nodes *nodes = &selection->nodes;
	uint64_t *now = pfx_malloc((nodes->nr + 1ul) * sizeof(*now)), gone = 0;
	uint64_t *before = pfx_malloc((nodes->nr + 1ul) * sizeof(*before));
	uint32_t i;

	pfx_selection_sum(selection,
			  pfx_selection_weights(selection, options->column, options->measure), now);
	pfx_selection_sum(selection, pfx_selection_weights(selection, old, options->measure),
			  before);
	for (i = 1; i < nodes->nr; i++)
		if (!now[i] && before[i] && (!nodes->parent[i] || now[nodes->parent[i]]))
			gone += before[i];
	free(now);
	free(before);
	return gone;
}

void pfx_tree_change_make(struct pfx_tree_change *ret, const struct pfx_selection *selection,
			  const struct pfx_view_tree_options *options, uint32_t old,
			  const struct pfx_view_tree *tree)
{
	struct pfx_view_tree_options of = *options;

	of.min_share = 0;
	of.min_weight = 0;
	of.measure = PFX_MEASURE_SAMPLES;
	ret->samples = pfx_tree_totals_in(selection, &of, tree);
	of.column = old;
	ret->old_samples = pfx_tree_totals_in(selection, &of, tree);
	of.measure = options->measure;
	ret->other = pfx_tree_totals_in(selection, &of, tree);
	ret->gone = sum_gone(selection, options, old);
}

void pfx_tree_change_fini(struct pfx_tree_change *change)
{
	free(change->samples);
	free(change->old_samples);
	free(change->other);
}

int pfx_tree_change_step(const struct pfx_tree_change *change, const struct pfx_view_tree *tree,
			 uint32_t node)
{
	double whole = (double)tree->nodes->total, old_whole = (double)change->other[0];
	double now = whole > 0 ? (double)tree->nodes[node].total / whole : 0;
	double before = old_whole > 0 ? (double)change->other[node] / old_whole : 0, strength;
	int step;

	if (!node || now + before <= 0 || now == before)
		return 0;
	strength = (now - before) / (now + before);
	step = (int)ceil(sqrt(fabs(strength)) * PFX_CHANGE_STEPS);
	return strength < 0 ? -step : step;
}
