/* SPDX-License-Identifier: MIT */
/*
 * The table of `perf diff`: a row for each row of the comparison, the columns of each side, then
 * the keys. All cells are made first, because columns are as wide as their widest cell.
 */
#include "diff/diff_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "diff/diff_text_internal.h"

#define NS_PER_S 1e9

enum cell_kind {
	CELL_OLD,
	CELL_OLD_PERIOD,
	CELL_RESULT,
	CELL_NOISE,
	CELL_FORMULA,
	CELL_PERIOD,
	CELL_KEY
};

struct column {
	enum cell_kind kind;
	uint32_t side, key; /* key: index of the options' keys */
	unsigned width;
};

struct table {
	const struct pfx_diff_look *look;
	struct pfx_diff_measure how;
	const struct pfx_diff_options *options;
	PFX_VEC(struct column) columns;
	PFX_VEC(char *) cells; /* by row, then by column */
	uint32_t nr_rows;
};

/* --- columns --- */

static const char *result_title(const struct pfx_diff_measure *how)
{
	switch (how->compute) {
	case PFX_DIFF_DELTA:
		return "Delta";
	case PFX_DIFF_DELTA_ABS:
		return "Delta Abs";
	case PFX_DIFF_RATIO:
		return "Ratio";
	default:
		return "Weighted diff";
	}
}

static void add_title(const struct table *table, const struct column *column, struct pfx_str *to)
{
	static const char *const titles[] = {
		[CELL_OLD] = "Baseline",  [CELL_OLD_PERIOD] = "Base period",
		[CELL_NOISE] = "Noise",   [CELL_FORMULA] = "Formula",
		[CELL_PERIOD] = "Period",
	};

	if (column->kind == CELL_KEY) {
		pfx_str_add(to, pfx_diff_keys[table->options->keys[column->key]].title);
		return;
	}
	pfx_str_add(to,
		    column->kind == CELL_RESULT ? result_title(&table->how) : titles[column->kind]);
	if (table->options->nr_sides > 2)
		pfx_str_addf(to, "/%u", column->side);
}

static void add_column(struct table *table, enum cell_kind kind, uint32_t side, unsigned width)
{
	pfx_vec_push(&table->columns,
		     ((struct column){.kind = kind, .side = side, .width = width}));
}

static void make_columns(struct table *table)
{
	const struct pfx_diff_look *look = table->look;
	bool is_delta = table->how.compute <= PFX_DIFF_DELTA_ABS;
	uint32_t side, i;

	add_column(table, CELL_OLD, 0, 8);
	if (look->periods)
		add_column(table, CELL_OLD_PERIOD, 0, 14);
	for (side = 1; side < table->options->nr_sides; side++) {
		add_column(table, CELL_RESULT, side, is_delta ? 7 : 14);
		if (look->noise && is_delta)
			add_column(table, CELL_NOISE, side, 5);
		if (look->formula)
			add_column(table, CELL_FORMULA, side, 70);
		if (look->periods)
			add_column(table, CELL_PERIOD, side, 14);
	}
	for (i = 0; i < table->options->nr_keys; i++)
		if (!look->elided[table->options->keys[i]])
			pfx_vec_push(&table->columns,
				     ((struct column){.kind = CELL_KEY, .key = i}));
}

/* --- cells --- */

void pfx_diff_weight_text(enum pfx_diff_footing weight, double number, bool with_sign,
			  struct pfx_str *to)
{
	const char *sign = with_sign && number >= 0 ? "+" : "";

	if (weight == PFX_DIFF_SHARE)
		pfx_str_addf(to, "%s%.2f%%", sign, number);
	else if (weight == PFX_DIFF_CPU_TIME)
		pfx_str_addf(to, "%s%.2f ms", sign, number);
	else
		pfx_str_addf(to, "%s%.0f", sign, number);
}

static void add_weight(const struct table *table, double weight, bool with_sign, struct pfx_str *to)
{
	pfx_diff_weight_text(table->how.weight, weight, with_sign, to);
}

static void add_result(const struct table *table, const struct pfx_diff_row *row, uint32_t side,
		       struct pfx_str *to)
{
	double result;

	if (!row->values[side].samples)
		return;
	if (!pfx_diff_result(&table->how, row, side, &result))
		pfx_str_add(to, "N/A");
	else if (table->how.compute == PFX_DIFF_RATIO)
		pfx_str_addf(to, "%.6f", result);
	else if (table->how.compute == PFX_DIFF_WDIFF)
		pfx_str_addf(to, "%.0f", result);
	else
		add_weight(table, result, true, to);
}

