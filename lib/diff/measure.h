/* SPDX-License-Identifier: MIT */
/* The numbers of a comparison: what a row weighs in a side, how it changed, and the order of rows.
 * Everything is computed from the model; nothing is kept. */
#ifndef PFX_DIFF_MEASURE_H
#define PFX_DIFF_MEASURE_H

#include "diff/diff.h"

/* What is computed from the old and the new weight; perf's names. */
enum pfx_diff_compute {
	PFX_DIFF_DELTA,
	PFX_DIFF_DELTA_ABS, /* the same, ordered by its absolute value */
	PFX_DIFF_RATIO,
	PFX_DIFF_WDIFF, /* new * w2 - old * w1 */
};

/* How samples are put on one footing. */
enum pfx_diff_footing {
	PFX_DIFF_SHARE,    /* percent of the total of the side */
	PFX_DIFF_SAMPLES,  /* number of samples */
	PFX_DIFF_PERIOD,   /* sum of periods */
	PFX_DIFF_CPU_TIME, /* ms: sum of periods of clock events */
	PFX_DIFF_PER_RUN,  /* sum of periods divided by the number of runs of the side */
	PFX_DIFF_NR_WEIGHTS,
};

extern const char *const pfx_diff_weight_names[PFX_DIFF_NR_WEIGHTS];

/* What a side and an event are measured by. */
struct pfx_diff_measure {
	const struct pfx_diff *diff;
	const struct pfx_diff_event *event;
	enum pfx_diff_footing weight;
	enum pfx_diff_compute compute;
	int64_t w1, w2; /* of PFX_DIFF_WDIFF */
};

/* "delta", "wdiff:1,2" and so on: -EINVAL with a message if it is none of them. */
int pfx_diff_compute_parse(const char *word, struct pfx_diff_measure *ret, struct pfx_error *err);
/* The weight with this name: -EINVAL with a message if there is none. */
int pfx_diff_weight_parse(const char *word, enum pfx_diff_footing *ret, struct pfx_error *err);
/* The weight of a row, and of the total. */
double pfx_diff_weight(const struct pfx_diff_measure *how, const struct pfx_diff_value *value,
		       uint32_t side);
double pfx_diff_total(const struct pfx_diff_measure *how, uint32_t side);
/* The weight in @side minus that in side 0. */
double pfx_diff_delta(const struct pfx_diff_measure *how, const struct pfx_diff_row *row,
		      uint32_t side);
/* What is computed for a side; false if it cannot be: the row is not in the side, or there is
 * nothing to divide by. */
bool pfx_diff_result(const struct pfx_diff_measure *how, const struct pfx_diff_row *row,
		     uint32_t side, double *ret);
/* The rows in the order in which they are shown: by the result in @side, or with side 0 by its
 * weight, the largest first. The caller frees the array. */
const struct pfx_diff_row **pfx_diff_sorted(const struct pfx_diff_measure *how, uint32_t side);

#endif
