/* SPDX-License-Identifier: MIT */
/*
 * Columns. Each key has a function that prints its text; the widths are found by printing every row
 * once. The layout is perf's: percentages right-aligned in 8 columns, counts in 12, all else
 * left-aligned and as wide as its longest text; the last column is not padded if it is the symbol.
 */
#include "out/hist_text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/names/fitting_name.h"
#include "hist/key_text.h"
#include "out/hist_text_internal.h"
#include "out/term/term.h"

#define TREE_RULE_MAX 207 /* dots above a hierarchy; perf has no more */

#define LEVEL_WIDTH  4  /* of "[.] " before a name */
#define HEX_WIDTH    16 /* digits of an address */
#define ACCESS_WIDTH 7  /* of the percentage of one kind of access */
#define FLUSH_SIZE   (256u << 10)

/* A table being printed. */
struct pfx_hist_table {
	const struct pfx_hist_text *how;
	const struct pfx_hists *hists;
	const struct pfx_hist *hist;
	const struct pfx_columns *columns;
	unsigned *widths; /* by column: width of its longest text */
	unsigned *pads;   /* by column: width to pad to; as widths, or less on a narrow screen */
	unsigned kinds[PFX_ACCESS_FIELDS]; /* kinds of access that occur, as bits */
	size_t last;                       /* the last visible column */
	struct pfx_str field;
	struct pfx_key_text text;
};

static bool is_percent(enum pfx_key key)
{
	return pfx_key_info(key)->is_percent;
}

static void add_percent(const struct pfx_hist_table *table, double percent, int width,
			struct pfx_str *to)
{
	const char *colour = pfx_row_colour(table->how, percent);

	if (colour)
		pfx_str_add(to, colour);
	pfx_str_addf(to, " %*.2f%%", width, percent);
	if (colour)
		pfx_str_add(to, PFX_COLOUR_END);
}

/* The sum of this value over all rows: columns that would be empty are not shown. */
static bool is_used(const struct pfx_hist_table *table, enum pfx_key field, unsigned kind)
{
	const struct pfx_row_stat *stat;
	uint32_t r, m;

	for (r = 0; r < table->hist->nr_rows; r++)
		for (m = 0; m < table->hist->nr_members; m++) {
			stat = &table->hist->rows[r]->stat[m];
			if (stat->access && stat->access->period[pfx_key_info(field)->access][kind])
				return true;
		}
	return false;
}

static void find_kinds(struct pfx_hist_table *table)
{
	enum pfx_key field;
	unsigned kind;
	size_t i;

	for (i = 0; i < table->columns->shown.nr; i++) {
		field = table->columns->shown.at[i].key;
		for (kind = 0;
		     pfx_key_is_access(field) && pfx_access_name(pfx_key_info(field)->access, kind);
		     kind++)
			if (is_used(table, field, kind))
				table->kinds[pfx_key_info(field)->access] |= 1u << kind;
	}
}

static unsigned kinds_of(const struct pfx_hist_table *table, enum pfx_key field)
{
	return table->kinds[pfx_key_info(field)->access];
}

/* The percentage of each kind of access, for each member of the group. */
static void add_access(const struct pfx_hist_table *table, const struct pfx_row *row,
		       enum pfx_key field, struct pfx_str *to)
{
	const struct pfx_row_stat *stat;
	uint64_t part;
	unsigned kind;
	uint32_t m;

	for (m = 0; m < table->hist->nr_members; m++) {
		stat = &row->stat[m];
		for (kind = 0; kinds_of(table, field) >> kind; kind++) {
			if (!(kinds_of(table, field) >> kind & 1))
				continue;
			part = stat->access
				       ? stat->access->period[pfx_key_info(field)->access][kind]
				       : 0;
			pfx_str_addf(to, " %*.1f%%", ACCESS_WIDTH - 2,
				     stat->period ? 100.0 * part / stat->period : 0);
		}
	}
}

/* The columns of one value. */
static int value_cell(const struct pfx_column *column)
{
	unsigned width = pfx_key_info(column->key)->min_width;

	if (column->width)
		return (int)column->width;
	return (int)(strlen(column->title) > width ? strlen(column->title) : width);
}

