/* SPDX-License-Identifier: MIT */
/*
 * What samples of a live profile are counted in. A sink forgets with time: at each refresh, what it
 * has counts less. When the names of processes and addresses take too much memory, they are made
 * anew, and the newest samples are counted again: see live/live.h.
 */
#ifndef PFX_LIVE_SINK_H
#define PFX_LIVE_SINK_H

#include "event/meta.h"
#include "event/sample.h"
#include "unwind/resolve.h"

/* At each refresh, earlier samples count for 7/8: as in perf top. */
#define PFX_LIVE_AGE_PART  7
#define PFX_LIVE_AGE_WHOLE 8
/* Combinations that a sink keeps even if they count for less than one sample. */
#define PFX_LIVE_MOST (64u << 10)

/* What ids of samples refer to. */
struct pfx_live_world {
	struct pfx_meta *meta;
	struct pfx_session *session;
	struct pfx_resolver *resolver;
};

#define PFX_LIVE_UNLIKE 0          /* every sample must be taken */
#define PFX_LIVE_NONE   UINT32_MAX /* samples like this one do not count */

struct pfx_live_sink {
	void *context;
	/* Another world, or the first one: drop everything; what was made of the old world must not
	 * be used any more. */
	void (*begin)(void *context, const struct pfx_live_world *world);
	/* Returns a number for again(): samples of the same event, thread, name of the thread,
	 * address and mode, and CPU if needs_cpu, can be counted by it until the next age() or
	 * begin(). Or PFX_LIVE_UNLIKE, or PFX_LIVE_NONE. */
	uint32_t (*take)(void *context, const struct pfx_event *event,
			 const struct pfx_sample *sample, struct pfx_thread *thread);
	/* A sample like an earlier one. */
	void (*again)(void *context, const struct pfx_event *event, uint32_t like, uint64_t period);
	bool needs_cpu; /* samples of different CPUs are not alike */
	/* A refresh: what was counted so far is to be shown, and counts less from now on; with
	 * @zero not at all. */
	void (*age)(void *context, bool zero);
};

#endif
