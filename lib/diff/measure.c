/* SPDX-License-Identifier: MIT */
/* Weights and differences of rows. */
#include "diff/measure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "base/words.h"

#define NS_PER_MS 1e6

const char *const pfx_diff_weight_names[PFX_DIFF_NR_WEIGHTS] = {
	[PFX_DIFF_SHARE] = "share",     [PFX_DIFF_SAMPLES] = "samples",
	[PFX_DIFF_PERIOD] = "period",   [PFX_DIFF_CPU_TIME] = "cpu-time",
	[PFX_DIFF_PER_RUN] = "per-run",
};

/* --- words --- */

/* "W1,W2" of wdiff. */
static int parse_weights(const char *text, struct pfx_diff_measure *ret, struct pfx_error *err)
{
	const char *comma = strchr(text, ',');
	char shown[64], *end, *end2;

	errno = 0;
	ret->w1 = strtoll(text, &end, 10);
	ret->w2 = comma ? strtoll(comma + 1, &end2, 10) : 0;
	if (comma && end == comma && end2 != comma + 1 && !*end2 && !errno && ret->w1 && ret->w2)
		return 0;
	pfx_error_set(err, EINVAL, "'%s' is not a pair of weights for wdiff",
		      pfx_escape(shown, sizeof(shown), text));
	pfx_error_hint(err, "for example: -c wdiff:1,2; neither may be 0");
	return -EINVAL;
}

int pfx_diff_compute_parse(const char *word, struct pfx_diff_measure *ret, struct pfx_error *err)
{
	static const char *const names[] = {"delta", "delta-abs", "ratio", "wdiff"};
	char shown[64];
	size_t i;

	if (!strncmp(word, "wdiff:", 6)) {
		ret->compute = PFX_DIFF_WDIFF;
		return parse_weights(word + 6, ret, err);
	}
	ret->w1 = ret->w2 = 1;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(word, names[i]))
			continue;
		ret->compute = (enum pfx_diff_compute)i;
		if (ret->compute != PFX_DIFF_WDIFF)
			return 0;
		pfx_error_set(err, EINVAL, "wdiff needs two weights");
		pfx_error_hint(err, "for example: -c wdiff:1,2");
		return -EINVAL;
	}
	pfx_error_set(err, EINVAL, "'%s' cannot be computed",
		      pfx_escape(shown, sizeof(shown), word));
	pfx_error_hint(err, "-c takes delta, delta-abs, ratio, wdiff:W1,W2, cycles");
	return -EINVAL;
}

int pfx_diff_weight_parse(const char *word, enum pfx_diff_footing *ret, struct pfx_error *err)
{
	char shown[64];
	unsigned i;

	for (i = 0; i < PFX_DIFF_NR_WEIGHTS; i++) {
		if (strcmp(word, pfx_diff_weight_names[i]))
			continue;
		*ret = (enum pfx_diff_footing)i;
		return 0;
	}
	pfx_error_set(err, EINVAL, "'%s' is not a weight of samples",
		      pfx_escape(shown, sizeof(shown), word));
	pfx_error_hint(err, "weights are share, samples, period, cpu-time and per-run");
	return -EINVAL;
}

/* --- numbers --- */

double pfx_diff_weight(const struct pfx_diff_measure *how, const struct pfx_diff_value *value,
		       uint32_t side)
{
	uint64_t total = how->event->totals[side].period;

	switch (how->weight) {
	case PFX_DIFF_SHARE:
		return total ? 100.0 * (double)value->period / (double)total : 0;
	case PFX_DIFF_SAMPLES:
		return (double)value->samples;
	case PFX_DIFF_CPU_TIME:
		return (double)value->period / NS_PER_MS;
	case PFX_DIFF_PER_RUN:
		return (double)value->period / (double)pfx_diff_nr_runs(how->diff, side);
	default:
		return (double)value->period;
	}
}

double pfx_diff_total(const struct pfx_diff_measure *how, uint32_t side)
{
	return pfx_diff_weight(how, &how->event->totals[side], side);
}

double pfx_diff_delta(const struct pfx_diff_measure *how, const struct pfx_diff_row *row,
		      uint32_t side)
{
	return pfx_diff_weight(how, &row->values[side], side) -
	       pfx_diff_weight(how, &row->values[0], 0);
}

bool pfx_diff_result(const struct pfx_diff_measure *how, const struct pfx_diff_row *row,
		     uint32_t side, double *ret)
{
	double old = (double)row->values[0].period, new = (double)row->values[side].period;

	*ret = 0;
	if (!row->values[side].samples)
		return false;
	if (how->compute == PFX_DIFF_DELTA || how->compute == PFX_DIFF_DELTA_ABS) {
		*ret = pfx_diff_delta(how, row, side);
		return true;
	}
	if (!row->values[0].samples || (how->compute == PFX_DIFF_RATIO && old <= 0))
		return false;
	*ret = how->compute == PFX_DIFF_RATIO ? new / old
					      : new *(double)how->w2 - old *(double)how->w1;
	return true;
}

/* --- order --- */

struct ranked {
	const struct pfx_diff_row *row;
	double rank, old;
	int group; /* rows without a result are last, those of no new weight at the very end */
};

static int compare_ranks(const void *one, const void *other)
{
	const struct ranked *a = one, *b = other;

	if (a->group != b->group)
		return a->group - b->group;
	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	if (a->old != b->old)
		return a->old > b->old ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

static struct ranked rank_of(const struct pfx_diff_measure *how, const struct pfx_diff_row *row,
			     uint32_t side)
{
	struct ranked ranked = {.row = row, .old = pfx_diff_weight(how, &row->values[0], 0)};

	if (!side) {
		ranked.rank = ranked.old;
		return ranked;
	}
	if (!pfx_diff_result(how, row, side, &ranked.rank)) {
		ranked.group = row->values[side].samples ? 1 : 2;
		ranked.rank = pfx_diff_weight(how, &row->values[side], side);
	}
	if (how->compute == PFX_DIFF_DELTA_ABS)
		ranked.rank = fabs(ranked.rank);
	return ranked;
}

const struct pfx_diff_row **pfx_diff_sorted(const struct pfx_diff_measure *how, uint32_t side)
{
	const struct pfx_diff_event *event = how->event;
	struct ranked *ranked = pfx_malloc((event->nr_rows + 1ul) * sizeof(*ranked));
	const struct pfx_diff_row **rows = pfx_malloc((event->nr_rows + 1ul) * sizeof(*rows));
	uint32_t i;

	for (i = 0; i < event->nr_rows; i++)
		ranked[i] = rank_of(how, &event->rows[i], side);
	qsort(ranked, event->nr_rows, sizeof(*ranked), compare_ranks);
	for (i = 0; i < event->nr_rows; i++)
		rows[i] = ranked[i].row;
	free(ranked);
	return rows;
}
