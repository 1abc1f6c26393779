/* SPDX-License-Identifier: MIT */
/* Subtrees as text; call chains with two counts. */
#include <inttypes.h>
#include <math.h>

#include "diff/diff_text_internal.h"
#include "diff/tree.h"
#include "out/folded_names.h"

#define WIDTH 12

static void add_padded(const struct pfx_str *text, struct pfx_str *to)
{
	pfx_str_pad(to, ' ', text->len < WIDTH ? WIDTH - text->len : 0);
	pfx_str_add(to, pfx_str_get(text));
}

static void add_weight(const struct pfx_diff_measure *how, double weight, bool with_sign,
		       struct pfx_str *to)
{
	struct pfx_str text = {0};

	pfx_diff_weight_text(how->weight, weight, with_sign, &text);
	add_padded(&text, to);
	pfx_str_fini(&text);
}

static void add_subtree(const struct pfx_diff_measure *how, const struct pfx_diff_subtree *subtree,
			uint32_t side, struct pfx_str *to)
{
	struct pfx_str half = {0};

	add_weight(how, subtree->change, true, to);
	if (subtree->half > 0) {
		pfx_str_add(&half, "+-");
		pfx_diff_weight_text(how->weight, subtree->half, false, &half);
	}
	add_padded(&half, to);
	pfx_str_fini(&half);
	add_weight(how, pfx_diff_weight(how, &subtree->row->values[0], 0), false, to);
	add_weight(how, pfx_diff_weight(how, &subtree->row->values[side], side), false, to);
	pfx_str_add(to, "  ");
	pfx_diff_path_text(how->diff, subtree->row, to);
	if (subtree->row->state == PFX_DIFF_NEW)
		pfx_str_add(to, " (new)");
	else if (subtree->row->state == PFX_DIFF_VANISHED)
		pfx_str_add(to, " (vanished)");
	pfx_str_addc(to, '\n');
}

/* A change of a share is in points, not in percent of it. */
static void add_least(const struct pfx_diff_measure *how, double least, struct pfx_str *to)
{
	if (how->weight == PFX_DIFF_SHARE || how->weight == PFX_DIFF_SAMPLES)
		pfx_str_addf(to, "%g %s%s", least,
			     how->weight == PFX_DIFF_SHARE ? "point" : "sample",
			     least > 1 || least < 1 ? "s" : "");
	else
		pfx_diff_weight_text(how->weight, least, false, to);
}

static void add_side(const struct pfx_diff_measure *how, const struct pfx_diff_look *look,
		     uint32_t side, struct pfx_str *to)
{
	struct pfx_diff_subtrees subtrees;
	uint32_t i;

	pfx_diff_explain(how, look->tree_noise, side, look->least, &subtrees);
	if (!look->quiet) {
		pfx_str_add(to, "# Event '");
		pfx_str_add_foreign(to, how->event->name);
		pfx_str_add(to, "', ");
		pfx_str_add_foreign(to, look->names[side]);
		pfx_str_addf(to, ": the smallest subtrees that explain the change, weight: %s\n#\n",
			     pfx_diff_weight_names[how->weight]);
		pfx_str_addf(to, "#%*s%*s%*s%*s  Subtree: callers, then the function\n#\n",
			     WIDTH - 1, "Change", WIDTH, "Noise", WIDTH, "Baseline", WIDTH, "New");
	}
	for (i = 0; i < subtrees.nr; i++)
		add_subtree(how, &subtrees.at[i], side, to);
	if (!subtrees.nr && !look->quiet) {
		pfx_str_add(to, "# No subtree changed ");
		pfx_str_add(to, look->tree_noise ? "beyond noise by at least " : "by at least ");
		add_least(how, look->least, to);
		pfx_str_addc(to, '\n');
	}
	pfx_diff_subtrees_fini(&subtrees);
}

void pfx_diff_tree_text(const struct pfx_diff_look *look, struct pfx_str *to)
{
	const struct pfx_diff *diff = look->tree;
	struct pfx_diff_measure how = look->how;
	uint32_t i, side;

	how.diff = diff;
	for (i = 0; i < pfx_diff_nr_events(diff); i++) {
		how.event = pfx_diff_event_at(diff, i);
		for (side = 1; side < pfx_diff_options(diff)->nr_sides; side++) {
			if (i || side > 1)
				pfx_str_addc(to, '\n');
			add_side(&how, look, side, to);
		}
	}
}

/* --- call chains with two counts --- */

/* What the old counts are multiplied by, so that both totals are equal. */
static double old_scale(const struct pfx_diff_measure *how, uint32_t side)
{
	double old = (double)how->event->totals[0].period;

	return how->weight == PFX_DIFF_SHARE && old > 0
		       ? (double)how->event->totals[side].period / old
		       : 1;
}

static uint64_t count_of(const struct pfx_diff_measure *how, const struct pfx_diff_value *value)
{
	return how->weight == PFX_DIFF_SAMPLES ? value->samples : value->period;
}

void pfx_diff_folded(const struct pfx_diff *diff, const struct pfx_diff_look *look,
		     struct pfx_str *to)
{
	struct pfx_diff_measure how = look->how;
	const struct pfx_diff_row *row;
	uint32_t i, k, last = pfx_diff_options(diff)->nr_sides - 1, key;

	how.diff = diff;
	for (i = 0; i < pfx_diff_nr_events(diff); i++) {
		how.event = pfx_diff_event_at(diff, i);
		for (k = 0; k < how.event->nr_rows; k++) {
			row = &how.event->rows[k];
			if (pfx_diff_nr_events(diff) > 1) {
				pfx_folded_add_name(to, how.event->name);
				pfx_str_addc(to, ';');
			}
			for (key = 0; key < pfx_diff_options(diff)->nr_keys; key++) {
				pfx_str_add(to, key ? ";" : "");
				if (pfx_diff_options(diff)->keys[key] == PFX_DIFF_COMM)
					pfx_folded_add_name(to, row->texts[key]);
				else
					pfx_str_add(to, row->texts[key]);
			}
			pfx_str_addf(to, " %.0f %" PRIu64 "\n",
				     rint((double)count_of(&how, &row->values[0]) *
					  old_scale(&how, last)),
				     count_of(&how, &row->values[last]));
		}
	}
}
