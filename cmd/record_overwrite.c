/* SPDX-License-Identifier: MIT */
/*
 * Rings that keep the newest records (--overwrite): nothing is taken from them until somebody asks,
 * by a signal, a command, the clock, an event, or the end. Then all of them are held still for as
 * long as it takes to copy them. All here runs on the thread that empties the rings.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cmd/record_internal.h"

/* Whole records, in pieces that the queue takes. */
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

int pfx_record_collect(struct pfx_recorder *rec, struct pfx_error *err)
{
	const uint8_t *from;
	size_t i, size;

	if (!pfx_rings_overwrite(&rec->rings))
		return 0;
	if (!rec->out.collected)
		rec->out.collected = pfx_calloc(1, rec->ring_bytes);
	pfx_rings_pause(&rec->rings, true);
	for (i = 0; i < rec->rings.list.nr; i++) {
		if (!rec->rings.list.at[i].backward)
			continue;
		from = pfx_ring_collect(&rec->rings.list.at[i], rec->out.collected, &size);
		put(pfx_record_queue_of(rec, i), from, size);
		rec->nr_wakes += size > 0;
	}
	pfx_rings_pause(&rec->rings, false);
	return rec->out.lanes ? pfx_record_lanes_flush(rec, err)
			      : pfx_queue_flush(rec->out.queue, err);
}

void pfx_record_ask_switch(struct pfx_recorder *rec)
{
	if (__atomic_exchange_n(&rec->out.switching, true, __ATOMIC_ACQ_REL))
		return;
	pfx_record_collect(rec, NULL);
	if (rec->out.lanes)
		pfx_record_lanes_ask_switch(rec);
	else
		pfx_queue_ask(rec->out.queue, PFX_RECORD_ASK_SWITCH, NULL);
}

bool pfx_record_passed_size(const struct pfx_recorder *rec)
{
	uint64_t limit = rec->options->output_side.switch_bytes, passed = 0;
	size_t i;

	for (i = 0; limit && i < rec->rings.list.nr; i++)
		if (rec->rings.list.at[i].backward)
			passed += pfx_ring_passed(&rec->rings.list.at[i]);
	return limit && passed >= limit;
}
