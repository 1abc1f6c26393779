/* SPDX-License-Identifier: MIT */
/* Titles, headings and times; the rows are in stat_text.c. */
#include "out/stat/stat_table.h"

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>

#include "base/ns.h"

#define HEADING_EVERY 25 /* tables on a screen, as perf */

const char *pfx_stat_thousands(void)
{
	static char text[16];
	locale_t locale = newlocale(LC_NUMERIC_MASK | LC_CTYPE_MASK, "", (locale_t)0);

	if (locale == (locale_t)0)
		return NULL;
	snprintf(text, sizeof(text), "%s", nl_langinfo_l(THOUSEP, locale));
	freelocale(locale);
	return text;
}

static void add_heading(struct pfx_stat_tables *tables, const struct pfx_counts *stat,
			const struct pfx_stat_style *style, struct pfx_str *to)
{
	if (tables->has_heading)
		return;
	tables->has_heading = !tables->clears;
	if (style->metric_only)
		pfx_stat_text_metric_heading(stat, style, to);
	else if (style->time)
		pfx_stat_text_heading(stat, style, to);
}

/* Whether the last heading has scrolled off the screen. */
static bool is_heading_due(const struct pfx_stat_style *style, uint64_t nr_before)
{
	return style->form == PFX_STAT_COLUMNS && nr_before % HEADING_EVERY == 0;
}

void pfx_stat_text_interval(struct pfx_stat_tables *tables, const struct pfx_counts *stat,
			    const struct pfx_stat_style *style, uint64_t at_ns, struct pfx_str *to)
{
	struct pfx_stat_style timed = *style;
	char time[32];

	snprintf(time, sizeof(time), "%6llu.%09llu",
		 (unsigned long long)(at_ns / PFX_NS_PER_SECOND),
		 (unsigned long long)(at_ns % PFX_NS_PER_SECOND));
	timed.time = time;
	timed.mark = NULL;
	timed.with_noise = false;
	if (is_heading_due(style, tables->nr_intervals))
		tables->has_heading = false;
	tables->nr_intervals++;
	if (tables->clears)
		pfx_str_add(to, "\033[H\033[2J");
	add_heading(tables, stat, &timed, to);
	pfx_stat_text_rows(stat, &timed, to);
}

static void add_words(const struct pfx_stat_subject *subject, struct pfx_str *to)
{
	size_t i;

	if (!subject->nr_words)
		pfx_str_add(to, subject->otherwise);
	for (i = 0; i < subject->nr_words; i++) {
		if (i)
			pfx_str_addc(to, ' ');
		pfx_str_add_foreign(to, subject->words[i]);
	}
}

static void add_title(const struct pfx_counts *stat, const struct pfx_stat_subject *subject,
		      struct pfx_str *to)
{
	const char *tasks = subject->pids ? subject->pids : subject->tids;
	char shown[512];

	pfx_str_add(to, "\n Performance counter stats for ");
	if (tasks) {
		pfx_str_addf(to, "%s id '%s'", subject->pids ? "process" : "thread",
			     pfx_escape(shown, sizeof(shown), tasks));
	} else if (subject->is_system) {
		pfx_str_add(to, "'system wide'");
	} else if (subject->cpus) {
		pfx_str_addf(to, "'CPU(s) %s'", pfx_escape(shown, sizeof(shown), subject->cpus));
	} else {
		pfx_str_addc(to, '\'');
		add_words(subject, to);
		pfx_str_addc(to, '\'');
	}
	if (stat->wall_ns.n > 1)
		pfx_str_addf(to, " (%.0f runs)", stat->wall_ns.n);
	pfx_str_add(to, ":\n\n");
}

void pfx_stat_text_whole(struct pfx_stat_tables *tables, const struct pfx_counts *stat,
			 const struct pfx_stat_style *style, const struct pfx_stat_subject *subject,
			 const struct pfx_stat_times *times, struct pfx_str *to)
{
	if (style->form == PFX_STAT_COLUMNS)
		add_title(stat, subject, to);
	/* The first heading has other columns than those of later intervals. */
	if (!tables->nr_wholes || is_heading_due(style, tables->nr_wholes))
		tables->has_heading = false;
	tables->nr_wholes++;
	add_heading(tables, stat, style, to);
	pfx_stat_text_rows(stat, style, to);
	if (style->form != PFX_STAT_COLUMNS)
		return;
	if (!subject->is_time_only)
		pfx_str_addc(to, '\n');
	pfx_stat_text_footer(times, to);
}