/* One value for each member of the group. */
static void add_value(const struct pfx_hist_table *table, const struct pfx_row *row,
		      const struct pfx_column *column, struct pfx_str *to)
{
	int width = value_cell(column);
	uint64_t value, total;
	uint32_t m;

	if (pfx_key_is_access(column->key)) {
		add_access(table, row, column->key, to);
		return;
	}
	if (table->how->separator)
		width = 0;
	if (column->key == PFX_KEY_OVERHEAD_CHILDREN &&
	    !pfx_hists_options(table->hists)->children) {
		pfx_str_addf(to, "%*s", (int)pfx_key_info(column->key)->min_width, "N/A");
		return;
	}
	for (m = 0; m < table->hist->nr_members; m++) {
		value = pfx_row_value(&row->stat[m], column->key);
		total = pfx_hist_whole(table->hists, table->hist, m, column->key);
		if (is_percent(column->key))
			add_percent(table, total ? 100.0 * value / total : 0,
				    width > 2 ? width - 2 : 0, to);
		else
			pfx_str_addf(to, " %*" PRIu64, width > 1 ? width - 1 : 0, value);
	}
}

/* The minimum width of a tracepoint field; 0 if the table's event does not have it. */
static unsigned field_width(const struct pfx_hist_table *table, enum pfx_key key)
{
	const struct pfx_hist_texts *texts = &pfx_hists_options(table->hists)->texts;
	const struct pfx_key_field *field = &table->columns->fields.at[key - PFX_KEY_FIELD];

	return texts->field_width ? texts->field_width(texts->ctx, field, table->hist->event) : 0;
}

/* Hides columns that a filter has reduced to one text, unless no column would be left, and fields
 * of other events. */
static bool is_shown(const struct pfx_hist_table *table, size_t i)
{
	const struct pfx_column *column = &table->columns->shown.at[i];

	if (column->key >= PFX_KEY_FIELD)
		return field_width(table, column->key) > 0;
	return !column->elided;
}

static unsigned value_width(const struct pfx_hist_table *table, const struct pfx_column *column)
{
	unsigned one =
		pfx_key_is_access(column->key)
			? ACCESS_WIDTH * (unsigned)__builtin_popcount(kinds_of(table, column->key))
			: pfx_key_info(column->key)->min_width;
	unsigned width = column->width ? column->width : one;

	if (table->hist->nr_members > 1 && width < table->hist->nr_members * one)
		width = table->hist->nr_members * one;
	if (width < strlen(column->title))
		width = strlen(column->title);
	return width;
}

/* If a place has no symbol, the column of its DSO is wide enough for an address, unless the user
 * set widths. */
static bool makes_dso_wider(const struct pfx_hist_table *table, const struct pfx_row *row,
			    enum pfx_key key)
{
	if (table->how->separator || table->columns->widths_given ||
	    pfx_hists_options(table->hists)->filter->dsos.given)
		return false;
	if (key == PFX_KEY_DSO)
		return !row->place->sym;
	if (key == PFX_KEY_DSO_FROM)
		return !pfx_row_place(table->hists, row, PFX_WORD_FROM)->sym;
	if (key == PFX_KEY_DSO_TO)
		return !pfx_row_place(table->hists, row, PFX_WORD_TO)->sym;
	return key == PFX_KEY_DSO_DADDR && !pfx_row_place(table->hists, row, PFX_WORD_DATA)->map;
}

static void widen(struct pfx_hist_table *table, const struct pfx_row *row)
{
	const struct pfx_column *column;
	unsigned width;
	size_t i;

	for (i = 0; i < table->columns->shown.nr; i++) {
		column = &table->columns->shown.at[i];
		if (pfx_key_is_value(column->key) || column->key == PFX_KEY_CPU || column->width)
			continue;
		width = pfx_key_text_width(&table->text, row, column);
		if (width < HEX_WIDTH && makes_dso_wider(table, row, column->key))
			width = HEX_WIDTH;
		if (table->widths[i] < width)
			table->widths[i] = width;
	}
}

