/* SPDX-License-Identifier: MIT */
/* Shared by the files that print tables of counts. */
#ifndef PFX_OUT_STAT_TEXT_INTERNAL_H
#define PFX_OUT_STAT_TEXT_INTERNAL_H

#include "out/stat/stat_text.h"

/* A row: one event in one group. */
struct pfx_stat_row {
	const struct pfx_counts *stat;
	const struct pfx_stat_style *style;
	size_t event, group;
	const struct pfx_stat_event *what;
	const struct pfx_stat_cell *cell;
};

#define PFX_STAT_UNIT_WIDTH 4 /* at least */

/* Width of group names by aggregation, and the column heading. */
struct pfx_stat_by_text {
	enum pfx_stat_by by;
	int width;
	bool has_nr;
	const char *heading, *key;
};
/* NULL: there is only one group. */
const struct pfx_stat_by_text *pfx_stat_by_text(const struct pfx_counts *stat);
/* Whether the row is for a core while other rows are for CPUs. */
bool pfx_stat_is_core_row(const struct pfx_stat_row *row);
unsigned pfx_stat_unit_width(const struct pfx_counts *stat);
/* The time of the interval, or the mark, and the group. */
void pfx_stat_put_place(const struct pfx_stat_row *row, struct pfx_str *to);
/* The row with all its columns, in lines of the style's form. */
void pfx_stat_put_columns(const struct pfx_stat_row *row, struct pfx_str *to);
void pfx_stat_put_fields(const struct pfx_stat_row *row, struct pfx_str *to);
void pfx_stat_put_json(const struct pfx_stat_row *row, struct pfx_str *to);
/* "<not counted>" or "<not supported>"; NULL if there is a count. */
const char *pfx_stat_why_nothing(const struct pfx_stat_row *row);
/* The share of time in percent that the counters ran. */
double pfx_stat_percent_running(const struct pfx_stat_cell *cell);
/* The standard error in percent of the mean. */
double pfx_stat_noise(const struct pfx_moments *m);
/* The value of a note as plain text, "1.50" without the rest of its format. */
void pfx_stat_bare(const struct pfx_stat_note *note, char *out, size_t size);
/* Text between the quotes of JSON. */
void pfx_stat_put_json_text(const char *text, struct pfx_str *to);
/* Ends a line in columns and removes trailing blanks. */
void pfx_stat_end_line(struct pfx_str *to);
void pfx_stat_put_event_name(const struct pfx_stat_row *row, struct pfx_str *to);

#endif
