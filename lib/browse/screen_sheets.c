/* SPDX-License-Identifier: MIT */
#include "browse/screen_sheets.h"

#include <stdlib.h>
#include <string.h>

/* The table of an event; NULL: it has none. */
static const struct pfx_hist *find(const struct pfx_hists *hists, uint32_t event)
{
	uint32_t i, m;

	for (i = 0; hists && i < pfx_hists_nr(hists); i++) {
		const struct pfx_hist *hist = pfx_hists_at(hists, i);

		for (m = 0; m < hist->nr_members; m++)
			if (hist->members[m]->idx == event)
				return hist;
	}
	return NULL;
}

/* Whether a key is one of the row's own. */
static bool has_key(const struct pfx_columns *columns, const struct pfx_hist_line *line,
		    enum pfx_key key)
{
	size_t i;

	if (!line->nr_keys)
		return pfx_columns_has(columns, key);
	for (i = 0; i < line->nr_keys && i < columns->levels.nr; i++)
		if (columns->levels.at[i] == key)
			return true;
	return false;
}

/* What all of its samples belong to. */
static void find_owner(const struct pfx_hists *hists, const struct pfx_hist_line *line,
		       struct pfx_screen_line *to)
{
	const struct pfx_columns *columns = pfx_hists_options(hists)->columns;
	const struct pfx_row *row = line->row;
	bool by_thread = has_key(columns, line, PFX_KEY_PID) || has_key(columns, line, PFX_KEY_TID);

	if (by_thread)
		to->tid = row->thread->tid;
	if (by_thread || has_key(columns, line, PFX_KEY_TGID))
		to->pid = row->thread->pid;
	if (row->cpu >= 0 && has_key(columns, line, PFX_KEY_CPU))
		to->cpu = (uint32_t)row->cpu;
	if (row->place && row->place->dso && has_key(columns, line, PFX_KEY_DSO))
		to->dso = row->place->dso->short_name;
}

/* Rows of a hierarchy above those of functions have several. */
static bool has_function(const struct pfx_hists *hists, const struct pfx_hist_line *line)
{
	const struct pfx_columns *columns = pfx_hists_options(hists)->columns;

	return has_key(columns, line, PFX_KEY_SYM) || has_key(columns, line, PFX_KEY_SYM_TO);
}

static void add_line(struct pfx_screen_sheets *sheets, const struct pfx_hists *hists,
		     const struct pfx_hist_line *line)
{
	struct pfx_screen_line *to = pfx_vec_add(&sheets->shown);

	*to = (struct pfx_screen_line){
		.key = line->key,
		.text = pfx_hist_line_text(&sheets->lines, line),
		.depth = line->depth,
		.mark = line->mark,
		.has_kids = line->has_kids,
		.is_open = line->is_open,
		.percent = line->percent,
		.pid = PFX_NO_ID,
		.tid = PFX_NO_ID,
		.cpu = PFX_NO_ID,
	};
	if (line->row) {
		find_owner(hists, line, to);
		to->kept = line->row->kept;
		to->nr_kept = line->row->nr_kept;
	}
	if (!line->place || !line->place->sym || !has_function(hists, line))
		return;
	to->function = line->place->sym->name;
	to->dso = line->place->dso ? line->place->dso->short_name : NULL;
}

/* What its rows are. */
static void describe(const struct pfx_hists *hists, struct pfx_str *to)
{
	const struct pfx_hist_options *options = pfx_hists_options(hists);
	const struct pfx_columns *columns = options->columns;
	const char *before = options->hierarchy ? " as a tree of " : " by ";
	const struct pfx_column *column;
	size_t i;

	pfx_str_clear(to);
	if (options->blocks) {
		pfx_str_add(to, " of blocks between branches");
		return;
	}
	for (i = 0; i < columns->shown.nr; i++) {
		column = &columns->shown.at[i];
		if (pfx_key_is_value(column->key) || column->elided ||
		    column->key == PFX_KEY_IPC_NULL)
			continue;
		pfx_str_add(to, before);
		pfx_str_add(to, column->key < PFX_KEY_FIELD ? pfx_key_info(column->key)->name
							    : column->title);
		before = ",";
	}
}

/* --- columns and order --- */

/* The number of the column that is wished for, from 1 on; 0: none, or there is no such column. */
static unsigned order_of(const struct pfx_screen_sheets *sheets,
			 const struct pfx_screen_sheet_wish *wish)
{
	return wish->order <= sheets->lines.columns.nr ? wish->order : 0;
}

/* The column that rows are sorted by without a wish. */
static enum pfx_key first_of(const struct pfx_columns *columns)
{
	return columns->order.nr ? columns->order.at[0] : PFX_KEY_NR;
}

static void sort(struct pfx_screen_sheets *sheets, const struct pfx_screen_sheets_look *look,
		 struct pfx_hists *hists, const struct pfx_screen_sheet_wish *wish)
{
	unsigned order = order_of(sheets, wish);

	pfx_hists_sort_by(hists, order ? sheets->lines.columns.at[order - 1].key : PFX_KEY_NR,
			  wish->member == PFX_NO_ID ? look->member : wish->member);
}

static void take_columns(struct pfx_screen_sheets *sheets, const struct pfx_hists *hists,
			 const struct pfx_screen_sheet_wish *wish, struct pfx_screen_sheet *ret)
{
	enum pfx_key first = first_of(pfx_hists_options(hists)->columns);
	const struct pfx_hist_lines_column *from;
	size_t i;

	sheets->columns.nr = 0;
	ret->sorted = order_of(sheets, wish);
	for (i = 0; i < sheets->lines.columns.nr; i++) {
		from = &sheets->lines.columns.at[i];
		pfx_vec_push(&sheets->columns,
			     ((struct pfx_screen_sheet_column){from->x, from->width}));
		if (!ret->sorted && (from->key == first || from->key == PFX_KEY_NR))
			ret->sorted = (unsigned)i + 1;
	}
	ret->columns = sheets->columns.at;
	ret->nr_columns = (unsigned)sheets->columns.nr;
}

