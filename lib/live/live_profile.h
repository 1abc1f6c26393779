/* SPDX-License-Identifier: MIT */
/* A sink that makes profiles of lib/view, for a screen; and what instructions cost, from the
 * records that are kept. */
#ifndef PFX_LIVE_PROFILE_H
#define PFX_LIVE_PROFILE_H

#include "code/cost.h"
#include "hist/hist.h"
#include "live/live.h"
#include "read/filter.h"
#include "view/profile/profile.h"

struct pfx_live_profile;

/* Borrows the filter: samples of other names of threads, and CPUs, are not counted. */
struct pfx_live_profile *pfx_live_profile_new(const struct pfx_filter *filter,
					      enum pfx_profile_frames frames_by);
void pfx_live_profile_free(struct pfx_live_profile *profile);
/* For pfx_live_add_sink(). */
struct pfx_live_sink pfx_live_profile_sink(struct pfx_live_profile *profile);
/* The profile of the last refresh, which the caller frees: NULL if it was taken already. */
struct pfx_profile *pfx_live_profile_take(struct pfx_live_profile *profile);
/* The same with the samples since then, which the caller frees: if no profile was made for a while.
 */
struct pfx_profile *pfx_live_profile_now(struct pfx_live_profile *profile);
/* What the samples of an event are in that profile, without making it. */
void pfx_live_profile_total(const struct pfx_live_profile *profile, uint32_t event,
			    uint64_t *ret_samples, uint64_t *ret_period);

/* A profile of the records that are kept, with times; the caller frees it. Without what is hidden
 * and without threads that wait, as in the profiles of refreshes. */
struct pfx_profile *pfx_live_timed_profile(struct pfx_live *live, const struct pfx_filter *filter,
					   enum pfx_profile_frames frames_by);
/* The same, and for each of its samples in order its row: *@ret_nr of them in *@ret_rows, which the
 * caller frees. */
struct pfx_profile *pfx_live_rows_profile(struct pfx_live *live, const struct pfx_filter *filter,
					  uint32_t **ret_rows, uint32_t *ret_nr);
/* Count the samples of the records that are kept in @hists. @chosen: by sample of that profile,
 * whether it counts, or only in totals; NULL: all count. */
void pfx_live_count_kept(struct pfx_live *live, const struct pfx_filter *filter,
			 struct pfx_hists *hists, const uint8_t *chosen, uint32_t nr_chosen);
/* Count the samples of the records that are kept by address. The costs belong to the caller, and
 * must be freed before the next call of pfx_live_take(). */
struct pfx_costs *pfx_live_costs(struct pfx_live *live);

#endif
