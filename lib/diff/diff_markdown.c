/* SPDX-License-Identifier: MIT */
/*
 * A comparison as Markdown, for a comment on a change: the rules first, then the largest changes
 * beyond noise. Names are code, so that nothing in them is markup.
 */
#include <math.h>
#include <stdlib.h>

#include "diff/diff_text_internal.h"

#define ROWS_MAX  20
#define NS_PER_MS 1e6

/* A name as code in a table: neither a backtick nor a bar may end it. */
static void add_code(const char *text, struct pfx_str *to)
{
	struct pfx_str safe = {0};
	size_t i;

	pfx_str_add_foreign(&safe, text);
	pfx_str_addc(to, '`');
	for (i = 0; i < safe.len; i++)
		if (safe.at[i] == '`')
			pfx_str_add(to, "'");
		else if (safe.at[i] == '|')
			pfx_str_add(to, "\\|");
		else
			pfx_str_addc(to, safe.at[i]);
	pfx_str_addc(to, '`');
	pfx_str_fini(&safe);
}

static void add_rules(const struct pfx_diff_look *look, struct pfx_str *to)
{
	struct pfx_str line = {0};
	uint32_t i, broken = 0;
	const char *idle;

	for (i = 0; i < look->nr_rules; i++)
		broken += look->verdicts[i].is_broken;
	if (!look->nr_rules)
		return;
	if (broken)
		pfx_str_addf(to, "**%u of %u rules broken**\n\n", broken, look->nr_rules);
	else
		pfx_str_addf(to, "**All %u rules kept**\n\n", look->nr_rules);
	for (i = 0; i < look->nr_rules; i++) {
		pfx_str_add(to, look->verdicts[i].is_broken ? "* broken: " : "* kept: ");
		add_code(look->rules[i].text, to);
		pfx_str_clear(&line);
		pfx_diff_verdict_excuse(&look->rules[i], &look->verdicts[i], &line);
		if (look->verdicts[i].is_broken)
			pfx_diff_case_text(&look->rules[i], &look->verdicts[i],
					   &look->verdicts[i].worst, &line);
		if (line.len) {
			pfx_str_add(to, ": ");
			add_code(pfx_str_get(&line), to);
		} else if ((idle = pfx_diff_verdict_idle(&look->rules[i], &look->verdicts[i]))) {
			pfx_str_addf(to, " (%s)", idle);
		}
		pfx_str_addc(to, '\n');
	}
	pfx_str_addc(to, '\n');
	pfx_str_fini(&line);
}

static void add_keys(const struct pfx_diff_look *look, const struct pfx_diff_row *row,
		     struct pfx_str *to)
{
	uint32_t i, nr = pfx_diff_options(look->how.diff)->nr_keys;

	for (i = 0; i < nr; i++) {
		pfx_str_add(to, i ? " " : "");
		add_code(row->texts[i], to);
	}
	if (row->state == PFX_DIFF_NEW)
		pfx_str_add(to, " (new)");
	else if (row->state == PFX_DIFF_VANISHED)
		pfx_str_add(to, " (vanished)");
	for (i = 0; i < nr; i++)
		if (row->old_texts[i]) {
			pfx_str_add(to, " ~ ");
			add_code(row->old_texts[i], to);
		}
}

static void add_row(const struct pfx_diff_look *look, const struct pfx_diff_measure *how,
		    const struct pfx_diff_row *row, struct pfx_str *to)
{
	const struct pfx_diff_interval *interval;
	uint32_t side;

	pfx_str_add(to, "| ");
	pfx_diff_weight_text(how->weight, pfx_diff_weight(how, &row->values[0], 0), false, to);
	for (side = 1; side < pfx_diff_options(how->diff)->nr_sides; side++) {
		pfx_str_add(to, " | ");
		pfx_diff_weight_text(how->weight, pfx_diff_weight(how, &row->values[side], side),
				     false, to);
		pfx_str_add(to, " | ");
		pfx_diff_weight_text(how->weight, pfx_diff_delta(how, row, side), true, to);
		interval =
			look->noise ? pfx_diff_interval(look->noise, how->event, row, side) : NULL;
		if (interval && interval->is_known) {
			pfx_str_add(to, " ± ");
			pfx_diff_weight_text(how->weight, interval->half, false, to);
		}
	}
	pfx_str_add(to, " | ");
	add_keys(look, row, to);
	pfx_str_add(to, " |\n");
}

