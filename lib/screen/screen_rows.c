/* SPDX-License-Identifier: MIT */
/*
 * A list of rows with a cursor, for all views that are lists. When rows are made again, the cursor
 * goes where its row went, and the row stays on its line of the screen. When the profile is a newer
 * one, the part that is visible stays instead, since its first rows are what people watch: the
 * cursor follows its row within it, but not away from the first row.
 */
#include "screen/screen_internal.h"

struct pfx_screen_row *pfx_screen_add_row(struct pfx_screen *s, enum pfx_screen_row_kind kind)
{
	struct pfx_screen_row *row = pfx_vec_add(&s->rows);

	*row = (struct pfx_screen_row){.kind = kind,
				       .id = PFX_NO_ID,
				       .pid = PFX_NO_ID,
				       .tid = PFX_NO_ID,
				       .cpu = PFX_NO_ID};
	return row;
}

void pfx_screen_set_cursor(struct pfx_screen *s, size_t index)
{
	if (index >= s->rows.nr)
		index = s->rows.nr ? s->rows.nr - 1 : 0;
	s->place.cursor = index;
	s->place.selected = index < s->rows.nr ? s->rows.at[index].key : 0;
}

/* The line of the row with a key: near @at, for most rows stay where they are. */
static size_t line_of(const struct pfx_screen *s, uint64_t key, size_t at)
{
	size_t i;

	if (!key || (at < s->rows.nr && s->rows.at[at].key == key))
		return at;
	for (i = 0; i < s->rows.nr; i++)
		if (s->rows.at[i].key == key)
			return i;
	return at;
}

/* Whether rows may have other places than when the cursor was set, without a key of the user. */
static bool has_moved(const struct pfx_screen *s)
{
	return s->place.shown != s->nr_shown &&
	       (s->place.view == PFX_SCREEN_TABLE || s->place.view == PFX_SCREEN_SANDWICH);
}

static bool is_visible(const struct pfx_screen *s, size_t line)
{
	return line >= s->place.top && line < s->place.top + s->page;
}

static void find_cursor(struct pfx_screen *s)
{
	size_t at = s->place.cursor, line = line_of(s, s->place.selected, at);
	bool stays = has_moved(s), in_tree = line < s->rows.nr && s->rows.at[line].depth;

	if (stays && s->place.top && in_tree) /* it is being read */
		stays = false;
	else if (stays && (!at || !is_visible(s, line)))
		line = at;
	if (!stays && line != at)
		s->place.top = s->place.top + line > at ? s->place.top + line - at : 0;
	s->place.shown = s->nr_shown;
	pfx_screen_set_cursor(s, line);
}

void pfx_screen_need_rows(struct pfx_screen *s)
{
	if (s->has_rows)
		return;
	s->rows.nr = 0;
	pfx_str_clear(&s->row_text);
	s->has_rows = true;
	if (pfx_screen_ops(s)->make)
		pfx_screen_ops(s)->make(s);
	find_cursor(s);
}

const struct pfx_screen_row *pfx_screen_row(struct pfx_screen *s)
{
	pfx_screen_need_rows(s);
	return s->place.cursor < s->rows.nr ? &s->rows.at[s->place.cursor] : NULL;
}

/* Names that are scrolled are whole. */
static void scroll_to(struct pfx_screen *s, unsigned left)
{
	if (!s->place.left != !left && pfx_screen_has_sheet(s))
		pfx_screen_stale(s);
	s->place.left = left;
}

