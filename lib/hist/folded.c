/* SPDX-License-Identifier: MIT */
/*
 * Iterates over distinct chains with their weights, for flame graphs, directly from the buckets, in
 * order of their first sample; needs no rows.
 */
#include "hist/hist_internal.h"

/* The next bucket of the iteration through all events. */
static const struct pfx_bucket *next_bucket(const struct pfx_hists *hists,
					    struct pfx_folded *folded)
{
	const struct pfx_hist_tally *tally;

	for (; folded->event < hists->tallies.nr; folded->event++, folded->at = 0) {
		tally = &hists->tallies.at[folded->event];
		if (folded->at < tally->nr)
			return &tally->buckets[folded->at++];
	}
	return NULL;
}

static bool passes(struct pfx_hists *hists, const struct pfx_bucket *bucket)
{
	const struct pfx_hist_options *options = &hists->options;
	struct pfx_place *place = pfx_resolver_place_at(options->resolver, bucket->key.place);

	pfx_place_symbol(options->resolver, place);
	if (options->hide_unresolved && !pfx_place_has_name(place))
		return false;
	return !bucket->key.fails && pfx_filter_place(options->filter, place);
}

bool pfx_folded_next(struct pfx_hists *hists, struct pfx_folded *folded)
{
	const struct pfx_hist_options *options = &hists->options;
	const struct pfx_bucket *bucket;
	uint32_t chain;

	if (hists->queue)
		pfx_chain_queue_settle(hists->queue);
	do {
		bucket = next_bucket(hists, folded);
		if (!bucket)
			return false;
	} while (!passes(hists, bucket));
	folded->comm = pfx_session_comm_at(options->session, bucket->comm)->text;
	folded->period = bucket->period;
	folded->count = bucket->count;
	folded->leaf = pfx_resolver_place_at(options->resolver, bucket->key.place);
	folded->places = &folded->leaf;
	folded->nr = 1;
	chain = bucket->key.chain;
	if (chain)
		folded->nr = pfx_chain_frames(options->resolver, chain, &folded->places);
	return true;
}