/* Columns whose width does not depend on the screen: numbers, and those of -w. */
static bool is_rigid(const struct pfx_column *column)
{
	return pfx_key_is_value(column->key) || column->width;
}

/* The width of a line if no column is padded beyond @most. */
static unsigned line_width(struct pfx_hist_table *table, unsigned most)
{
	unsigned width = 0, pad;
	size_t i;

	for (i = 0; i < table->columns->shown.nr; i++) {
		const struct pfx_column *column = &table->columns->shown.at[i];

		pad = (unsigned)strlen(column->title);
		if (pad < most)
			pad = most;
		if (pad > table->widths[i] || is_rigid(column))
			pad = table->widths[i];
		table->pads[i] = pad;
		width += is_shown(table, i) ? pad + 2 : 0;
	}
	return width;
}

/* On a screen that is too narrow, the widest columns are not padded to their longest text, so that
 * only rows with long texts are misaligned. */
static void fit_screen(struct pfx_hist_table *table)
{
	unsigned screen = table->how->screen, most = screen ? screen : UINT_MAX;

	while (line_width(table, most) > screen && screen && most)
		most--;
}

static void find_widths(struct pfx_hist_table *table)
{
	uint32_t max = table->how->max_rows ? table->how->max_rows : UINT32_MAX, r;
	const struct pfx_column *column;
	size_t i;

	find_kinds(table);
	table->widths = pfx_calloc(table->columns->shown.nr, sizeof(*table->widths));
	for (i = 0; i < table->columns->shown.nr; i++) {
		column = &table->columns->shown.at[i];
		table->widths[i] = column->width ? column->width : strlen(column->title);
		if (!column->width && table->hist->nr_rows &&
		    table->widths[i] < pfx_key_info(column->key)->min_width)
			table->widths[i] = pfx_key_info(column->key)->min_width;
		if (pfx_key_is_value(column->key))
			table->widths[i] = value_width(table, column);
		if (column->key >= PFX_KEY_FIELD && !column->width &&
		    table->widths[i] < field_width(table, column->key))
			table->widths[i] = field_width(table, column->key);
		if (is_shown(table, i))
			table->last = i;
	}
	for (r = 0; r < table->hist->nr_rows && r < max; r++)
		widen(table, table->hist->rows[r]);
	table->pads = pfx_calloc(table->columns->shown.nr, sizeof(*table->pads));
	fit_screen(table);
}

/* A separator inside a field would add a column: it is replaced. */
static void hide_separator(struct pfx_str *field, const char *separator)
{
	size_t i;

	for (i = 0; separator && *separator && i < field->len; i++)
		if (field->at[i] == *separator)
			field->at[i] = '.';
}

/* With -w, names are cut, but not numbers. */
static bool may_be_cut(const struct pfx_hist_table *table, const struct pfx_row *row,
		       const struct pfx_column *column)
{
	if (column->key == PFX_KEY_SYM || column->key == PFX_KEY_SYM_IADDR)
		return row->place->sym != NULL;
	if (column->key == PFX_KEY_SYM_FROM)
		return pfx_row_place(table->hists, row, PFX_WORD_FROM)->sym != NULL;
	if (column->key == PFX_KEY_SYM_TO)
		return pfx_row_place(table->hists, row, PFX_WORD_TO)->sym != NULL;
	if (column->key == PFX_KEY_SYM_DADDR || column->key == PFX_KEY_DCACHELINE)
		return pfx_row_place(table->hists, row, PFX_WORD_DATA)->sym != NULL;
	if (column->key == PFX_KEY_MEM)
		return column->width > 0;
	return !pfx_key_is_value(column->key) && !pfx_key_info(column->key)->cannot_be_cut;
}

static bool is_ragged(enum pfx_key key)
{
	return pfx_key_is_value(key) || key >= PFX_KEY_FIELD || pfx_key_info(key)->is_ragged;
}

/* The columns that are left for the text of a column. */
static unsigned room_of(const struct pfx_hist_table *table, size_t i)
{
	unsigned x = 2, screen = table->how->screen;
	size_t k;

	if (i != table->last)
		return table->pads[i];
	for (k = 0; k < i; k++)
		x += is_shown(table, k) ? table->pads[k] + 2 : 0;
	return screen > x ? screen - x : 0;
}