bool pfx_screen_move(struct pfx_screen *s, enum pfx_screen_action action)
{
	size_t page = s->page > 1 ? s->page - 1 : 1, at;

	pfx_screen_need_rows(s);
	at = s->place.cursor;
	switch (action) {
	case PFX_ACT_UP:
		pfx_screen_set_cursor(s, at ? at - 1 : 0);
		return true;
	case PFX_ACT_DOWN:
		pfx_screen_set_cursor(s, at + 1);
		return true;
	case PFX_ACT_PAGE_UP:
		s->place.top = s->place.top > page ? s->place.top - page : 0;
		pfx_screen_set_cursor(s, at > page ? at - page : 0);
		return true;
	case PFX_ACT_PAGE_DOWN:
		if (s->place.top + s->page < s->rows.nr)
			s->place.top += page;
		pfx_screen_set_cursor(s, at + page);
		return true;
	case PFX_ACT_FIRST:
		pfx_screen_set_cursor(s, 0);
		return true;
	case PFX_ACT_LAST:
		pfx_screen_set_cursor(s, SIZE_MAX);
		return true;
	case PFX_ACT_LEFT:
		if (s->place.left)
			scroll_to(s, s->place.left > 10 ? s->place.left - 10 : 0);
		else
			pfx_screen_back(s);
		return true;
	case PFX_ACT_RIGHT:
		if (s->place.left < 5000)
			scroll_to(s, s->place.left + 10);
		return true;
	default:
		return false;
	}
}

static bool row_has(struct pfx_screen *s, const struct pfx_screen_row *row, const char *part)
{
	struct pfx_str name = {0};
	bool has;

	if (pfx_screen_ops(s)->text)
		pfx_screen_ops(s)->text(s, row, &name);
	else
		pfx_screen_row_name(s, row, &name);
	has = pfx_screen_has_text(pfx_str_get(&name), part);
	pfx_str_fini(&name);
	return has;
}

void pfx_screen_find(struct pfx_screen *s, bool backwards)
{
	size_t nr, step, at;

	pfx_screen_need_rows(s);
	nr = s->rows.nr;
	at = s->place.cursor;
	for (step = 0; s->search && step < nr; step++) {
		at = backwards ? (at ? at - 1 : nr - 1) : (at + 1) % nr;
		if (!row_has(s, &s->rows.at[at], s->search))
			continue;
		if (backwards ? at >= s->place.cursor : at <= s->place.cursor)
			pfx_screen_say(s, "the search began again at the other end");
		pfx_screen_set_cursor(s, at);
		return;
	}
	if (s->search)
		pfx_screen_sayf(s, "no row has the text '%s'", s->search);
}

void pfx_screen_row_name(struct pfx_screen *s, const struct pfx_screen_row *row, struct pfx_str *to)
{
	if (row->text)
		pfx_str_add(to, row->text);
	else if (row->ids)
		pfx_screen_add_keys(s, row, to);
	else if (row->id != PFX_NO_ID || row->kind == PFX_ROW_TABLE)
		pfx_screen_add_id(s, row->by, row->id, to);
}

uint32_t pfx_screen_row_function(struct pfx_screen *s)
{
	const struct pfx_screen_row *row = pfx_screen_row(s);

	return row && (row->kind == PFX_ROW_TABLE || row->kind == PFX_ROW_NODE) &&
			       row->by == PFX_VIEW_FUNCTION
		       ? row->id
		       : PFX_NO_ID;
}

size_t pfx_screen_scroll(size_t top, size_t cursor, size_t nr, size_t room)
{
	if (top + room > nr)
		top = nr > room ? nr - room : 0;
	if (cursor < top)
		top = cursor;
	return cursor >= top + room ? cursor - room + 1 : top;
}

const char *pfx_screen_why_empty(const struct pfx_screen *s)
{
	return !s->selection.nr_rows ? pfx_screen_why_no_samples(s)
	       : s->place.filter     ? "no row has this text"
				     : "all rows are below the limits";
}

