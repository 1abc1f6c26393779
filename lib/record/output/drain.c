/* SPDX-License-Identifier: MIT */
/*
 * Copies whole records from ring buffers to queues. Overwritable ring buffers are all paused while
 * they are copied.
 */
#include "record/output/drain.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "event/record.h"
#include "record/output/places.h"

struct head {
	uint32_t type;
	uint16_t misc, size;
};

/* The number of bytes of whole records from position @at on, up to @limit. Invalid records are
 * passed on as they are. */
static size_t whole_records(const struct pfx_ring *ring, uint64_t at, size_t limit)
{
	uint64_t mask = ring->size - 1;
	struct head head;
	size_t size = 0;

	for (;;) {
		memcpy(&head, ring->data + ((at + size) & mask), sizeof(head));
		if (head.size < sizeof(head) || head.size % 8)
			return limit;
		if (size + head.size > limit)
			return size;
		size += head.size;
	}
}

/* Readers that trust the bit take device and inode for a build ID, and perf 6.1 aborts. The records
 * were copied just now: they are in the CPU's cache. */
static void clear_marks(const struct pfx_drain *drain, uint8_t *records, size_t size)
{
	struct head head;
	size_t at;

	if (drain->has_map_ids)
		return;
	for (at = 0; size - at >= sizeof(head); at += head.size) {
		memcpy(&head, records + at, sizeof(head));
		if (head.size < sizeof(head) || head.size > size - at)
			return;
		if (head.type != PFX_RECORD_MMAP2 || !(head.misc & PFX_MISC_MMAP_BUILD_ID))
			continue;
		head.misc &= (uint16_t)~PFX_MISC_MMAP_BUILD_ID;
		memcpy(records + at, &head, sizeof(head));
	}
}

/* Put @size bytes at @to, which end at @position of the ring buffer. The process may be killed
 * between any two instructions, after which each byte must be found once: in the queue or in the
 * ring buffer, see pfx_drain_settle(). */
static void put_piece(struct pfx_drain *drain, struct pfx_queue *queue, struct pfx_ring *ring,
		      uint64_t position, const uint8_t *end)
{
	size_t size = position - ring->copied;

	__atomic_store_n(&drain->last.end, NULL, __ATOMIC_RELEASE);
	drain->last.ring = ring;
	drain->last.position = position;
	__atomic_store_n(&drain->last.end, end, __ATOMIC_RELEASE);
	pfx_queue_put(queue, size);
	__atomic_store_n(&ring->copied, position, __ATOMIC_RELEASE);
}

void pfx_drain_settle(struct pfx_drain *drain)
{
	if (drain->out && drain->last.end &&
	    pfx_queue_ends_at(pfx_output_queue_of(drain->out, 0), drain->last.end))
		drain->last.ring->copied = drain->last.position;
}

/* Copy without waiting for the disk: the queue's thread writes. */
static uint64_t drain_ring(struct pfx_drain *drain, struct pfx_queue *queue, struct pfx_ring *ring)
{
	uint64_t waiting = pfx_ring_snapshot(ring), at = ring->tail;
	size_t size, room;
	uint8_t *to;

	ring->copied = at;
	while (at < ring->head) {
		size = ring->head - at;
		if (size > PFX_QUEUE_CHUNK)
			size = whole_records(ring, at, PFX_QUEUE_CHUNK);
		to = pfx_queue_room(queue, size, &room);
		pfx_ring_copy(ring, at, to, size);
		clear_marks(drain, to, size);
		at += size;
		put_piece(drain, queue, ring, at, to + size);
	}
	if (waiting)
		pfx_ring_release(ring);
	return waiting;
}

/* Put whole records, in blocks that the queue accepts. */
static void put(struct pfx_queue *queue, const uint8_t *from, size_t size)
{
	size_t piece, room;
	uint16_t next;

	while (size) {
		for (piece = 0; piece < size; piece += next) {
			memcpy(&next, from + piece + 6, sizeof(next));
			if (piece + next > PFX_QUEUE_CHUNK)
				break;
		}
		memcpy(pfx_queue_room(queue, piece, &room), from, piece);
		pfx_queue_put(queue, piece);
		from += piece;
		size -= piece;
	}
}

void pfx_drain_init(struct pfx_drain *drain, struct pfx_output *out, struct pfx_rings *rings,
		    const char *affinity, bool has_map_ids)
{
	size_t i;

	*drain = (struct pfx_drain){.out = out, .rings = rings, .has_map_ids = has_map_ids};
	if (!affinity)
		return;
	drain->places = pfx_calloc(rings->list.nr, sizeof(*drain->places));
	for (i = 0; i < rings->list.nr; i++)
		pfx_places_of(affinity, rings->list.at[i].cpu, &drain->places[i]);
}

uint64_t pfx_drain_pass(struct pfx_drain *drain)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < drain->rings->list.nr; i++) {
		if (drain->places && CPU_COUNT(&drain->places[i]))
			sched_setaffinity(0, sizeof(drain->places[i]), &drain->places[i]);
		if (!drain->rings->list.at[i].backward)
			bytes += drain_ring(drain, pfx_output_queue_of(drain->out, i),
					    &drain->rings->list.at[i]);
	}
	drain->nr_wakes += bytes > 0;
	return bytes;
}

void pfx_drain_put_round(struct pfx_drain *drain)
{
	const struct head round = {PFX_RECORD_FINISHED_ROUND, 0, sizeof(round)};
	struct pfx_queue *queue = pfx_output_queue_of(drain->out, 0);
	size_t room;

	memcpy(pfx_queue_room(queue, sizeof(round), &room), &round, sizeof(round));
	pfx_queue_put(queue, sizeof(round));
}

int pfx_drain_collect(struct pfx_drain *drain, struct pfx_error *err)
{
	struct pfx_rings *rings = drain->rings;
	uint8_t *from;
	size_t i, size;

	if (!pfx_rings_overwrite(rings))
		return 0;
	/* All ring buffers have the same size. */
	if (!drain->collected)
		drain->collected = pfx_calloc(1, rings->list.at[0].size);
	pfx_rings_pause(rings, true);
	for (i = 0; i < rings->list.nr; i++) {
		if (!rings->list.at[i].backward)
			continue;
		from = pfx_ring_collect(&rings->list.at[i], drain->collected, &size);
		clear_marks(drain, from, size);
		put(pfx_output_queue_of(drain->out, i), from, size);
		drain->nr_wakes += size > 0;
	}
	pfx_rings_pause(rings, false);
	return pfx_output_flush(drain->out, err);
}

uint64_t pfx_drain_passed(const struct pfx_drain *drain)
{
	uint64_t passed = 0;
	size_t i;

	for (i = 0; i < drain->rings->list.nr; i++)
		if (drain->rings->list.at[i].backward)
			passed += pfx_ring_passed(&drain->rings->list.at[i]);
	return passed;
}

void pfx_drain_fini(struct pfx_drain *drain)
{
	free(drain->places);
	free(drain->collected);
	*drain = (struct pfx_drain){0};
}
