/* SPDX-License-Identifier: MIT */
/*
 * The rows of a table of counts and their order, its headings and its end. The layout of a row is
 * in stat_columns.c and stat_fields.c, common parts are in stat_row.c.
 */
#include "out/stat/stat_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out/stat/stat_text_internal.h"

#define METRIC_WIDTH 20 /* minimum width of a metric column */

static void put_heading_place(const struct pfx_counts *stat, struct pfx_str *to)
{
	const struct pfx_stat_by_text *by = pfx_stat_by_text(stat);

	pfx_str_add(to, "#           time ");
	if (stat->by == PFX_STAT_BY_THREAD)
		pfx_str_addf(to, "%20s%6s", by->heading, "");
	else if (by)
		pfx_str_addf(to, by->has_nr ? "%-*s cpus " : "%-*s", by->width, by->heading);
}

void pfx_stat_text_heading(const struct pfx_counts *stat, const struct pfx_stat_style *style,
			   struct pfx_str *to)
{
	if (style->form != PFX_STAT_COLUMNS || style->metric_only)
		return;
	put_heading_place(stat, to);
	pfx_str_addf(to, "%18s %*s events\n", "counts", pfx_stat_unit_width(stat), "unit");
}

/* --- only metrics --- */

/* Rates and the like have no meaning without their count. */
static bool is_metric(const struct pfx_stat_note *note)
{
	const char *unit = note->unit;

	return unit[0] && !strstr(unit, "/sec") && !strstr(unit, "CPUs utilized");
}

/* The text "of all branches" is only clear together with the event. */
static void metric_name(const struct pfx_stat_event *event, const struct pfx_stat_note *note,
			char *out, size_t size)
{
	char name[128];

	if (!strncmp(note->unit, "of all", 6))
		snprintf(out, size, "%s %s", pfx_escape(name, sizeof(name), event->name),
			 note->unit);
	else
		snprintf(out, size, "%s", note->unit);
}

/* A metric in its column. */
static void put_metric(const struct pfx_stat_style *style, const char *name,
		       const struct pfx_stat_note *note, bool is_heading, struct pfx_str *to)
{
	int width = strlen(name) > METRIC_WIDTH ? (int)strlen(name) : METRIC_WIDTH;
	char value[64] = "";

	if (is_heading) {
		if (style->form == PFX_STAT_FIELDS)
			pfx_str_addf(to, "%s%s", name, style->separator);
		else
			pfx_str_addf(to, "%*s ", width, name);
		return;
	}
	if (note->has_value && style->form == PFX_STAT_COLUMNS)
		snprintf(value, sizeof(value), note->format, note->value);
	else if (note->has_value)
		pfx_stat_bare(note, value, sizeof(value));
	if (style->form == PFX_STAT_COLUMNS) {
		pfx_str_addf(to, "%*.*s ", width, (int)(strlen(value) - strspn(value, " ")),
			     value + strspn(value, " "));
	} else if (style->form == PFX_STAT_FIELDS) {
		pfx_str_addf(to, "%s%s", value, style->separator);
	} else if (note->has_value) {
		pfx_str_addc(to, '"');
		pfx_stat_put_json_text(name, to);
		pfx_str_addf(to, "\" : \"%s\", ", value);
	}
}

static void put_metrics(const struct pfx_counts *stat, const struct pfx_stat_style *style,
			size_t group, bool is_heading, struct pfx_str *to)
{
	struct pfx_stat_note notes[PFX_STAT_NOTES_MAX];
	char name[192];
	size_t event, nr, i;

	for (event = 0; event < stat->events.nr; event++) {
		if (stat->events.at[event].merged_into >= 0)
			continue;
		nr = pfx_stat_notes(stat, event, group, notes);
		for (i = 0; i < nr; i++) {
			if (!is_metric(&notes[i]))
				continue;
			notes[i].has_value &=
				pfx_stat_was_counted(pfx_stat_cell(stat, event, group));
			metric_name(&stat->events.at[event], &notes[i], name, sizeof(name));
			put_metric(style, name, &notes[i], is_heading, to);
		}
	}
}

static void end_metrics(const struct pfx_stat_style *style, struct pfx_str *to)
{
	if (style->form == PFX_STAT_COLUMNS)
		pfx_stat_end_line(to);
	else
		pfx_str_addc(to, '\n');
}

void pfx_stat_text_metric_heading(const struct pfx_counts *stat, const struct pfx_stat_style *style,
				  struct pfx_str *to)
{
	const struct pfx_stat_by_text *by = pfx_stat_by_text(stat);

	if (!style->metric_only || style->form == PFX_STAT_JSON || !stat->groups.nr)
		return;
	if (style->form == PFX_STAT_FIELDS) {
		if (style->time)
			pfx_str_addf(to, "time%s", style->separator);
		if (by)
			pfx_str_addf(to, "%s%s", by->heading, style->separator);
		if (by && by->has_nr)
			pfx_str_addf(to, "cpus%s", style->separator);
	} else if (style->time) {
		put_heading_place(stat, to);
	} else if (by) {
		pfx_str_pad(to, ' ', (size_t)by->width + (by->has_nr ? 6 : 0));
	}
	put_metrics(stat, style, 0, true, to);
	end_metrics(style, to);
}

