/* SPDX-License-Identifier: MIT */
/*
 * Rows in slices of time, for the noise of a comparison. Each run is cut into equal slices from its
 * first sample to its last; rows with too few samples to ever differ beyond noise have none.
 */
#include <stdlib.h>

#include "diff/diff_internal.h"
#include "diff/noise.h"

#define SAMPLES_PER_SLICE 16
#define SLICES_MIN        8

/* Which rows of an event have a series: by identity, PFX_NO_ID: none. */
static uint32_t *choose_rows(const struct pfx_diff *diff, struct pfx_diff_event *event)
{
	uint32_t nr = diff->identities.nr, side, i;
	uint32_t *series_of = pfx_malloc((nr + 1ul) * sizeof(*series_of));
	struct pfx_diff_row *row;
	uint64_t samples;

	for (i = 0; i < nr; i++)
		series_of[i] = PFX_NO_ID;
	for (i = 0; i < event->nr_rows; i++) {
		row = &event->rows[i];
		for (samples = 0, side = 0; side < diff->options.nr_sides; side++)
			samples += row->values[side].samples;
		if (samples >= PFX_DIFF_NOISE_SAMPLES)
			series_of[row->id] = row->series = event->nr_series++;
	}
	return series_of;
}

struct slicing {
	const struct pfx_diff *diff;
	const struct pfx_diff_run *run;
	const uint32_t *series_of; /* by identity */
	struct pfx_diff_series *series;
	uint64_t first, width;
	uint32_t event;
};

/* The span of the samples of the event, as equal slices. */
static void make_slices(struct slicing *slicing)
{
	const struct pfx_profile *profile = slicing->run->profile;
	uint64_t first = UINT64_MAX, last = 0, nr = 0;
	uint32_t i;

	for (i = 0; i < profile->nr_rows && profile->row_time; i++) {
		if (slicing->run->event_of[profile->row_event[i]] != slicing->event)
			continue;
		first = profile->row_time[i] < first ? profile->row_time[i] : first;
		last = profile->row_time[i] > last ? profile->row_time[i] : last;
		nr++;
	}
	if (!nr || first == last)
		return;
	nr /= SAMPLES_PER_SLICE;
	nr = nr < SLICES_MIN ? SLICES_MIN : nr > PFX_DIFF_SLICES ? PFX_DIFF_SLICES : nr;
	nr -= nr % 8; /* whole blocks */
	slicing->series->nr = (uint32_t)nr;
	slicing->first = first;
	slicing->width = (last - first) / nr + 1;
}

static void add_sample(const struct slicing *slicing, uint32_t row)
{
	const struct pfx_diff_run *run = slicing->run;
	const struct pfx_profile *profile = run->profile;
	struct pfx_diff_series *series = slicing->series;
	uint64_t samples = pfx_profile_count(profile, row);
	double period =
		(double)(slicing->diff->options.by_samples ? samples : profile->row_period[row]);
	uint32_t slice = (uint32_t)((profile->row_time[row] - slicing->first) / slicing->width);
	uint32_t list = run->rows[row], k, at;

	if (list == PFX_NO_ID && slicing->diff->options.relative)
		return;
	series->totals[slice] += (float)period;
	series->sum += period;
	series->squares += period * period / (double)samples;
	for (k = list == PFX_NO_ID ? 0 : run->lists.at[list];
	     list != PFX_NO_ID && k < run->lists.at[list + 1]; k++) {
		at = slicing->series_of[slicing->diff->merged[run->ids.at[k]]];
		if (at != PFX_NO_ID)
			series->values[(size_t)at * series->nr + slice] += (float)period;
	}
}

static void slice_run(struct slicing *slicing, uint32_t nr_series)
{
	const struct pfx_profile *profile = slicing->run->profile;
	struct pfx_diff_series *series = slicing->series;
	uint32_t i;

	make_slices(slicing);
	if (!series->nr)
		return;
	series->totals = pfx_calloc(series->nr, sizeof(float));
	series->values = pfx_calloc((size_t)nr_series * series->nr + 1, sizeof(float));
	for (i = 0; i < profile->nr_rows; i++)
		if (slicing->run->event_of[profile->row_event[i]] == slicing->event)
			add_sample(slicing, i);
}

void pfx_diff_make_series(struct pfx_diff *diff)
{
	struct slicing slicing = {.diff = diff};
	struct pfx_diff_event *event;
	uint32_t *series_of;
	size_t i, k;

	for (i = 0; i < diff->events.nr; i++) {
		event = &diff->events.at[i];
		series_of = choose_rows(diff, event);
		for (k = 0; k < diff->runs.nr; k++) {
			slicing.run = &diff->runs.at[k];
			slicing.series_of = series_of;
			slicing.event = event->number;
			slicing.series = pfx_vec_slot(&diff->series, i * diff->runs.nr + k);
			slice_run(&slicing, event->nr_series);
		}
		free(series_of);
	}
}

void pfx_diff_free_series(struct pfx_diff *diff)
{
	size_t i;

	for (i = 0; i < diff->series.nr; i++) {
		free(diff->series.at[i].totals);
		free(diff->series.at[i].values);
	}
	pfx_vec_free(&diff->series);
}