void pfx_screen_sheets_make(struct pfx_screen_sheets *sheets,
			    const struct pfx_screen_sheets_look *look, struct pfx_hists *hists,
			    const struct pfx_screen_sheet_wish *wish, struct pfx_screen_sheet *ret)
{
	struct pfx_hist_lines_options options = {
		.how = look->text,
		.min_percent = wish->min_percent,
		.is_open = wish->is_open,
		.context = wish->context,
	};
	const struct pfx_hist *hist = find(hists, wish->event);
	size_t i;

	options.how.screen = wish->width;
	options.how.colours = false;
	options.how.fit_names = !wish->whole_names;
	options.how.verbose |= wish->paths;
	sheets->shown.nr = 0;
	if (!hist)
		return;
	pfx_hists_zoom(hists, NULL);
	pfx_hists_set_relative(hists, wish->relative);
	if (pfx_hists_options(hists)->blocks) {
		pfx_block_lines_make(&sheets->lines, &options, hists, hist, wish->order);
	} else {
		/* The columns are those of the wish. */
		if (wish->order && !sheets->lines.columns.nr)
			pfx_hist_lines_make(&sheets->lines, &options, hists, hist);
		sort(sheets, look, hists, wish);
		if (pfx_screen_sheets_zoom_rows(pfx_hists_options(hists)))
			pfx_hists_zoom(hists, wish->dso);
		pfx_hist_lines_make(&sheets->lines, &options, hists, hist);
	}
	for (i = 0; i < sheets->lines.at.nr; i++)
		add_line(sheets, hists, &sheets->lines.at.at[i]);
	pfx_hists_zoom(hists, NULL);
	describe(hists, &sheets->about);
	*ret = (struct pfx_screen_sheet){
		.heading = pfx_str_get(&sheets->lines.heading),
		.about = pfx_str_get(&sheets->about),
		.lines = sheets->shown.at,
		.nr = sheets->shown.nr,
		.nr_members = hist->nr_members,
		.has_trees = pfx_hists_options(hists)->chains && !pfx_hists_options(hists)->blocks,
	};
	take_columns(sheets, hists, wish, ret);
}

/* --- filters --- */

/* A hierarchy has no callers, and sums what is below its rows; branches have two ends. */
bool pfx_screen_sheets_zoom_rows(const struct pfx_hist_options *options)
{
	return !options->hierarchy && !options->blocks && options->mode != PFX_REPORT_BRANCH &&
	       (pfx_columns_has(options->columns, PFX_KEY_DSO) ||
		pfx_columns_has(options->columns, PFX_KEY_SYM));
}

bool pfx_screen_sheets_need_count(const struct pfx_screen_sheet_wish *wish,
				  const struct pfx_hists *hists)
{
	return wish->keys || wish->reversed || wish->filters ||
	       (wish->dso && !(hists && pfx_screen_sheets_zoom_rows(pfx_hists_options(hists))));
}

static bool is_same(const char *counted, const char *wished)
{
	return !strcmp(counted ? counted : "", wished ? wished : "");
}

bool pfx_screen_sheets_counted(const struct pfx_screen_sheets_count *count,
			       const struct pfx_screen_sheet_wish *wish)
{
	return count->is_made && count->filters == wish->filters &&
	       count->reversed == wish->reversed && is_same(count->keys, wish->keys) &&
	       (count->zooms_rows || is_same(count->dso, wish->dso));
}

void pfx_screen_sheets_note(struct pfx_screen_sheets_count *count,
			    const struct pfx_screen_sheet_wish *wish,
			    const struct pfx_hist_options *options)
{
	count->dso = wish->dso ? pfx_strdup(wish->dso) : NULL;
	count->zooms_rows = pfx_screen_sheets_zoom_rows(options);
	count->filters = wish->filters;
	count->reversed = wish->reversed;
	count->is_made = true;
}

void pfx_screen_sheets_forget(struct pfx_screen_sheets_count *count)
{
	free(count->keys);
	free(count->dso);
	*count = (struct pfx_screen_sheets_count){0};
}

uint8_t *pfx_screen_sheets_choose(const struct pfx_screen_sheet_wish *wish,
				  const struct pfx_profile *profile, const uint32_t *row_of,
				  uint32_t nr)
{
	struct pfx_selection selection;
	uint8_t *rows, *chosen;
	uint32_t i;

	if (!wish->select)
		return NULL;
	wish->select(wish->select_context, profile, &selection);
	rows = pfx_calloc(profile->nr_rows + 1ul, 1);
	for (i = 0; i < selection.nr_rows; i++)
		rows[selection.rows[i]] = 1;
	pfx_selection_fini(&selection);
	if (!row_of)
		return rows;
	chosen = pfx_calloc(nr + 1ul, 1);
	for (i = 0; i < nr; i++)
		chosen[i] = rows[row_of[i]];
	free(rows);
	return chosen;
}

void pfx_screen_sheets_fini(struct pfx_screen_sheets *sheets)
{
	pfx_hist_lines_fini(&sheets->lines);
	pfx_vec_free(&sheets->shown);
	pfx_vec_free(&sheets->columns);
	pfx_str_fini(&sheets->about);
}
