/* SPDX-License-Identifier: MIT */
/* The lines of a table: rows, entries of a hierarchy, and call trees as text. */
#include "out/hist_lines.h"

#include <string.h>

#include "base/hash.h"
#include "out/hist_text_internal.h"

/* Bytes: names may be long, and all lines are kept. A screen scrolls by 5000 columns at most. */
#define TEXT_LARGE (128u << 20)
#define LINE_MOST  8192
#define LINE_LEAST 512 /* the most when the text is large */

struct making {
	struct pfx_hist_lines *lines;
	const struct pfx_hist_lines_options *options;
	const struct pfx_hists *hists;
	const struct pfx_hist *hist;
	const struct pfx_columns *columns;
	struct pfx_hist_table *table;
	struct pfx_str scratch;
	bool has_functions, has_targets;
};

/* A line with the text in scratch, without its end. */
static struct pfx_hist_line *add_line(struct making *making, uint64_t key)
{
	struct pfx_str *to = &making->lines->text;
	struct pfx_hist_line *line = pfx_vec_add(&making->lines->at);
	const char *text = pfx_str_get(&making->scratch);
	size_t len = strcspn(text, "\n");
	size_t within = pfx_length_within(text, to->len < TEXT_LARGE ? LINE_MOST : LINE_LEAST);

	*line = (struct pfx_hist_line){.key = key | 1, .text = to->len};
	pfx_str_addn(to, text, len < within ? len : within);
	pfx_str_addn(to, "", 1);
	return line;
}

static uint64_t key_of(struct making *making, const struct pfx_row *row, size_t from, size_t to)
{
	size_t i;

	pfx_str_clear(&making->scratch);
	for (i = from; i < to; i++) {
		pfx_hist_table_key(making->table, row, i, &making->scratch);
		pfx_str_addc(&making->scratch, '\n');
	}
	return pfx_hash_bytes(pfx_str_get(&making->scratch), making->scratch.len);
}

/* The call tree of a row, a line for each of its lines. */
static void add_calls(struct making *making, const struct pfx_row *row, uint32_t depth,
		      uint64_t key)
{
	struct pfx_str calls = {0};
	const char *at, *end;
	uint32_t nr = 0;

	pfx_call_text(&making->options->how, making->hists, making->hist, row, &calls);
	if (!calls.len)
		pfx_str_add(&calls, "            no call chain is above the limit\n");
	for (at = calls.at; *at; at = *end ? end + 1 : end) {
		end = strchrnul(at, '\n');
		if (at + strspn(at, " ") == end)
			continue;
		pfx_str_clear(&making->scratch);
		pfx_str_addn(&making->scratch, at, (size_t)(end - at));
		add_line(making, pfx_hash_u64(key + ++nr))->depth = depth;
	}
	pfx_str_fini(&calls);
}

static bool is_shown(const struct making *making, const struct pfx_row *row)
{
	return pfx_hist_row_is_shown(making->hists, making->hist, row) &&
	       pfx_row_percent(making->hists, making->hist, row) >= making->options->min_percent;
}

static bool has_calls(const struct making *making, const struct pfx_row *row)
{
	const struct pfx_hist *hist;

	return pfx_hists_options(making->hists)->chains &&
	       pfx_row_for_chains(making->hists, making->hist, row, &hist);
}

/* What a row has in all forms; the line is valid until the next one. */
static bool finish_line(struct making *making, struct pfx_hist_line *line,
			const struct pfx_row *row, bool has_kids)
{
	const struct pfx_hist_lines_options *o = making->options;

	line->percent = pfx_row_percent(making->hists, making->hist, row);
	line->row = row;
	line->has_kids = has_kids;
	line->is_open = has_kids && o->is_open && o->is_open(o->context, line->key);
	if (making->has_functions)
		line->place = row->place;
	else if (making->has_targets)
		line->place = pfx_row_place(making->hists, row, PFX_WORD_TO);
	return line->is_open;
}

static void add_row(struct making *making, const struct pfx_row *row)
{
	uint64_t key = key_of(making, row, 0, making->columns->shown.nr);
	struct pfx_hist_line *line;

	pfx_str_clear(&making->scratch);
	pfx_hist_table_row(making->table, row, &making->scratch);
	line = add_line(making, key);
	if (finish_line(making, line, row, has_calls(making, row)))
		add_calls(making, row, 1, key);
}

