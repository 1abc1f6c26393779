/* SPDX-License-Identifier: MIT */
/*
 * Records in order of time. Within a round (between two FINISHED_ROUND records) each CPU's run is
 * already ordered, so this is a merge: at the end of round n everything up to the newest time of
 * round n-1 is handed out. Records without time, or with time 0, are handed out where they stand.
 * Without ends of rounds everything waits for the end of the input, which takes memory for each run
 * only (of a stream and of compressed records, for all of them); but a directory's files, which the
 * reader merges, go through a window of bounded size.
 */
#ifndef PFX_FILE_ORDER_H
#define PFX_FILE_ORDER_H

#include "file/reader/reader.h"

struct pfx_order;

struct pfx_order_stats {
	uint64_t nr_out_of_order; /* older than one that had been handed out already */
	uint64_t nr_rounds;
	uint64_t max_queued;     /* records held at most */
	uint64_t nr_unknown_ids; /* records with an id that no event has */
};

/* The order borrows the reader. @as_is: hand out in file order (-D, --disable-order). */
struct pfx_order *pfx_order_new(struct pfx_reader *reader, bool as_is);
void pfx_order_free(struct pfx_order *order);
/* The next record: 1, 0 at the end, or an error. Its bytes are valid until the next call. */
int pfx_order_next(struct pfx_order *order, struct pfx_record *ret, struct pfx_error *err);
const struct pfx_order_stats *pfx_order_stats(const struct pfx_order *order);

#endif
