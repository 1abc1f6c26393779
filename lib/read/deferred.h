/* SPDX-License-Identifier: MIT */
/*
 * Deferred user call chains: the kernel may postpone a sample's user frames until the thread
 * returns to user space, and then writes a CALLCHAIN_DEFERRED record. This hands out records in
 * order, but holds such samples until their frames arrive, and inserts the frames.
 */
#ifndef PFX_READ_DEFERRED_H
#define PFX_READ_DEFERRED_H

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "file/order/order.h"

/* The frames of a CALLCHAIN_DEFERRED record, for all samples with its cookie. */
struct pfx_late_frames {
	uint32_t refs;
	bool swap;
	uint8_t bytes[]; /* the record */
};

/* A sample without its user frames; owns its bytes. Slots are numbered from 1, 0 means none. */
struct pfx_held_sample {
	struct pfx_record rec;
	uint32_t tid;
	uint64_t cookie;       /* the same as in the CALLCHAIN_DEFERRED record */
	uint32_t older, newer; /* slots in time order */
	uint32_t next;         /* slot of the same thread's next sample, or the next free slot */
	struct pfx_late_frames *frames; /* NULL: none */
};

struct pfx_held_samples {
	struct pfx_held_sample *at;
	size_t nr, cap;
};

/* Zero except for the first members; free it with pfx_deferred_fini(). */
struct pfx_deferred {
	struct pfx_order *order;             /* borrowed */
	bool off;                            /* hand out all records unchanged */
	struct pfx_held_samples held, ready; /* slots; samples to hand out next */
	struct pfx_hash by_tid;              /* first slot << 32 | last slot */
	uint32_t oldest, newest, free_slot, nr_held;
	size_t bytes_held;
	size_t nr_taken; /* number of samples taken from `ready` */
};

/* As pfx_order_next(). The record is valid until the next call. */
int pfx_deferred_next(struct pfx_deferred *deferred, struct pfx_record *ret, struct pfx_error *err);
void pfx_deferred_fini(struct pfx_deferred *deferred);

/* The cookie at the end of the sample's chain; false: the chain is complete. */
bool pfx_deferred_cookie(const struct pfx_words *chain, uint64_t *ret);

#endif
