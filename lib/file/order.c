/* SPDX-License-Identifier: MIT */
/*
 * Records in order of time, see order.h. What waits is kept in two rounds: the one being read and
 * the one before it. A round is a list of short entries, cut into runs whose times never fall; a
 * run is what one CPU's ring gave. Handing out takes the oldest head of all runs, from a heap of
 * runs, and stays with its run as long as no other is older; so sorted input costs one comparison
 * a record. Equal times keep the order of the file, because runs are numbered in that order.
 * Section 11 of Documentation/file-format.md.
 */
#include "file/order.h"

#include <stdlib.h>

#include "base/alloc.h"

/* A directory's files have no ends of rounds. The reader has merged them already, so a window of
 * this many records is enough to put right what a ring gave late. */
#define WINDOW_RECORDS ((size_t)1 << 20)

struct entry {
	uint64_t time;
	const uint8_t *bytes;
	uint64_t offset;
	const struct pfx_event *event;
};

struct run {
	const struct entry *at, *end; /* what was not handed out yet; set when the round is over */
	size_t first;                 /* index of its first entry */
	uint64_t seq;                 /* number of the run in the recording */
};

/* Everything read between two ends of rounds. */
struct round {
	struct entry *entries;
	size_t nr, cap;
	struct run *runs;
	size_t nr_runs, cap_runs;
	uint64_t mark; /* of the reader, behind the round's last record */
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
		free(order->rounds[i].entries);
		free(order->rounds[i].runs);
	}
	free(order->heap);
	free(order);
}

const struct pfx_order_stats *pfx_order_stats(const struct pfx_order *order)
{
	return &order->stats;
}

static void begin_run(struct pfx_order *order, struct round *round)
{
	if (round->nr_runs == round->cap_runs)
		round->runs = pfx_vec_grow(round->runs, &round->cap_runs, round->nr_runs + 1,
					   sizeof(*round->runs));
	round->runs[round->nr_runs++] = (struct run){.first = round->nr, .seq = order->nr_runs++};
}

static void queue(struct pfx_order *order, const struct pfx_record *rec)
{
	struct round *round = &order->rounds[order->newest];

	if (!round->nr || rec->time < round->entries[round->nr - 1].time)
		begin_run(order, round);
	if (round->nr == round->cap)
		round->entries = pfx_vec_grow(round->entries, &round->cap, round->nr + 1,
					      sizeof(*round->entries));
	round->entries[round->nr++] =
		(struct entry){rec->time, rec->bytes, rec->offset, rec->event};
	if (rec->time > order->newest_time)
		order->newest_time = rec->time;
	if (rec->time < order->last_time)
		order->stats.nr_out_of_order++;
	if (++order->nr_queued > order->stats.max_queued)
		order->stats.max_queued = order->nr_queued;
}

static bool is_before(const struct run *a, const struct run *b)
{
	if (a->at->time != b->at->time)
		return a->at->time < b->at->time;
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

/* The round is complete: its entries stay where they are now. */
static void close_round(struct pfx_order *order)
{
	struct round *round = &order->rounds[order->newest];
	size_t i;

	for (i = 0; i < round->nr_runs; i++) {
		round->runs[i].at = round->entries + round->runs[i].first;
		round->runs[i].end =
			round->entries +
			(i + 1 < round->nr_runs ? round->runs[i + 1].first : round->nr);
	}
	round->mark = pfx_reader_mark(order->reader);
}

static void add_runs(struct pfx_order *order, const struct round *round)
{
	struct run *run;
	size_t i;

	for (i = 0; i < round->nr_runs; i++) {
		run = &round->runs[i];
		if (run->at < run->end && run->at->time <= order->limit)
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
	add_runs(order, &order->rounds[!order->newest]);
	add_runs(order, &order->rounds[order->newest]);
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
	older->nr_runs = 0;
	order->newest = !order->newest;
	order->flushing = false;
	order->stats.nr_rounds++;
}

static bool next_queued(struct pfx_order *order, struct pfx_record *ret)
{
	const struct entry *entry;
	struct run *run;

	if (!order->nr_heap)
		return false;
	run = order->heap[0];
	entry = run->at++;
	if (run->at == run->end || run->at->time > order->limit)
		order->heap[0] = order->heap[--order->nr_heap];
	if (order->nr_heap > 1)
		sink(order, 0);
	pfx_record_init(ret, entry->bytes, order->meta->swap, entry->offset);
	ret->time = entry->time;
	ret->event = entry->event;
	order->last_time = entry->time;
	order->nr_queued--;
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
