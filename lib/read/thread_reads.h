/* SPDX-License-Identifier: MIT */
/*
 * The final counts of each thread's counters, from READ records (record -s). Records of one thread
 * and event are summed. Zero-initialize; owns its lists.
 */
#ifndef PFX_READ_THREAD_READS_H
#define PFX_READ_THREAD_READS_H

#include <stdint.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "event/meta.h"
#include "event/record.h"

struct pfx_thread_reads {
	uint32_t nr_events;
	struct pfx_hash by_tid;   /* pid and tid to place in keys */
	PFX_VEC(uint64_t) keys;   /* pid << 32 | tid, in order of appearance */
	PFX_VEC(uint64_t) values; /* nr_events for each key, by event idx */
};

/* Add a READ record of a known event; other records are ignored. */
void pfx_thread_reads_take(struct pfx_thread_reads *reads, const struct pfx_meta *meta,
			   const struct pfx_record *rec);
void pfx_thread_reads_fini(struct pfx_thread_reads *reads);

#endif
