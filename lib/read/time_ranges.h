/* SPDX-License-Identifier: MIT */
/* The words of --time: "start,stop", "10%-20%", "10%/3", several at once. Times in ns, both ends
 * in. */
#ifndef PFX_READ_TIME_RANGES_H
#define PFX_READ_TIME_RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"

struct pfx_time_range {
	uint64_t start, end; /* end UINT64_MAX: to the last */
};

struct pfx_time_ranges {
	PFX_VEC(struct pfx_time_range) at; /* none: everything */
};

/* @first and @last: times of the first and last sample, for percentages; 0 unknown. */
int pfx_time_ranges_parse(struct pfx_time_ranges *ret, const char *words, uint64_t first,
			  uint64_t last, struct pfx_error *err);
/* Spans that count from @start on, as times of the recording. */
void pfx_time_ranges_shift(struct pfx_time_ranges *ranges, uint64_t start);
/* Whether @words (may be NULL) are any, before a recording is there. */
int pfx_time_ranges_check(const char *words, struct pfx_error *err);
/* Whether a sample of that time is wanted. */
bool pfx_time_ranges_have(const struct pfx_time_ranges *ranges, uint64_t time);
void pfx_time_ranges_fini(struct pfx_time_ranges *ranges);
/* "12.5" seconds as ns: at most nine digits behind the point. */
bool pfx_parse_seconds(const char *word, uint64_t *ret);

#endif
