/* SPDX-License-Identifier: MIT */
/* The inside of struct pfx_order, shared by the files of this room. */
#ifndef PFX_FILE_ORDER_INTERNAL_H
#define PFX_FILE_ORDER_INTERNAL_H

#include "file/order/order.h"

/* How the records of a piece lie in memory. */
enum pfx_piece_kind {
	PFX_PIECE_PLAIN,    /* as in the file */
	PFX_PIECE_PACKED,   /* unpacked: they have all the same offset */
	PFX_PIECE_GATHERED, /* a word with its offset in front of each */
};

/* Records that lie one behind the other. */
struct pfx_piece {
	const uint8_t *bytes;
	uint64_t offset;
	uint64_t nr : 62, kind : 2;
};

/* Records whose times never fall. */
struct pfx_run {
	uint64_t time; /* of its next record */
	const uint8_t *bytes;
	uint64_t offset;
	uint64_t left;              /* records of the piece, with the next */
	bool is_older;              /* all of it is let go */
	size_t piece, first_behind; /* the pieces: the current one, and the one behind the last */
	uint64_t seq;               /* number of the run in the recording */
};

/* Everything read between two ends of rounds. */
struct pfx_round {
	struct pfx_piece *pieces;
	size_t nr_pieces, cap_pieces;
	struct pfx_run *runs;
	size_t nr_runs, cap_runs;
	size_t nr_gathered; /* the first runs: those that need no gathering */
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
	struct pfx_round rounds[2]; /* by turns the newest */
	unsigned newest;
	uint64_t nr_runs;     /* begun so far */
	uint64_t newest_time; /* of all records read */
	uint64_t next_limit;  /* what the next end of a round lets go */
	uint64_t last_time;   /* of those handed out */
	uint64_t nr_queued, nr_calls;
	/* while records are let go */
	bool flushing, at_end, has_round_end;
	uint64_t limit;
	struct pfx_run **heap; /* runs with something to let go, or to be gathered */
	size_t nr_heap, cap_heap;
	struct pfx_record round_end; /* handed out behind what it let go */
	int failed;                  /* why reading ended; told when all is handed out */
	struct pfx_error error;
};

/* order_runs.c: the heap of runs, the oldest head first. */
void pfx_order_heapify(struct pfx_order *order);
/* Room in the heap for that many. */
void pfx_order_grow_heap(struct pfx_order *order, size_t need);
/* The runs of the round from @first on are complete: their pieces stay where they are now. */
void pfx_order_close_runs(struct pfx_round *round, size_t first);
/* The oldest run's next record; its run goes on, and has its place in the heap again. False when
 * the heap is empty. */
bool pfx_order_pop(struct pfx_order *order, struct pfx_record *ret);

#define PFX_ORDER_RUNS   ((size_t)1 << 17) /* that may wait before they are gathered: 15 MB */
#define PFX_ORDER_PIECES ((size_t)1 << 19)

/* Whether it is time to gather the runs that were not gathered yet. */
static inline bool pfx_order_is_long(const struct pfx_round *round)
{
	size_t first = round->nr_gathered;

	if (round->nr_runs == first)
		return false;
	return round->nr_runs - first >= PFX_ORDER_RUNS ||
	       round->nr_pieces - round->runs[first].piece >= PFX_ORDER_PIECES;
}

/* order_gather.c: when a round has too many runs or pieces, the last ones become one run in a file
 * without a name. 0 or a negative errno. */
int pfx_order_gather(struct pfx_order *order, struct pfx_round *round, struct pfx_error *err);
/* The round is empty: let go what was gathered for it. */
void pfx_order_drop_gathered(struct pfx_order *order, const struct pfx_round *round);

#endif
