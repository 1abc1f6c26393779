/* SPDX-License-Identifier: MIT */
/*
 * Columns. Each key has a printer of its text; the widths are found by printing every row once. The
 * shapes are those that people and scripts know from perf: percentages right-aligned in 8 columns,
 * counts in 12, all else left-aligned and as wide as its longest word, the last column not padded
 * when it is the symbol.
 */
#include "out/hist_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "out/hist_text_internal.h"
#include "out/term.h"

#define HOT_PERCENT  5.0
#define WARM_PERCENT 0.5
#define COLOUR_HOT   "\033[31m"
#define COLOUR_WARM  "\033[32m"
#define COLOUR_END   "\033[m"

#define HEX_WIDTH     16 /* digits of an address */
#define FLUSH_SIZE    (256u << 10)
#define ADDRESS_WIDTH (HEX_WIDTH + 2)
#define UNKNOWN_DSO   "[unknown]"

/* A table being printed. */
struct table {
	const struct pfx_hist_text *how;
	const struct pfx_hists *hists;
	const struct pfx_hist *hist;
	const struct pfx_columns *columns;
	unsigned *widths; /* by column */
	size_t last;      /* the last column that is shown */
	struct pfx_str field;
};

const char *pfx_percent_colour(const struct pfx_hist_text *how, double percent)
{
	if (!how->colours || percent <= WARM_PERCENT)
		return NULL;
	return percent >= HOT_PERCENT ? COLOUR_HOT : COLOUR_WARM;
}

static void add_foreign(struct pfx_str *to, const char *text)
{
	pfx_str_add_escaped(to, text, strlen(text));
}

static const char *dso_text(const struct table *table, const struct pfx_row *row)
{
	const struct pfx_dso *dso = row->place->dso;

	if (!dso)
		return UNKNOWN_DSO;
	return table->how->verbose ? dso->name : dso->short_name;
}

/* "0x00007f0012345678", and zero without the 0x, 16 digits. */
static void add_address(struct pfx_str *to, uint64_t address)
{
	if (address)
		pfx_str_addn(to, "0x", 2);
	pfx_str_hex0(to, address, HEX_WIDTH);
}

static bool has(const char *path, const char *part)
{
	return strstr(path, part) != NULL;
}

/* Where the symbols of a dso come from, as the letters that perf has for it. */
static char origin_of(const struct table *table, const struct pfx_row *row)
{
	struct pfx_resolver *resolver = pfx_hists_options(table->hists)->resolver;
	const struct pfx_dso *dso = row->place->dso;
	const char *path;

	path = dso ? pfx_symtab_source(pfx_resolver_symtab(resolver, dso)) : "";
	if (!*path)
		return '!';
	if (has(path, "kallsyms"))
		return 'k';
	if (dso->kind == PFX_DSO_KERNEL)
		return 'v';
	if (dso->kind == PFX_DSO_MODULE)
		return 'K';
	if (has(path, "/tmp/perf-"))
		return 'j';
	if (has(path, "/usr/lib/debug/.build-id/"))
		return 'b';
	if (has(path, "/usr/lib/debug/"))
		return has(path, ".debug") ? 'f' : 'u';
	if (!strcmp(path, dso->name))
		return 'd';
	return has(path, "/debug") ? 'D' : has(path, ".debug/") ? 'B' : 'l';
}

/* What -v shows in front of a symbol: the address, and where the symbol is from. */
static void add_verbose_address(const struct table *table, const struct pfx_row *row,
				struct pfx_str *to)
{
	size_t start = to->len;

	pfx_str_addf(to, "%#" PRIx64, row->shown);
	if (to->len - start < ADDRESS_WIDTH)
		pfx_str_pad(to, ' ', ADDRESS_WIDTH - (to->len - start));
	pfx_str_addf(to, " %c ", origin_of(table, row));
}

static void add_symbol(const struct table *table, const struct pfx_row *row, struct pfx_str *to)
{
	if (table->how->verbose)
		add_verbose_address(table, row, to);
	pfx_str_addf(to, "[%c] ", row->level);
	if (row->place->sym)
		add_foreign(to, row->place->sym->name);
	else
		add_address(to, row->shown);
}

static void add_thread(const struct pfx_row *row, enum pfx_key key, struct pfx_str *to)
{
	const struct pfx_thread *thread = row->thread;

	pfx_str_addf(to, "%7d:", (int)(key == PFX_KEY_TGID ? thread->pid : thread->tid));
	add_foreign(to, thread->comm->text);
}

static void add_cpu(const struct pfx_row *row, unsigned width, struct pfx_str *to)
{
	pfx_str_addf(to, "%*.*d", (int)width, (int)width, row->cpu);
}

