/* SPDX-License-Identifier: MIT */
/* A heap of ring buffers by the time of their next record. */
#include "live/live_merge.h"

#include <stdlib.h>
#include <string.h>

#define RELEASE_SHARE 8 /* space is given back after this part of a ring buffer */

static void give_back(struct pfx_live_cursor *cursor)
{
	cursor->ring->head = cursor->at;
	pfx_ring_release(cursor->ring);
}

/* The next record's bytes in one piece; NULL: damaged. */
static const uint8_t *record_at(struct pfx_live_cursor *cursor)
{
	const struct pfx_ring *ring = cursor->ring;
	size_t offset = cursor->at & (ring->size - 1);
	const uint8_t *bytes = ring->data + offset;
	uint16_t size;

	memcpy(&size, bytes + 6, sizeof(size));
	if (size < PFX_RECORD_HEADER_SIZE || size % 8 || size > cursor->end - cursor->at)
		return NULL;
	if (offset + size <= ring->size)
		return bytes;
	if (!cursor->whole)
		cursor->whole = pfx_malloc(UINT16_MAX + 1);
	pfx_ring_copy(ring, cursor->at, cursor->whole, size);
	return cursor->whole;
}

/* Read the next record of the snapshot; false: there is none up to @limit. A record without a time
 * counts for that of the record before it. */
static bool read_next(struct pfx_live_merge *merge, struct pfx_live_cursor *cursor, uint64_t limit)
{
	const uint8_t *bytes;

	if (cursor->at == cursor->end)
		return false;
	bytes = record_at(cursor);
	if (!bytes) {
		merge->nr_bad++;
		cursor->at = cursor->end;
		return false;
	}
	pfx_record_init(&cursor->rec, bytes, false, 0);
	pfx_meta_identify_next(merge->meta, &cursor->event, &cursor->rec);
	if (cursor->rec.time != PFX_NO_TIME)
		cursor->last = cursor->rec.time;
	return cursor->last <= limit;
}

static uint64_t time_of(const struct pfx_live_merge *merge, size_t i)
{
	return merge->cursors.at[merge->heap.at[i]].last;
}

static void swap(struct pfx_live_merge *merge, size_t a, size_t b)
{
	uint32_t cursor = merge->heap.at[a];

	merge->heap.at[a] = merge->heap.at[b];
	merge->heap.at[b] = cursor;
}

static void sift_down(struct pfx_live_merge *merge, size_t i)
{
	size_t kid;

	while ((kid = 2 * i + 1) < merge->heap.nr) {
		if (kid + 1 < merge->heap.nr && time_of(merge, kid + 1) < time_of(merge, kid))
			kid++;
		if (time_of(merge, i) <= time_of(merge, kid))
			return;
		swap(merge, i, kid);
		i = kid;
	}
}

static void push(struct pfx_live_merge *merge, uint32_t cursor)
{
	size_t i = merge->heap.nr;

	pfx_vec_push(&merge->heap, cursor);
	for (; i && time_of(merge, i) < time_of(merge, (i - 1) / 2); i = (i - 1) / 2)
		swap(merge, i, (i - 1) / 2);
}

static void begin(struct pfx_live_merge *merge, uint64_t limit)
{
	size_t nr = merge->rings->list.nr, i;
	struct pfx_live_cursor *cursor;

	pfx_vec_slot(&merge->cursors, nr ? nr - 1 : 0);
	merge->heap.nr = 0;
	for (i = 0; i < nr; i++) {
		cursor = &merge->cursors.at[i];
		cursor->ring = &merge->rings->list.at[i];
		pfx_ring_snapshot(cursor->ring);
		cursor->at = cursor->ring->tail;
		cursor->end = cursor->ring->head;
		if (read_next(merge, cursor, limit))
			push(merge, (uint32_t)i);
	}
}

uint64_t pfx_live_merge_pass(struct pfx_live_merge *merge, uint64_t limit, pfx_live_record_fn take,
			     void *context)
{
	struct pfx_live_cursor *cursor;
	uint64_t left = 0;
	size_t i;

	begin(merge, limit);
	while (merge->heap.nr) {
		cursor = &merge->cursors.at[merge->heap.at[0]];
		cursor->at += cursor->rec.size;
		take(context, &cursor->rec);
		if (cursor->at - cursor->ring->tail > cursor->ring->size / RELEASE_SHARE)
			give_back(cursor);
		if (!read_next(merge, cursor, limit))
			merge->heap.at[0] = merge->heap.at[--merge->heap.nr];
		sift_down(merge, 0);
	}
	for (i = 0; i < merge->rings->list.nr; i++) {
		cursor = &merge->cursors.at[i];
		left += cursor->end - cursor->at;
		if (cursor->at != cursor->ring->tail)
			give_back(cursor);
	}
	return left;
}

void pfx_live_merge_fini(struct pfx_live_merge *merge)
{
	size_t i;

	for (i = 0; i < merge->cursors.nr; i++)
		free(merge->cursors.at[i].whole);
	pfx_vec_free(&merge->cursors);
	pfx_vec_free(&merge->heap);
}