void pfx_screen_draw_rows(struct pfx_screen *s, struct pfx_grid *grid)
{
	const struct pfx_screen_ops *ops = pfx_screen_ops(s);
	bool heads = ops->heading && !s->no_headings;
	unsigned y = heads ? 2 : 1;
	size_t i;

	pfx_screen_need_rows(s);
	s->page = grid->height > y + 1 ? grid->height - y - 1 : 1;
	s->place.top = pfx_screen_scroll(s->place.top, s->place.cursor, s->rows.nr, s->page);
	if (!s->rows.nr)
		pfx_grid_put(grid, 2, y, pfx_screen_why_empty(s), grid->width);
	if (heads && grid->height > 2)
		ops->heading(s, grid, 1);
	for (i = s->place.top; i < s->rows.nr && y + 1 < grid->height; i++, y++) {
		grid->pen =
			(struct pfx_pen){.selected = i == s->place.cursor, .link = (uint32_t)i + 1};
		if (grid->pen.selected)
			pfx_grid_fill(grid, 0, y, ' ', grid->width);
		ops->row(s, grid, y, &s->rows.at[i]);
	}
	grid->pen = (struct pfx_pen){0};
}

/* Over the end of @before, the rest of the line. */
static void put_alert(const struct pfx_screen *s, struct pfx_grid *grid, size_t before)
{
	unsigned len = (unsigned)strlen(s->options.alert) + 2;
	unsigned x = grid->width > len ? grid->width - len : 0;

	pfx_grid_fill(grid, x, 0, ' ', grid->width - x);
	if (before > x)
		pfx_grid_put(grid, x, 0, s->options.ascii ? "~" : "\u2026", 1);
	pfx_grid_put(grid, x + 2, 0, s->options.alert, len);
}

static void add_totals(struct pfx_screen *s, struct pfx_str *to)
{
	uint32_t column = pfx_screen_column(s);
	uint64_t samples = pfx_screen_total_of(s, column, PFX_MEASURE_SAMPLES);
	uint64_t period = pfx_screen_total_of(s, column, PFX_MEASURE_PERIOD);

	if (pfx_screen_shows_sheet(s) && s->sheet_samples) {
		samples = s->sheet_samples;
		period = s->sheet_period;
	}
	pfx_str_addf(to, "   %s: ", s->profile->events[s->event].name);
	pfx_screen_add_short(to, samples);
	pfx_str_add(to, " samples");
	if (!period)
		return;
	pfx_str_add(to, ", period ");
	pfx_screen_add_short(to, period);
}

void pfx_screen_draw_title(struct pfx_screen *s, struct pfx_grid *grid)
{
	const struct pfx_screen_ops *ops = pfx_screen_ops(s);
	struct pfx_str text = {0};

	pfx_str_addf(&text, " %s", pfx_screen_view_name(s->place.view));
	if (ops->about)
		ops->about(s, &text);
	if (s->profile->nr_events && s->has_selection && s->selection.nr_events)
		add_totals(s, &text);
	pfx_screen_add_zooms(s, &text);
	pfx_str_addf(&text, "   %s", s->options.title ? s->options.title : "");
	grid->pen = (struct pfx_pen){.style = PFX_STYLE_TITLE};
	pfx_grid_fill(grid, 0, 0, ' ', grid->width);
	pfx_grid_put(grid, 0, 0, text.at, grid->width);
	if (s->options.alert)
		put_alert(s, grid, text.len);
	grid->pen = (struct pfx_pen){0};
	pfx_str_fini(&text);
}

void pfx_screen_text(struct pfx_screen *s, struct pfx_str *to)
{
	struct pfx_grid grid = {0};
	unsigned width = s->width, left = s->place.left;
	size_t i;

	/* Wide enough for all names that are of use. */
	s->width = 250;
	s->place.left = 0;
	pfx_screen_need_rows(s);
	pfx_grid_resize(&grid, 250, 1);
	pfx_screen_draw_title(s, &grid);
	pfx_grid_text(&grid, to);
	if (pfx_screen_ops(s)->heading) {
		pfx_grid_resize(&grid, 250, 1);
		pfx_screen_ops(s)->heading(s, &grid, 0);
		pfx_grid_text(&grid, to);
	}
	for (i = 0; i < s->rows.nr; i++) {
		pfx_grid_resize(&grid, 250, 1);
		pfx_screen_ops(s)->row(s, &grid, 0, &s->rows.at[i]);
		pfx_grid_text(&grid, to);
	}
	pfx_grid_fini(&grid);
	s->width = width;
	s->place.left = left;
}