/* The interval, and a mark if zero is in it. Empty where it is unknown. */
static void add_noise(const struct table *table, const struct pfx_diff_row *row, uint32_t side,
		      struct pfx_str *to)
{
	const struct pfx_diff_interval *interval =
		pfx_diff_interval(table->look->noise, table->how.event, row, side);

	if (!interval->is_known || (!row->values[0].samples && !row->values[side].samples))
		return;
	pfx_str_add(to, "+-");
	add_weight(table, interval->half, false, to);
	pfx_str_add(to, interval->is_within ? " ~" : "  ");
}

static void add_formula(const struct table *table, const struct pfx_diff_row *row, uint32_t side,
			struct pfx_str *to)
{
	const struct pfx_diff_measure *how = &table->how;
	uint64_t old = row->values[0].period, new = row->values[side].period;

	if (!row->values[side].samples)
		return;
	if (how->compute == PFX_DIFF_RATIO)
		pfx_str_addf(to, "%" PRIu64 " / %" PRIu64, new, old);
	else if (how->compute == PFX_DIFF_WDIFF)
		pfx_str_addf(to, "(%" PRIu64 " * %" PRId64 ") - (%" PRIu64 " * %" PRId64 ")", new,
			     how->w2, old, how->w1);
	else if (how->weight == PFX_DIFF_SHARE)
		pfx_str_addf(
			to, "(%" PRIu64 " * 100 / %" PRIu64 ") - (%" PRIu64 " * 100 / %" PRIu64 ")",
			new, how->event->totals[side].period, old, how->event->totals[0].period);
	else
		pfx_str_addf(to, "%.0f - %.0f", pfx_diff_weight(how, &row->values[side], side),
			     pfx_diff_weight(how, &row->values[0], 0));
}

static void add_key(const struct table *table, const struct pfx_diff_row *row, uint32_t key,
		    struct pfx_str *to)
{
	bool is_sym = table->options->keys[key] == PFX_DIFF_SYM;

	if (is_sym)
		pfx_str_addf(to, "[%c] ", row->level);
	pfx_str_add_foreign(to, row->texts[key]);
	if (is_sym && row->is_inlined)
		pfx_str_add(to, " (inlined)");
	if (!row->old_texts[key])
		return;
	pfx_str_add(to, row->state == PFX_DIFF_RENAMED ? " ~ " : " (was ");
	pfx_str_add_foreign(to, row->old_texts[key]);
	if (row->state != PFX_DIFF_RENAMED)
		pfx_str_add(to, ")");
}

static void add_cell(const struct table *table, const struct column *column,
		     const struct pfx_diff_row *row, struct pfx_str *to)
{
	switch (column->kind) {
	case CELL_OLD:
		if (row->values[0].samples)
			add_weight(table, pfx_diff_weight(&table->how, &row->values[0], 0), false,
				   to);
		break;
	case CELL_OLD_PERIOD:
		pfx_str_addf(to, "%" PRIu64, row->values[0].period);
		break;
	case CELL_RESULT:
		add_result(table, row, column->side, to);
		break;
	case CELL_NOISE:
		add_noise(table, row, column->side, to);
		break;
	case CELL_FORMULA:
		add_formula(table, row, column->side, to);
		break;
	case CELL_PERIOD:
		if (row->values[column->side].samples)
			pfx_str_addf(to, "%" PRIu64, row->values[column->side].period);
		break;
	case CELL_KEY:
		add_key(table, row, column->key, to);
		break;
	}
}

bool pfx_diff_is_within(const struct pfx_diff_look *look, const struct pfx_diff_event *event,
			const struct pfx_diff_row *row)
{
	const struct pfx_diff_interval *interval;
	uint32_t side, nr_sides = pfx_diff_options(look->how.diff)->nr_sides;

	for (side = 1; side < nr_sides && look->noise; side++) {
		interval = pfx_diff_interval(look->noise, event, row, side);
		if (!interval->is_known || !interval->is_within)
			return false;
	}
	return look->noise != NULL;
}

bool pfx_diff_is_shown(const struct pfx_diff_look *look, const struct pfx_diff_event *event,
		       const struct pfx_diff_row *row)
{
	if (look->baseline_only && (row->state == PFX_DIFF_NEW || row->state == PFX_DIFF_VANISHED))
		return false;
	return !look->beyond_noise || !pfx_diff_is_within(look, event, row);
}

