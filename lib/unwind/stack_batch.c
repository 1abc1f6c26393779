/* SPDX-License-Identifier: MIT */
/* A batch in three arrays: all waiting samples, those whose stacks will be unwound, and copied
 * bytes. */
#include "unwind/stack_batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "unwind/walk_internal.h"

#define BATCH_SAMPLES 512
#define BATCH_BYTES   ((size_t)8 << 20) /* of copied records, which have about 8 KiB each */

struct pfx_stack_batch {
	struct pfx_resolver *resolver;
	uint32_t nr, nr_wanted;
	struct pfx_stack_wait waits[BATCH_SAMPLES];
	struct pfx_stack_sample wanted[BATCH_SAMPLES]; /* a subset of `waits` */
	uint8_t *bytes; /* copies of records; NULL: not allocated yet */
	size_t nr_bytes;
};

struct pfx_stack_batch *pfx_stack_batch_new(struct pfx_resolver *resolver)
{
	struct pfx_stack_batch *batch = pfx_calloc(1, sizeof(*batch));

	batch->resolver = resolver;
	return batch;
}

void pfx_stack_batch_free(struct pfx_stack_batch *batch)
{
	if (batch)
		free(batch->bytes);
	free(batch);
}

/* False for a sample without a stack dump, or if JIT code may be added before it. */
static bool can_wait(const struct pfx_stack_batch *batch, const struct pfx_record *rec)
{
	return rec->type == PFX_RECORD_SAMPLE && rec->event &&
	       (rec->event->attr.sample_type & PFX_SAMPLE_STACK_USER) &&
	       pfx_walks_ahead_pay(batch->resolver) && !pfx_resolver_expects_code(batch->resolver);
}

static bool is_full(const struct pfx_stack_batch *batch, const struct pfx_record *rec, bool stays)
{
	return batch->nr == BATCH_SAMPLES || (!stays && rec->size > BATCH_BYTES - batch->nr_bytes);
}

static const uint8_t *copy_bytes(struct pfx_stack_batch *batch, const struct pfx_record *rec)
{
	uint8_t *to;

	if (!batch->bytes)
		batch->bytes = pfx_malloc(BATCH_BYTES);
	to = memcpy(batch->bytes + batch->nr_bytes, rec->bytes, rec->size);
	batch->nr_bytes += rec->size;
	return to;
}

bool pfx_stack_batch_put(struct pfx_stack_batch *batch, const struct pfx_record *rec, bool stays,
			 const struct pfx_sample **ret)
{
	struct pfx_stack_wait *wait;

	if (!can_wait(batch, rec) || is_full(batch, rec, stays))
		return false;
	wait = &batch->waits[batch->nr];
	wait->rec = *rec;
	if (!stays)
		wait->rec.bytes = copy_bytes(batch, rec);
	if (!pfx_sample_decode(&wait->rec, &rec->event->attr, &wait->sample))
		return false;
	batch->nr++;
	*ret = &wait->sample;
	return true;
}

void pfx_stack_batch_want(struct pfx_stack_batch *batch, struct pfx_thread *thread)
{
	const struct pfx_sample *sample = &batch->waits[batch->nr - 1].sample;

	if (pfx_stack_walk_wanted(sample))
		batch->wanted[batch->nr_wanted++] = (struct pfx_stack_sample){thread, sample};
}

uint32_t pfx_stack_batch_walk(struct pfx_stack_batch *batch, struct pfx_stack_wait **ret)
{
	pfx_walks_ahead_run(batch->resolver, batch->wanted, batch->nr_wanted);
	*ret = batch->waits;
	return batch->nr;
}

void pfx_stack_batch_empty(struct pfx_stack_batch *batch)
{
	pfx_walks_ahead_run(batch->resolver, NULL, 0);
	batch->nr = batch->nr_wanted = 0;
	batch->nr_bytes = 0;
}
