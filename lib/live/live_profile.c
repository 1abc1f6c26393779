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

static uint32_t take(void *context, const struct pfx_event *event, const struct pfx_sample *sample,
		     struct pfx_thread *thread)
{
	struct pfx_live_profile *profile = context;
	uint32_t row;

	if (!pfx_filter_cpu(profile->filter, sample->cpu) ||
	    !pfx_filter_comm(profile->filter, thread->comm->text))
		return PFX_LIVE_NONE;
	if (profile->is_due)
		age_shown(profile);
	row = pfx_profile_counts_add(profile->counts, event, sample, thread);
	return sample->chain.nr || sample->stack.size ? PFX_LIVE_UNLIKE : row + 1;
}

static void again(void *context, const struct pfx_event *event, uint32_t like, uint64_t period)
{
	struct pfx_live_profile *profile = context;

	(void)event;
	pfx_profile_counts_add_to(profile->counts, like - 1, period);
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
	return (struct pfx_live_sink){
		.context = profile,
		.begin = begin,
		.take = take,
		.again = again,
		.age = age,
		.needs_cpu = true,
	};
}

struct pfx_profile *pfx_live_profile_take(struct pfx_live_profile *profile)
{
	return profile->is_due ? pfx_profile_counts_make(profile->counts) : NULL;
}

struct pfx_profile *pfx_live_profile_now(struct pfx_live_profile *profile)
{
	return pfx_profile_counts_make(profile->counts);
}

void pfx_live_profile_total(const struct pfx_live_profile *profile, uint32_t event,
			    uint64_t *ret_samples, uint64_t *ret_period)
{
	pfx_profile_counts_total(profile->counts, event, ret_samples, ret_period);
}

/* --- from the records that are kept --- */

/* Samples by the maps that the processes have now. */
struct replay {
	struct pfx_live *live;
	struct pfx_sample_last last;
	struct pfx_sample sample;
	const struct pfx_filter *filter; /* NULL: all */
	struct pfx_costs *costs;         /* what they are counted for: costs, or a profile */
	struct pfx_profile_counts *counts;
	struct pfx_hists *hists;
	PFX_VEC(uint32_t) rows; /* by sample, of the profile */
	const uint8_t *chosen;  /* by sample, for the hists; NULL: all */
	uint32_t nr_chosen, at;
};

static void count_sample(struct replay *replay, const struct pfx_event *event,
			 struct pfx_thread *thread)
{
	struct pfx_hist_known known = {0};
	uint32_t at = replay->at++;

	if (replay->counts) {
		pfx_vec_push(&replay->rows, pfx_profile_counts_add(replay->counts, event,
								   &replay->sample, thread));
		return;
	}
	known.fails = replay->chosen && (at >= replay->nr_chosen || !replay->chosen[at]);
	pfx_hists_add_known(replay->hists, event, &replay->sample, thread, &known);
}

static void count_in_profile(struct replay *replay, const struct pfx_event *event,
			     struct pfx_thread *thread)
{
	struct pfx_session *session = replay->live->world.session;
	const struct pfx_filter *filter = replay->filter;
	struct pfx_sample *sample = &replay->sample;
	struct pfx_sample_part *parts;
	uint32_t nr, i;

	if (pfx_live_drops(replay->live, sample, thread) || !pfx_filter_cpu(filter, sample->cpu) ||
	    !pfx_filter_comm(filter, thread->comm->text))
		return;
	if (!pfx_session_splits(event)) {
		count_sample(replay, event, thread);
		return;
	}
	nr = pfx_session_split_sample(session, event, sample, &parts);
	for (i = 0; i < nr; i++) {
		sample->id = parts[i].id;
		sample->period = parts[i].period;
		count_sample(replay, parts[i].event, thread);
	}
}

static void count_record(void *context, const uint8_t *bytes, size_t size)
{
	struct replay *replay = context;
	struct pfx_live *live = replay->live;
	struct pfx_sample *sample = &replay->sample;
	struct pfx_thread *thread;
	struct pfx_record rec;

	(void)size;
	pfx_record_init(&rec, bytes, false, 0);
	if (rec.type != PFX_RECORD_SAMPLE)
		return;
	pfx_meta_identify(live->meta, &rec);
	if (!rec.event || (rec.time != PFX_NO_TIME && rec.time < live->ready) ||
	    !pfx_sample_decode_next(&rec, &rec.event->attr, &replay->last, sample))
		return;
	thread = pfx_session_thread(live->world.session, sample->pid, sample->tid);
	if (replay->costs)
		pfx_costs_add_self(replay->costs, rec.event->idx, sample, thread);
	else
		count_in_profile(replay, rec.event, thread);
}

static void count_kept(struct replay *replay)
{
	pfx_live_empty_batch(replay->live);
	pfx_live_log_each(&replay->live->log, count_record, replay);
}

static struct pfx_profile *make_timed(struct replay *replay, enum pfx_profile_frames frames_by)
{
	const struct pfx_live_world *world = &replay->live->world;
	struct pfx_profile *profile;

	replay->counts = pfx_profile_counts_new(world->session, world->resolver, frames_by);
	pfx_profile_counts_keep_times(replay->counts);
	count_kept(replay);
	profile = pfx_profile_counts_make(replay->counts);
	pfx_profile_counts_free(replay->counts);
	return profile;
}

struct pfx_profile *pfx_live_timed_profile(struct pfx_live *live, const struct pfx_filter *filter,
					   enum pfx_profile_frames frames_by)
{
	struct replay replay = {.live = live, .filter = filter};
	struct pfx_profile *profile = make_timed(&replay, frames_by);

	pfx_vec_free(&replay.rows);
	return profile;
}

struct pfx_profile *pfx_live_rows_profile(struct pfx_live *live, const struct pfx_filter *filter,
					  uint32_t **ret_rows, uint32_t *ret_nr)
{
	struct replay replay = {.live = live, .filter = filter};
	struct pfx_profile *profile = make_timed(&replay, PFX_FRAMES_BY_FUNCTION);

	*ret_rows = replay.rows.at;
	*ret_nr = (uint32_t)replay.rows.nr;
	return profile;
}

void pfx_live_count_kept(struct pfx_live *live, const struct pfx_filter *filter,
			 struct pfx_hists *hists, const uint8_t *chosen, uint32_t nr_chosen)
{
	struct replay replay = {.live = live,
				.filter = filter,
				.hists = hists,
				.chosen = chosen,
				.nr_chosen = nr_chosen};

	count_kept(&replay);
}

struct pfx_costs *pfx_live_costs(struct pfx_live *live)
{
	struct replay replay = {.live = live, .costs = pfx_costs_new(live->world.resolver)};

	count_kept(&replay);
	return replay.costs;
}
