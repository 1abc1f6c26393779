/* SPDX-License-Identifier: MIT */
/* Two batches: one is filled while the other is taken. */
#include "read/chain_queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/workers.h"

#define BATCH_ENTRIES 2048
#define BATCH_FRAMES  (64 * BATCH_ENTRIES)

struct batch {
	uint8_t *entries;
	uint32_t nr_frames[BATCH_ENTRIES], chains[BATCH_ENTRIES];
	uint32_t nr;
	PFX_VEC(uint32_t) frames; /* of all samples, contiguous */
};

struct pfx_chain_queue {
	struct pfx_resolver *resolver;
	size_t entry_size;
	pfx_chains_take_fn take;
	void *context;
	struct pfx_workers *workers;
	struct batch *filled, *taken; /* taken: by the other thread, or empty */
};

static struct batch *new_batch(size_t entry_size)
{
	struct batch *batch = pfx_calloc(1, sizeof(*batch));

	batch->entries = pfx_calloc(BATCH_ENTRIES, entry_size);
	return batch;
}

static void free_batch(struct batch *batch)
{
	pfx_vec_free(&batch->frames);
	free(batch->entries);
	free(batch);
}

struct pfx_chain_queue *pfx_chain_queue_new(struct pfx_resolver *resolver, size_t entry_size,
					    pfx_chains_take_fn take, void *context)
{
	struct pfx_chain_queue *queue = pfx_calloc(1, sizeof(*queue));

	queue->resolver = resolver;
	queue->entry_size = entry_size;
	queue->take = take;
	queue->context = context;
	queue->workers = pfx_workers_new(pfx_workers_wanted() < 2 ? 1 : 2);
	queue->filled = new_batch(entry_size);
	queue->taken = new_batch(entry_size);
	return queue;
}

void pfx_chain_queue_free(struct pfx_chain_queue *queue)
{
	if (!queue)
		return;
	pfx_workers_wait(queue->workers);
	pfx_workers_free(queue->workers);
	free_batch(queue->filled);
	free_batch(queue->taken);
	free(queue);
}

static void take(struct pfx_chain_queue *queue, struct batch *batch)
{
	pfx_chains_of_frames(queue->resolver, batch->frames.at, batch->nr_frames, batch->nr,
			     batch->chains);
	queue->take(queue->context, batch->entries, batch->chains, batch->nr);
	batch->nr = 0;
	batch->frames.nr = 0;
}

static void take_piece(void *context, size_t piece, unsigned worker)
{
	struct pfx_chain_queue *queue = context;

	(void)piece;
	(void)worker;
	take(queue, queue->taken);
}

static void hand_over(struct pfx_chain_queue *queue)
{
	struct batch *full = queue->filled;

	pfx_workers_wait(queue->workers);
	queue->filled = queue->taken;
	queue->taken = full;
	pfx_workers_begin(queue->workers, 1, take_piece, queue);
}

void pfx_chain_queue_put(struct pfx_chain_queue *queue, const void *entry, const uint32_t *frames,
			 uint32_t nr_frames)
{
	struct batch *batch = queue->filled;

	memcpy(batch->entries + batch->nr * queue->entry_size, entry, queue->entry_size);
	batch->nr_frames[batch->nr++] = nr_frames;
	pfx_vec_reserve(&batch->frames, batch->frames.nr + nr_frames);
	if (nr_frames)
		memcpy(batch->frames.at + batch->frames.nr, frames, nr_frames * sizeof(*frames));
	batch->frames.nr += nr_frames;
	if (batch->nr == BATCH_ENTRIES || batch->frames.nr >= BATCH_FRAMES)
		hand_over(queue);
}

void pfx_chain_queue_settle(struct pfx_chain_queue *queue)
{
	pfx_workers_wait(queue->workers);
	take(queue, queue->filled);
}
