/* SPDX-License-Identifier: MIT */
/*
 * A sink that counts samples as `pfx report` does, for tables: all of its sort keys, call graphs
 * and forms. At each refresh, what was counted becomes the table that is shown.
 */
#ifndef PFX_LIVE_HISTS_H
#define PFX_LIVE_HISTS_H

#include "hist/hist.h"
#include "live/live_sink.h"

struct pfx_live_hists;

/* The options but meta, session and resolver, which belong to the world. Borrows what they
 * contain. @renewed: called with each world, before samples are counted; NULL. */
struct pfx_live_hists *pfx_live_hists_new(const struct pfx_hist_options *options,
					  void (*renewed)(void *context,
							  const struct pfx_live_world *world),
					  void *context);
void pfx_live_hists_free(struct pfx_live_hists *hists);
/* For pfx_live_add_sink(). */
struct pfx_live_sink pfx_live_hists_sink(struct pfx_live_hists *hists);
/* The tables of the last refresh, finished; NULL before the first one. Valid until the next call of
 * pfx_live_take() or pfx_live_refresh(). @most: as of pfx_hists_finish_first(), for the first call
 * after a refresh. */
struct pfx_hists *pfx_live_hists_shown(struct pfx_live_hists *hists, uint32_t most);
/* Changes options.min_samples, of what is shown from the next refresh on. */
void pfx_live_hists_set_min_samples(struct pfx_live_hists *hists, uint64_t nr);
/* While held, refreshes do not change what is shown, though samples are counted and age. */
void pfx_live_hists_hold(struct pfx_live_hists *hists, bool held);

#endif
