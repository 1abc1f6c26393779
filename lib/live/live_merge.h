/* SPDX-License-Identifier: MIT */
/*
 * The records of several ring buffers as one sequence in order of time, without copying them. A
 * record may still be missing from one ring buffer while newer ones are in another: so a pass takes
 * only records up to a time before the previous pass, when everything older was complete.
 */
#ifndef PFX_LIVE_MERGE_H
#define PFX_LIVE_MERGE_H

#include "event/meta.h"
#include "sys/counter/ring.h"

/* A ring buffer during a pass. */
struct pfx_live_cursor {
	struct pfx_ring *ring;
	uint64_t at, end;      /* positions: of the next record, of the end of the snapshot */
	uint8_t *whole;        /* room for a record that wraps; NULL: none needed yet */
	struct pfx_record rec; /* the next record */
	uint64_t last;         /* time of the last record with one */
	struct pfx_meta_last event;
};

/* Zero-initialize; borrows the rings and the meta. */
struct pfx_live_merge {
	struct pfx_rings *rings;
	const struct pfx_meta *meta;
	PFX_VEC(struct pfx_live_cursor) cursors; /* by ring */
	PFX_VEC(uint32_t) heap;                  /* cursors with a record, the oldest first */
	uint64_t nr_bad;                         /* damaged places, which were skipped */
};

/* @rec is valid during the call. */
typedef void (*pfx_live_record_fn)(void *context, struct pfx_record *rec);

/* Take all records up to @limit, and release their space to the kernel. Returns the bytes that are
 * left. */
uint64_t pfx_live_merge_pass(struct pfx_live_merge *merge, uint64_t limit, pfx_live_record_fn take,
			     void *context);
void pfx_live_merge_fini(struct pfx_live_merge *merge);

#endif
