/* SPDX-License-Identifier: MIT */
/*
 * Samples counted for profiles that are made again and again: between two of them, samples are
 * added, and earlier ones may count less. Counts by small ids; symbols are looked up when a profile
 * is made. Borrows all of the first function's arguments.
 *
 *	counts = pfx_profile_counts_new(session, resolver, PFX_FRAMES_BY_FUNCTION);
 *	pfx_profile_counts_add(counts, event, &sample, thread);	// many times
 *	profile = pfx_profile_counts_make(counts);
 *	pfx_profile_counts_age(counts, 7, 8);
 */
#ifndef PFX_VIEW_PROFILE_COUNTS_H
#define PFX_VIEW_PROFILE_COUNTS_H

#include "event/sample.h"
#include "unwind/resolve.h"
#include "view/profile/profile.h"

struct pfx_profile_counts;

/* Nothing is counted yet. */
struct pfx_profile_counts *pfx_profile_counts_new(struct pfx_session *session,
						  struct pfx_resolver *resolver,
						  enum pfx_profile_frames frames_by);
/* Keep the times of samples, each of which is then a row; before the first one. */
void pfx_profile_counts_keep_times(struct pfx_profile_counts *counts);
/* @counts may be NULL. */
void pfx_profile_counts_free(struct pfx_profile_counts *counts);
/* Count a sample, with its call chain if it has one. Returns its row of the profile, as long as
 * nothing has aged. */
uint32_t pfx_profile_counts_add(struct pfx_profile_counts *counts, const struct pfx_event *event,
				const struct pfx_sample *sample, struct pfx_thread *thread);
/* Count another sample in a row. */
void pfx_profile_counts_add_to(struct pfx_profile_counts *counts, uint32_t row, uint64_t period);
/* All samples so far count for @part / @whole of what they counted. What is less than a small part
 * of a sample is dropped. */
void pfx_profile_counts_age(struct pfx_profile_counts *counts, unsigned part, unsigned whole);
/* The samples of an event in the profile of what is counted now. */
void pfx_profile_counts_total(const struct pfx_profile_counts *counts, uint32_t event,
			      uint64_t *ret_samples, uint64_t *ret_period);
/* The profile of what is counted now, without times unless they are kept: the caller frees it, and
 * it does not need the counts any more. */
struct pfx_profile *pfx_profile_counts_make(struct pfx_profile_counts *counts);

#endif
