/* SPDX-License-Identifier: MIT */
/*
 * A queue of samples whose chain is to be looked up and counted: both are bound by memory latency,
 * so another thread does it while the next samples are read. Batches and samples are processed in
 * the order of the file: chains and buckets get the same ids as without the queue. Lookups in the
 * session are done before a sample is queued.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/workers.h"
#include "hist/hist_internal.h"

#define BATCH_ENTRIES 2048
#define BATCH_FRAMES  (64 * BATCH_ENTRIES)
#define AHEAD         8 /* distance of prefetching */

struct batch {
	struct pfx_hist_addend entries[BATCH_ENTRIES];
	uint32_t nr_frames[BATCH_ENTRIES], chains[BATCH_ENTRIES];
	uint32_t nr;
	PFX_VEC(uint32_t) frames; /* of all samples, contiguous */
};

struct pfx_hist_queue {
	struct pfx_hists *hists;
	struct pfx_workers *workers;
	struct batch *filled, *counted; /* counted: by the other thread, or empty */
};

struct pfx_hist_queue *pfx_hist_queue_new(struct pfx_hists *hists)
{
	const struct pfx_hist_options *options = &hists->options;
	struct pfx_hist_queue *queue;

	if (!options->chains || options->nr_kept || options->branch_history ||
	    options->mode == PFX_REPORT_BRANCH)
		return NULL;
	queue = pfx_calloc(1, sizeof(*queue));
	queue->hists = hists;
	queue->workers = pfx_workers_new(pfx_workers_wanted() < 2 ? 1 : 2);
	queue->filled = pfx_calloc(1, sizeof(*queue->filled));
	queue->counted = pfx_calloc(1, sizeof(*queue->counted));
	return queue;
}

static void count(struct pfx_hists *hists, struct batch *batch)
{
	uint32_t i;

	pfx_chains_of_frames(hists->options.resolver, batch->frames.at, batch->nr_frames, batch->nr,
			     batch->chains);
	for (i = 0; i < batch->nr; i++) {
		if (i + AHEAD < batch->nr)
			pfx_hist_fetch(hists, &batch->entries[i + AHEAD], batch->chains[i + AHEAD]);
		batch->entries[i].key.chain = batch->chains[i];
		pfx_hist_count(hists, &batch->entries[i]);
	}
	batch->nr = 0;
	batch->frames.nr = 0;
}

static void count_piece(void *context, size_t piece, unsigned worker)
{
	struct pfx_hist_queue *queue = context;

	(void)piece;
	(void)worker;
	count(queue->hists, queue->counted);
}

static void hand_over(struct pfx_hist_queue *queue)
{
	struct batch *full = queue->filled;

	pfx_workers_wait(queue->workers);
	queue->filled = queue->counted;
	queue->counted = full;
	pfx_workers_begin(queue->workers, 1, count_piece, queue);
}

void pfx_hist_queue_put(struct pfx_hist_queue *queue, const struct pfx_hist_addend *entry,
			const uint32_t *frames, uint32_t nr_frames)
{
	struct batch *batch = queue->filled;

	batch->entries[batch->nr] = *entry;
	batch->nr_frames[batch->nr++] = nr_frames;
	pfx_vec_reserve(&batch->frames, batch->frames.nr + nr_frames);
	if (nr_frames)
		memcpy(batch->frames.at + batch->frames.nr, frames, nr_frames * sizeof(*frames));
	batch->frames.nr += nr_frames;
	if (batch->nr == BATCH_ENTRIES || batch->frames.nr >= BATCH_FRAMES)
		hand_over(queue);
}

void pfx_hist_queue_settle(struct pfx_hist_queue *queue)
{
	if (!queue)
		return;
	pfx_workers_wait(queue->workers);
	count(queue->hists, queue->filled);
}

void pfx_hist_queue_free(struct pfx_hist_queue *queue)
{
	if (!queue)
		return;
	pfx_workers_wait(queue->workers);
	pfx_workers_free(queue->workers);
	pfx_vec_free(&queue->filled->frames);
	pfx_vec_free(&queue->counted->frames);
	free(queue->filled);
	free(queue->counted);
	free(queue);
}
