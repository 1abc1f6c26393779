/* SPDX-License-Identifier: MIT */
/*
 * Emptying the ring buffers into the output, at once and whatever the disk does. All of it belongs
 * to the thread that does that. Ring buffers that keep the newest records (--overwrite) are left
 * alone until they are asked for.
 */
#ifndef PFX_RECORD_DRAIN_H
#define PFX_RECORD_DRAIN_H

#include <sched.h>
#include <stdint.h>

#include "base/error.h"
#include "record/output/output.h"
#include "sys/counter/ring.h"

/* Output and ring buffers are borrowed. */
struct pfx_drain {
	struct pfx_output *out;
	struct pfx_rings *rings;
	cpu_set_t *places;  /* where the thread goes for each ring buffer; NULL: anywhere */
	uint8_t *collected; /* room for one that keeps the newest records, NULL: not needed yet */
	uint64_t nr_wakes;  /* how often there was something; others may read it */
};

/* @affinity: see record/output/places.h; NULL: the thread stays where it is. */
void pfx_drain_init(struct pfx_drain *drain, struct pfx_output *out, struct pfx_rings *rings,
		    const char *affinity);
/* Put what the ring buffers hold into the output. Every one is emptied in every pass: readers rely
 * on it when they put records in order. How many bytes there were. */
uint64_t pfx_drain_pass(struct pfx_drain *drain);
/* Put a record that ends the round. */
void pfx_drain_put_round(struct pfx_drain *drain);
/* Put what the ring buffers hold that keep the newest records, and hand it over. Nothing where
 * there are none. */
int pfx_drain_collect(struct pfx_drain *drain, struct pfx_error *err);
/* How many bytes went through these since the last time. */
uint64_t pfx_drain_passed(const struct pfx_drain *drain);
void pfx_drain_fini(struct pfx_drain *drain);

#endif
