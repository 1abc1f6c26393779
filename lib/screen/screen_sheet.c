/* SPDX-License-Identifier: MIT */
/* The table as a sheet: rows with other columns than a profile has, which the host makes as text.
 */
#include <string.h>

#include "screen/screen_internal.h"

static bool is_open(const void *context, uint64_t key)
{
	return pfx_screen_is_open(context, key);
}

static void select_of(void *context, const struct pfx_profile *profile, struct pfx_selection *ret)
{
	pfx_screen_select_of(context, profile, true, ret);
}

static void ask(struct pfx_screen *s, struct pfx_screen_sheet *ret)
{
	const char *dso;
	struct pfx_screen_sheet_wish wish = {
		.event = s->event,
		.width = s->width,
		.min_percent = s->min_percent,
		.is_open = is_open,
		.context = s,
		.keys = s->place.sheet_keys,
		.order = s->sheet_order,
		.member = s->sort_event_given ? s->sort_column : PFX_NO_ID,
		.relative = s->relative,
		.whole_names = s->place.left > 0,
		.paths = s->verbose,
		.reversed = s->sheet_reversed,
		.filters = pfx_screen_only_dso(s, &dso) ? 0 : s->generation + 1,
		.select_context = s,
	};
	struct pfx_error err = {0};

	wish.dso = dso;
	if (wish.filters)
		wish.select = select_of;
	*ret = (struct pfx_screen_sheet){.heading = "", .about = ""};
	if (s->options.host.sheet(s->options.host.context, &wish, ret, &err) < 0)
		pfx_screen_say(s, err.text);
}

/* --- rows --- */

/* The profile's function with the name of the line. */
static uint32_t function_of(const struct pfx_hash *functions, const struct pfx_screen_line *line)
{
	uint64_t *id;

	if (!line->function)
		return PFX_NO_ID;
	id = pfx_hash_get(functions, pfx_screen_key_of_function(line->function,
								line->dso ? line->dso : "", false));
	return id ? (uint32_t)*id : PFX_NO_ID;
}

static void add_row(struct pfx_screen *s, const struct pfx_hash *functions,
		    const struct pfx_screen_line *line)
{
	struct pfx_screen_row *row = pfx_screen_add_row(s, PFX_ROW_TABLE);

	row->key = line->key;
	row->text = line->text;
	row->depth = line->depth;
	row->has_kids = line->has_kids;
	row->is_open = line->is_open;
	row->mark = line->mark;
	row->percent = line->percent;
	row->pid = line->pid;
	row->tid = line->tid;
	row->cpu = line->cpu;
	row->kept = line->kept;
	row->nr_kept = line->nr_kept;
	row->dso = line->dso ? pfx_screen_intern(s, line->dso) : NULL;
	row->id = function_of(functions, line);
	row->by = row->id == PFX_NO_ID ? PFX_VIEW_EVENT : PFX_VIEW_FUNCTION;
}

/* Lines up to the next one of the first level, and whether one of them has the text. */
static size_t block(const struct pfx_screen *s, const struct pfx_screen_sheet *sheet, size_t from,
		    bool *ret_has)
{
	size_t i = from;

	*ret_has = !s->place.filter;
	do
		*ret_has = *ret_has || pfx_screen_has_text(sheet->lines[i].text, s->place.filter);
	while (++i < sheet->nr && sheet->lines[i].depth);
	return i;
}

static void keep_columns(struct pfx_screen *s, const struct pfx_screen_sheet *sheet)
{
	unsigned i;

	s->sheet_columns.nr = 0;
	for (i = 0; i < sheet->nr_columns; i++)
		pfx_vec_push(&s->sheet_columns, sheet->columns[i]);
	s->sheet_sorted = sheet->sorted;
	s->sheet_has_trees = sheet->has_trees;
	s->sheet_members = sheet->nr_members;
	s->sheet_samples = sheet->nr_samples;
	s->sheet_period = sheet->period;
}

static void make(struct pfx_screen *s)
{
	struct pfx_screen_sheet sheet;
	struct pfx_hash functions = {0};
	size_t i, end;
	uint32_t id;
	bool has;

	ask(s, &sheet);
	for (id = 0; id < s->profile->nr_functions; id++)
		*pfx_hash_add(&functions, s->function_keys[id], NULL) = id;
	for (i = 0; i < sheet.nr; i = end) {
		end = block(s, &sheet, i, &has);
		for (; has && i < end; i++)
			add_row(s, &functions, &sheet.lines[i]);
	}
	keep_columns(s, &sheet);
	pfx_str_clear(&s->sheet_heading);
	pfx_str_add(&s->sheet_heading, sheet.heading);
	pfx_str_clear(&s->sheet_about);
	pfx_str_add(&s->sheet_about, sheet.about);
	pfx_hash_fini(&functions);
}

void pfx_screen_renew_sheet(struct pfx_screen *s)
{
	s->nr_shown++;
	pfx_screen_stale(s);
}

/* --- drawing --- */

