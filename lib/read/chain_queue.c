/* SPDX-License-Identifier: MIT */
/* Two batches: one is filled while the other is taken. */
#include "read/chain_queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/workers.h"

#define BATCH_ENTRIES 4096
#define BATCH_FRAMES  (32 * BATCH_ENTRIES)

#define NO_SLOT UINT32_MAX

/* A chain that its slot had before is not looked up again. */
struct batch {
	uint8_t *entries;
	uint32_t slots[BATCH_ENTRIES]; /* of the memo, or NO_SLOT */
	bool repeats[BATCH_ENTRIES];   /* the chain that was last put with that slot */
	uint32_t chains[BATCH_ENTRIES];
	uint32_t nr;
	/* Of those that do not repeat, contiguous: */
	uint32_t nr_frames[BATCH_ENTRIES], looked_up[BATCH_ENTRIES];
	uint32_t nr_looked_up;
	PFX_VEC(uint32_t) frames;
};

struct pfx_chain_queue {
	struct pfx_resolver *resolver;
	size_t entry_size;
	pfx_chains_take_fn take;
	void *context;
	struct pfx_workers *workers;
	struct batch *filled, *taken;      /* taken: by the other thread, or empty */
	uint32_t serials[PFX_CHAIN_MEMOS]; /* by slot: of the chain that was put last */
	uint32_t chains[PFX_CHAIN_MEMOS];  /* by slot: of the other thread */
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

/* The chains of all entries, from those that were looked up. */
static void spread(struct pfx_chain_queue *queue, struct batch *batch)
{
	uint32_t i, nr = 0, slot;

	for (i = 0; i < batch->nr; i++) {
		slot = batch->slots[i];
		if (batch->repeats[i]) {
			batch->chains[i] = queue->chains[slot];
			continue;
		}
		batch->chains[i] = batch->looked_up[nr++];
		if (slot != NO_SLOT)
			queue->chains[slot] = batch->chains[i];
	}
}

static void take(struct pfx_chain_queue *queue, struct batch *batch)
{
	pfx_chains_of_frames(queue->resolver, batch->frames.at, batch->nr_frames,
			     batch->nr_looked_up, batch->looked_up);
	spread(queue, batch);
	queue->take(queue->context, batch->entries, batch->chains, batch->nr);
	batch->nr = batch->nr_looked_up = 0;
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

static void put_frames(struct batch *batch, const struct pfx_chain_found *chain)
{
	batch->nr_frames[batch->nr_looked_up++] = chain->nr;
	pfx_vec_reserve(&batch->frames, batch->frames.nr + chain->nr);
	if (chain->nr)
		memcpy(batch->frames.at + batch->frames.nr, chain->frames,
		       chain->nr * sizeof(*chain->frames));
	batch->frames.nr += chain->nr;
}

void pfx_chain_queue_put(struct pfx_chain_queue *queue, const void *entry,
			 const struct pfx_chain_found *chain)
{
	struct batch *batch = queue->filled;
	bool repeats = chain->serial && queue->serials[chain->slot] == chain->serial;

	memcpy(batch->entries + batch->nr * queue->entry_size, entry, queue->entry_size);
	batch->slots[batch->nr] = chain->serial ? chain->slot : NO_SLOT;
	batch->repeats[batch->nr++] = repeats;
	if (chain->serial)
		queue->serials[chain->slot] = chain->serial;
	if (!repeats)
		put_frames(batch, chain);
	if (batch->nr == BATCH_ENTRIES || batch->frames.nr >= BATCH_FRAMES)
		hand_over(queue);
}

void pfx_chain_queue_settle(struct pfx_chain_queue *queue)
{
	pfx_workers_wait(queue->workers);
	take(queue, queue->filled);
}
