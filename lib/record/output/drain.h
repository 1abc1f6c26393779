/* SPDX-License-Identifier: MIT */
/*
 * Copies the ring buffers to the output without waiting for the disk. Owned by the thread that does
 * it. Ring buffers that keep the newest records (--overwrite) are only read on request.
 */
#ifndef PFX_RECORD_DRAIN_H
#define PFX_RECORD_DRAIN_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "record/output/output.h"
#include "sys/counter/ring.h"

/* Output and ring buffers are borrowed. */
struct pfx_drain {
	struct pfx_output *out;
	struct pfx_rings *rings;
	cpu_set_t *places;  /* CPUs of the thread for each ring buffer; NULL: any */
	uint8_t *collected; /* buffer for one that keeps the newest records, NULL: not used yet */
	bool has_map_ids;   /* the counters put build IDs into the records of maps */
	struct {
		struct pfx_ring *ring; /* the last one that was copied from */
		uint64_t position;     /* in it, after the piece */
		const uint8_t *end;    /* the piece's end in the queue; NULL: none */
	} last;
	uint64_t nr_wakes; /* number of passes with data; other threads may read it */
};

/* @affinity: see record/output/places.h; NULL: the thread stays where it is. Without @has_map_ids,
 * PFX_MISC_MMAP_BUILD_ID is cleared: the kernel also sets it for build IDs that another recorder
 * requested, in records that have device and inode. */
void pfx_drain_init(struct pfx_drain *drain, struct pfx_output *out, struct pfx_rings *rings,
		    const char *affinity, bool has_map_ids);
/* Copy the content of all ring buffers to the output. Each pass empties every ring buffer: readers
 * rely on it for ordering records. Returns the number of bytes. */
uint64_t pfx_drain_pass(struct pfx_drain *drain);
/* For a process that shares the memory of a killed one: if the last piece was put into the queue,
 * set the `copied` of its ring buffer. */
void pfx_drain_settle(struct pfx_drain *drain);
/* Put a record that ends the round. */
void pfx_drain_put_round(struct pfx_drain *drain);
/* Copy the ring buffers that keep the newest records, and hand the data over. No effect if there
 * are none. */
int pfx_drain_collect(struct pfx_drain *drain, struct pfx_error *err);
/* The number of bytes that went through these since the last call. */
uint64_t pfx_drain_passed(const struct pfx_drain *drain);
void pfx_drain_fini(struct pfx_drain *drain);

#endif