/* What the fields say has been escaped when it was made. */
static void add_trace(const struct table *table, const struct pfx_row *row, struct pfx_str *to)
{
	const struct pfx_hist_texts *texts = &pfx_hists_options(table->hists)->texts;

	if (texts->text)
		pfx_str_add(to, texts->text(texts->ctx, row->text));
}

/* The text of a key, as long as it is. */
static void add_key(const struct table *table, const struct pfx_row *row,
		    const struct pfx_column *column, struct pfx_str *to)
{
	switch (column->key) {
	case PFX_KEY_COMM:
		add_foreign(to, row->comm->text);
		break;
	case PFX_KEY_DSO:
		add_foreign(to, dso_text(table, row));
		break;
	case PFX_KEY_SYM:
		add_symbol(table, row, to);
		break;
	case PFX_KEY_CPU:
		add_cpu(row, column->width ? column->width : 3, to);
		break;
	case PFX_KEY_TRACE:
		add_trace(table, row, to);
		break;
	default:
		add_thread(row, column->key, to);
		break;
	}
}

static bool is_percent(enum pfx_key key)
{
	return key != PFX_KEY_SAMPLE && key != PFX_KEY_PERIOD;
}

static uint64_t value_of(const struct pfx_row_stat *stat, enum pfx_key key)
{
	switch (key) {
	case PFX_KEY_OVERHEAD_CHILDREN:
		return stat->children;
	case PFX_KEY_OVERHEAD_SYS:
		return stat->by_level[PFX_LEVEL_SYS];
	case PFX_KEY_OVERHEAD_US:
		return stat->by_level[PFX_LEVEL_US];
	case PFX_KEY_OVERHEAD_GUEST_SYS:
		return stat->by_level[PFX_LEVEL_GUEST_SYS];
	case PFX_KEY_OVERHEAD_GUEST_US:
		return stat->by_level[PFX_LEVEL_GUEST_US];
	case PFX_KEY_SAMPLE:
		return stat->count;
	default:
		return stat->period;
	}
}

