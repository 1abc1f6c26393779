/* SPDX-License-Identifier: MIT */
/* Queries of the finished tables: their number, totals, percentages, missing data. */
#include <string.h>

#include "hist/hist_internal.h"

uint32_t pfx_hists_nr(const struct pfx_hists *hists)
{
	return hists->nr_builds;
}

const struct pfx_hist *pfx_hists_at(const struct pfx_hists *hists, uint32_t i)
{
	return &hists->builds[i]->hist;
}

const struct pfx_hist_options *pfx_hists_options(const struct pfx_hists *hists)
{
	return &hists->options;
}

bool pfx_hist_has_samples(const struct pfx_hist *hist)
{
	uint32_t m;

	for (m = 0; m < hist->nr_members; m++)
		if (hist->totals[m].nr_samples)
			return true;
	return false;
}

bool pfx_hists_have_samples(const struct pfx_hists *hists)
{
	uint32_t i;

	for (i = 0; i < pfx_hists_nr(hists); i++)
		if (pfx_hist_has_samples(pfx_hists_at(hists, i)))
			return true;
	return false;
}

/* With children, callers have rows of their own: check the symbols of rows, not of samples. */
static bool lacks_symbol(const struct pfx_hist_options *options, const struct pfx_hist *hist)
{
	return options->filter->symbol_part && options->children && !hist->nr_rows;
}

bool pfx_hists_have_passed(const struct pfx_hists *hists)
{
	const struct pfx_hist *hist;
	uint32_t i, m;

	for (i = 0; i < pfx_hists_nr(hists); i++) {
		hist = pfx_hists_at(hists, i);
		if (lacks_symbol(pfx_hists_options(hists), hist))
			continue;
		for (m = 0; m < hist->nr_members; m++)
			if (hist->totals[m].nr_passed)
				return true;
	}
	return false;
}

void pfx_hists_set_min_samples(struct pfx_hists *hists, uint64_t nr)
{
	hists->options.min_samples = nr;
}

void pfx_hists_set_relative(struct pfx_hists *hists, bool relative)
{
	hists->options.relative = relative;
}

/* --- rows of one library --- */

static bool is_zoomed(const struct pfx_hists *hists, const struct pfx_row *row)
{
	return !hists->zoom ||
	       (row->place && row->place->dso && !strcmp(row->place->dso->short_name, hists->zoom));
}

static void sum_zoomed(const struct pfx_hists *hists, struct pfx_hist *hist)
{
	const struct pfx_row *row;
	uint32_t i, m;

	for (m = 0; m < hist->nr_members; m++)
		hist->totals[m].nr_zoomed = hist->totals[m].zoomed_period = 0;
	for (i = 0; i < hist->nr_rows; i++) {
		row = hist->rows[i];
		if (!is_zoomed(hists, row))
			continue;
		for (m = 0; m < hist->nr_members; m++) {
			hist->totals[m].nr_zoomed += row->stat[m].count;
			hist->totals[m].zoomed_period += row->stat[m].period;
		}
	}
}

void pfx_hists_zoom(struct pfx_hists *hists, const char *dso)
{
	uint32_t i;

	hists->zoom = hists->options.hierarchy ? NULL : dso;
	for (i = 0; hists->zoom && i < hists->nr_builds; i++)
		sum_zoomed(hists, &hists->builds[i]->hist);
}

/* --- totals --- */

uint64_t pfx_hist_period(const struct pfx_hists *hists, const struct pfx_hist *hist, uint32_t m)
{
	const struct pfx_hist_total *total = &hist->totals[m];

	return !hists->options.relative ? total->period
	       : hists->zoom            ? total->zoomed_period
					: total->passed_period;
}

uint64_t pfx_hist_samples(const struct pfx_hists *hists, const struct pfx_hist *hist, uint32_t m)
{
	const struct pfx_hist_total *total = &hist->totals[m];

	return !hists->options.relative ? total->nr_samples
	       : hists->zoom            ? total->nr_zoomed
					: total->nr_passed;
}

uint64_t pfx_hist_whole(const struct pfx_hists *hists, const struct pfx_hist *hist, uint32_t m,
			enum pfx_key key)
{
	const struct pfx_hist_total *total = &hist->totals[m];

	if (key != PFX_KEY_LATENCY && key != PFX_KEY_LATENCY_CHILDREN)
		return pfx_hist_period(hists, hist, m);
	return hists->options.relative ? total->passed_latency : total->latency;
}

double pfx_row_percent(const struct pfx_hists *hists, const struct pfx_hist *hist,
		       const struct pfx_row *row)
{
	uint64_t total = pfx_hist_period(hists, hist, 0);
	uint64_t part = hists->options.children ? row->stat->children : row->stat->period;

	return total ? 100.0 * part / total : 0;
}

bool pfx_hist_row_is_shown(const struct pfx_hists *hists, const struct pfx_hist *hist,
			   const struct pfx_row *row)
{
	return pfx_row_percent(hists, hist, row) >= hists->options.min_percent &&
	       row->stat->count >= hists->options.min_samples && is_zoomed(hists, row);
}

uint64_t pfx_hists_counted(const struct pfx_hists *hists)
{
	return hists->nr_counted;
}

uint64_t pfx_hists_unresolved(const struct pfx_hists *hists, const struct pfx_dso *dso)
{
	const uint64_t *nr = pfx_hash_get(&hists->unresolved, dso ? dso->id + 1ull : 0);

	return nr ? *nr : 0;
}
