/* SPDX-License-Identifier: MIT */
/* Samples as profiles. A profile is made at once at each refresh: it does not need the world, which
 * may be made anew before it is shown. */
#include "live/live_profile.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "code/read_costs.h"
#include "live/live_internal.h"
#include "read/filter.h"
#include "view/profile_counts.h"

struct pfx_live_profile {
	const struct pfx_filter *filter;
	enum pfx_profile_frames frames_by;
	struct pfx_live_world world;
	struct pfx_profile_counts *counts;
	bool is_due; /* a refresh was made since the last profile */
	bool zero;
};

struct pfx_live_profile *pfx_live_profile_new(const struct pfx_filter *filter,
					      enum pfx_profile_frames frames_by)
{
	struct pfx_live_profile *profile = pfx_calloc(1, sizeof(*profile));

	profile->filter = filter;
	profile->frames_by = frames_by;
	return profile;
}

void pfx_live_profile_free(struct pfx_live_profile *profile)
{
	if (!profile)
		return;
	pfx_profile_counts_free(profile->counts);
	free(profile);
}

static void renew(struct pfx_live_profile *profile)
{
	pfx_profile_counts_free(profile->counts);
	profile->counts = pfx_profile_counts_new(profile->world.session, profile->world.resolver,
						 profile->frames_by);
}

static void begin(void *context, const struct pfx_live_world *world)
{
	struct pfx_live_profile *profile = context;

	profile->world = *world;
	profile->is_due = false;
	renew(profile);
}

/* What was shown ages before the first sample after it. */
static void age_shown(struct pfx_live_profile *profile)
{
	profile->is_due = false;
	if (profile->zero)
		renew(profile);
	else
		pfx_profile_counts_age(profile->counts, PFX_LIVE_AGE_PART, PFX_LIVE_AGE_WHOLE);
}

static void take(void *context, const struct pfx_event *event, const struct pfx_sample *sample,
		 struct pfx_thread *thread)
{
	struct pfx_live_profile *profile = context;

	if (!pfx_filter_cpu(profile->filter, sample->cpu) ||
	    !pfx_filter_comm(profile->filter, thread->comm->text))
		return;
	if (profile->is_due)
		age_shown(profile);
	pfx_profile_counts_add(profile->counts, event, sample, thread);
}

static void age(void *context, bool zero)
{
	struct pfx_live_profile *profile = context;

	if (profile->is_due)
		age_shown(profile);
	profile->zero = zero;
	profile->is_due = true;
}

struct pfx_live_sink pfx_live_profile_sink(struct pfx_live_profile *profile)
{
	return (struct pfx_live_sink){.context = profile, .begin = begin, .take = take, .age = age};
}

struct pfx_profile *pfx_live_profile_take(struct pfx_live_profile *profile)
{
	return profile->is_due ? pfx_profile_counts_make(profile->counts) : NULL;
}

/* --- costs --- */

struct counting {
	struct pfx_live *live;
	struct pfx_costs *costs;
	struct pfx_sample_last last;
	struct pfx_sample sample;
};

/* By the maps that the processes have now. */
static void count_cost(void *context, const uint8_t *bytes, size_t size)
{
	struct counting *counting = context;
	struct pfx_live *live = counting->live;
	struct pfx_sample *sample = &counting->sample;
	struct pfx_record rec;

	(void)size;
	pfx_record_init(&rec, bytes, false, 0);
	if (rec.type != PFX_RECORD_SAMPLE)
		return;
	pfx_meta_identify(live->meta, &rec);
	if (!rec.event || (rec.time != PFX_NO_TIME && rec.time < live->ready) ||
	    !pfx_sample_decode_next(&rec, &rec.event->attr, &counting->last, sample))
		return;
	pfx_costs_add_self(counting->costs, rec.event->idx, sample,
			   pfx_session_thread(live->world.session, sample->pid, sample->tid));
}

struct pfx_costs *pfx_live_costs(struct pfx_live *live)
{
	struct counting counting = {.live = live, .costs = pfx_costs_new(live->world.resolver)};

	pfx_live_empty_batch(live);
	pfx_live_log_each(&live->log, count_cost, &counting);
	return counting.costs;
}
