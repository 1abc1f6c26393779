/* SPDX-License-Identifier: MIT */
/*
 * Passes all lookups of rows to the resolver in one batch, so that it can do slow work on several
 * threads. Samples rejected by filters are omitted, except for filters by binary or symbol, which
 * need the lookup.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "hist/hist_internal.h"

struct id_vec {
	uint32_t *at;
	size_t nr, cap;
};

/* Each chain once; a place may be repeated. */
static void gather(const struct pfx_hist_tally *tally, uint8_t *seen, struct id_vec *places,
		   struct id_vec *chains)
{
	const struct pfx_bucket_key *key;
	uint32_t i;

	for (i = 0; i < tally->nr; i++) {
		key = &tally->buckets[i].key;
		if (key->fails)
			continue;
		pfx_vec_push(places, key->place);
		if (!seen[key->chain])
			pfx_vec_push(chains, key->chain);
		seen[key->chain] = 1;
	}
}

static bool has_sources(const struct pfx_columns *columns)
{
	return pfx_columns_has(columns, PFX_KEY_SRCLINE) ||
	       pfx_columns_has(columns, PFX_KEY_SRCFILE);
}

void pfx_hist_prepare(struct pfx_hists *hists)
{
	const struct pfx_hist_options *options = &hists->options;
	struct pfx_resolver *resolver = options->resolver;
	struct id_vec places = {0}, chains = {0};
	struct pfx_prepare wanted = {.place_sources = has_sources(options->columns)};
	uint8_t *seen;
	size_t i;

	if (options->filter->dsos.given || options->filter->symbols.given || hists->is_prepared)
		return;
	hists->is_prepared = true;
	seen = pfx_calloc(pfx_resolver_nr_chains(resolver), 1);
	for (i = 0; i < hists->tallies.nr; i++)
		gather(&hists->tallies.at[i], seen, &places, &chains);
	wanted.places = places.at;
	wanted.nr_places = (uint32_t)places.nr;
	wanted.chains = chains.at;
	wanted.nr_chains = (uint32_t)chains.nr;
	wanted.frame_sources = (wanted.place_sources && options->children) ||
			       (options->graph && options->graph->key == PFX_GRAPH_SRCLINE);
	pfx_resolver_prepare(resolver, &wanted);
	pfx_vec_free(&places);
	pfx_vec_free(&chains);
	free(seen);
}
