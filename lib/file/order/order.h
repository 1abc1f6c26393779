/* SPDX-License-Identifier: MIT */
/*
 * Records in order of time. Within a round (between two FINISHED_ROUND records) the records of each
 * CPU are already ordered, so this is a merge: at the end of round n all records up to the newest
 * time of round n-1 are returned. Records without time, or with time 0, keep their position.
 * Without FINISHED_ROUND records, all records wait until the end of the input, which takes memory
 * per run only (for streams and compressed records, per record); but a directory's files, which the
 * reader merges, are sorted in a window of bounded size.
 */
#ifndef PFX_FILE_ORDER_H
#define PFX_FILE_ORDER_H

#include "file/reader/reader.h"

struct pfx_order;

struct pfx_order_stats {
	uint64_t nr_out_of_order; /* older than a record that was returned before */
	uint64_t nr_rounds;
	uint64_t max_queued;     /* maximum number of waiting records */
	uint64_t nr_unknown_ids; /* records with an id of no event */
};

/* The order borrows the reader. @as_is: return records in file order (-D, --disable-order). */
struct pfx_order *pfx_order_new(struct pfx_reader *reader, bool as_is);
void pfx_order_free(struct pfx_order *order);
/* The next record: 1, 0 at the end, or an error. Its bytes are valid until the next call. */
int pfx_order_next(struct pfx_order *order, struct pfx_record *ret, struct pfx_error *err);
const struct pfx_order_stats *pfx_order_stats(const struct pfx_order *order);

#endif