static void draw_row(struct pfx_screen *s, struct pfx_grid *grid, unsigned y,
		     const struct pfx_screen_row *row)
{
	const char *percent = strchr(row->text, '%');
	bool found = s->search && pfx_screen_has_text(row->text, s->search);

	grid->pen.style = found ? PFX_STYLE_MATCH : PFX_STYLE_NORMAL;
	pfx_grid_put_from(grid, 0, y, row->text, s->place.left);
	if (s->place.left)
		return;
	if (percent && !found) {
		grid->pen.style = pfx_screen_heat(row->percent);
		pfx_grid_put(grid, 0, y, row->text, (unsigned)(percent - row->text) + 1);
	}
	grid->pen.style = PFX_STYLE_NORMAL;
	if (row->has_kids)
		pfx_grid_put(grid, row->mark, y, row->is_open ? "-" : "+", 1);
}

/* A title that can be clicked. */
static void mark_title(struct pfx_screen *s, struct pfx_grid *grid, unsigned y, unsigned i)
{
	const struct pfx_screen_sheet_column *column = &s->sheet_columns.at[i];
	unsigned left = s->place.left, end = column->x + column->width, x;
	struct pfx_pen *pen;

	for (x = column->x > left ? column->x : left; x < end && x - left < grid->width; x++) {
		pen = &pfx_grid_at(grid, x - left, y)->pen;
		pen->link = PFX_LINK_HEADING + i;
		if (i + 1 == s->sheet_sorted)
			pen->style = PFX_STYLE_KEY;
	}
}

static void draw_heading(struct pfx_screen *s, struct pfx_grid *grid, unsigned y)
{
	size_t i;

	grid->pen.style = PFX_STYLE_HEADING;
	pfx_grid_put_from(grid, 0, y, pfx_str_get(&s->sheet_heading), s->place.left);
	for (i = 0; i < s->sheet_columns.nr; i++)
		mark_title(s, grid, y, (unsigned)i);
	grid->pen = (struct pfx_pen){0};
}

static void about(struct pfx_screen *s, struct pfx_str *to)
{
	pfx_screen_need_rows(s);
	pfx_str_add(to, pfx_str_get(&s->sheet_about));
}

/* --- keys --- */

/* Open everything below a row of the first level: rows appear when the row above them is open. */
static void open_entry(struct pfx_screen *s)
{
	size_t first = s->place.cursor, i;
	bool more = true;

	while (more) {
		more = false;
		pfx_screen_need_rows(s);
		for (i = first; i < s->rows.nr && (i == first || s->rows.at[i].depth); i++) {
			if (!s->rows.at[i].has_kids || s->rows.at[i].is_open)
				continue;
			pfx_screen_set_open(s, s->rows.at[i].key, true);
			more = true;
		}
	}
}

/* Rows below a closed one are closed, too, so that it opens as it was at first. */
static void close_entry(struct pfx_screen *s)
{
	size_t first = s->place.cursor, i;

	for (i = first; i < s->rows.nr && (i == first || s->rows.at[i].depth); i++)
		if (s->rows.at[i].has_kids)
			pfx_screen_set_open(s, s->rows.at[i].key, false);
}

static void change_entry(struct pfx_screen *s, bool close)
{
	size_t at = pfx_screen_entry_of(s, s->place.cursor);

	if (!pfx_screen_row(s)) {
		pfx_screen_say_no_tree(s);
		return;
	}
	pfx_screen_set_cursor(s, at);
	if (!close && !s->rows.at[at].has_kids)
		pfx_screen_say_no_tree(s);
	else if (close || s->rows.at[at].is_open)
		close_entry(s);
	else
		open_entry(s);
}

static void sort_by(struct pfx_screen *s, unsigned column)
{
	s->sheet_order = column;
	pfx_screen_begin_rows(s);
}

static void sort_step(struct pfx_screen *s, bool back)
{
	unsigned nr, at;

	pfx_screen_need_rows(s);
	nr = (unsigned)s->sheet_columns.nr;
	at = s->sheet_sorted ? s->sheet_sorted - 1 : nr - 1;
	if (nr)
		sort_by(s, (at + (back ? nr - 1 : 1)) % nr + 1);
}

static void change_direction(struct pfx_screen *s)
{
	pfx_screen_need_rows(s);
	if (!s->sheet_has_trees) {
		pfx_screen_say_no_tree(s);
		return;
	}
	s->sheet_reversed = !s->sheet_reversed;
	pfx_screen_say(s, "call trees show the other direction");
	pfx_screen_stale(s);
}

static void click(struct pfx_screen *s, uint32_t link, const struct pfx_press *press)
{
	(void)press;
	if (link >= PFX_LINK_HEADING && link - PFX_LINK_HEADING < s->sheet_columns.nr)
		sort_by(s, link - PFX_LINK_HEADING + 1);
}

static bool act(struct pfx_screen *s, enum pfx_screen_action action)
{
	switch (action) {
	case PFX_ACT_OPEN_ENTRY:
	case PFX_ACT_CLOSE_ENTRY:
		change_entry(s, action == PFX_ACT_CLOSE_ENTRY);
		return true;
	case PFX_ACT_DIRECTION:
		change_direction(s);
		return true;
	case PFX_ACT_SORT_NEXT:
	case PFX_ACT_SORT_PREVIOUS:
		sort_step(s, action == PFX_ACT_SORT_PREVIOUS);
		return true;
	default:
		return s->views[PFX_SCREEN_TABLE]->act(s, action);
	}
}

const struct pfx_screen_ops pfx_screen_sheet_ops = {
	.make = make,
	.heading = draw_heading,
	.row = draw_row,
	.act = act,
	.click = click,
	.about = about,
};