static void put_metric_row(const struct pfx_counts *stat, const struct pfx_stat_style *style,
			   size_t group, struct pfx_str *to)
{
	struct pfx_stat_row row = {stat, style, 0, group, stat->events.at, stat->cells};
	size_t event;

	for (event = 0; event < stat->events.nr; event++)
		if (pfx_stat_cell(stat, event, group)->shown_nr > row.cell->shown_nr)
			row.cell = pfx_stat_cell(stat, event, group);
	if (style->form == PFX_STAT_JSON)
		pfx_str_addc(to, '{');
	pfx_stat_put_place(&row, to);
	put_metrics(stat, style, group, false, to);
	if (style->form == PFX_STAT_JSON) {
		if (to->len > 2 && !memcmp(to->at + to->len - 2, ", ", 2))
			to->at[to->len -= 2] = '\0';
		pfx_str_addc(to, '}');
	}
	end_metrics(style, to);
}

/* --- rows --- */

static void put_row(const struct pfx_counts *stat, const struct pfx_stat_style *style, size_t event,
		    size_t group, struct pfx_str *to)
{
	struct pfx_stat_row row = {
		.stat = stat,
		.style = style,
		.event = event,
		.group = group,
		.what = &stat->events.at[event],
		.cell = pfx_stat_cell(stat, event, group),
	};

	if (row.what->merged_into >= 0 || (row.what->is_partial && row.cell->is_empty))
		return;
	if (pfx_stat_is_core_row(&row) && pfx_stat_first_of_core(stat, group) != group)
		return;
	if (style->skip_zero && row.cell->value.mean <= 0)
		return;
	if (style->form == PFX_STAT_COLUMNS)
		pfx_stat_put_columns(&row, to);
	else if (style->form == PFX_STAT_FIELDS)
		pfx_stat_put_fields(&row, to);
	else
		pfx_stat_put_json(&row, to);
}

struct ranked {
	size_t group;
	double value;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return x->group < y->group ? -1 : x->group > y->group;
}

/* Threads with the highest counts come first. */
static void put_threads(const struct pfx_counts *stat, const struct pfx_stat_style *style,
			size_t event, struct pfx_str *to)
{
	struct ranked *ranked = pfx_calloc(stat->groups.nr + 1, sizeof(*ranked));
	size_t i;

	for (i = 0; i < stat->groups.nr; i++)
		ranked[i] = (struct ranked){i, pfx_stat_cell(stat, event, i)->value.mean};
	qsort(ranked, stat->groups.nr, sizeof(*ranked), compare_ranked);
	for (i = 0; i < stat->groups.nr; i++)
		put_row(stat, style, event, ranked[i].group, to);
	free(ranked);
}

void pfx_stat_text_rows(const struct pfx_counts *stat, const struct pfx_stat_style *style,
			struct pfx_str *to)
{
	bool by_event = stat->by == PFX_STAT_BY_CPU || stat->by == PFX_STAT_BY_ALL;
	size_t event, group;

	for (group = 0; style->metric_only && group < stat->groups.nr; group++)
		put_metric_row(stat, style, group, to);
	if (style->metric_only)
		return;
	if (stat->by == PFX_STAT_BY_THREAD) {
		for (event = 0; event < stat->events.nr; event++)
			put_threads(stat, style, event, to);
	} else if (by_event) {
		for (event = 0; event < stat->events.nr; event++)
			for (group = 0; group < stat->groups.nr; group++)
				put_row(stat, style, event, group, to);
	} else {
		for (group = 0; group < stat->groups.nr; group++)
			for (event = 0; event < stat->events.nr; event++)
				put_row(stat, style, event, group, to);
	}
}

/* --- the end --- */

/* Digits after the point that show the first two significant digits of the spread. */
static int digits(double spread)
{
	int n;

	if (!(spread > 0) || spread > 1)
		return 2;
	n = (int)lround(ceil(-log10(spread))) + 2;
	return n > 9 ? 9 : n;
}

static void put_runs(const struct pfx_stat_times *times, int precision, struct pfx_str *to)
{
	double mean = times->wall.mean, diff;
	size_t i, bars;

	pfx_str_add(to, "         # Table of individual measurements:\n");
	for (i = 0; i < times->nr; i++) {
		diff = times->runs[i] - mean;
		pfx_str_addf(to, " %17.*f (%+.*f) ", precision, times->runs[i], precision, diff);
		bars = mean > 0 ? (size_t)(20 * fabs(diff) / mean) : 0;
		pfx_str_pad(to, '#', bars > 40 ? 40 : bars + 1);
		pfx_str_addc(to, '\n');
	}
	pfx_str_add(to, "\n         # Final result:\n");
}

void pfx_stat_text_footer(const struct pfx_stat_times *times, struct pfx_str *to)
{
	double error = pfx_moments_error(&times->wall), mean = times->wall.mean;
	int precision = digits(error);

	if (times->wall.n > 1) {
		if (times->runs)
			put_runs(times, precision, to);
		pfx_str_addf(to, " %17.*f +- %.*f seconds time elapsed", precision, mean, precision,
			     error);
		if (error > 0)
			pfx_str_addf(to, "  ( +-%6.2f%% )", pfx_stat_noise(&times->wall));
	} else {
		pfx_str_addf(to, " %17.9f seconds time elapsed", mean);
		if (times->has_usage)
			pfx_str_addf(to, "\n\n %17.9f seconds user\n %17.9f seconds sys\n",
				     times->user, times->system);
	}
	pfx_str_add(to, "\n\n");
}
