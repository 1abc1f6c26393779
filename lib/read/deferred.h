/* SPDX-License-Identifier: MIT */
/*
 * Call chains that come late: the kernel may leave a sample's user frames for the moment when the
 * thread goes back to user space, and tells them in a record of their own. This hands out records
 * in their order, but holds such samples until their frames are there, and puts these in.
 */
#ifndef PFX_READ_DEFERRED_H
#define PFX_READ_DEFERRED_H

#include "base/alloc.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "file/order/order.h"

/* The late frames of a record, which all samples with its cookie get. */
struct pfx_late_frames {
	uint32_t refs;
	bool swap;
	uint8_t bytes[]; /* the record */
};

/* A sample without its user frames; owns its bytes. Slots are numbered from 1 on, 0 is none. */
struct pfx_held_sample {
	struct pfx_record rec;
	uint32_t tid;
	uint64_t cookie;       /* which the late record has too */
	uint32_t older, newer; /* slots in the order of time */
	uint32_t next;         /* slot of the same thread's next, or of the next free one */
	struct pfx_late_frames *frames; /* NULL: there are none */
};

struct pfx_held_samples {
	struct pfx_held_sample *at;
	size_t nr, cap;
};

/* Zero but for the first members; pfx_deferred_fini() frees it. */
struct pfx_deferred {
	struct pfx_order *order;             /* borrowed */
	bool off;                            /* hand out all as it is */
	struct pfx_held_samples held, ready; /* slots, and what comes next */
	struct pfx_hash by_tid;              /* first slot << 32 | last slot */
	uint32_t oldest, newest, free_slot, nr_held;
	size_t bytes_held;
	size_t nr_taken; /* of ready */
};

/* As pfx_order_next(). The record is valid until the next call. */
int pfx_deferred_next(struct pfx_deferred *deferred, struct pfx_record *ret, struct pfx_error *err);
void pfx_deferred_fini(struct pfx_deferred *deferred);

/* The cookie at the end of the sample's chain; false: its chain is whole. */
bool pfx_deferred_cookie(const struct pfx_words *chain, uint64_t *ret);

#endif
