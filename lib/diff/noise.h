/* SPDX-License-Identifier: MIT */
/*
 * The noise of a comparison: for each row an interval of its difference, from the samples
 * themselves.
 *
 * One run a side: each run is cut into slices of time, and blocks of neighbouring slices are drawn
 * again and again (bootstrap); how much the difference varies is its error. Errors are not below
 * those of independent samples, nor below those that longer blocks show. With more runs on a side,
 * errors are not below those that the runs show; with three on both sides the runs and independent
 * samples alone count, as phases that are the same in each run are not noise. With two on both
 * sides, errors are between what the runs show of a row and what they show of all rows together.
 * One run a side cannot show noise between runs.
 *
 * The intervals are simultaneous: if nothing changed, all rows of a report together are within
 * their intervals with the probability that was requested (Sidak's correction, over all rows of
 * all events and sides that have enough samples). Deterministic: the same files give the same
 * intervals.
 */
#ifndef PFX_DIFF_NOISE_H
#define PFX_DIFF_NOISE_H

#include "diff/measure.h"

/* Rows with fewer samples, of all sides together, are always within noise. */
#define PFX_DIFF_NOISE_SAMPLES 10
#define PFX_DIFF_SLICES        128 /* of a run, at most */
#define PFX_DIFF_CONFIDENCE    95.0

struct pfx_diff_noise;

struct pfx_diff_interval {
	double error;   /* standard error of the difference */
	double half;    /* the interval is the difference plus and minus this */
	bool is_known;  /* false: the runs have no times */
	bool is_within; /* zero is in the interval: the row is within noise */
};

/* After pfx_diff_finish() of a comparison with the option `noise`, which must outlive it.
 * @confidence in percent, above 0 and below 100. */
struct pfx_diff_noise *pfx_diff_noise_new(const struct pfx_diff *diff, enum pfx_diff_footing weight,
					  double confidence);
void pfx_diff_noise_free(struct pfx_diff_noise *noise); /* may be NULL */
/* Of the difference of a row, in @side, from side 0. */
const struct pfx_diff_interval *pfx_diff_interval(const struct pfx_diff_noise *noise,
						  const struct pfx_diff_event *event,
						  const struct pfx_diff_row *row, uint32_t side);
/* How many rows are tested together. */
uint32_t pfx_diff_noise_family(const struct pfx_diff_noise *noise);
/* Whether the intervals contain noise between runs: one of both sides has several runs. */
bool pfx_diff_noise_between_runs(const struct pfx_diff_noise *noise, uint32_t side);

#endif
