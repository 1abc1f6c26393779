/* SPDX-License-Identifier: MIT */
/* Two sets: one is counted in, the other is shown. */
#include "live/live_hists.h"

#include <stdlib.h>

#include "base/alloc.h"

struct pfx_live_hists {
	struct pfx_hist_options options;
	void (*renewed)(void *context, const struct pfx_live_world *world);
	void *context;
	struct pfx_hists *counted, *shown; /* shown: NULL: nothing yet */
	bool is_finished;                  /* the one that is shown */
	bool is_held;
};

/* Texts of tracepoints are of one world, and are made anew with it. */
static bool has_texts(const struct pfx_live_hists *hists)
{
	const struct pfx_columns *columns = hists->options.columns;

	return pfx_columns_has(columns, PFX_KEY_TRACE) || columns->fields.nr;
}

struct pfx_live_hists *pfx_live_hists_new(const struct pfx_hist_options *options,
					  void (*renewed)(void *context,
							  const struct pfx_live_world *world),
					  void *context)
{
	struct pfx_live_hists *hists = pfx_calloc(1, sizeof(*hists));

	hists->options = *options;
	hists->options.carried = true;
	hists->renewed = renewed;
	hists->context = context;
	return hists;
}

void pfx_live_hists_free(struct pfx_live_hists *hists)
{
	if (!hists)
		return;
	pfx_hists_free(hists->counted);
	pfx_hists_free(hists->shown);
	free(hists);
}

static void begin(void *context, const struct pfx_live_world *world)
{
	struct pfx_live_hists *hists = context;

	pfx_hists_free(hists->counted);
	if (!hists->is_held || has_texts(hists)) {
		pfx_hists_free(hists->shown);
		hists->shown = NULL;
	}
	hists->options.meta = world->meta;
	hists->options.session = world->session;
	hists->options.resolver = world->resolver;
	if (hists->renewed)
		hists->renewed(hists->context, world);
	hists->counted = pfx_hists_new(&hists->options);
}

static uint32_t take(void *context, const struct pfx_event *event, const struct pfx_sample *sample,
		     struct pfx_thread *thread)
{
	struct pfx_live_hists *hists = context;

	if (!pfx_hists_add(hists->counted, event, sample, thread))
		return PFX_LIVE_NONE;
	return pfx_hists_last(hists->counted);
}

static void again(void *context, const struct pfx_event *event, uint32_t like, uint64_t period)
{
	struct pfx_live_hists *hists = context;

	pfx_hists_add_like(hists->counted, event, like, period);
}

static void age(void *context, bool zero)
{
	struct pfx_live_hists *hists = context;
	struct pfx_hists *last = hists->counted;

	hists->counted =
		zero ? pfx_hists_new(&hists->options)
		     : pfx_hists_carry(last, PFX_LIVE_AGE_PART, PFX_LIVE_AGE_WHOLE, PFX_LIVE_MOST);
	if (hists->is_held && hists->shown) {
		pfx_hists_free(last);
		return;
	}
	pfx_hists_free(hists->shown);
	hists->shown = last;
	hists->is_finished = false;
}

void pfx_live_hists_set_min_samples(struct pfx_live_hists *hists, uint64_t nr)
{
	hists->options.min_samples = nr;
	if (hists->counted)
		pfx_hists_set_min_samples(hists->counted, nr);
}

void pfx_live_hists_hold(struct pfx_live_hists *hists, bool held)
{
	hists->is_held = held;
}

struct pfx_live_sink pfx_live_hists_sink(struct pfx_live_hists *hists)
{
	return (struct pfx_live_sink){
		.context = hists,
		.begin = begin,
		.take = take,
		.again = again,
		.age = age,
		.needs_cpu = pfx_hists_need_cpu(&hists->options),
	};
}

struct pfx_hists *pfx_live_hists_shown(struct pfx_live_hists *hists, uint32_t most)
{
	if (hists->shown && !hists->is_finished)
		pfx_hists_finish_first(hists->shown, most);
	hists->is_finished = hists->shown != NULL;
	return hists->shown;
}
