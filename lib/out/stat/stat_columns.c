/* SPDX-License-Identifier: MIT */
/* A row of counts in columns of text. The widths are perf's. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "out/stat/stat_text_internal.h"

#define VALUE_WIDTH 18
#define NAME_WIDTH  32
#define BARE_WIDTH  25 /* width of the name without a count */
#define NOTE_WIDTH  35
#define NAME_LEAST  22 /* minimum on a narrow screen */

/* perf pads lines with blanks, which wrap to empty lines on a narrow screen. */
void pfx_stat_end_line(struct pfx_str *to)
{
	while (to->len && to->at[to->len - 1] == ' ')
		to->len--;
	pfx_str_addc(to, '\n');
}

/* Insert separators between groups of three digits of the integer part. */
static void group_digits(const char *plain, const char *separator, struct pfx_str *to)
{
	size_t sign = plain[0] == '-', len = strspn(plain + sign, "0123456789"), i;

	pfx_str_addn(to, plain, sign);
	for (i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			pfx_str_add(to, separator);
		pfx_str_addc(to, plain[sign + i]);
	}
	pfx_str_add(to, plain + sign + len);
}

static void put_value(const struct pfx_stat_row *row, struct pfx_str *to)
{
	double scale = row->what->scale, value = row->cell->value.mean * scale;
	struct pfx_str text = {0};
	char plain[64];
	size_t width;

	snprintf(plain, sizeof(plain), floor(scale) != scale ? "%.2f" : "%.0f", value);
	group_digits(plain, row->style->thousands ? row->style->thousands : "", &text);
	/* Separators may be multi-byte characters. */
	width = pfx_nr_chars(pfx_str_get(&text), text.len);
	if (width < VALUE_WIDTH)
		pfx_str_pad(to, ' ', VALUE_WIDTH - width);
	pfx_str_add(to, pfx_str_get(&text));
	pfx_str_fini(&text);
}

static void put_name(const struct pfx_stat_row *row, size_t width, struct pfx_str *to)
{
	size_t start = to->len;

	pfx_stat_put_event_name(row, to);
	if (to->len - start < width)
		pfx_str_pad(to, ' ', width - (to->len - start));
	if (row->what->cgroup) {
		pfx_str_addc(to, ' ');
		pfx_str_add_foreign(to, row->what->cgroup);
	}
}

static const char *colour(const struct pfx_stat_row *row, enum pfx_stat_grade grade)
{
	static const char *const codes[] = {"", "\033[33m", "\033[35m", "\033[31m"};

	return row->style->colours ? codes[grade] : "";
}

static void put_note(const struct pfx_stat_row *row, const struct pfx_stat_note *note,
		     struct pfx_str *to)
{
	const char *code = colour(row, note->grade);
	char value[64];
	int rest;

	if (!note->has_value) {
		pfx_str_pad(to, ' ', NOTE_WIDTH);
		return;
	}
	snprintf(value, sizeof(value), note->format, note->value);
	rest = NOTE_WIDTH - 3 - (int)strlen(value) - 1;
	pfx_str_addf(to, " # %s%s%s %-*s", code, value, *code ? "\033[m" : "", rest > 0 ? rest : 0,
		     note->unit);
}

static void put_tail(const struct pfx_stat_row *row, struct pfx_str *to)
{
	double noise = pfx_stat_noise(&row->cell->value);

	if (row->style->with_noise && noise != 0)
		pfx_str_addf(to, "  ( +-%6.2f%% )", noise);
	if (row->cell->running.mean < row->cell->enabled.mean)
		pfx_str_addf(to, "  (%.2f%%)", pfx_stat_percent_running(row->cell));
}

static void put_nothing(const struct pfx_stat_row *row, const char *why, struct pfx_str *to)
{
	pfx_str_addf(to, "%*s %-*s ", VALUE_WIDTH, why, pfx_stat_unit_width(row->stat),
		     row->what->unit);
	put_name(row, BARE_WIDTH, to);
	pfx_stat_end_line(to);
}

/* perf's width, reduced on a screen that is too narrow for a line with a note of usual length. */
static size_t name_width(const struct pfx_stat_row *row, unsigned unit_width)
{
	size_t whole = VALUE_WIDTH + 2 + unit_width + NAME_WIDTH + NOTE_WIDTH;
	size_t screen = row->style->screen, width;

	if (!screen || screen >= whole)
		return NAME_WIDTH;
	width = NAME_WIDTH > whole - screen ? NAME_WIDTH - (whole - screen) : 0;
	return width > NAME_LEAST ? width : NAME_LEAST;
}

void pfx_stat_put_columns(const struct pfx_stat_row *row, struct pfx_str *to)
{
	const char *why = pfx_stat_why_nothing(row);
	struct pfx_stat_note notes[PFX_STAT_NOTES_MAX];
	unsigned unit_width = pfx_stat_unit_width(row->stat);
	size_t nr, i, width = name_width(row, unit_width);

	pfx_stat_put_place(row, to);
	if (why) {
		put_nothing(row, why, to);
		return;
	}
	put_value(row, to);
	pfx_str_addf(to, " %-*s ", unit_width, row->what->unit);
	put_name(row, width, to);
	nr = pfx_stat_notes(row->stat, row->event, row->group, notes);
	for (i = 0; i < nr; i++) {
		if (i) {
			pfx_stat_end_line(to);
			pfx_stat_put_place(row, to);
			pfx_str_pad(to, ' ', VALUE_WIDTH + 2 + unit_width + width);
		}
		put_note(row, &notes[i], to);
		if (i + 1 == nr)
			put_tail(row, to);
	}
	pfx_stat_end_line(to);
}