static void add_percent(const struct table *table, double percent, int width, struct pfx_str *to)
{
	const char *colour = pfx_percent_colour(table->how, percent);

	if (colour)
		pfx_str_add(to, colour);
	pfx_str_addf(to, " %*.2f%%", width, percent);
	if (colour)
		pfx_str_add(to, COLOUR_END);
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
static void add_value(const struct table *table, const struct pfx_row *row,
		      const struct pfx_column *column, struct pfx_str *to)
{
	int width = value_cell(column);
	uint64_t value, total;
	uint32_t m;

	if (table->how->separator)
		width = 0;
	if (column->key == PFX_KEY_OVERHEAD_CHILDREN &&
	    !pfx_hists_options(table->hists)->children) {
		pfx_str_addf(to, "%*s", (int)pfx_key_info(column->key)->min_width, "N/A");
		return;
	}
	for (m = 0; m < table->hist->nr_members; m++) {
		value = value_of(&row->stat[m], column->key);
		total = pfx_hist_period(table->hists, table->hist, m);
		if (is_percent(column->key))
			add_percent(table, total ? 100.0 * value / total : 0,
				    width > 2 ? width - 2 : 0, to);
		else
			pfx_str_addf(to, " %*" PRIu64, width > 1 ? width - 1 : 0, value);
	}
}

/* The columns that a filter has reduced to one word are not shown, unless none would be left. */
static bool is_shown(const struct table *table, size_t i)
{
	return !table->columns->shown.at[i].elided;
}

static unsigned value_width(const struct table *table, const struct pfx_column *column)
{
	unsigned one = pfx_key_info(column->key)->min_width;
	unsigned width = column->width ? column->width : one;

	if (table->hist->nr_members > 1 && width < table->hist->nr_members * one)
		width = table->hist->nr_members * one;
	if (width < strlen(column->title))
		width = strlen(column->title);
	return width;
}

/* An unresolved address leaves room for more digits than it has, and for a name in the dso column.
 */
static unsigned key_width(struct table *table, const struct pfx_row *row,
			  const struct pfx_column *column)
{
	pfx_str_clear(&table->field);
	add_key(table, row, column, &table->field);
	if (column->key == PFX_KEY_SYM && !row->place->sym)
		return HEX_WIDTH + 4 + 2;
	return table->field.len;
}

static bool makes_dso_wider(const struct table *table, const struct pfx_row *row)
{
	return !row->place->sym && !table->how->separator &&
	       !pfx_hists_options(table->hists)->filter->dsos.given &&
	       pfx_columns_shows(table->columns, PFX_KEY_DSO);
}

static void widen(struct table *table, const struct pfx_row *row)
{
	const struct pfx_column *column;
	unsigned width;
	size_t i;

	for (i = 0; i < table->columns->shown.nr; i++) {
		column = &table->columns->shown.at[i];
		if (pfx_key_is_value(column->key) || column->key == PFX_KEY_CPU || column->width)
			continue;
		width = key_width(table, row, column);
		if (column->key == PFX_KEY_DSO && width < HEX_WIDTH && makes_dso_wider(table, row))
			width = HEX_WIDTH;
		if (table->widths[i] < width)
			table->widths[i] = width;
	}
}

static void find_widths(struct table *table)
{
	const struct pfx_column *column;
	uint32_t r;
	size_t i;

	table->widths = pfx_calloc(table->columns->shown.nr, sizeof(*table->widths));
	for (i = 0; i < table->columns->shown.nr; i++) {
		column = &table->columns->shown.at[i];
		table->widths[i] = column->width ? column->width : strlen(column->title);
		if (pfx_key_is_value(column->key))
			table->widths[i] = value_width(table, column);
		if (is_shown(table, i))
			table->last = i;
	}
	for (r = 0; r < table->hist->nr_rows; r++)
		widen(table, table->hist->rows[r]);
}

/* A separator inside a field would break the line apart. */
static void hide_separator(struct pfx_str *field, const char *separator)
{
	size_t i;

	for (i = 0; separator && *separator && i < field->len; i++)
		if (field->at[i] == *separator)
			field->at[i] = '.';
}

/* With -w, names are cut; half a number would be another number. */
static bool may_be_cut(const struct pfx_row *row, enum pfx_key key)
{
	if (key == PFX_KEY_SYM)
		return row->place->sym != NULL;
	return !pfx_key_is_value(key) && key != PFX_KEY_CPU;
}

static void add_field(struct table *table, const struct pfx_row *row, size_t i, struct pfx_str *to)
{
	const struct pfx_column *column = &table->columns->shown.at[i];
	struct pfx_str *field = &table->field;
	unsigned width = table->widths[i];
	size_t len;

	pfx_str_clear(field);
	if (pfx_key_is_value(column->key)) {
		add_value(table, row, column, field);
	} else {
		add_key(table, row, column, field);
		hide_separator(field, table->how->separator);
	}
	len = field->len;
	if (len > width && may_be_cut(row, column->key))
		len = width;
	pfx_str_addn(to, pfx_str_get(field), len);
	if (i == table->last && (column->key == PFX_KEY_SYM || column->key == PFX_KEY_TRACE ||
				 pfx_key_is_value(column->key)))
		return;
	if (len < width)
		pfx_str_pad(to, ' ', width - len);
}

static void add_row(struct table *table, const struct pfx_row *row, struct pfx_str *to)
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

/* A head: of values right-aligned, of keys left-aligned. */
static void add_title(const struct table *table, size_t i, struct pfx_str *to)
{
	const struct pfx_column *column = &table->columns->shown.at[i];
	int width = (int)table->widths[i];

	if (pfx_key_is_value(column->key))
		pfx_str_addf(to, "%*s", width, column->title);
	else
		pfx_str_addf(to, "%-*.*s", width, width, column->title);
}

static void add_heads(const struct table *table, struct pfx_str *to)
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

static void add_dots(const struct table *table, struct pfx_str *to)
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
		pfx_str_pad(to, '.', table->widths[i]);
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

	if (hist->nr_members == 1) {
		pfx_str_add(to, " of event '");
		add_foreign(to, hist->event->name);
		pfx_str_addc(to, '\'');
		return;
	}
	pfx_str_add(to, " of events 'anon group { ");
	for (m = 0; m < hist->nr_members; m++) {
		pfx_str_add(to, m ? ", " : "");
		add_foreign(to, hist->members[m]->name);
	}
	pfx_str_add(to, " }'");
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
	if (how->time) {
		pfx_str_add(to, " (time slices: ");
		add_foreign(to, how->time);
		pfx_str_addc(to, ')');
	}
	pfx_str_addf(to, "\n# Event count (approx.): %" PRIu64 "\n#\n", period);
}

int pfx_hist_text_rows(const struct pfx_hist_text *how, const struct pfx_hists *hists,
		       const struct pfx_hist *hist, struct pfx_str *to)
{
	const struct pfx_hist_options *options = pfx_hists_options(hists);
	struct table table = {how, hists, hist, options->columns, NULL, 0, {0}};
	const struct pfx_row *row;
	uint32_t i;
	int rc = 0;

	find_widths(&table);
	if (!how->quiet)
		add_heads(&table, to);
	if (!how->quiet && !how->separator)
		add_dots(&table, to);
	for (i = 0; i < hist->nr_rows && !rc; i++) {
		row = hist->rows[i];
		if (pfx_row_percent(hists, hist, row) < options->min_percent)
			continue;
		add_row(&table, row, to);
		if (row->nr_chains)
			pfx_call_text(how, hists, hist, row, to);
		if (to->len > FLUSH_SIZE)
			rc = pfx_out_flush(to);
	}
	free(table.widths);
	pfx_str_fini(&table.field);
	return rc;
}