/* Of "[.] name", the name is shortened; an address is not. */
static void fit_name(const struct pfx_hist_table *table, size_t i, struct pfx_str *field)
{
	enum pfx_key key = table->columns->shown.at[i].key;
	unsigned room = room_of(table, i);
	struct pfx_str name = {0};

	if ((key != PFX_KEY_SYM && key != PFX_KEY_SYM_FROM && key != PFX_KEY_SYM_TO) ||
	    table->how->verbose || *pfx_str_get(field) != '[' || field->len <= LEVEL_WIDTH ||
	    !strncmp(field->at + LEVEL_WIDTH, "0x", 2) || room < 2 * LEVEL_WIDTH)
		return;
	pfx_fitting_name(&name, field->at + LEVEL_WIDTH, room - LEVEL_WIDTH);
	field->at[field->len = LEVEL_WIDTH] = '\0';
	pfx_str_add(field, pfx_str_get(&name));
	pfx_str_fini(&name);
}

static void add_field(struct pfx_hist_table *table, const struct pfx_row *row, size_t i,
		      struct pfx_str *to)
{
	const struct pfx_column *column = &table->columns->shown.at[i];
	struct pfx_str *field = &table->field;
	unsigned width = table->widths[i], pad = table->pads[i];
	size_t len;

	pfx_str_clear(field);
	if (pfx_key_is_value(column->key)) {
		add_value(table, row, column, field);
	} else {
		pfx_key_text(&table->text, row, column, width, field);
		hide_separator(field, table->how->separator);
	}
	if (table->how->fit_names)
		fit_name(table, i, field);
	len = field->len;
	if (column->key >= PFX_KEY_FIELD && len < pad)
		pfx_str_pad(to, ' ', pad - len), pad = len;
	if (len > width && may_be_cut(table, row, column))
		len = width;
	pfx_str_addn(to, pfx_str_get(field), len);
	if (i == table->last && (is_ragged(column->key) || table->how->screen))
		return;
	if (len < pad)
		pfx_str_pad(to, ' ', pad - len);
}

static void add_row(struct pfx_hist_table *table, const struct pfx_row *row, struct pfx_str *to)
{
	const char *separator = table->how->separator;
	bool first = true;
	size_t i;

	for (i = 0; i < table->columns->shown.nr; i++) {
		if (!is_shown(table, i))
			continue;
		if (!separator || !first)
			pfx_str_add(to, separator ? separator : "  ");
		first = false;
		add_field(table, row, i, to);
	}
	pfx_str_addc(to, '\n');
}

/* The names of the kinds of access, each above its percentage. */
static void add_kinds(const struct pfx_hist_table *table, enum pfx_key field, struct pfx_str *to)
{
	unsigned kind;
	uint32_t m;

	for (m = 0; m < table->hist->nr_members; m++)
		for (kind = 0; kinds_of(table, field) >> kind; kind++)
			if (kinds_of(table, field) >> kind & 1)
				pfx_str_addf(to, "%*s", ACCESS_WIDTH,
					     pfx_access_name(pfx_key_info(field)->access, kind));
}

/* The common title of several columns of percentages: "--- Snoop ---". */
static void add_topic(const struct pfx_hist_table *table, size_t i, struct pfx_str *to)
{
	const struct pfx_column *column = &table->columns->shown.at[i];
	size_t len = strlen(column->title) + 2;
	size_t dashes = table->widths[i] > len ? table->widths[i] - len : 0;

	if (!pfx_key_is_access(column->key)) {
		pfx_str_pad(to, ' ', table->pads[i]);
		return;
	}
	pfx_str_pad(to, '-', dashes / 2);
	pfx_str_addf(to, dashes ? " %s " : "%s", column->title);
	pfx_str_pad(to, '-', dashes - dashes / 2);
}

