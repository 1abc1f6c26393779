/* SPDX-License-Identifier: MIT */
/*
 * Retirement latency (modifier R): the mean of the latencies in an event's samples, in cycles. The
 * event is sampled during counting; only the latencies are kept.
 */
#ifndef PFX_STAT_LATENCY_H
#define PFX_STAT_LATENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/buffer.h"
#include "sys/counter/counter.h"
#include "sys/counter/ring.h"

struct pfx_latency_sum {
	size_t row;   /* in the table of counts */
	double known; /* the mean of the vendor's table, used without samples; 0: unknown */
	uint64_t cycles, samples;
};

/* Zero-initialize. */
struct pfx_latency {
	struct pfx_counters counters;
	PFX_VEC(struct pfx_latency_sum) sums; /* by counter */
	struct pfx_target target;
	struct pfx_rings rings;
	struct pfx_buffer scratch;
};

/* Add an event with @attr, which does not need sampling fields. @sum: its row and what is known. */
void pfx_latency_add(struct pfx_latency *latency, const struct pfx_attr *attr, const char *name,
		     struct pfx_latency_sum sum);
/* Open the counters of the target and their ring buffers; they are disabled. */
int pfx_latency_open(struct pfx_latency *latency, struct pfx_error *err);
/* Process whole records of the counters. */
void pfx_latency_take(struct pfx_latency *latency, const uint8_t *data, size_t size);
/* Read all records from the ring buffers. */
void pfx_latency_drain(struct pfx_latency *latency);
/* The mean for this row since the last call, without samples that of the vendor's table; false:
 * neither is known. */
bool pfx_latency_mean(struct pfx_latency *latency, size_t row, uint64_t *ret);
/* Close and unmap, but keep the events. */
void pfx_latency_close(struct pfx_latency *latency);
void pfx_latency_fini(struct pfx_latency *latency);

#endif
