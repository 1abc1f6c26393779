/* SPDX-License-Identifier: MIT */
/*
 * Samples of events with the modifier R, added up during counting. Only the third part of a
 * sample's weight is used, the retirement latency.
 */
#include "stat/latency.h"

#include <unistd.h>

#include "event/sample.h"

#define FREQUENCY  4000
#define RING_BYTES (256u << 10)

void pfx_latency_add(struct pfx_latency *latency, const struct pfx_attr *attr, const char *name,
		     struct pfx_latency_sum sum)
{
	struct pfx_counter *counter = pfx_counters_add(&latency->counters, attr, name);
	struct pfx_attr *to = &counter->attr;

	to->sample_type = PFX_SAMPLE_IDENTIFIER | PFX_SAMPLE_WEIGHT_STRUCT;
	to->read_format = PFX_FORMAT_ID;
	to->flags |= PFX_ATTR_SAMPLE_ID_ALL | PFX_ATTR_INHERIT | PFX_ATTR_DISABLED;
	if (!to->sample_period) {
		to->sample_period = FREQUENCY;
		to->flags |= PFX_ATTR_FREQ;
	}
	/* Only precise samples have it. */
	if (!pfx_attr_precise(to))
		pfx_attr_set_precise(to, 1);
	pfx_vec_push(&latency->sums, sum);
}

static struct pfx_latency_sum *sum_of(struct pfx_latency *latency, uint64_t id)
{
	size_t i, j;

	for (i = 0; i < latency->counters.list.nr; i++)
		for (j = 0; j < latency->counters.list.at[i].fds.nr; j++)
			if (latency->counters.list.at[i].fds.at[j].id == id)
				return &latency->sums.at[i];
	return NULL;
}

static void take_sample(struct pfx_latency *latency, const struct pfx_record *rec)
{
	struct pfx_latency_sum *sum;
	struct pfx_sample sample;

	/* All have the same layout. */
	if (!pfx_sample_decode(rec, &latency->counters.list.at[0].attr, &sample))
		return;
	sum = sum_of(latency, sample.id);
	if (!sum)
		return;
	sum->cycles += sample.weight3;
	sum->samples++;
}

void pfx_latency_take(struct pfx_latency *latency, const uint8_t *data, size_t size)
{
	struct pfx_record rec;

	for (; size >= PFX_RECORD_HEADER_SIZE; data += rec.size, size -= rec.size) {
		pfx_record_init(&rec, data, false, 0);
		if (rec.size < PFX_RECORD_HEADER_SIZE || rec.size > size)
			return;
		if (rec.type == PFX_RECORD_SAMPLE)
			take_sample(latency, &rec);
	}
}

void pfx_latency_drain(struct pfx_latency *latency)
{
	size_t i, size;

	for (i = 0; i < latency->rings.list.nr; i++) {
		struct pfx_ring *ring = &latency->rings.list.at[i];

		size = pfx_ring_snapshot(ring);
		if (!size)
			continue;
		pfx_buffer_clear(&latency->scratch);
		pfx_buffer_zeros(&latency->scratch, size);
		pfx_ring_copy(ring, ring->tail, latency->scratch.at, size);
		pfx_ring_release(ring);
		pfx_latency_take(latency, latency->scratch.at, size);
	}
}

bool pfx_latency_mean(struct pfx_latency *latency, size_t row, uint64_t *ret)
{
	size_t i;

	for (i = 0; i < latency->sums.nr; i++) {
		struct pfx_latency_sum *sum = &latency->sums.at[i];

		if (sum->row != row || (!sum->samples && sum->known <= 0))
			continue;
		*ret = sum->samples ? (sum->cycles + sum->samples / 2) / sum->samples
				    : (uint64_t)(sum->known + 0.5);
		sum->cycles = sum->samples = 0;
		return true;
	}
	return false;
}

void pfx_latency_close(struct pfx_latency *latency)
{
	pfx_rings_unmap(&latency->rings);
	pfx_counters_close(&latency->counters);
	pfx_target_fini(&latency->target);
	latency->target = (struct pfx_target){0};
}

void pfx_latency_fini(struct pfx_latency *latency)
{
	pfx_latency_close(latency);
	pfx_counters_fini(&latency->counters);
	pfx_vec_free(&latency->sums);
	pfx_buffer_fini(&latency->scratch);
}

/* --- of a run --- */

int pfx_latency_open(struct pfx_latency *latency, struct pfx_error *err)
{
	int rc = pfx_counters_open(&latency->counters, &latency->target, err);

	return rc < 0 ? rc : pfx_rings_map(&latency->rings, &latency->counters, RING_BYTES, err);
}
