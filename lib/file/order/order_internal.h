/* SPDX-License-Identifier: MIT */
/* The implementation of struct pfx_order, shared by the files of this directory. */
#ifndef PFX_FILE_ORDER_INTERNAL_H
#define PFX_FILE_ORDER_INTERNAL_H

#include "file/order/order.h"

/* The layout of a piece's records in memory. */
enum pfx_piece_kind {
	PFX_PIECE_PLAIN,    /* as in the file */
	PFX_PIECE_PACKED,   /* unpacked: all have the same offset */
	PFX_PIECE_GATHERED, /* each record is preceded by a word with its offset */
};

/* Contiguous records. */
struct pfx_piece {
	const uint8_t *bytes;
	uint64_t offset;
	uint64_t nr : 62, kind : 2;
};

/* Records in order of time: times do not decrease. */
struct pfx_run {
	uint64_t time; /* of its next record */
	const uint8_t *bytes;
	uint64_t offset;
	uint64_t left;              /* records left in the piece, including the next */
	bool is_older;              /* the whole run is before the limit */
	size_t piece, first_behind; /* the pieces: the current one, and the end of the range */
	uint64_t seq;               /* number of the run in the recording */
};

/* All records between two FINISHED_ROUND records. */
struct pfx_round {
	struct pfx_piece *pieces;
	size_t nr_pieces, cap_pieces;
	struct pfx_run *runs;
	size_t nr_runs, cap_runs;
	size_t nr_gathered; /* number of leading runs that need no gathering */
	size_t nr;          /* records */
	uint64_t last_time; /* of the last one */
	const uint8_t *end; /* where it ends */
	uint64_t mark;      /* of the reader, after the round's last record */
};

/* The next records of the oldest run, as long as they are samples that lie before all other runs:
 * they need no look at the heap. */
struct pfx_order_span {
	struct pfx_run *run; /* the top of the heap, whose time is not kept; NULL: there is none */
	uint64_t bound;      /* samples before this time belong to it */
	struct pfx_meta_last last;
};

struct pfx_order {
	struct pfx_reader *reader;
	struct pfx_meta *meta;
	bool as_is;
	bool is_merged; /* nearly in order: the reader merges the files of a directory */
	struct pfx_order_stats stats;
	struct pfx_round rounds[2]; /* they take turns as the newest */
	unsigned newest;
	uint64_t nr_runs;     /* number of runs so far */
	uint64_t newest_time; /* of all records read */
	uint64_t next_limit;  /* limit of the next flush */
	uint64_t last_time;   /* of the records returned */
	uint64_t nr_queued, nr_calls;
	/* while records are being returned */
	bool flushing, at_end, has_round_end;
	uint64_t limit;
	struct pfx_run **heap; /* runs with records to return, or to be gathered */
	size_t nr_heap, cap_heap;
	struct pfx_order_span span;
	struct pfx_record round_end; /* returned after the records before its limit */
	int failed; /* error that ended reading; reported after all records were returned */
	struct pfx_error error;
};

/* order_runs.c: the heap of runs, the oldest head first. */
void pfx_order_heapify(struct pfx_order *order);
/* Room in the heap for @need runs. */
void pfx_order_grow_heap(struct pfx_order *order, size_t need);
/* The runs of the round from @first on are complete: the addresses of their pieces are final. */
void pfx_order_close_runs(struct pfx_round *round, size_t first);
/* The next record of the oldest run; advances the run and updates the heap. False if the heap is
 * empty. */
bool pfx_order_pop(struct pfx_order *order, struct pfx_record *ret);
/* The same while flushing, without order->span.run: a span may begin here. */
bool pfx_order_pop_to_span(struct pfx_order *order, struct pfx_record *ret);
/* The next record of the span. False: it ends here. */
bool pfx_order_next_of_span(struct pfx_order *order, struct pfx_record *ret);

#define PFX_ORDER_RUNS \
	((size_t)1 << 17) /* maximum number of runs before they are gathered: 15 MB */
#define PFX_ORDER_PIECES ((size_t)1 << 19)

/* Whether to gather the runs that are not gathered yet. */
static inline bool pfx_order_is_long(const struct pfx_round *round)
{
	size_t first = round->nr_gathered;

	if (round->nr_runs == first)
		return false;
	return round->nr_runs - first >= PFX_ORDER_RUNS ||
	       round->nr_pieces - round->runs[first].piece >= PFX_ORDER_PIECES;
}

/* order_gather.c: if a round has too many runs or pieces, merge the last ones into one run in an
 * unnamed file. 0 or a negative errno. */
int pfx_order_gather(struct pfx_order *order, struct pfx_round *round, struct pfx_error *err);
/* The round is empty: release the file space of its gathered runs. */
void pfx_order_drop_gathered(struct pfx_order *order, const struct pfx_round *round);

#endif
