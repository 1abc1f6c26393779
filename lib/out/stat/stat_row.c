/* SPDX-License-Identifier: MIT */
/*
 * Parts of a row that all forms share: the reason of a missing count, the noise, and the prefix:
 * time and group.
 */
#include <stdio.h>
#include <string.h>

#include "out/stat/stat_text_internal.h"

unsigned pfx_stat_unit_width(const struct pfx_counts *stat)
{
	size_t width = PFX_STAT_UNIT_WIDTH, i;

	for (i = 0; i < stat->events.nr; i++)
		if (strlen(stat->events.at[i].unit) > width)
			width = strlen(stat->events.at[i].unit);
	return (unsigned)width;
}

const char *pfx_stat_why_nothing(const struct pfx_stat_row *row)
{
	if (!row->what->is_supported)
		return "<not supported>";
	return pfx_stat_was_counted(row->cell) ? NULL : "<not counted>";
}

double pfx_stat_percent_running(const struct pfx_stat_cell *cell)
{
	return cell->enabled.mean > 0 ? 100 * cell->running.mean / cell->enabled.mean : 100;
}

double pfx_stat_noise(const struct pfx_moments *m)
{
	return m->mean != 0 ? 100 * pfx_moments_error(m) / m->mean : 0;
}

void pfx_stat_put_json_text(const char *text, struct pfx_str *to)
{
	pfx_str_add_json(to, text, strlen(text));
}

void pfx_stat_put_event_name(const struct pfx_stat_row *row, struct pfx_str *to)
{
	pfx_str_add_foreign(to, row->what->name);
}

void pfx_stat_bare(const struct pfx_stat_note *note, char *out, size_t size)
{
	char text[64];
	size_t start, len;

	snprintf(text, sizeof(text), note->format, note->value);
	start = strspn(text, " ");
	len = strspn(text + start, "-+.0123456789einfa");
	snprintf(out, size, "%.*s", (int)len, text + start);
}

/* --- prefix --- */

static void thread_name(const struct pfx_stat_group *group, char out[64])
{
	char comm[48];

	pfx_escape(comm, sizeof(comm), group->comm);
	snprintf(out, 64, "%s-%d", comm, group->tid);
}

/* "S0-D0-C1", without padding. */
static void group_name(const struct pfx_counts *stat, const struct pfx_stat_group *g, char out[64])
{
	switch (stat->by) {
	case PFX_STAT_BY_CPU:
		snprintf(out, 64, "CPU%d", g->cpu);
		break;
	case PFX_STAT_BY_SOCKET:
		snprintf(out, 64, "S%d", g->socket);
		break;
	case PFX_STAT_BY_DIE:
		snprintf(out, 64, "S%d-D%d", g->socket, g->die);
		break;
	case PFX_STAT_BY_CORE:
		snprintf(out, 64, "S%d-D%d-C%d", g->socket, g->die, g->core);
		break;
	case PFX_STAT_BY_CACHE:
		snprintf(out, 64, "S%d-D%d-L%d-ID%d", g->socket, g->die, g->cache >> 16,
			 g->cache & 0xffff);
		break;
	case PFX_STAT_BY_CLUSTER:
		snprintf(out, 64, "S%d-D%d-CLS%d", g->socket, g->die, g->cluster);
		break;
	case PFX_STAT_BY_NODE:
		snprintf(out, 64, "N%d", g->node);
		break;
	case PFX_STAT_BY_THREAD:
		thread_name(g, out);
		break;
	case PFX_STAT_BY_ALL:
		out[0] = '\0';
	}
}

static const struct pfx_stat_by_text by_texts[] = {
	{PFX_STAT_BY_CPU, 11, false, "CPU", "cpu"},
	{PFX_STAT_BY_SOCKET, 6, true, "socket", "socket"},
	{PFX_STAT_BY_DIE, 12, true, "die", "die"},
	{PFX_STAT_BY_CORE, 15, true, "core", "core"},
	{PFX_STAT_BY_CACHE, 16, true, "cache", "cache"},
	{PFX_STAT_BY_CLUSTER, 16, true, "cluster", "cluster"},
	{PFX_STAT_BY_NODE, 6, true, "node", "node"},
	{PFX_STAT_BY_THREAD, 26, false, "comm-pid", "thread"},
};

