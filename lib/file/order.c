/* SPDX-License-Identifier: MIT */
/*
 * Records in order of time, see order.h. What waits is kept in two rounds: the one being read and
 * the one before it. A round is cut into runs whose times never fall; a run is what one CPU's ring
 * gave. Records are not kept one by one: a run knows the pieces of memory that it consists of, and
 * walks them a second time when it is its turn, so memory depends on the number of runs. Handing
 * out takes the oldest head of all runs, from a heap of runs, and stays with its run as long as no
 * other is older; so sorted input costs one comparison a record. Equal times keep the order of the
 * file, because runs are numbered in that order.
 */
#include "file/order.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "reader_internal.h"

/* A directory's files have no ends of rounds. The reader has merged them already, so a window of
 * this many records is enough to put right what a ring gave late. */
#define WINDOW_RECORDS ((size_t)1 << 18)

/* Records that lie one behind the other. Those that were unpacked have all the same offset. */
struct piece {
	const uint8_t *bytes;
	uint64_t offset;
	uint32_t nr;
	bool is_packed;
};

struct run {
	uint64_t time; /* of its next record */
	const struct pfx_event *event;
	const uint8_t *bytes;
	uint64_t offset;
	uint32_t left;              /* records of the piece, with the next */
	bool is_older;              /* all of it is let go */
	size_t piece, first_behind; /* the pieces: the current one, and the one behind the last */
	uint64_t seq;               /* number of the run in the recording */
};

/* Everything read between two ends of rounds. */
struct round {
	struct piece *pieces;
	size_t nr_pieces, cap_pieces;
	struct run *runs;
	size_t nr_runs, cap_runs;
	size_t nr;          /* records */
	uint64_t last_time; /* of the last one */
	const uint8_t *end; /* where it ends */
	uint64_t mark;      /* of the reader, behind the round's last record */
};

struct pfx_order {
	struct pfx_reader *reader;
	struct pfx_meta *meta;
	bool as_is;
	bool is_merged; /* nearly in order: the reader merges a directory's files */
	struct pfx_order_stats stats;
	struct round rounds[2]; /* by turns the newest */
	unsigned newest;
	uint64_t nr_runs;     /* begun so far */
	uint64_t newest_time; /* of all records read */
	uint64_t next_limit;  /* what the next end of a round lets go */
	uint64_t last_time;   /* of those handed out */
	uint64_t nr_queued, nr_calls;
	/* while records are let go */
	bool flushing, at_end, has_round_end;
	uint64_t limit;
	struct run **heap; /* runs with something to let go */
	size_t nr_heap, cap_heap;
	struct pfx_record round_end; /* handed out behind what it let go */
	int failed;                  /* why reading ended; told when all is handed out */
	struct pfx_error error;
};

struct pfx_order *pfx_order_new(struct pfx_reader *reader, bool as_is)
{
	struct pfx_order *order = pfx_calloc(1, sizeof(*order));

