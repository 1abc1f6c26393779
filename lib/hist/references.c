/* SPDX-License-Identifier: MIT */
/*
 * Call chains for events that were recorded without them: those of another event, which show how
 * the program reached the same row. That event is the first one with chains; rows are the same if
 * all their keys are equal.
 */
#include "hist/hist_internal.h"

static bool has_chains(const struct pfx_hist_build *build)
{
	return build->hist.event->attr.sample_type & PFX_SAMPLE_CALLCHAIN;
}

void pfx_hist_find_references(struct pfx_hists *hists)
{
	uint64_t words[PFX_ROW_WORDS_MAX];
	struct pfx_hist_build *build;
	uint32_t b, nr, id;
	size_t i;

	for (b = 0; b < hists->nr_builds && !hists->reference; b++)
		if (has_chains(hists->builds[b]))
			hists->reference = hists->builds[b];
	for (b = 0; b < hists->nr_builds && hists->reference; b++) {
		build = hists->builds[b];
		for (i = 0; !has_chains(build) && i < build->all.nr; i++) {
			nr = pfx_hist_row_words(hists, build->all.at[i], words);
			id = pfx_intern_add(&hists->reference->keys, words, nr * sizeof(*words));
			if (id < hists->reference->all.nr)
				build->all.at[i]->reference = hists->reference->all.at[id];
		}
	}
}

bool pfx_hist_has_reference(const struct pfx_hists *hists, const struct pfx_hist *hist)
{
	uint32_t m;

	for (m = 0; hists->reference && m < hist->nr_members; m++)
		if (!(hist->members[m]->attr.sample_type & PFX_SAMPLE_CALLCHAIN))
			return true;
	return false;
}

static bool has_tree(const struct pfx_row *row)
{
	return row->nr_parts || row->first_leaf;
}

const struct pfx_row *pfx_row_for_chains(const struct pfx_hists *hists, const struct pfx_hist *hist,
					 const struct pfx_row *row,
					 const struct pfx_hist **ret_hist)
{
	*ret_hist = hist;
	if (has_tree(row))
		return row;
	if (!row->reference || !has_tree(row->reference))
		return NULL;
	*ret_hist = &hists->reference->hist;
	return row->reference;
}
