/* SPDX-License-Identifier: MIT */
/*
 * Errors of differences. All rows of an event share the draws of the bootstrap, so that only sums
 * over slices are computed for each row.
 */
#include "diff/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff/diff_internal.h"
#include "stat/student.h"

#define DRAWS       256 /* of the bootstrap; a constant, so that loops become vector instructions */
#define BLOCKS      32  /* of a run with enough slices */
#define ENOUGH_RUNS 3   /* a side */
#define LONG        16  /* number of longer blocks that are looked at, and half of it */
#define NS_PER_MS   1e6

/* Of few runs, what rows have in common. */
#define DF_COMMON_MAX 20
#define ROWS_MIN      8
#define HALVINGS      60
#define FIT_STEPS     8

/* A run's slices as often as each draw has them. */
struct draws {
	float (*times)[DRAWS]; /* by slice */
	float totals[DRAWS];
	double nr_blocks;
};

struct event_noise {
	struct pfx_diff_interval *intervals; /* by row, then by side */
	/* Variances: the same order; 0: unknown. What the samples of a row show, and its runs. */
	double *within, *between;
};

struct pfx_diff_noise {
	const struct pfx_diff *diff;
	enum pfx_diff_footing weight;
	uint32_t nr_sides, family;
	struct event_noise *events;
	double df_within; /* the smallest of all events and sides */
};

/* What the rows of an event have in common. */
struct making {
	struct pfx_diff_noise *noise;
	const struct pfx_diff_event *event;
	struct event_noise *ret;
	size_t number;                                  /* of the event */
	struct draws *draws;                            /* by run */
	float (*values)[DRAWS];                         /* by side: of the row */
	double *side_totals, *side_sums, *side_squares; /* by side: periods, and their squares */
};

/* --- draws --- */

