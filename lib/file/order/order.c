/* SPDX-License-Identifier: MIT */
/*
 * Records in order of time, see order.h. Waiting records are kept in two rounds: the current one
 * and the one before it. A round consists of runs whose times do not decrease; typically, a run is
 * the data of one CPU's ring buffer. Records are not stored one by one: a run consists of pieces of
 * memory, which are walked a second time to return the records (order_runs.c), so memory depends on
 * the number of runs (and there is a bound for that, see order_gather.c). The run with the oldest
 * record is read as long as no other run is older, so sorted input needs one comparison per record.
 * Section 11 of Documentation/file-format.md.
 */
#include "file/order/order.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "file/reader/reader_state_internal.h"
#include "order_internal.h"

/* A directory's files have no ends of rounds. The reader has merged them already, so a window of
 * this many records is sufficient for records that a ring buffer delivered late. */
#define WINDOW_RECORDS ((size_t)1 << 18)

struct pfx_order *pfx_order_new(struct pfx_reader *reader, bool as_is)
{
	struct pfx_order *order = pfx_calloc(1, sizeof(*order));

	order->reader = reader;
	order->meta = pfx_reader_meta(reader);
	order->as_is = as_is;
	order->is_merged = pfx_reader_info(reader)->form == PFX_READER_DIRECTORY;
	return order;
}

void pfx_order_free(struct pfx_order *order)
{
	unsigned i;

	if (!order)
		return;
	for (i = 0; i < 2; i++) {
		free(order->rounds[i].pieces);
		free(order->rounds[i].runs);
	}
	free(order->heap);
	free(order);
}

const struct pfx_order_stats *pfx_order_stats(const struct pfx_order *order)
{
	return &order->stats;
}

static void begin_run(struct pfx_order *order, struct pfx_round *round,
		      const struct pfx_record *rec)
{
	if (round->nr_runs == round->cap_runs)
		round->runs = pfx_vec_grow(round->runs, &round->cap_runs, round->nr_runs + 1,
					   sizeof(*round->runs));
	round->runs[round->nr_runs++] = (struct pfx_run){
		.time = rec->time,
		.piece = round->nr_pieces,
		.seq = order->nr_runs++,
	};
}

static void begin_piece(struct pfx_round *round, const struct pfx_record *rec)
{
	if (round->nr_pieces == round->cap_pieces)
		round->pieces = pfx_vec_grow(round->pieces, &round->cap_pieces,
					     round->nr_pieces + 1, sizeof(*round->pieces));
	round->pieces[round->nr_pieces++] =
		(struct pfx_piece){rec->bytes, rec->offset, 1, PFX_PIECE_PLAIN};
}

/* Append the record to the last piece if they are contiguous. */
static bool extend_piece(struct pfx_round *round, const struct pfx_record *rec)
{
	struct pfx_piece *piece = &round->pieces[round->nr_pieces - 1];
	uint64_t distance = (uint64_t)(round->end - piece->bytes);

	if (round->end != rec->bytes || piece->kind == PFX_PIECE_GATHERED)
		return false;
	if (piece->nr == 1)
		piece->kind = rec->offset == piece->offset ? PFX_PIECE_PACKED : PFX_PIECE_PLAIN;
	if (rec->offset != piece->offset + (piece->kind == PFX_PIECE_PACKED ? 0 : distance))
		return false;
	piece->nr++;
	return true;
}

/* @nr records were added to the round, the last one at its last time. */
static void count_queued(struct pfx_order *order, struct pfx_round *round, uint64_t nr)
{
	round->nr += nr;
	if (round->last_time > order->newest_time)
		order->newest_time = round->last_time;
	order->nr_queued += nr;
	if (order->nr_queued > order->stats.max_queued)
		order->stats.max_queued = order->nr_queued;
}

static void queue(struct pfx_order *order, const struct pfx_record *rec)
{
	struct pfx_round *round = &order->rounds[order->newest];
	bool is_new = round->nr_runs == round->nr_gathered || rec->time < round->last_time;

	if (is_new)
		begin_run(order, round, rec);
	if (is_new || !extend_piece(round, rec))
		begin_piece(round, rec);
	round->last_time = rec->time;
	round->end = rec->bytes + rec->size;
	if (rec->time < order->last_time)
		order->stats.nr_out_of_order++;
	count_queued(order, round, 1);
}

/* Add the records after the last one, as long as they continue its piece. */
static void skim(struct pfx_order *order)
{
	struct pfx_round *round = &order->rounds[order->newest];
	struct pfx_piece *piece;
	uint64_t nr;

	if (round->nr_runs == round->nr_gathered || round->last_time < order->last_time ||
	    pfx_reader_position(order->reader) != round->end)
		return;
	piece = &round->pieces[round->nr_pieces - 1];
	if (piece->nr < 2 || piece->kind != PFX_PIECE_PLAIN)
		return;
	nr = pfx_reader_skim(order->reader, &round->last_time);
	if (!nr)
		return;
	round->end = pfx_reader_position(order->reader);
	piece->nr += nr;
	count_queued(order, round, nr);
}