/* The line of common titles above the headings, if there are any. */
static void add_topics(const struct pfx_hist_table *table, struct pfx_str *to)
{
	const char *separator = table->how->separator ? table->how->separator : "  ";
	bool first = true, any = false;
	size_t i;

	for (i = 0; i < table->columns->shown.nr; i++)
		any |= pfx_key_is_access(table->columns->shown.at[i].key);
	if (!any)
		return;
	pfx_str_add(to, "# ");
	for (i = 0; i < table->columns->shown.nr; i++) {
		if (!is_shown(table, i))
			continue;
		pfx_str_add(to, first ? "" : separator);
		first = false;
		add_topic(table, i, to);
	}
	pfx_str_addc(to, '\n');
}

/* A heading: right-aligned for values, left-aligned for keys. */
static void add_title(const struct pfx_hist_table *table, size_t i, struct pfx_str *to)
{
	const struct pfx_column *column = &table->columns->shown.at[i];
	int width = (int)table->pads[i];

	if (pfx_key_is_access(column->key))
		add_kinds(table, column->key, to);
	else if (pfx_key_is_value(column->key) || column->key >= PFX_KEY_FIELD)
		pfx_str_addf(to, "%*s", width, column->title);
	else
		pfx_str_addf(to, "%-*.*s", width, width, column->title);
}

static void add_heads(const struct pfx_hist_table *table, struct pfx_str *to)
{
	const char *separator = table->how->separator ? table->how->separator : "  ";
	bool first = true;
	size_t i;

	pfx_str_add(to, "# ");
	for (i = 0; i < table->columns->shown.nr; i++) {
		if (!is_shown(table, i))
			continue;
		if (!first)
			pfx_str_add(to, separator);
		first = false;
		add_title(table, i, to);
	}
	pfx_str_addc(to, '\n');
}

static void add_dots(const struct pfx_hist_table *table, struct pfx_str *to)
{
	bool first = true;
	size_t i;

	pfx_str_add(to, "# ");
	for (i = 0; i < table->columns->shown.nr; i++) {
		if (!is_shown(table, i))
			continue;
		if (!first)
			pfx_str_add(to, "  ");
		first = false;
		pfx_str_pad(to, '.', table->pads[i]);
	}
	pfx_str_add(to, "\n#\n");
}

/* 1234 as "1K", 7 as "7 ". */
static void add_short_number(uint64_t number, struct pfx_str *to)
{
	static const char units[] = " KMGTPE";
	unsigned unit = 0;

	while (number > 1000 && units[unit + 1]) {
		number /= 1000;
		unit++;
	}
	pfx_str_addf(to, "%" PRIu64 "%c", number, units[unit]);
}

static void add_event_names(const struct pfx_hist *hist, struct pfx_str *to)
{
	uint32_t m;
	bool grouped;

	if (hist->nr_members == 1) {
		/* perf's text for a leader, also if each member has a table of its own */
		pfx_str_add(to, hist->event->nr_members > 1 ? " of events '" : " of event '");
		pfx_str_add_foreign(to, hist->event->name);
		pfx_str_addc(to, '\'');
		return;
	}
	grouped = hist->event->nr_members > 1;
	pfx_str_add(to, grouped ? " of events 'anon group { " : " of events '");
	for (m = 0; m < hist->nr_members; m++) {
		pfx_str_add(to, m ? ", " : "");
		pfx_str_add_foreign(to, hist->members[m]->name);
	}
	pfx_str_add(to, grouped ? " }'" : "'");
}

static void add_head_end(const struct pfx_hist_text *how, struct pfx_str *to)
{
	if (how->socket)
		pfx_str_addf(to, "\n# Processor Socket: %u", *how->socket);
	pfx_str_add(to, "\n#\n");
}

void pfx_hist_text_event(const struct pfx_hist_text *how, const struct pfx_hists *hists,
			 const struct pfx_hist *hist, struct pfx_str *to)
{
	uint64_t nr_samples = 0, period = 0;
	uint32_t m;

	for (m = 0; m < hist->nr_members; m++) {
		nr_samples += pfx_hist_samples(hists, hist, m);
		period += pfx_hist_period(hists, hist, m);
	}
	pfx_str_add(to, "# Samples: ");
	add_short_number(nr_samples, to);
	add_event_names(hist, to);
	if (pfx_hist_has_reference(hists, hist))
		pfx_str_add(to, ", show reference callgraph");
	if (how->time) {
		pfx_str_add(to, " (time slices: ");
		pfx_str_add_foreign(to, how->time);
		pfx_str_addc(to, ')');
	}
	if (how->sort) {
		pfx_str_addf(to, "\n# Total weight : %" PRIu64 "\n# Sort order   : ", period);
		pfx_str_add_foreign(to, how->sort);
		add_head_end(how, to);
		return;
	}
	pfx_str_addf(to, "\n# Event count (approx.): %" PRIu64, period);
	add_head_end(how, to);
}

