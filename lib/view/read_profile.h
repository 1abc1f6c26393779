/* SPDX-License-Identifier: MIT */
/* Reads a recording as a profile: all events, processes, threads and call chains. */
#ifndef PFX_VIEW_READ_PROFILE_H
#define PFX_VIEW_READ_PROFILE_H

#include "code/cost.h"
#include "hist/hist.h"
#include "read/running.h"
#include "read/samples.h"
#include "view/profile/profile.h"

#define PFX_BROKEN_CHAIN "[broken chain]"

/* Everything is borrowed. What these filters drop is not read; filters of views are cheaper to
 * change: see view/view_filter.h. */
struct pfx_profile_reading {
	struct pfx_recording *recording;     /* after pfx_recording_resolve() */
	const struct pfx_filter *filter;     /* by CPU, process, thread, name of the thread; NULL */
	const struct pfx_time_ranges *times; /* NULL: no limits */
	struct pfx_event_switch *event_switch; /* NULL: none */
	struct pfx_record_counts *counts;      /* result; NULL: not requested */
	struct pfx_costs *costs;      /* the same samples by address, for view/view_code.h; NULL */
	struct pfx_costs *self_costs; /* the same without call chains: faster; NULL */
	struct pfx_hists *hists;     /* the same samples, and those that the filter rejects; NULL */
	struct pfx_running *running; /* for the hists; NULL: no context switches are known */
	enum pfx_profile_frames frames_by;
	bool keep_times;
	bool page;           /* the rows may be many: keep them in files */
	bool function_lines; /* functions have their file and line */
	/* Callers beyond an address in no map are one frame of this function, for pictures: each
	 * would be a root of its own. Those beyond the start of a thread are none. */
	bool join_broken;
	bool offer_broken;        /* they are as recorded, but a filter can join them */
	bool no_chains;           /* ignore call chains: each sample has its own frame only */
	pfx_reading_step_fn step; /* called with each record; NULL */
	void *step_context;
	/* Called with each sample that is read; NULL. */
	void (*take)(void *context, const struct pfx_event *event, const struct pfx_sample *sample,
		     struct pfx_thread *thread);
	void *take_context;
};

/* Read all records, look up all symbols: 0 and the profile in *@ret, which the caller frees, or an
 * error. Inlined functions are frames if the options of the resolver request them. */
int pfx_profile_read(const struct pfx_profile_reading *reading, struct pfx_profile **ret,
		     struct pfx_error *err);

#endif
