/* SPDX-License-Identifier: MIT */
/* The argument of --time: one or several of "start,stop", "10%-20%", "10%/3". Times in ns, both
 * ends inclusive. */
#ifndef PFX_READ_TIME_RANGES_H
#define PFX_READ_TIME_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"

struct pfx_time_range {
	uint64_t start, end; /* end UINT64_MAX: unlimited */
};

struct pfx_time_ranges {
	PFX_VEC(struct pfx_time_range) at; /* empty: no limits */
};

/* @first and @last: times of the first and last sample, for percentages; 0 unknown. */
int pfx_time_ranges_parse(struct pfx_time_ranges *ret, const char *words, uint64_t first,
			  uint64_t last, struct pfx_error *err);
/* Convert ranges relative to @start into times of the recording. */
void pfx_time_ranges_shift(struct pfx_time_ranges *ranges, uint64_t start);
/* Check the syntax of @words (may be NULL) before a recording is read. */
int pfx_time_ranges_check(const char *words, struct pfx_error *err);
/* Whether a time is in one of the ranges. */
bool pfx_time_ranges_have(const struct pfx_time_ranges *ranges, uint64_t time);
void pfx_time_ranges_fini(struct pfx_time_ranges *ranges);
/* Parse seconds ("12.5") into ns: at most nine digits after the point. */
bool pfx_parse_seconds(const char *word, uint64_t *ret);

#endif