/* --- a hierarchy: one column for all keys, indented by depth --- */

size_t pfx_hist_table_column(const struct pfx_hist_table *table, enum pfx_key key)
{
	size_t i;

	for (i = 0; i < table->columns->shown.nr; i++)
		if (table->columns->shown.at[i].key == key)
			break;
	return i;
}

static unsigned tree_indent(const struct pfx_hist_table *table)
{
	return (unsigned)(table->columns->levels.nr - 1) * PFX_HIST_INDENT;
}

/* The values; the first one is indented by @depth. */
static void add_values(struct pfx_hist_table *table, const struct pfx_row *row, uint32_t depth,
		       struct pfx_str *to)
{
	const char *separator = table->how->separator;
	bool first = true;
	size_t i;

	pfx_str_pad(to, ' ', depth * PFX_HIST_INDENT);
	for (i = 0; i < table->columns->shown.nr; i++) {
		if (!pfx_key_is_value(table->columns->shown.at[i].key))
			continue;
		if (!separator || !first)
			pfx_str_add(to, separator ? separator : "  ");
		first = false;
		pfx_str_clear(&table->field);
		add_value(table, row, &table->columns->shown.at[i], &table->field);
		pfx_str_addn(to, pfx_str_get(&table->field), table->field.len);
		if (table->field.len < table->widths[i])
			pfx_str_pad(to, ' ', table->widths[i] - table->field.len);
	}
}

static void add_entry(struct pfx_hist_table *table, const struct pfx_hist_entry *entry,
		      struct pfx_str *to)
{
	enum pfx_key key = table->columns->levels.at[entry->depth];
	size_t i = pfx_hist_table_column(table, key);
	struct pfx_str *field = &table->field;
	size_t blanks;

	add_values(table, entry->row, entry->depth, to);
	if (table->how->separator)
		pfx_str_add(to, table->how->separator);
	else
		pfx_str_pad(to, ' ', tree_indent(table) + 2);
	pfx_str_clear(field);
	pfx_key_text(&table->text, entry->row, &table->columns->shown.at[i], table->widths[i],
		     field);
	hide_separator(field, table->how->separator);
	/* Numbers are right-aligned in columns of their own. */
	blanks = strspn(pfx_str_get(field), " ");
	pfx_str_addn(to, pfx_str_get(field) + blanks, field->len - blanks);
	if (!is_ragged(key) && !table->how->screen && field->len < table->widths[i])
		pfx_str_pad(to, ' ', table->widths[i] - field->len);
	pfx_str_addc(to, '\n');
}

static bool is_heavy(const struct pfx_hist_table *table, const struct pfx_hist_entry *entry)
{
	return pfx_hist_row_is_shown(table->hists, table->hist, entry->row);
}

/* If all children of an entry are below the limit. */
static void add_nothing(const struct pfx_hist_table *table, uint32_t depth, struct pfx_str *to)
{
	unsigned width = tree_indent(table) + depth * PFX_HIST_INDENT + 2;
	size_t i;

	for (i = 0; i < table->columns->shown.nr; i++)
		if (pfx_key_is_value(table->columns->shown.at[i].key))
			width += table->widths[i] + 2;
	pfx_str_pad(to, ' ', width);
	pfx_str_addf(to, "no entry >= %.2f%%\n", pfx_hists_options(table->hists)->min_percent);
}

