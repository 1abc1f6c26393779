/* SPDX-License-Identifier: MIT */
/*
 * Holds samples in a list for each thread. A CALLCHAIN_DEFERRED record releases the samples of its
 * thread: those with its cookie get its frames; others are released unchanged, because their record
 * was lost. At the end, or above the limits, samples are released unchanged, the oldest first.
 */
#include "read/deferred.h"

#include <stdlib.h>
#include <string.h>

#include "event/sample.h"

/* A thread has few samples between entering and leaving the kernel. */
#define HELD_MAX   65536 /* samples */
#define HELD_BYTES ((size_t)64 << 20)

bool pfx_deferred_cookie(const struct pfx_words *chain, uint64_t *ret)
{
	if (chain->nr < 2 || pfx_word(chain, chain->nr - 2) != PFX_CONTEXT_USER_DEFERRED)
		return false;
	*ret = pfx_word(chain, chain->nr - 1);
	return true;
}

static struct pfx_held_sample *slot_at(const struct pfx_deferred *d, uint32_t slot)
{
	return &d->held.at[slot - 1];
}

static uint32_t new_slot(struct pfx_deferred *d)
{
	const struct pfx_held_sample none = {0};
	uint32_t slot = d->free_slot;

	if (slot) {
		d->free_slot = slot_at(d, slot)->next;
		return slot;
	}
	pfx_vec_push(&d->held, none);
	return (uint32_t)d->held.nr;
}

/* Adds a sample to the list of all samples and to that of its thread. */
static void add_held(struct pfx_deferred *d, const struct pfx_held_sample *sample)
{
	uint32_t slot = new_slot(d);
	uint64_t *list = pfx_hash_add(&d->by_tid, sample->tid, NULL);

	*slot_at(d, slot) = *sample;
	slot_at(d, slot)->older = d->newest;
	if (d->newest)
		slot_at(d, d->newest)->newer = slot;
	else
		d->oldest = slot;
	d->newest = slot;
	if (*list)
		slot_at(d, (uint32_t)*list)->next = slot;
	*list = (*list ? *list >> 32 << 32 : (uint64_t)slot << 32) | slot;
	d->nr_held++;
	d->bytes_held += sample->rec.size;
}

/* Moves a held sample to the list of ready ones. */
static void make_ready(struct pfx_deferred *d, uint32_t slot)
{
	struct pfx_held_sample *held = slot_at(d, slot);

	pfx_vec_push(&d->ready, *held);
	if (held->older)
		slot_at(d, held->older)->newer = held->newer;
	else
		d->oldest = held->newer;
	if (held->newer)
		slot_at(d, held->newer)->older = held->older;
	else
		d->newest = held->older;
	held->next = d->free_slot;
	d->free_slot = slot;
	d->nr_held--;
	d->bytes_held -= held->rec.size;
}

/* The oldest sample is always the first of its thread. */
static void give_up_oldest(struct pfx_deferred *d)
{
	const struct pfx_held_sample *held = slot_at(d, d->oldest);
	uint64_t *list = pfx_hash_get(&d->by_tid, held->tid);

	if (held->next)
		*list = (uint64_t)held->next << 32 | (uint32_t)*list;
	else
		pfx_hash_remove(&d->by_tid, held->tid);
	make_ready(d, d->oldest);
}

static bool may_wait(const struct pfx_deferred *d, const struct pfx_record *rec)
{
	return !d->off && rec->type == PFX_RECORD_SAMPLE && rec->event &&
	       rec->event->attr.flags & PFX_ATTR_DEFER_CALLCHAIN;
}

/* True: @rec waits for its user frames, and is held. */
static bool hold(struct pfx_deferred *d, const struct pfx_record *rec)
{
	struct pfx_held_sample held = {.rec = *rec};
	struct pfx_sample sample;

	if (!pfx_sample_decode(rec, &rec->event->attr, &sample) ||
	    !pfx_deferred_cookie(&sample.chain, &held.cookie))
		return false;
	if (d->nr_held == HELD_MAX || d->bytes_held > HELD_BYTES)
		give_up_oldest(d);
	held.tid = sample.tid;
	held.rec.bytes = memcpy(pfx_malloc(rec->size), rec->bytes, rec->size);
	add_held(d, &held);
	return true;
}

/* Replaces the cookie in the sample's chain by the late frames; no change if the result would be
 * too long for a record. */
static void merge(struct pfx_held_sample *held, const struct pfx_words *ips)
{
	const struct pfx_attr *attr = &held->rec.event->attr;
	struct pfx_buffer words = {0}, made = {0};
	struct pfx_record rec;
	struct pfx_sample sample;
	uint64_t i;

	if (!pfx_sample_decode(&held->rec, attr, &sample))
		return;
	for (i = 0; i + 2 < sample.chain.nr; i++)
		pfx_buffer_u64(&words, pfx_word(&sample.chain, i));
	if (ips->nr && pfx_word(ips, 0) < PFX_CONTEXT_MAX)
		pfx_buffer_u64(&words, PFX_CONTEXT_USER);
	for (i = 0; i < ips->nr; i++)
		pfx_buffer_u64(&words, pfx_word(ips, i));
	sample.chain = (struct pfx_words){words.at, words.len / 8, false};
	made.swap = held->rec.swap;
	if (pfx_sample_encode(&sample, attr, &made)) {
		pfx_record_init(&rec, made.at, held->rec.swap, held->rec.offset);
		rec.time = held->rec.time;
		rec.event = held->rec.event;
		free((void *)(uintptr_t)held->rec.bytes);
		held->rec = rec;
	} else {
		pfx_buffer_fini(&made);
	}
	pfx_buffer_fini(&words);
}

