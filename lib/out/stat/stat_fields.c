/* SPDX-License-Identifier: MIT */
/*
 * A row of counts for programs: fields with a separator, or a JSON object. The order of the fields
 * and the names of the keys are perf's. Control characters in untrusted text are escaped.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "out/stat/stat_text_internal.h"

static void put_head(const struct pfx_stat_row *row, struct pfx_str *to)
{
	const char *why = pfx_stat_why_nothing(row), *sep = row->style->separator;
	double scale = row->what->scale;

	if (why)
		pfx_str_add(to, why);
	else
		pfx_str_addf(to, floor(scale) != scale ? "%.2f" : "%.0f",
			     row->cell->value.mean * scale);
	pfx_str_addf(to, "%s%s%s", sep, row->what->unit, sep);
	pfx_stat_put_event_name(row, to);
	if (row->what->cgroup) {
		pfx_str_add(to, sep);
		pfx_str_add_foreign(to, row->what->cgroup);
	}
	if (row->style->with_noise)
		pfx_str_addf(to, "%s%.2f%%", sep, why ? 0 : pfx_stat_noise(&row->cell->value));
	pfx_str_addf(to, "%s%.0f%s%.2f", sep, row->cell->running.mean, sep,
		     pfx_stat_percent_running(row->cell));
}

void pfx_stat_put_fields(const struct pfx_stat_row *row, struct pfx_str *to)
{
	struct pfx_stat_note notes[PFX_STAT_NOTES_MAX];
	const char *sep = row->style->separator;
	size_t nr, i, skipped;
	char value[64];

	nr = pfx_stat_notes(row->stat, row->event, row->group, notes);
	if (pfx_stat_why_nothing(row))
		nr = 1;
	for (i = 0; i < nr; i++) {
		bool has = notes[i].has_value && !pfx_stat_why_nothing(row);

		pfx_stat_put_place(row, to);
		if (i == 0)
			put_head(row, to);
		/* The second value is on the next line. */
		for (skipped = 0; i && skipped < 4u + !!row->what->cgroup + row->style->with_noise;
		     skipped++)
			pfx_str_add(to, sep);
		if (has)
			pfx_stat_bare(&notes[i], value, sizeof(value));
		pfx_str_addf(to, "%s%s%s%s\n", sep, has ? value : "", sep,
			     has ? notes[i].unit + strspn(notes[i].unit, "% ") : "");
	}
}

static void put_json_head(const struct pfx_stat_row *row, struct pfx_str *to)
{
	const char *why = pfx_stat_why_nothing(row);

	if (why)
		pfx_str_addf(to, "\"counter-value\" : \"%s\", ", why);
	else
		pfx_str_addf(to, "\"counter-value\" : \"%f\", ",
			     row->cell->value.mean * row->what->scale);
	pfx_str_add(to, "\"unit\" : \"");
	pfx_stat_put_json_text(row->what->unit, to);
	pfx_str_add(to, "\", \"event\" : \"");
	pfx_stat_put_json_text(row->what->name, to);
	pfx_str_add(to, "\", ");
	if (row->what->cgroup) {
		pfx_str_add(to, "\"cgroup\" : \"");
		pfx_stat_put_json_text(row->what->cgroup, to);
		pfx_str_add(to, "\", ");
	}
	if (row->style->with_noise)
		pfx_str_addf(to, "\"variance\" : %.2f, ",
			     why ? 0 : pfx_stat_noise(&row->cell->value));
	pfx_str_addf(to, "\"event-runtime\" : %.0f, \"pcnt-running\" : %.2f, ",
		     row->cell->running.mean, pfx_stat_percent_running(row->cell));
}

void pfx_stat_put_json(const struct pfx_stat_row *row, struct pfx_str *to)
{
	struct pfx_stat_note notes[PFX_STAT_NOTES_MAX];
	size_t nr, i;

	nr = pfx_stat_notes(row->stat, row->event, row->group, notes);
	if (pfx_stat_why_nothing(row))
		nr = 1;
	for (i = 0; i < nr; i++) {
		bool has = notes[i].has_value && !pfx_stat_why_nothing(row);

		pfx_str_addc(to, '{');
		pfx_stat_put_place(row, to);
		if (i == 0)
			put_json_head(row, to);
		pfx_str_addf(to, "\"metric-value\" : %f, \"metric-unit\" : \"",
			     has ? notes[i].value : 0);
		if (!pfx_stat_why_nothing(row))
			pfx_stat_put_json_text(notes[i].unit + strspn(notes[i].unit, "% "), to);
		pfx_str_addc(to, '"');
		if (has && notes[i].verdict != PFX_STAT_NOT_JUDGED)
			pfx_str_addf(to, ", \"metric-threshold\" : \"%s\"",
				     notes[i].verdict == PFX_STAT_BAD ? "bad" : "good");
		pfx_str_add(to, "}\n");
	}
}
