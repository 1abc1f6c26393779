/* SPDX-License-Identifier: MIT */
/*
 * The counts of a recording (`stat record`) as tables: one for each interval, or one for all. Owns
 * its tables, borrows the recording, which is read in file order.
 */
#ifndef PFX_STAT_RECORDED_H
#define PFX_STAT_RECORDED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "read/recording.h"
#include "stat/stat.h"

struct pfx_recorded_counts;

/* The aggregation of rows; zero: the same as when counting. */
struct pfx_recorded_rows {
	bool is_chosen; /* false: ignore the rest */
	enum pfx_stat_by by;
	unsigned cache_level; /* 0: the last */
};

/* Does not read yet. @rows is copied. */
struct pfx_recorded_counts *pfx_recorded_counts_new(struct pfx_recording *recording,
						    const struct pfx_recorded_rows *rows);
void pfx_recorded_counts_free(struct pfx_recorded_counts *recorded);

/* Valid until the next call. */
struct pfx_recorded_table {
	const struct pfx_counts *counts;
	uint64_t at_ns;   /* end of the interval, from the start of counting */
	bool is_interval; /* one of several intervals; false: the whole time */
};

/* The next table: 1, 0 at the end, or an error; -EINVAL: the recording has no counts. */
int pfx_recorded_counts_next(struct pfx_recorded_counts *recorded, struct pfx_recorded_table *ret,
			     struct pfx_error *err);

#endif