static void make_cells(struct table *table)
{
	const struct pfx_diff_event *event = table->how.event;
	const struct pfx_diff_row **rows = pfx_diff_sorted(&table->how, table->look->order);
	struct pfx_str text = {0};
	uint32_t i;
	size_t c;

	for (i = 0; i < event->nr_rows; i++) {
		if (!pfx_diff_is_shown(table->look, event, rows[i]))
			continue;
		table->nr_rows++;
		for (c = 0; c < table->columns.nr; c++) {
			pfx_str_clear(&text);
			add_cell(table, &table->columns.at[c], rows[i], &text);
			pfx_vec_push(&table->cells, pfx_strdup(pfx_str_get(&text)));
		}
	}
	pfx_str_fini(&text);
	free(rows);
}

/* --- lines --- */

/* Text is escaped, so that a character is one column, nearly. */
static unsigned columns_of(const char *text)
{
	return (unsigned)pfx_nr_chars(text, strlen(text));
}

static void fit_widths(struct table *table)
{
	struct pfx_str title = {0};
	struct column *column;
	unsigned width;
	size_t i, c;

	for (c = 0; c < table->columns.nr; c++) {
		column = &table->columns.at[c];
		pfx_str_clear(&title);
		add_title(table, column, &title);
		width = columns_of(pfx_str_get(&title));
		column->width = column->width > width ? column->width : width;
		for (i = 0; i < table->nr_rows; i++) {
			width = columns_of(table->cells.at[i * table->columns.nr + c]);
			column->width = column->width > width ? column->width : width;
		}
	}
	pfx_str_fini(&title);
}

/* Numbers are on the right, texts on the left; nothing is after the last text. */
static void add_padded(const struct table *table, size_t c, const char *text, struct pfx_str *to)
{
	const struct column *column = &table->columns.at[c];
	unsigned blanks = column->width - columns_of(text);

	if (c)
		pfx_str_add(to, table->look->separator ? table->look->separator : "  ");
	if (table->look->separator)
		blanks = 0;
	if (column->kind != CELL_KEY)
		pfx_str_pad(to, ' ', blanks);
	pfx_str_add(to, text);
	if (column->kind == CELL_KEY && c + 1 < table->columns.nr)
		pfx_str_pad(to, ' ', blanks);
}

static void add_head(const struct table *table, struct pfx_str *to)
{
	struct pfx_str title = {0};
	size_t c;

	pfx_str_add(to, "# ");
	for (c = 0; c < table->columns.nr; c++) {
		pfx_str_clear(&title);
		add_title(table, &table->columns.at[c], &title);
		add_padded(table, c, pfx_str_get(&title), to);
	}
	pfx_str_add(to, "\n");
	pfx_str_fini(&title);
	if (table->look->separator)
		return;
	pfx_str_add(to, "# ");
	for (c = 0; c < table->columns.nr; c++) {
		pfx_str_add(to, c ? "  " : "");
		pfx_str_pad(to, '.', table->columns.at[c].width);
	}
	pfx_str_add(to, "\n#\n");
}

static void add_rows(const struct table *table, struct pfx_str *to)
{
	uint32_t i;
	size_t c;

	for (i = 0; i < table->nr_rows; i++) {
		pfx_str_add(to, table->look->separator ? "" : "  ");
		for (c = 0; c < table->columns.nr; c++)
			add_padded(table, c, table->cells.at[i * table->columns.nr + c], to);
		pfx_str_addc(to, '\n');
	}
}

static void add_table(const struct pfx_diff *diff, const struct pfx_diff_event *event,
		      const struct pfx_diff_look *look, struct pfx_str *to)
{
	struct table table = {.look = look, .how = look->how, .options = pfx_diff_options(diff)};
	size_t i;

	table.how.diff = diff;
	table.how.event = event;
	make_columns(&table);
	make_cells(&table);
	fit_widths(&table);
	if (!look->quiet)
		add_head(&table, to);
	add_rows(&table, to);
	for (i = 0; i < table.cells.nr; i++)
		free(table.cells.at[i]);
	pfx_vec_free(&table.cells);
	pfx_vec_free(&table.columns);
}

/* --- comments --- */

static void add_files(const struct pfx_diff_look *look, uint32_t nr, struct pfx_str *to)
{
	uint32_t i;

	pfx_str_add(to, "# Data files:\n");
	for (i = 0; i < nr; i++) {
		pfx_str_addf(to, "#  [%u] ", i);
		pfx_str_add_foreign(to, look->names[i]);
		pfx_str_add(to, i ? "\n" : " (Baseline)\n");
	}
	pfx_str_add(to, "#\n");
}