static int add_entries(struct pfx_hist_table *table, struct pfx_hist_entry *const *entries,
		       uint32_t nr, struct pfx_str *to)
{
	const struct pfx_hist_entry *entry;
	uint32_t i, shown = 0;
	int rc = 0;

	for (i = 0; i < nr && !rc; i++) {
		entry = entries[i];
		if (!is_heavy(table, entry))
			continue;
		shown++;
		add_entry(table, entry, to);
		if (!entry->is_leaf)
			rc = add_entries(table, entry->kids, entry->nr_kids, to);
		else
			pfx_call_text(table->how, table->hists, table->hist, entry->row, to);
		if (to->len > FLUSH_SIZE)
			rc = pfx_out_flush(to);
	}
	if (!shown && nr && entries[0]->depth)
		add_nothing(table, entries[0]->depth, to);
	return rc;
}

/* The width of the common column of keys. */
static unsigned tree_width(const struct pfx_hist_table *table)
{
	unsigned width = 0, one;
	size_t level;

	for (level = 0; level < table->columns->levels.nr; level++) {
		one = table->widths[pfx_hist_table_column(table,
							  table->columns->levels.at[level])] +
		      (unsigned)level * PFX_HIST_INDENT;
		if (width < one)
			width = one;
	}
	return width;
}

/* The keys, separated by slashes. Returns the length. */
static unsigned add_tree_titles(const struct pfx_hist_table *table, struct pfx_str *to)
{
	size_t level, start = to->len;
	const char *title;

	for (level = 0; level < table->columns->levels.nr; level++) {
		title = table->columns->shown
				.at[pfx_hist_table_column(table, table->columns->levels.at[level])]
				.title;
		pfx_str_addf(to, "%s%s", level ? " / " : "", title + strspn(title, " "));
	}
	return (unsigned)(to->len - start);
}

/* Cuts a ruler that began at @start at the screen width. */
static void cut_rule(const struct pfx_hist_table *table, size_t start, struct pfx_str *to)
{
	unsigned screen = table->how->screen;

	if (screen && to->len - start > screen) {
		to->len = start + screen;
		to->at[to->len] = '\0';
	}
}

static void add_tree_heads(const struct pfx_hist_table *table, struct pfx_str *to)
{
	const char *separator = table->how->separator ? table->how->separator : "  ";
	unsigned indent = table->how->separator ? 0 : tree_indent(table), len;
	struct pfx_str dots = {0};
	const struct pfx_column *column;
	size_t i, start;
	int width;

	pfx_str_add(to, "# ");
	for (i = 0; i < table->columns->shown.nr; i++) {
		column = &table->columns->shown.at[i];
		if (!pfx_key_is_value(column->key))
			continue;
		width = (int)(table->widths[i] + indent);
		indent = 0;
		pfx_str_addf(to, "%*s%s", width, column->title, separator);
		pfx_str_pad(&dots, '.', (size_t)width);
		pfx_str_add(&dots, table->how->separator ? separator : "..");
	}
	len = add_tree_titles(table, to);
	pfx_str_addc(to, '\n');
	start = to->len;
	pfx_str_addf(to, "# %.*s%s", (int)(dots.len - strlen(separator)), pfx_str_get(&dots),
		     separator);
	pfx_str_fini(&dots);
	len = len > tree_width(table) ? len : tree_width(table);
	pfx_str_pad(to, '.', len < TREE_RULE_MAX ? len : TREE_RULE_MAX);
	cut_rule(table, start, to);
	pfx_str_add(to, "\n#\n");
}

static int add_hierarchy(struct pfx_hist_table *table, struct pfx_str *to)
{
	if (!table->how->quiet)
		add_tree_heads(table, to);
	return add_entries(table, table->hist->top, table->hist->nr_top, to);
}

static int add_rows(struct pfx_hist_table *table, struct pfx_str *to)
{
	const struct pfx_hist *hist = table->hist;
	const struct pfx_row *row;
	uint32_t max = table->how->max_rows ? table->how->max_rows : UINT32_MAX, nr = 0, i;
	int rc = 0;

	if (!table->how->quiet) {
		add_topics(table, to);
		add_heads(table, to);
	}
	if (!table->how->quiet && !table->how->separator)
		add_dots(table, to);
	for (i = 0; i < hist->nr_rows && nr < max && !rc; i++) {
		row = hist->rows[i];
		if (!pfx_hist_row_is_shown(table->hists, hist, row))
			continue;
		nr++;
		add_row(table, row, to);
		pfx_call_text(table->how, table->hists, hist, row, to);
		if (to->len > FLUSH_SIZE)
			rc = pfx_out_flush(to);
	}
	return rc;
}

