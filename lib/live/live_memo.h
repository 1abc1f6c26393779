/* SPDX-License-Identifier: MIT */
/*
 * Samples that are equal in all that sinks distinguish, but their periods: the first of them is
 * looked up and taken, and the others are counted again by a number that each sink gave for it.
 */
#ifndef PFX_LIVE_MEMO_H
#define PFX_LIVE_MEMO_H

#include "live/live_sink.h"

#define PFX_LIVE_MEMO_SINKS 2 /* with more sinks, nothing is kept */

/* Of the size of a cache line. */
struct pfx_live_memo_entry {
	uint64_t ip, stamp; /* stamp: of the maps of its process */
	uint32_t pid, tid;
	uint32_t seen; /* nr_changes when the thread was looked at last */
	uint16_t cpu, round, event;
	uint8_t cpumode;
	bool is_dropped;
	uint32_t likes[PFX_LIVE_MEMO_SINKS]; /* by sink */
	const struct pfx_thread *thread;
	const struct pfx_comm_ref *comm;
};

/* Zero-initialize. */
struct pfx_live_memo {
	void *room;
	struct pfx_live_memo_entry *entries; /* in the room; NULL: nothing was kept yet */
	uint16_t round;                      /* entries of another round are void */
	uint32_t nr_changes;                 /* of any thread, its name or maps */
	bool needs_cpu;                      /* a sink distinguishes CPUs */
};

/* What was kept is void, and all samples are looked up again. */
void pfx_live_memo_void(struct pfx_live_memo *memo);
/* A record may have changed a thread, its name or its maps. */
void pfx_live_memo_change(struct pfx_live_memo *memo);
/* The entry of an equal sample; NULL: none. */
const struct pfx_live_memo_entry *pfx_live_memo_find(struct pfx_live_memo *memo,
						     const struct pfx_session *session,
						     const struct pfx_event *event,
						     const struct pfx_sample *sample);
/* An entry for samples like this one, with numbers of 0. It replaces another one. NULL: more than
 * an entry has may matter for samples of this event. */
struct pfx_live_memo_entry *pfx_live_memo_put(struct pfx_live_memo *memo,
					      const struct pfx_session *session,
					      const struct pfx_event *event,
					      const struct pfx_sample *sample,
					      const struct pfx_thread *thread);
void pfx_live_memo_fini(struct pfx_live_memo *memo);

#endif