static void add_titles(const struct pfx_diff_measure *how, struct pfx_str *to)
{
	uint32_t side, nr_sides = pfx_diff_options(how->diff)->nr_sides;

	pfx_str_add(to, "| old |");
	for (side = 1; side < nr_sides; side++)
		pfx_str_add(to, how->weight == PFX_DIFF_SHARE ? " new | change in points |"
							      : " new | change |");
	pfx_str_add(to, " |\n| ---: |");
	for (side = 1; side < nr_sides; side++)
		pfx_str_add(to, " ---: | ---: |");
	pfx_str_add(to, " --- |\n");
}

/* Rows with the largest changes, whatever is computed. */
static void add_rows(const struct pfx_diff_look *look, const struct pfx_diff_event *event,
		     struct pfx_str *to)
{
	struct pfx_diff_measure how = look->how;
	const struct pfx_diff_row **rows;
	uint32_t i, shown = 0, within = 0, rest = 0;

	how.event = event;
	how.compute = PFX_DIFF_DELTA_ABS;
	rows = pfx_diff_sorted(&how, look->order ? look->order : 1);
	for (i = 0; i < event->nr_rows; i++) {
		if (pfx_diff_is_within(look, event, rows[i])) {
			within++;
		} else if (shown < ROWS_MAX) {
			if (!shown++)
				add_titles(&how, to);
			add_row(look, &how, rows[i], to);
		} else {
			rest++;
		}
	}
	free(rows);
	pfx_str_add(to, shown ? "\n" : "No change beyond noise");
	if (rest)
		pfx_str_addf(to, "%u more rows beyond noise", rest);
	if (within)
		pfx_str_addf(to, "%s%u row%s within noise", !shown || rest ? ", " : "", within,
			     within > 1 ? "s" : "");
	pfx_str_add(to, !shown || rest || within ? ".\n\n" : "\n");
}

static void add_amounts(const struct pfx_diff_look *look, struct pfx_str *to)
{
	uint32_t i, side, nr_sides = pfx_diff_options(look->how.diff)->nr_sides;
	const struct pfx_diff_amount *amount;
	bool is_time;
	double unit;

	for (i = 0; look->amounts && i < pfx_diff_nr_amounts(look->amounts); i++) {
		amount = pfx_diff_amount_at(look->amounts, i);
		is_time = !strcmp(amount->name, PFX_DIFF_TOTAL_TIME);
		unit = is_time ? NS_PER_MS : 1;
		pfx_str_add(to, "* ");
		add_code(amount->name, to);
		pfx_str_addf(to, ": %.*f%s", is_time ? 3 : 0, amount->sides[0].mean / unit,
			     is_time ? " ms" : "");
		for (side = 1; side < nr_sides; side++) {
			if (amount->sides[side].n < 1 || amount->sides[0].mean <= 0)
				continue;
			pfx_str_addf(to, ", %.*f%s (%+.2f%%%s)", is_time ? 3 : 0,
				     amount->sides[side].mean / unit, is_time ? " ms" : "",
				     100 * (amount->sides[side].mean / amount->sides[0].mean - 1),
				     pfx_diff_amount_within(look, amount, side) ? ", within noise"
										: "");
		}
		pfx_str_addc(to, '\n');
	}
}

void pfx_diff_markdown(const struct pfx_diff *diff, const struct pfx_diff_look *look,
		       struct pfx_str *to)
{
	const struct pfx_diff_event *event;
	uint32_t i, side;

	pfx_str_add(to, "### pfx diff: ");
	for (side = 0; side < pfx_diff_options(diff)->nr_sides; side++) {
		pfx_str_add(to, side ? " → " : "");
		add_code(look->names[side], to);
	}
	pfx_str_add(to, "\n\n");
	add_rules(look, to);
	for (i = 0; i < pfx_diff_nr_events(diff); i++) {
		event = pfx_diff_event_at(diff, i);
		if (!pfx_diff_has_samples(diff, event))
			continue;
		pfx_str_add(to, "Event ");
		add_code(event->name, to);
		pfx_str_addf(to, ", weight: %s\n\n", pfx_diff_weight_names[look->how.weight]);
		add_rows(look, event, to);
	}
	add_amounts(look, to);
}