static struct pfx_hist_table table_of(const struct pfx_hist_text *how,
				      const struct pfx_hists *hists, const struct pfx_hist *hist)
{
	struct pfx_hist_table table = {.how = how,
				       .hists = hists,
				       .hist = hist,
				       .columns = pfx_hists_options(hists)->columns,
				       .text = {hists, how->verbose, how->ns}};

	find_widths(&table);
	return table;
}

static void fini(struct pfx_hist_table *table)
{
	free(table->widths);
	free(table->pads);
	pfx_str_fini(&table->field);
}

int pfx_hist_text_rows(const struct pfx_hist_text *how, const struct pfx_hists *hists,
		       const struct pfx_hist *hist, struct pfx_str *to)
{
	struct pfx_hist_table table = table_of(how, hists, hist);
	int rc = pfx_hists_options(hists)->hierarchy ? add_hierarchy(&table, to)
						     : add_rows(&table, to);

	fini(&table);
	return rc;
}

/* --- row by row --- */

struct pfx_hist_table *pfx_hist_table_new(const struct pfx_hist_text *how,
					  const struct pfx_hists *hists,
					  const struct pfx_hist *hist)
{
	struct pfx_hist_table *table = pfx_malloc(sizeof(*table));

	*table = table_of(how, hists, hist);
	return table;
}

void pfx_hist_table_free(struct pfx_hist_table *table)
{
	fini(table);
	free(table);
}

void pfx_hist_table_heads(const struct pfx_hist_table *table, struct pfx_str *to)
{
	if (pfx_hists_options(table->hists)->hierarchy)
		add_tree_heads(table, to);
	else
		add_heads(table, to);
}

/* Values are before the keys, which share a column. */
static bool tree_extent(const struct pfx_hist_table *table, size_t column, unsigned *ret_x,
			unsigned *ret_width)
{
	const struct pfx_column *shown = table->columns->shown.at;
	unsigned x = 2, width = 0, indent = tree_indent(table);
	size_t i;

	for (i = 0; i < table->columns->shown.nr; i++) {
		if (!pfx_key_is_value(shown[i].key))
			continue;
		width = table->widths[i] + indent;
		indent = 0;
		if (i == column)
			break;
		x += width + 2;
	}
	for (i = 0; !pfx_key_is_value(shown[column].key) && i < table->columns->levels.nr; i++) {
		const char *title =
			shown[pfx_hist_table_column(table, table->columns->levels.at[i])].title;

		width = (unsigned)strlen(title + strspn(title, " "));
		if (table->columns->levels.at[i] == shown[column].key)
			break;
		x += width + 3;
	}
	*ret_x = x;
	*ret_width = width;
	return true;
}

bool pfx_hist_table_extent(const struct pfx_hist_table *table, size_t column, unsigned *ret_x,
			   unsigned *ret_width)
{
	unsigned x = 2;
	size_t i;

	if (!is_shown(table, column))
		return false;
	if (pfx_hists_options(table->hists)->hierarchy)
		return tree_extent(table, column, ret_x, ret_width);
	for (i = 0; i < column; i++)
		x += is_shown(table, i) ? table->pads[i] + 2 : 0;
	*ret_x = x;
	*ret_width = table->pads[column];
	return true;
}

void pfx_hist_table_row(struct pfx_hist_table *table, const struct pfx_row *row, struct pfx_str *to)
{
	add_row(table, row, to);
}

void pfx_hist_table_entry(struct pfx_hist_table *table, const struct pfx_hist_entry *entry,
			  struct pfx_str *to)
{
	add_entry(table, entry, to);
}

void pfx_hist_table_key(struct pfx_hist_table *table, const struct pfx_row *row, size_t column,
			struct pfx_str *to)
{
	if (is_shown(table, column) && !pfx_key_is_value(table->columns->shown.at[column].key))
		pfx_key_text(&table->text, row, &table->columns->shown.at[column], 0, to);
}