static void add_entries(struct making *making, struct pfx_hist_entry *const *entries, uint32_t nr,
			uint64_t above)
{
	const struct pfx_hist_entry *entry;
	struct pfx_hist_line *line;
	uint64_t key;
	uint32_t i;
	size_t column;

	for (i = 0; i < nr; i++) {
		entry = entries[i];
		if (!is_shown(making, entry->row))
			continue;
		column = pfx_hist_table_column(making->table,
					       making->columns->levels.at[entry->depth]);
		key = pfx_hash_u64(above ^ key_of(making, entry->row, column, column + 1));
		pfx_str_clear(&making->scratch);
		pfx_hist_table_entry(making->table, entry, &making->scratch);
		line = add_line(making, key);
		line->depth = entry->depth;
		line->nr_keys = entry->depth + 1;
		line->mark = entry->depth * PFX_HIST_INDENT;
		if (!finish_line(making, line, entry->row,
				 entry->is_leaf ? has_calls(making, entry->row) : entry->nr_kids))
			continue;
		if (entry->is_leaf)
			add_calls(making, entry->row, entry->depth + 1, key);
		else
			add_entries(making, entry->kids, entry->nr_kids, key);
	}
}

static void add_rows(struct making *making)
{
	const struct pfx_hist *hist = making->hist;
	uint32_t max = making->options->how.max_rows, nr = 0, i;

	for (i = 0; i < hist->nr_rows && (!max || nr < max); i++) {
		if (!is_shown(making, hist->rows[i]))
			continue;
		nr++;
		add_row(making, hist->rows[i]);
	}
}

/* The sign of a comment gives room to marks. */
static void add_heading(struct making *making)
{
	struct pfx_str *to = &making->lines->heading;
	size_t len;

	pfx_str_clear(to);
	pfx_hist_table_heads(making->table, to);
	len = strcspn(pfx_str_get(to), "\n");
	to->at[to->len = len] = '\0';
	if (len)
		to->at[0] = ' ';
}

static void add_columns(struct making *making)
{
	struct pfx_hist_lines_column column;
	size_t i;

	making->lines->columns.nr = 0;
	for (i = 0; i < making->columns->shown.nr; i++) {
		column.key = making->columns->shown.at[i].key;
		if (pfx_key_is_access(column.key) || column.key == PFX_KEY_IPC_NULL ||
		    !pfx_hist_table_extent(making->table, i, &column.x, &column.width))
			continue;
		pfx_vec_push(&making->lines->columns, column);
	}
}

void pfx_hist_lines_make(struct pfx_hist_lines *lines, const struct pfx_hist_lines_options *options,
			 const struct pfx_hists *hists, const struct pfx_hist *hist)
{
	struct making making = {.lines = lines, .options = options, .hists = hists, .hist = hist};
	size_t i;

	making.columns = pfx_hists_options(hists)->columns;
	for (i = 0; i < making.columns->shown.nr; i++) {
		making.has_functions |= making.columns->shown.at[i].key == PFX_KEY_SYM;
		making.has_targets |= making.columns->shown.at[i].key == PFX_KEY_SYM_TO;
	}
	pfx_str_clear(&lines->text);
	lines->at.nr = 0;
	making.table = pfx_hist_table_new(&options->how, hists, hist);
	add_heading(&making);
	add_columns(&making);
	if (pfx_hists_options(hists)->hierarchy)
		add_entries(&making, hist->top, hist->nr_top, 0);
	else
		add_rows(&making);
	pfx_hist_table_free(making.table);
	pfx_str_fini(&making.scratch);
}

const char *pfx_hist_line_text(const struct pfx_hist_lines *lines, const struct pfx_hist_line *line)
{
	return lines->text.at + line->text;
}

void pfx_hist_lines_fini(struct pfx_hist_lines *lines)
{
	pfx_str_fini(&lines->text);
	pfx_str_fini(&lines->heading);
	pfx_vec_free(&lines->at);
	pfx_vec_free(&lines->columns);
}