static uint64_t next_random(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

/* Blocks that begin anywhere; the first slice follows the last. */
static void draw_blocks(const struct pfx_diff_series *series, uint64_t seed, struct draws *ret)
{
	uint32_t length = series->nr > BLOCKS ? series->nr / BLOCKS : 1, i, k, slice;
	uint32_t nr_blocks = series->nr / length, draw;
	uint64_t state = seed;

	ret->nr_blocks = nr_blocks;
	ret->times = pfx_calloc(series->nr, sizeof(*ret->times));
	for (draw = 0; draw < DRAWS; draw++) {
		for (i = 0; i < nr_blocks; i++) {
			slice = (uint32_t)(next_random(&state) % series->nr);
			for (k = 0; k < length; k++)
				ret->times[(slice + k) % series->nr][draw] += 1;
		}
		for (slice = 0; slice < series->nr; slice++)
			ret->totals[draw] += ret->times[slice][draw] * series->totals[slice];
	}
}

static void add_drawn(const struct draws *draws, const float *values, uint32_t nr, float *to)
{
	uint32_t slice, draw;

	for (slice = 0; slice < nr; slice++) {
		const float *times = draws->times[slice];
		float value = values[slice];

		if (value > 0)
			for (draw = 0; draw < DRAWS; draw++)
				to[draw] += times[draw] * value;
	}
}

/* --- weights --- */

/* By what the periods of a row are multiplied, without those of shares. */
static double scale_of(const struct making *making, const struct pfx_diff_value *value,
		       uint32_t side)
{
	switch (making->noise->weight) {
	case PFX_DIFF_SAMPLES:
		return value->period ? (double)value->samples / (double)value->period : 0;
	case PFX_DIFF_CPU_TIME:
		return 1 / NS_PER_MS;
	case PFX_DIFF_PER_RUN:
		return 1 / (double)pfx_diff_nr_runs(making->noise->diff, side);
	case PFX_DIFF_SHARE:
		return making->side_totals[side] > 0 ? 100 / making->side_totals[side] : 0;
	default:
		return 1;
	}
}

static const float *values_of(const struct pfx_diff_series *series, const struct pfx_diff_row *row)
{
	return &series->values[(size_t)row->series * series->nr];
}

static double sum_of(const float *values, uint32_t nr)
{
	double sum = 0;
	uint32_t i;

	for (i = 0; i < nr; i++)
		sum += values[i];
	return sum;
}

/* --- variances --- */

/* The drawn weights of a row, for each side. */
static void draw_row(struct making *making, const struct pfx_diff_row *row)
{
	const struct pfx_diff *diff = making->noise->diff;
	float(*values)[DRAWS] = making->values, totals[DRAWS];
	const struct pfx_diff_series *series;
	uint32_t side, draw;
	double scale;
	size_t i;

	for (side = 0; side < diff->options.nr_sides; side++) {
		memset(values[side], 0, sizeof(values[side]));
		memset(totals, 0, sizeof(totals));
		for (i = 0; i < diff->runs.nr; i++) {
			series = pfx_diff_series_at(diff, making->number, i);
			if (diff->runs.at[i].side != side || !series->nr)
				continue;
			add_drawn(&making->draws[i], values_of(series, row), series->nr,
				  values[side]);
			for (draw = 0; draw < DRAWS; draw++)
				totals[draw] += making->draws[i].totals[draw];
		}
		scale = scale_of(making, &row->values[side], side);
		for (draw = 0; draw < DRAWS; draw++)
			values[side][draw] *= making->noise->weight != PFX_DIFF_SHARE ? (float)scale
					      : totals[draw] > 0 ? 100 / totals[draw]
								 : 0;
	}
}

static double drawn_variance(const float *old, const float *new)
{
	double mean = 0, sum = 0, x;
	uint32_t draw;

	for (draw = 0; draw < DRAWS; draw++)
		mean += ((double)new[draw] - (double)old[draw]) / DRAWS;
	for (draw = 0; draw < DRAWS; draw++) {
		x = (double)new[draw] - (double)old[draw] - mean;
		sum += x * x;
	}
	return sum / (DRAWS - 1);
}

/* The variance of a run's sum that @nr blocks show. With shares, what varies is what the row has
 * more than its part of the slice. */
static double block_variance(const struct pfx_diff_series *series, const float *values,
			     double share, uint32_t nr)
{
	double mean = 0, sum = 0, block[LONG] = {0};
	uint32_t i;

	for (i = 0; i < series->nr; i++)
		block[(size_t)i * nr / series->nr] += values[i] - share * series->totals[i];
	for (i = 0; i < nr; i++)
		mean += block[i] / nr;
	for (i = 0; i < nr; i++)
		sum += (block[i] - mean) * (block[i] - mean);
	return sum * nr / (nr - 1);
}

/* The same of a side's weight. */
static double side_variance(const struct making *making, const struct pfx_diff_row *row,
			    uint32_t side, uint32_t nr)
{
	const struct pfx_diff *diff = making->noise->diff;
	double scale = scale_of(making, &row->values[side], side), sum = 0, share;
	const struct pfx_diff_series *series;
	const float *values;
	size_t i;

	for (i = 0; i < diff->runs.nr; i++) {
		series = pfx_diff_series_at(diff, making->number, i);
		if (diff->runs.at[i].side != side || !series->nr)
			continue;
		values = values_of(series, row);
		share = making->noise->weight == PFX_DIFF_SHARE
				? sum_of(values, series->nr) / series->sum
				: 0;
		sum += block_variance(series, values, share, nr);
	}
	return sum * scale * scale;
}

/* The number of samples with equal periods that would vary as much. */
static double equal_samples(const struct making *making, uint32_t side)
{
	double sum = making->side_sums[side];

	return making->side_squares[side] > 0 ? sum * sum / making->side_squares[side] : 0;
}

static double share_of(const struct making *making, const struct pfx_diff_row *row, uint32_t side)
{
	double total = making->side_totals[side];

	return total > 0 ? (double)row->values[side].period / total : 0;
}

/* That of independent samples, if nothing changed. */
static double independent_variance(const struct making *making, const struct pfx_diff_row *row,
				   uint32_t side)
{
	const struct pfx_diff_value *old = &row->values[0], *new = &row->values[side];
	double nr_old = equal_samples(making, 0), nr_new = equal_samples(making, side), p, scale;
	double a, b, samples = (double)(old->samples + new->samples);

	if (making->noise->weight == PFX_DIFF_SHARE) {
		if (nr_old <= 0 || nr_new <= 0)
			return 0;
		p = (share_of(making, row, 0) * nr_old + share_of(making, row, side) * nr_new) /
		    (nr_old + nr_new);
		return 1e4 * p * (p < 1 ? 1 - p : 0) * (1 / nr_old + 1 / nr_new);
	}
	if (samples <= 0)
		return 0;
	a = scale_of(making, old->samples ? old : new, 0);
	b = scale_of(making, new->samples ? new : old, side);
	scale = (a > b ? a : b) * (double)(old->period + new->period) / samples;
	return samples * scale * scale;
}

/* From run to run: of both sides together, with the degrees of freedom of both. */
static double between_variance(const struct making *making, const struct pfx_diff_row *row,
			       uint32_t side)
{
	const struct pfx_diff *diff = making->noise->diff;
	bool is_sum = making->noise->weight != PFX_DIFF_SHARE &&
		      making->noise->weight != PFX_DIFF_PER_RUN;
	double nr[2] = {0}, mean[2] = {0}, m2 = 0, df, x, by_run;
	const struct pfx_diff_series *series;
	uint32_t of;
	size_t i;

	for (i = 0; i < diff->runs.nr; i++) {
		of = diff->runs.at[i].side;
		series = pfx_diff_series_at(diff, making->number, i);
		if ((of && of != side) || !series->nr)
			continue;
		x = sum_of(values_of(series, row), series->nr);
		if (making->noise->weight == PFX_DIFF_SHARE)
			x *= series->sum > 0 ? 100 / series->sum : 0;
		else if (is_sum)
			x *= scale_of(making, &row->values[of], of);
		of = of != 0;
		nr[of]++;
		by_run = x - mean[of];
		mean[of] += by_run / nr[of];
		m2 += by_run * (x - mean[of]);
	}
	df = nr[0] + nr[1] - 2;
	if (df < 1 || nr[0] < 1 || nr[1] < 1)
		return 0;
	return m2 / df * (is_sum ? nr[0] + nr[1] : 1 / nr[0] + 1 / nr[1]);
}

/* --- an event --- */

static double largest(double a, double b)
{
	return a > b ? a : b;
}

/* Whether runs show enough of their noise: then the phases of a program, which are the same in
 * each, are none. */
static bool has_enough_runs(const struct pfx_diff_noise *noise, uint32_t side)
{
	return pfx_diff_nr_runs(noise->diff, 0) >= ENOUGH_RUNS &&
	       pfx_diff_nr_runs(noise->diff, side) >= ENOUGH_RUNS;
}

/* What phases and bursts of a run add to the error: @variance, or more. */
static double bootstrapped(const struct making *making, const struct pfx_diff_row *row,
			   uint32_t side, double variance)
{
	double both;
	uint32_t nr;

	variance = largest(variance, drawn_variance(making->values[0], making->values[side]));
	for (nr = LONG; nr >= LONG / 2; nr /= 2) {
		both = side_variance(making, row, 0, nr) + side_variance(making, row, side, nr);
		variance = largest(variance, both);
	}
	return variance;
}

static void measure_row(struct making *making, const struct pfx_diff_row *row)
{
	const struct pfx_diff_noise *noise = making->noise;
	size_t at = (size_t)(row - making->event->rows) * noise->nr_sides;
	double *within = &making->ret->within[at];
	bool is_drawn = false;
	uint32_t side;

	for (side = 1; side < noise->nr_sides; side++) {
		within[side] = independent_variance(making, row, side);
		if (row->series == PFX_NO_ID)
			continue;
		if (!has_enough_runs(noise, side)) {
			if (!is_drawn)
				draw_row(making, row);
			is_drawn = true;
			within[side] = bootstrapped(making, row, side, within[side]);
		}
		making->ret->between[at + side] = between_variance(making, row, side);
		making->noise->family += row->values[0].samples + row->values[side].samples >=
					 PFX_DIFF_NOISE_SAMPLES;
	}
}

/* Sets which sides have slices, and draws. */
static void prepare_event(struct making *making)
{
	const struct pfx_diff *diff = making->noise->diff;
	const struct pfx_diff_series *series;
	double df = 0;
	uint32_t side;
	size_t i;

	for (i = 0; i < diff->runs.nr; i++) {
		series = pfx_diff_series_at(diff, making->number, i);
		if (!series->nr)
			continue;
		side = diff->runs.at[i].side;
		making->side_sums[side] += series->sum;
		making->side_squares[side] += series->squares;
		draw_blocks(series, 0x70667864ull + making->number * 0x10001 + i,
			    &making->draws[i]);
		df += making->draws[i].nr_blocks - 1;
	}
	for (side = 0; side < making->noise->nr_sides; side++)
		making->side_totals[side] = (double)making->event->totals[side].period;
	if (df > 0 && (making->noise->df_within <= 0 || df < making->noise->df_within))
		making->noise->df_within = df;
}

static bool has_slices(const struct making *making, uint32_t side)
{
	return making->side_sums[0] > 0 && making->side_sums[side] > 0;
}

static void measure_event(struct pfx_diff_noise *noise, size_t number)
{
	const struct pfx_diff *diff = noise->diff;
	uint32_t nr_sides = noise->nr_sides, i, side;
	struct making making = {.noise = noise,
				.event = &diff->events.at[number],
				.ret = &noise->events[number],
				.number = number};
	size_t nr = (size_t)making.event->nr_rows * nr_sides + 1;

	making.ret->intervals = pfx_calloc(nr, sizeof(*making.ret->intervals));
	making.ret->within = pfx_calloc(nr, sizeof(double));
	making.ret->between = pfx_calloc(nr, sizeof(double));
	making.draws = pfx_calloc(diff->runs.nr + 1, sizeof(*making.draws));
	making.values = pfx_calloc(nr_sides, sizeof(*making.values));
	making.side_totals = pfx_calloc(3ul * nr_sides, sizeof(double));
	making.side_sums = making.side_totals + nr_sides;
	making.side_squares = making.side_sums + nr_sides;
	prepare_event(&making);
	for (i = 0; i < making.event->nr_rows; i++) {
		measure_row(&making, &making.event->rows[i]);
		for (side = 1; side < nr_sides; side++)
			making.ret->intervals[(size_t)i * nr_sides + side].is_known =
				has_slices(&making, side);
	}
	for (i = 0; i < diff->runs.nr; i++)
		free(making.draws[i].times);
	free(making.draws);
	free(making.values);
	free(making.side_totals);
}

/* --- intervals --- */

static int compare_numbers(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return one < other ? -1 : one > other;
}

/* What the runs of all rows of a side have in common. */
struct run_noise {
	double df;     /* of the runs */
	double excess; /* how much more they vary than samples show: of the median row, at least 1
			*/
	/* Of few runs, by which part of its weight a row varies from run to run, squared; and how
	 * alike rows are in this, in degrees of freedom. 0: each row for itself. */
	double relative, df_common;
};

/* A row: what its runs show, in units of what its samples show; and its squared weight, in the
 * same. */
struct row_noise {
	double ratio, weight;
};

static double squared_weight(const struct pfx_diff_noise *noise, size_t number, uint32_t row,
			     uint32_t side)
{
	const struct pfx_diff_event *event = &noise->diff->events.at[number];
	struct pfx_diff_measure how = {
		.diff = noise->diff, .event = event, .weight = noise->weight};
	double weight = (pfx_diff_weight(&how, &event->rows[row].values[0], 0) +
			 pfx_diff_weight(&how, &event->rows[row].values[side], side)) /
			2;

	return weight * weight;
}

/* Of all rows with samples; the caller frees the array. */
static struct row_noise *row_noises(const struct pfx_diff_noise *noise, uint32_t side,
				    size_t *ret_nr)
{
	const struct pfx_diff_event *event;
	PFX_VEC(struct row_noise) rows = {0};
	double within;
	size_t i, at;
	uint32_t k;

	for (i = 0; i < noise->diff->events.nr; i++) {
		event = &noise->diff->events.at[i];
		for (k = 0; k < event->nr_rows; k++) {
			at = (size_t)k * noise->nr_sides + side;
			within = noise->events[i].within[at];
			if (event->rows[k].series != PFX_NO_ID && within > 0)
				pfx_vec_push(&rows,
					     ((struct row_noise){
						     noise->events[i].between[at] / within,
						     squared_weight(noise, i, k, side) / within}));
		}
	}
	*ret_nr = rows.nr;
	return rows.at;
}

static double model_ratio(const struct row_noise *row, double relative)
{
	return 1 + relative * row->weight;
}

/* The part of a row's weight, squared, by which it varies: ratios are 1 + part * weight. Least
 * squares, with each row's own variance as far as it is known. */
static double fit_relative(const struct row_noise *rows, size_t nr)
{
	double relative = 0, sum, squares, model;
	int step;
	size_t i;

	for (step = 0; step < FIT_STEPS; step++) {
		for (sum = squares = 0, i = 0; i < nr; i++) {
			if (rows[i].weight <= 0)
				continue;
			model = model_ratio(&rows[i], relative) / rows[i].weight;
			sum += (rows[i].ratio - 1) / rows[i].weight / (model * model);
			squares += 1 / (model * model);
		}
		relative = squares > 0 && sum > 0 ? sum / squares : 0;
	}
	return relative;
}

/* The derivative of the digamma function, within 1e-6: by its recurrence and its series. */
static double trigamma(double x)
{
	double sum = 0;

	for (; x < 6; x++)
		sum += 1 / (x * x);
	return sum + 1 / x + 1 / (2 * x * x) + 1 / (6 * x * x * x) - 1 / (30 * pow(x, 5));
}

/* Of variances with @df degrees of freedom around a common one that varies itself, the degrees of
 * freedom of that: the logarithm of such a variance varies by trigamma(df / 2). */
static double common_df(const struct row_noise *rows, size_t nr, double df)
{
	double mean = 0, sum = 0, more, low = 0, high = DF_COMMON_MAX;
	size_t i, used = 0;

	for (i = 0; i < nr; i++)
		if (rows[i].ratio > 0) {
			double by = log(rows[i].ratio) - mean;

			mean += by / (double)++used;
			sum += by * (log(rows[i].ratio) - mean);
		}
	if (used < ROWS_MIN)
		return 0;
	more = sum / (double)(used - 1) - trigamma(df / 2);
	if (more <= trigamma(high / 2))
		return high;
	for (i = 0; i < HALVINGS; i++) {
		double mid = (low + high) / 2;

		if (trigamma(mid / 2) > more)
			low = mid;
		else
			high = mid;
	}
	return low;
}

/* The median of a variance of normal numbers, of which 1 is the mean. */
static double median_variance(double df)
{
	double root = 1 - 2 / (9 * df);

	return root * root * root;
}

static double df_between(const struct pfx_diff_noise *noise, uint32_t side)
{
	return (double)pfx_diff_nr_runs(noise->diff, 0) +
	       (double)pfx_diff_nr_runs(noise->diff, side) - 2;
}

static int compare_ratios(const void *a, const void *b)
{
	return compare_numbers(&((const struct row_noise *)a)->ratio,
			       &((const struct row_noise *)b)->ratio);
}

static struct run_noise common_noise(const struct pfx_diff_noise *noise, uint32_t side)
{
	struct run_noise ret = {.df = df_between(noise, side), .excess = 1};
	/* Of two runs and one, rows show next to nothing together, too. */
	bool are_few = !has_enough_runs(noise, side) && ret.df >= 2;
	struct row_noise *rows;
	size_t nr, i;

	rows = row_noises(noise, side, &nr);
	if (are_few)
		ret.relative = fit_relative(rows, nr);
	for (i = 0; i < nr; i++)
		rows[i].ratio /= model_ratio(&rows[i], ret.relative);
	if (nr) {
		qsort(rows, nr, sizeof(*rows), compare_ratios);
		ret.excess = rows[nr / 2].ratio;
	}
	if (are_few) {
		ret.excess /= median_variance(ret.df);
		/* Half, as rows that vary much more than others are few, and count the most. */
		ret.df_common = common_df(rows, nr, ret.df) / 2;
	}
	ret.excess = largest(1, ret.excess);
	free(rows);
	return ret;
}

/* The variance of a row; @runs: NULL if there is one run a side. */
static double variance_of(const struct pfx_diff_noise *noise, size_t number, uint32_t row,
			  uint32_t side, const struct run_noise *runs)
{
	const struct event_noise *of = &noise->events[number];
	size_t at = (size_t)row * noise->nr_sides + side;
	double usual = of->within[at] * (runs ? runs->excess : 1), between = of->between[at];

	if (!runs || runs->df_common <= 0)
		return largest(usual, between);
	usual += runs->excess * runs->relative * squared_weight(noise, number, row, side);
	between = (runs->df_common * usual + runs->df * between) / (runs->df_common + runs->df);
	return largest(of->within[at], between);
}

static void set_interval(struct pfx_diff_noise *noise, size_t number, uint32_t row, uint32_t side,
			 double critical, const struct run_noise *runs)
{
	const struct pfx_diff_event *event = &noise->diff->events.at[number];
	struct event_noise *of = &noise->events[number];
	size_t at = (size_t)row * noise->nr_sides + side;
	struct pfx_diff_measure how = {
		.diff = noise->diff, .event = event, .weight = noise->weight};
	double delta = pfx_diff_delta(&how, &event->rows[row], side);

	of->intervals[at].error = sqrt(variance_of(noise, number, row, side, runs));
	of->intervals[at].half = critical * of->intervals[at].error;
	of->intervals[at].is_within =
		event->rows[row].values[0].samples + event->rows[row].values[side].samples <
			PFX_DIFF_NOISE_SAMPLES ||
		fabs(delta) <= of->intervals[at].half;
}

static void set_intervals(struct pfx_diff_noise *noise, uint32_t side, double probability)
{
	double df = noise->df_within > 0 ? noise->df_within : 1, critical;
	struct run_noise runs = {0}, *common = NULL;
	uint32_t k;
	size_t i;

	if (pfx_diff_noise_between_runs(noise, side)) {
		common = &runs;
		runs = common_noise(noise, side);
		df = runs.df_common > 0 ? runs.df + runs.df_common : 2 * runs.df;
	}
	critical = pfx_student_critical(probability, df);
	for (i = 0; i < noise->diff->events.nr; i++)
		for (k = 0; k < noise->diff->events.at[i].nr_rows; k++)
			set_interval(noise, i, k, side, critical, common);
}

struct pfx_diff_noise *pfx_diff_noise_new(const struct pfx_diff *diff, enum pfx_diff_footing weight,
					  double confidence)
{
	struct pfx_diff_noise *noise = pfx_calloc(1, sizeof(*noise));
	uint32_t side;
	size_t i;

	noise->diff = diff;
	noise->weight = weight;
	noise->nr_sides = diff->options.nr_sides;
	noise->events = pfx_calloc(diff->events.nr + 1, sizeof(*noise->events));
	for (i = 0; i < diff->events.nr; i++)
		measure_event(noise, i);
	for (side = 1; side < noise->nr_sides; side++)
		set_intervals(noise, side,
			      -expm1(log(confidence / 100) / (noise->family ? noise->family : 1)));
	return noise;
}

void pfx_diff_noise_free(struct pfx_diff_noise *noise)
{
	size_t i;

	for (i = 0; noise && i < noise->diff->events.nr; i++) {
		free(noise->events[i].intervals);
		free(noise->events[i].within);
		free(noise->events[i].between);
	}
	if (noise)
		free(noise->events);
	free(noise);
}

const struct pfx_diff_interval *pfx_diff_interval(const struct pfx_diff_noise *noise,
						  const struct pfx_diff_event *event,
						  const struct pfx_diff_row *row, uint32_t side)
{
	size_t number = (size_t)(event - noise->diff->events.at);

	return &noise->events[number]
			.intervals[(size_t)(row - event->rows) * noise->nr_sides + side];
}

uint32_t pfx_diff_noise_family(const struct pfx_diff_noise *noise)
{
	return noise->family;
}

bool pfx_diff_noise_between_runs(const struct pfx_diff_noise *noise, uint32_t side)
{
	return df_between(noise, side) >= 1;
}
