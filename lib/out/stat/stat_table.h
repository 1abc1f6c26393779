/* SPDX-License-Identifier: MIT */
/*
 * The tables of one counting, one after the other, with the lines above and below them: the output
 * of `pfx stat` and `pfx stat report`.
 */
#ifndef PFX_OUT_STAT_TABLE_H
#define PFX_OUT_STAT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "out/stat/stat_text.h"

/* State of the tables so far, which determines headings. Zero-initialize. */
struct pfx_stat_tables {
	bool clears;      /* the screen is cleared before each interval */
	bool has_heading; /* a heading is still visible */
	uint64_t nr_intervals;
	uint64_t nr_wholes; /* tables of the whole time */
};

/* Append the counts of an interval that ended at @at_ns. Columns get a heading every 25 intervals,
 * other forms one. The time and the mark of @style are not used. */
void pfx_stat_text_interval(struct pfx_stat_tables *tables, const struct pfx_counts *stat,
			    const struct pfx_stat_style *style, uint64_t at_ns, struct pfx_str *to);

/* The target, for the title; the first of these that is set. */
struct pfx_stat_subject {
	const char *pids, *tids; /* as given by the user; NULL: not given */
	bool is_system;
	const char *cpus;
	const char *const *words; /* the command */
	size_t nr_words;
	const char *otherwise; /* used without a command */
	bool is_time_only;     /* no events, so no rows */
};

/* The locale's separator between groups of three digits; static. NULL: unknown. */
const char *pfx_stat_thousands(void);
/* Append the counts of the whole time: columns have a title above and the times below. Metrics
 * alone get a heading as intervals do: columns every 25 tables, other forms one. */
void pfx_stat_text_whole(struct pfx_stat_tables *tables, const struct pfx_counts *stat,
			 const struct pfx_stat_style *style, const struct pfx_stat_subject *subject,
			 const struct pfx_stat_times *times, struct pfx_str *to);

#endif
