/* SPDX-License-Identifier: MIT */
/* Counts of `stat record` files as a table: old, new, change, interval, name. */
#include <math.h>
#include <stdio.h>

#include "diff/diff_text_internal.h"

#define NS_PER_MS 1e6

/* Times in milliseconds, counts as they are. */
static void add_amount(const struct pfx_diff_amount *amount, double value, struct pfx_str *to)
{
	char text[64];

	if (!strcmp(amount->name, PFX_DIFF_TOTAL_TIME))
		snprintf(text, sizeof(text), "%.3f ms", value / NS_PER_MS);
	else if (amount->unit[0])
		snprintf(text, sizeof(text), "%.2f %s", value, amount->unit);
	else
		snprintf(text, sizeof(text), "%.0f", value);
	pfx_str_pad(to, ' ', strlen(text) < 18 ? 18 - strlen(text) : 0);
	pfx_str_add_foreign(to, text);
}

bool pfx_diff_amount_within(const struct pfx_diff_look *look, const struct pfx_diff_amount *amount,
			    uint32_t side)
{
	double half;

	return pfx_diff_amount_interval(look->amounts, amount, side, PFX_DIFF_CONFIDENCE, &half) &&
	       fabs(amount->sides[side].mean - amount->sides[0].mean) <= half;
}

static void add_change(const struct pfx_diff_look *look, const struct pfx_diff_amount *amount,
		       uint32_t side, struct pfx_str *to)
{
	double old = amount->sides[0].mean, new = amount->sides[side].mean, half;
	bool is_known =
		pfx_diff_amount_interval(look->amounts, amount, side, PFX_DIFF_CONFIDENCE, &half);

	if (old <= 0 || amount->sides[side].n < 1) {
		pfx_str_addf(to, "  %9s  %12s", "", "");
		return;
	}
	pfx_str_addf(to, "  %+8.2f%%  ", 100 * (new - old) / old);
	if (is_known)
		pfx_str_addf(to, "+-%7.2f%% %c", 100 * half / old,
			     pfx_diff_amount_within(look, amount, side) ? '~' : ' ');
	else
		pfx_str_pad(to, ' ', 12);
}

static void add_row(const struct pfx_diff_look *look, const struct pfx_diff_amount *amount,
		    struct pfx_str *to)
{
	uint32_t side, nr_sides = pfx_diff_options(look->how.diff)->nr_sides;

	for (side = 0; side < nr_sides; side++) {
		if (amount->sides[side].n > 0)
			add_amount(amount, amount->sides[side].mean, to);
		else
			pfx_str_pad(to, ' ', 18);
		if (side)
			add_change(look, amount, side, to);
	}
	pfx_str_add(to, "  ");
	pfx_str_add_foreign(to, amount->name);
	pfx_str_addc(to, '\n');
}

void pfx_diff_amounts_text(const struct pfx_diff_look *look, struct pfx_str *to)
{
	uint32_t i, side, nr_sides = pfx_diff_options(look->how.diff)->nr_sides;

	if (!look->amounts)
		return;
	if (!look->quiet) {
		pfx_str_addf(to,
			     "# Counts: means of the runs of a side; noise: %g %% intervals "
			     "between runs\n#\n",
			     PFX_DIFF_CONFIDENCE);
		pfx_str_addf(to, "#%17s", "Baseline");
		for (side = 1; side < nr_sides; side++)
			pfx_str_addf(to, "%18s  %9s  %-12s", "New", "Change", "Noise");
		pfx_str_add(to, "  Event\n#\n");
	}
	for (i = 0; i < pfx_diff_nr_amounts(look->amounts); i++)
		add_row(look, pfx_diff_amount_at(look->amounts, i), to);
}