static void drop_frames(struct pfx_late_frames *frames)
{
	if (frames && !--frames->refs)
		free(frames);
}

/* Merges a sample with its frames only when it is handed out: merged samples together could be a
 * thousand times as large as the input. */
static void merge_late(struct pfx_held_sample *held)
{
	struct pfx_late_frames *frames = held->frames;
	struct pfx_record rec;
	struct pfx_body body;

	if (!frames)
		return;
	pfx_record_init(&rec, frames->bytes, frames->swap, 0);
	if (!pfx_record_decode(&rec, NULL, &body, NULL))
		merge(held, &body.callchain_deferred.ips);
	held->frames = NULL;
	drop_frames(frames);
}

static struct pfx_late_frames *copy_frames(const struct pfx_record *rec)
{
	struct pfx_late_frames *frames = pfx_malloc(sizeof(*frames) + rec->size);

	frames->refs = 1;
	frames->swap = rec->swap;
	memcpy(frames->bytes, rec->bytes, rec->size);
	return frames;
}

/* Releases samples for a record: those of its thread, or all if the record has no thread. */
static void release(struct pfx_deferred *d, const struct pfx_record *rec)
{
	struct pfx_late_frames *frames;
	struct pfx_body body;
	uint32_t slot = d->oldest, next;
	uint64_t *list;
	bool of_thread;

	if (!d->nr_held ||
	    pfx_record_decode(rec, rec->event ? &rec->event->attr : NULL, &body, NULL) < 0)
		return;
	of_thread = body.id.has & PFX_SAMPLE_TID;
	list = of_thread ? pfx_hash_get(&d->by_tid, body.id.tid) : NULL;
	if (of_thread && !list)
		return;
	if (list)
		slot = (uint32_t)(*list >> 32);
	frames = copy_frames(rec);
	for (; slot; slot = next) {
		struct pfx_held_sample *held = slot_at(d, slot);

		next = of_thread ? held->next : held->newer;
		if (held->cookie == body.callchain_deferred.cookie) {
			held->frames = frames;
			frames->refs++;
		}
		make_ready(d, slot);
	}
	drop_frames(frames);
	if (of_thread)
		pfx_hash_remove(&d->by_tid, body.id.tid);
	else
		pfx_hash_fini(&d->by_tid);
}

/* Returns the next ready sample, and frees the previous one. */
static bool take_ready(struct pfx_deferred *d, struct pfx_record *ret)
{
	if (d->nr_taken) {
		free((void *)(uintptr_t)d->ready.at[d->nr_taken - 1].rec.bytes);
		d->ready.at[d->nr_taken - 1].rec.bytes = NULL;
	}
	if (d->nr_taken == d->ready.nr) {
		d->nr_taken = d->ready.nr = 0;
		return false;
	}
	merge_late(&d->ready.at[d->nr_taken]);
	*ret = d->ready.at[d->nr_taken++].rec;
	return true;
}

/* With the result @rc of pfx_order_next(). */
static __attribute__((noinline)) int go_on(struct pfx_deferred *d, int rc, struct pfx_record *ret,
					   struct pfx_error *err)
{
	for (;;) {
		if (rc < 0 || (!rc && !d->nr_held))
			return rc;
		while (!rc && d->nr_held)
			give_up_oldest(d);
		if (rc && ret->type == PFX_RECORD_CALLCHAIN_DEFERRED)
			release(d, ret);
		if (rc && !(may_wait(d, ret) && hold(d, ret)))
			return rc;
		if (take_ready(d, ret))
			return 1;
		rc = pfx_order_next(d->order, ret, err);
	}
}

int pfx_deferred_next(struct pfx_deferred *d, struct pfx_record *ret, struct pfx_error *err)
{
	int rc;

	if (d->ready.nr && take_ready(d, ret))
		return 1;
	rc = pfx_order_next(d->order, ret, err);
	if (rc > 0 && ret->type != PFX_RECORD_CALLCHAIN_DEFERRED && !may_wait(d, ret))
		return rc;
	return go_on(d, rc, ret, err);
}

static void drop_sample(struct pfx_held_sample *sample)
{
	free((void *)(uintptr_t)sample->rec.bytes);
	drop_frames(sample->frames);
}

void pfx_deferred_fini(struct pfx_deferred *d)
{
	uint32_t slot;
	size_t i;

	for (slot = d->oldest; slot; slot = slot_at(d, slot)->newer)
		drop_sample(slot_at(d, slot));
	for (i = d->nr_taken ? d->nr_taken - 1 : 0; i < d->ready.nr; i++)
		drop_sample(&d->ready.at[i]);
	pfx_vec_free(&d->held);
	pfx_vec_free(&d->ready);
	pfx_hash_fini(&d->by_tid);
}