const struct pfx_stat_by_text *pfx_stat_by_text(const struct pfx_counts *stat)
{
	size_t i;

	for (i = 0; i < sizeof(by_texts) / sizeof(by_texts[0]); i++)
		if (by_texts[i].by == stat->by)
			return &by_texts[i];
	return NULL;
}

bool pfx_stat_is_core_row(const struct pfx_stat_row *row)
{
	return row->stat->by == PFX_STAT_BY_CPU && row->what->is_per_core &&
	       !row->stat->shows_threads;
}

static void row_name(const struct pfx_stat_row *row, char out[64])
{
	const struct pfx_stat_group *g = &row->stat->groups.at[row->group];

	if (pfx_stat_is_core_row(row))
		snprintf(out, 64, "S%d-D%d-C%d", g->socket, g->die, g->core);
	else
		group_name(row->stat, g, out);
}

static void put_group_columns(const struct pfx_stat_row *row, struct pfx_str *to)
{
	const struct pfx_stat_group *group = &row->stat->groups.at[row->group];
	const struct pfx_stat_by_text *by = pfx_stat_by_text(row->stat);
	char name[64];

	if (row->stat->by == PFX_STAT_BY_THREAD) {
		char comm[48];

		pfx_escape(comm, sizeof(comm), group->comm);
		pfx_str_addf(to, "%16s-%-8d ", comm, group->tid);
		return;
	}
	row_name(row, name);
	pfx_str_addf(to, "%-*s", by->width, name);
	if (by->has_nr)
		pfx_str_addf(to, "%5u ", row->cell->shown_nr);
}

static void put_group_json(const struct pfx_stat_row *row, struct pfx_str *to)
{
	const struct pfx_stat_by_text *by = pfx_stat_by_text(row->stat);
	bool is_core = pfx_stat_is_core_row(row),
	     is_cpu = row->stat->by == PFX_STAT_BY_CPU && !is_core;
	char name[64];

	row_name(row, name);
	pfx_str_addf(to, "\"%s\" : \"", is_core ? "core" : by->key);
	pfx_stat_put_json_text(is_cpu ? name + 3 : name, to);
	pfx_str_add(to, "\", ");
	if (by->has_nr)
		pfx_str_addf(to, "\"aggregate-number\" : %u, ", row->cell->shown_nr);
}

static void put_time(const struct pfx_stat_style *style, struct pfx_str *to)
{
	const char *sep = style->form == PFX_STAT_FIELDS ? style->separator : " ";

	if (style->form == PFX_STAT_JSON && style->time)
		pfx_str_addf(to, "\"interval\" : %s, ", style->time + strspn(style->time, " "));
	else if (style->time)
		pfx_str_addf(to, "%s%s", style->time, sep);
	else if (style->mark && style->form == PFX_STAT_FIELDS)
		pfx_str_addf(to, "%16s%s", style->mark, sep);
}

void pfx_stat_put_place(const struct pfx_stat_row *row, struct pfx_str *to)
{
	const struct pfx_stat_by_text *by = pfx_stat_by_text(row->stat);
	char name[64];

	put_time(row->style, to);
	if (!by)
		return;
	if (row->style->form == PFX_STAT_COLUMNS) {
		put_group_columns(row, to);
	} else if (row->style->form == PFX_STAT_JSON) {
		put_group_json(row, to);
	} else {
		row_name(row, name);
		pfx_str_addf(to, "%s%s", name, row->style->separator);
		if (by->has_nr)
			pfx_str_addf(to, "%u%s", row->cell->shown_nr, row->style->separator);
	}
}