static void add_totals(const struct pfx_diff *diff, const struct pfx_diff_event *event,
		       const struct pfx_diff_look *look, struct pfx_str *to)
{
	uint32_t side;

	pfx_str_addf(to, "# Weight: %s%s; totals:", pfx_diff_weight_names[look->how.weight],
		     look->how.weight == PFX_DIFF_SHARE && look->how.compute <= PFX_DIFF_DELTA_ABS
			     ? ", changes in percentage points"
			     : "");
	for (side = 0; side < pfx_diff_options(diff)->nr_sides; side++)
		pfx_str_addf(to, "%s %" PRIu64 " (%" PRIu64 " samples)", side ? "," : "",
			     event->totals[side].period, event->totals[side].samples);
	pfx_str_add(to, "\n");
}

static uint32_t count_within(const struct pfx_diff_look *look, const struct pfx_diff_event *event)
{
	uint32_t i, nr = 0;

	for (i = 0; i < event->nr_rows; i++)
		nr += pfx_diff_is_within(look, event, &event->rows[i]);
	return nr;
}

static void add_noise_comment(const struct pfx_diff *diff, const struct pfx_diff_event *event,
			      const struct pfx_diff_look *look, struct pfx_str *to)
{
	uint32_t nr = look->noise ? count_within(look, event) : 0;

	if (!look->noise)
		return;
	pfx_str_addf(to,
		     "# Noise: %g %% intervals, for all rows together; %u of %u rows are within "
		     "noise (%s)\n",
		     PFX_DIFF_CONFIDENCE, nr, event->nr_rows,
		     look->beyond_noise ? "not shown" : "~");
	if (pfx_diff_options(diff)->nr_sides == 2 && !pfx_diff_noise_between_runs(look->noise, 1))
		pfx_str_add(to,
			    "# One run a side cannot show noise between runs: see --old, --new\n");
}

/* What noise says of the change of the time; nothing if noise is not shown. */
static void add_time_noise(const struct pfx_diff_look *look, const struct pfx_diff_amount *time,
			   uint32_t side, struct pfx_str *to)
{
	double half;

	if (!look->noise)
		return;
	if (!pfx_diff_amount_interval(look->amounts, time, side, PFX_DIFF_CONFIDENCE, &half))
		pfx_str_add(to, ", noise unknown");
	else
		pfx_str_addf(to, " +-%.2f%%%s", 100 * half / time->sides[0].mean,
			     pfx_diff_amount_within(look, time, side) ? " ~" : "");
}

static void add_time(const struct pfx_diff_look *look, struct pfx_str *to)
{
	const struct pfx_diff_amount *time =
		look->amounts ? pfx_diff_amount_named(look->amounts, PFX_DIFF_TOTAL_TIME) : NULL;
	uint32_t side, nr_sides = pfx_diff_options(look->how.diff)->nr_sides;
	double old, new;

	if (!time || time->sides[0].mean <= 0)
		return;
	old = time->sides[0].mean;
	pfx_str_addf(to, "# Time of a run: %.6f s", old / NS_PER_S);
	for (side = 1; side < nr_sides; side++) {
		new = time->sides[side].mean;
		if (time->sides[side].n <= 0)
			continue;
		pfx_str_addf(to, ", %.6f s (%+.2f%%", new / NS_PER_S, 100 * (new - old) / old);
		add_time_noise(look, time, side, to);
		pfx_str_addc(to, ')');
	}
	pfx_str_add(to, "\n");
}

void pfx_diff_text(const struct pfx_diff *diff, const struct pfx_diff_look *look,
		   struct pfx_str *to)
{
	const struct pfx_diff_event *event;
	uint32_t i, nr_sides = pfx_diff_options(diff)->nr_sides;

	for (i = 0; i < pfx_diff_nr_events(diff); i++) {
		event = pfx_diff_event_at(diff, i);
		if (i)
			pfx_str_addc(to, '\n');
		if (!look->quiet) {
			pfx_str_add(to, "# Event '");
			pfx_str_add_foreign(to, event->name);
			pfx_str_add(to, "'\n#\n");
			if (nr_sides > 2 || look->list_files)
				add_files(look, nr_sides, to);
			add_totals(diff, event, look, to);
			add_time(look, to);
			add_noise_comment(diff, event, look, to);
			pfx_str_add(to, "#\n");
		}
		add_table(diff, event, look, to);
	}
	if (!pfx_diff_nr_events(diff))
		pfx_diff_amounts_text(look, to);
}