static void add_runs(struct pfx_order *order, const struct pfx_round *round, bool is_older)
{
	struct pfx_run *run;
	size_t i;

	for (i = 0; i < round->nr_runs; i++) {
		run = &round->runs[i];
		run->is_older = is_older;
		if (run->piece < run->first_behind && (is_older || run->time <= order->limit))
			order->heap[order->nr_heap++] = run;
	}
}

static void begin_flush(struct pfx_order *order, uint64_t limit)
{
	size_t need = order->rounds[0].nr_runs + order->rounds[1].nr_runs;
	struct pfx_round *newest = &order->rounds[order->newest];

	pfx_order_close_runs(newest, 0);
	newest->mark = pfx_reader_mark(order->reader);
	order->limit = limit;
	order->flushing = true;
	pfx_order_grow_heap(order, need);
	add_runs(order, &order->rounds[!order->newest], true);
	add_runs(order, &order->rounds[order->newest], false);
	pfx_order_heapify(order);
}

static void end_round(struct pfx_order *order)
{
	begin_flush(order, order->next_limit);
	order->next_limit = order->newest_time;
}

/* All records of the older round were returned, because the limit was its newest time: reuse it for
 * the next. */
static void end_flush(struct pfx_order *order)
{
	struct pfx_round *older = &order->rounds[!order->newest];

	pfx_reader_release(order->reader, older->mark);
	pfx_order_drop_gathered(order, older);
	older->nr = 0;
	older->nr_gathered = 0;
	older->nr_pieces = 0;
	older->nr_runs = 0;
	order->newest = !order->newest;
	order->flushing = false;
	order->stats.nr_rounds++;
}

static bool next_queued(struct pfx_order *order, struct pfx_record *ret)
{
	if (!pfx_order_pop_to_span(order, ret))
		return false;
	order->last_time = ret->time;
	order->nr_queued--;
	return true;
}

/* Handle a record: 1 it is returned at once, 0 it waits, or an error. */
static int take(struct pfx_order *order, const struct pfx_record *rec, struct pfx_error *err)
{
	struct pfx_round *round = &order->rounds[order->newest];

	if (rec->type == PFX_RECORD_FINISHED_ROUND) {
		end_round(order);
		order->round_end = *rec;
		order->has_round_end = true;
		return 0;
	}
	if (rec->time == PFX_NO_TIME || !rec->time)
		return 1;
	queue(order, rec);
	if (order->is_merged && round->nr == WINDOW_RECORDS)
		end_round(order);
	if (order->flushing || !pfx_order_is_long(round))
		return 0;
	return pfx_order_gather(order, round, err);
}

static int finish(struct pfx_order *order, struct pfx_error *err)
{
	if (order->failed && err)
		*err = order->error;
	return order->failed ? order->failed : pfx_reader_check_cut(order->reader, err);
}

/* The caller no longer uses the returned records; if none wait, release their bytes. */
static void release_some(struct pfx_order *order)
{
	if (!(++order->nr_calls & 255) && !order->nr_queued)
		pfx_reader_release(order->reader, pfx_reader_mark(order->reader));
}

static int next(struct pfx_order *order, struct pfx_record *ret, struct pfx_error *err)
{
	int rc;

	release_some(order);
	if (order->as_is)
		return pfx_reader_next(order->reader, ret, err);
	for (;;) {
		if (order->flushing && next_queued(order, ret))
			return 1;
		if (order->at_end)
			return finish(order, err);
		if (order->flushing)
			end_flush(order);
		if (order->has_round_end) {
			order->has_round_end = false;
			*ret = order->round_end;
			return 1;
		}
		skim(order);
		rc = pfx_reader_next(order->reader, ret, &order->error);
		if (rc > 0) {
			rc = take(order, ret, &order->error);
			if (rc > 0)
				return 1;
			if (!rc)
				continue;
		}
		order->failed = rc;
		order->at_end = true;
		begin_flush(order, UINT64_MAX);
	}
}

static __attribute__((noinline)) int next_counted(struct pfx_order *order, struct pfx_record *ret,
						  struct pfx_error *err)
{
	int rc = next(order, ret, err);

	if (rc > 0)
		order->stats.nr_unknown_ids += ret->has_unknown_id;
	return rc;
}

/* Most records are samples of a span: this path is short. */
int pfx_order_next(struct pfx_order *order, struct pfx_record *ret, struct pfx_error *err)
{
	if (!order->span.run || !pfx_order_next_of_span(order, ret))
		return next_counted(order, ret, err);
	order->last_time = ret->time;
	order->nr_queued--;
	order->stats.nr_unknown_ids += ret->has_unknown_id;
	return 1;
}
