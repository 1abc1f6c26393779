/* SPDX-License-Identifier: MIT */
/*
 * Recordings without any order have as many runs as records. If there are too many, the last ones
 * are merged into one run, which is written to the spill's file. Runs keep their order in the
 * recording, so the result is the same; memory per record is then smaller by a factor of about
 * 100,000.
 */
#include "order_internal.h"

#include <errno.h>

#include "file/reader/reader_state_internal.h"

/* Write one record after its offset. */
static int write_record(struct pfx_spill *spill, const struct pfx_record *rec)
{
	int rc = pfx_spill_write(spill, &rec->offset, sizeof(rec->offset));

	return rc < 0 ? rc : pfx_spill_write(spill, rec->bytes, rec->size);
}

/* Write the records of all runs from @first on in order. */
static int write_runs(struct pfx_order *order, struct pfx_round *round, size_t first,
		      struct pfx_piece *ret)
{
	struct pfx_spill *spill = &order->reader->spill;
	struct pfx_record rec;
	uint64_t nr = 0;
	size_t i;
	int rc = 0;

	pfx_order_close_runs(round, first);
	pfx_order_grow_heap(order, round->nr_runs - first);
	order->limit = UINT64_MAX;
	for (i = first; i < round->nr_runs; i++) {
		round->runs[i].is_older = false;
		order->heap[order->nr_heap++] = &round->runs[i];
	}
	pfx_order_heapify(order);
	while (!rc && pfx_order_pop(order, &rec)) {
		rc = write_record(spill, &rec);
		nr++;
	}
	*ret = (struct pfx_piece){.nr = nr, .kind = PFX_PIECE_GATHERED};
	return rc < 0 ? rc : pfx_spill_end_region(spill, &ret->bytes);
}

static int cannot_gather(struct pfx_order *order, int rc, struct pfx_error *err)
{
	char name[256];

	pfx_error_sys(err, -rc, "cannot store what has to wait of '%s' to be put in order",
		      pfx_reader_name(order->reader, name, sizeof(name)));
	pfx_error_hint(err, "TMPDIR names a folder with more room");
	return rc;
}

/* The run whose record is the first in the recording. */
static const struct pfx_run *find_oldest(const struct pfx_round *round, size_t first)
{
	const struct pfx_run *oldest = &round->runs[first];
	size_t i;

	for (i = first + 1; i < round->nr_runs; i++)
		if (round->runs[i].time < oldest->time)
			oldest = &round->runs[i];
	return oldest;
}

int pfx_order_gather(struct pfx_order *order, struct pfx_round *round, struct pfx_error *err)
{
	size_t first = round->nr_gathered, first_piece = round->runs[first].piece;
	struct pfx_run run = *find_oldest(round, first);
	struct pfx_piece piece;
	int rc;

	if (pfx_spill_begin_region(&order->reader->spill) < 0) {
		/* no file is possible: they stay in memory */
		round->nr_gathered = round->nr_runs;
		return order->reader->spill.failed ? cannot_gather(order, -EIO, err) : 0;
	}
	run.seq = round->runs[first].seq;
	run.piece = first_piece;
	rc = write_runs(order, round, first, &piece);
	round->nr_pieces = first_piece;
	round->nr_runs = first;
	if (rc < 0)
		return cannot_gather(order, rc, err);
	round->pieces[round->nr_pieces++] = piece;
	round->runs[round->nr_runs++] = run;
	round->nr_gathered = round->nr_runs;
	return 0;
}

void pfx_order_drop_gathered(struct pfx_order *order, const struct pfx_round *round)
{
	size_t i;

	for (i = 0; i < round->nr_pieces; i++)
		if (round->pieces[i].kind == PFX_PIECE_GATHERED)
			pfx_spill_drop_region(&order->reader->spill, round->pieces[i].bytes);
}