	order->reader = reader;
	order->meta = pfx_reader_meta(reader);
	order->as_is = as_is;
	order->is_merged = pfx_reader_info(reader)->form == PFX_FORM_DIRECTORY;
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

static void begin_run(struct pfx_order *order, struct round *round, const struct pfx_record *rec)
{
	if (round->nr_runs == round->cap_runs)
		round->runs = pfx_vec_grow(round->runs, &round->cap_runs, round->nr_runs + 1,
					   sizeof(*round->runs));
	round->runs[round->nr_runs++] = (struct run){
		.time = rec->time,
		.event = rec->event,
		.piece = round->nr_pieces,
		.seq = order->nr_runs++,
	};
}

static void begin_piece(struct round *round, const struct pfx_record *rec)
{
	if (round->nr_pieces == round->cap_pieces)
		round->pieces = pfx_vec_grow(round->pieces, &round->cap_pieces,
					     round->nr_pieces + 1, sizeof(*round->pieces));
	round->pieces[round->nr_pieces++] = (struct piece){rec->bytes, rec->offset, 1, false};
}

/* Add the record to the last piece if it lies right behind it. */
static bool extend_piece(struct round *round, const struct pfx_record *rec)
{
	struct piece *piece = &round->pieces[round->nr_pieces - 1];
	uint64_t distance = (uint64_t)(round->end - piece->bytes);

	if (round->end != rec->bytes || piece->nr == UINT32_MAX)
		return false;
	if (piece->nr == 1)
		piece->is_packed = rec->offset == piece->offset;
	if (rec->offset != piece->offset + (piece->is_packed ? 0 : distance))
		return false;
	piece->nr++;
	return true;
}

static void queue(struct pfx_order *order, const struct pfx_record *rec)
{
	struct round *round = &order->rounds[order->newest];
	bool is_new = !round->nr || rec->time < round->last_time;

	if (is_new)
		begin_run(order, round, rec);
	if (is_new || !extend_piece(round, rec))
		begin_piece(round, rec);
	round->nr++;
	round->last_time = rec->time;
	round->end = rec->bytes + rec->size;
	if (rec->time > order->newest_time)
		order->newest_time = rec->time;
	if (rec->time < order->last_time)
		order->stats.nr_out_of_order++;
	if (++order->nr_queued > order->stats.max_queued)
		order->stats.max_queued = order->nr_queued;
}

static bool is_before(const struct run *a, const struct run *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	return a->seq < b->seq;
}

static void sink(struct pfx_order *order, size_t i)
{
	struct run **heap = order->heap, *run = heap[i];
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

/* Look at the record that is the run's next. */
static void load_head(struct pfx_order *order, struct run *run)
{
	struct pfx_meta *meta = order->meta;
	uint64_t unknown = meta->nr_unknown_ids;
	struct pfx_record rec;

	pfx_record_init(&rec, run->bytes, meta->swap, run->offset);
	pfx_meta_identify(meta, &rec);
	meta->nr_unknown_ids = unknown; /* it was counted when it was read */
	run->time = rec.time;
	run->event = rec.event;
}

static void enter_piece(struct run *run, const struct round *round)
{
	const struct piece *piece = &round->pieces[run->piece];

	run->bytes = piece->bytes;
	run->offset = piece->offset;
	run->left = piece->nr;
}

/* Go on to the run's next record: false when there is none. */
static bool advance(struct pfx_order *order, struct run *run, uint16_t size)
{
	const struct round *round = &order->rounds[run->is_older ? !order->newest : order->newest];

	if (--run->left) {
		run->bytes += size;
		if (!round->pieces[run->piece].is_packed)
			run->offset += size;
	} else if (++run->piece == run->first_behind) {
		return false;
	} else {
		enter_piece(run, round);
	}
	load_head(order, run);
	return true;
}

/* The round is complete: its pieces stay where they are now. */
static void close_round(struct pfx_order *order)
{
	struct round *round = &order->rounds[order->newest];
	struct run *run;
	size_t i;

	for (i = 0; i < round->nr_runs; i++) {
		run = &round->runs[i];
		run->first_behind =
			i + 1 < round->nr_runs ? round->runs[i + 1].piece : round->nr_pieces;
		enter_piece(run, round);
	}
	round->mark = pfx_reader_mark(order->reader);
}

static void add_runs(struct pfx_order *order, const struct round *round, bool is_older)
{
	struct run *run;
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
	size_t i, need = order->rounds[0].nr_runs + order->rounds[1].nr_runs;

	close_round(order);
	order->limit = limit;
	order->flushing = true;
	order->nr_heap = 0;
	if (need > order->cap_heap)
		order->heap =
			pfx_vec_grow(order->heap, &order->cap_heap, need, sizeof(struct run *));
	add_runs(order, &order->rounds[!order->newest], true);
	add_runs(order, &order->rounds[order->newest], false);
	for (i = order->nr_heap / 2; i--;)
		sink(order, i);
}

static void end_round(struct pfx_order *order)
{
	begin_flush(order, order->next_limit);
	order->next_limit = order->newest_time;
}

/* The older round is handed out completely now, because the limit was the newest time in it: its
 * place is used for the next. */
static void end_flush(struct pfx_order *order)
{
	struct round *older = &order->rounds[!order->newest];

	pfx_reader_release(order->reader, older->mark);
	older->nr = 0;
	older->nr_pieces = 0;
	older->nr_runs = 0;
	order->newest = !order->newest;
	order->flushing = false;
	order->stats.nr_rounds++;
}

static bool next_queued(struct pfx_order *order, struct pfx_record *ret)
{
	struct run *run;

	if (!order->nr_heap)
		return false;
	run = order->heap[0];
	pfx_record_init(ret, run->bytes, order->meta->swap, run->offset);
	ret->time = run->time;
	ret->event = run->event;
	if (!advance(order, run, ret->size) || (!run->is_older && run->time > order->limit))
		order->heap[0] = order->heap[--order->nr_heap];
	if (order->nr_heap > 1)
		sink(order, 0);
	order->last_time = ret->time;
	order->nr_queued--;
	pfx_reader_walked(order->reader, ret->size);
	return true;
}

/* A record came: true when the caller gets it at once. */
static bool take(struct pfx_order *order, const struct pfx_record *rec)
{
	if (rec->type == PFX_RECORD_FINISHED_ROUND) {
		end_round(order);
		order->round_end = *rec;
		order->has_round_end = true;
		return false;
	}
	if (rec->time == PFX_NO_TIME || !rec->time)
		return true;
	queue(order, rec);
	if (order->is_merged && order->rounds[order->newest].nr == WINDOW_RECORDS)
		end_round(order);
	return false;
}

static int finish(struct pfx_order *order, struct pfx_error *err)
{
	if (order->failed && err)
		*err = order->error;
	return order->failed;
}

/* The caller is done with all that it got; if nothing waits, the bytes may go. */
static void release_some(struct pfx_order *order)
{
	if (!(++order->nr_calls & 255) && !order->nr_queued)
		pfx_reader_release(order->reader, pfx_reader_mark(order->reader));
}

int pfx_order_next(struct pfx_order *order, struct pfx_record *ret, struct pfx_error *err)
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
		rc = pfx_reader_next(order->reader, ret, &order->error);
		if (rc > 0 && take(order, ret))
			return 1;
		if (rc > 0)
			continue;
		order->failed = rc;
		order->at_end = true;
		begin_flush(order, UINT64_MAX);
	}
}
