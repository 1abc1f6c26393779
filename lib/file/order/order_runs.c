/* SPDX-License-Identifier: MIT */
/*
 * Iterates over runs: each advances from record to record through its pieces of memory, and a heap
 * has the run with the oldest record on top. Records with equal times keep the order of the file,
 * because runs are numbered in that order.
 */
#include <string.h>

#include "base/alloc.h"
#include "file/reader/reader_state_internal.h"
#include "order_internal.h"

static bool is_before(const struct pfx_run *a, const struct pfx_run *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	return a->seq < b->seq;
}

static void sink(struct pfx_order *order, size_t i)
{
	struct pfx_run **heap = order->heap, *run = heap[i];
	size_t child;

	while ((child = 2 * i + 1) < order->nr_heap) {
		if (child + 1 < order->nr_heap && is_before(heap[child + 1], heap[child]))
			child++;
		if (!is_before(heap[child], run))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = run;
}

void pfx_order_heapify(struct pfx_order *order)
{
	size_t i;

	for (i = order->nr_heap / 2; i--;)
		sink(order, i);
}

void pfx_order_grow_heap(struct pfx_order *order, size_t need)
{
	order->nr_heap = 0;
	if (need > order->cap_heap)
		order->heap =
			pfx_vec_grow(order->heap, &order->cap_heap, need, sizeof(struct pfx_run *));
}

/* Read the time of the run's next record. */
static void load_time(const struct pfx_order *order, struct pfx_run *run)
{
	const struct pfx_meta *meta = order->meta;
	struct pfx_record rec;

	if (meta->time_pos >= 0 && pfx_load32(run->bytes, meta->swap) == PFX_RECORD_SAMPLE) {
		run->time =
			pfx_load64(run->bytes + PFX_RECORD_HEADER_SIZE + 8 * (size_t)meta->time_pos,
				   meta->swap);
		return;
	}
	pfx_record_init(&rec, run->bytes, meta->swap, run->offset);
	pfx_meta_identify(meta, &rec);
	run->time = rec.time;
}

/* Each gathered record is preceded by its offset. */
static void read_offset(struct pfx_run *run)
{
	memcpy(&run->offset, run->bytes, sizeof(run->offset));
	run->bytes += sizeof(run->offset);
}

static void enter_piece(struct pfx_run *run, const struct pfx_round *round)
{
	const struct pfx_piece *piece = &round->pieces[run->piece];

	run->bytes = piece->bytes;
	run->offset = piece->offset;
	run->left = piece->nr;
	if (piece->kind == PFX_PIECE_GATHERED)
		read_offset(run);
}

/* Advance to the run's next record: false if there is none. */
static bool advance(struct pfx_order *order, struct pfx_run *run, uint16_t size)
{
	const struct pfx_round *round =
		&order->rounds[run->is_older ? !order->newest : order->newest];

	if (--run->left) {
		run->bytes += size;
		if (round->pieces[run->piece].kind == PFX_PIECE_GATHERED)
			read_offset(run);
		else if (round->pieces[run->piece].kind == PFX_PIECE_PLAIN)
			run->offset += size;
	} else if (++run->piece == run->first_behind) {
		return false;
	} else {
		enter_piece(run, round);
	}
	load_time(order, run);
	return true;
}

void pfx_order_close_runs(struct pfx_round *round, size_t first)
{
	struct pfx_run *run;
	size_t i;

	for (i = first; i < round->nr_runs; i++) {
		run = &round->runs[i];
		run->first_behind =
			i + 1 < round->nr_runs ? round->runs[i + 1].piece : round->nr_pieces;
		enter_piece(run, round);
	}
}

/* The top run has another record, and with it another time, or has ended. */
static void settle_top(struct pfx_order *order, bool has_record)
{
	const struct pfx_run *run = order->heap[0];

	if (!has_record || (!run->is_older && run->time > order->limit))
		order->heap[0] = order->heap[--order->nr_heap];
	if (order->nr_heap > 1)
		sink(order, 0);
}

bool pfx_order_pop(struct pfx_order *order, struct pfx_record *ret)
{
	struct pfx_run *run;

	if (!order->nr_heap)
		return false;
	run = order->heap[0];
	pfx_record_init(ret, run->bytes, order->meta->swap, run->offset);
	pfx_meta_identify(order->meta, ret);
	settle_top(order, advance(order, run, ret->size));
	pfx_reader_walked(order->reader, ret->size);
	return true;
}

/* --- spans --- */

/* The time from which on another run may be first, or no record may be returned yet. */
static uint64_t bound_of(const struct pfx_order *order)
{
	uint64_t bound = order->heap[0]->is_older ? UINT64_MAX : order->limit;
	size_t i;

	for (i = 1; i < order->nr_heap && i <= 2; i++)
		if (order->heap[i]->time < bound)
			bound = order->heap[i]->time;
	return bound;
}

static void begin_span(struct pfx_order *order, struct pfx_run *run)
{
	const struct pfx_round *round =
		&order->rounds[run->is_older ? !order->newest : order->newest];
	struct pfx_order_span *span = &order->span;

	if (run->left < 2 || round->pieces[run->piece].kind != PFX_PIECE_PLAIN)
		return;
	*span = (struct pfx_order_span){.bound = bound_of(order)};
	if (run->time < span->bound)
		span->run = run;
}

bool pfx_order_pop_to_span(struct pfx_order *order, struct pfx_record *ret)
{
	struct pfx_run *run = order->nr_heap ? order->heap[0] : NULL;

	if (!pfx_order_pop(order, ret))
		return false;
	if (order->nr_heap && order->heap[0] == run)
		begin_span(order, run);
	return true;
}

static bool end_span(struct pfx_order *order)
{
	load_time(order, order->span.run);
	order->span.run = NULL;
	settle_top(order, true);
	return false;
}

bool pfx_order_next_of_span(struct pfx_order *order, struct pfx_record *ret)
{
	struct pfx_order_span *span = &order->span;
	struct pfx_run *run = span->run;

	if (run->left < 2)
		return end_span(order);
	pfx_record_init(ret, run->bytes, order->meta->swap, run->offset);
	pfx_meta_identify_next(order->meta, &span->last, ret);
	if (ret->type != PFX_RECORD_SAMPLE || ret->time >= span->bound)
		return end_span(order);
	run->left--;
	run->bytes += ret->size;
	run->offset += ret->size;
	pfx_reader_walked(order->reader, ret->size);
	return true;
}
