/* SPDX-License-Identifier: MIT */
/*
 * Samples over time: a strip for each thread, whose cells are as hot as the thread was busy. A
 * range that is marked filters all views.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "screen/screen_internal.h"

#define NAME_COLUMNS 24
#define LANES_MAX    2000
#define AXIS_CELLS   20 /* between two times of the axis */

struct pfx_screen_lanes {
	struct pfx_timeline timeline;
	unsigned width, generation; /* for which it was made */
	size_t lane, top;
	uint32_t cell, mark;
	bool is_marked, is_dragged;
};

void pfx_screen_lanes_free(struct pfx_screen *s)
{
	if (!s->lanes)
		return;
	pfx_timeline_fini(&s->lanes->timeline);
	free(s->lanes);
	s->lanes = NULL;
}

static unsigned name_columns(const struct pfx_screen *s)
{
	return s->width < 70 ? s->width / 3 : NAME_COLUMNS;
}

/* The line of the first lane: below the axis, if there is room for one. */
static unsigned first_lane(unsigned height)
{
	return height > 4 ? 2 : 1;
}

static void time_range(const struct pfx_screen *s, struct pfx_timeline_options *options)
{
	unsigned i;

	for (i = 0; i < s->place.nr_zooms; i++) {
		if (s->place.zooms[i].kind != PFX_ZOOM_TIME)
			continue;
		options->start = s->place.zooms[i].start;
		options->end = s->place.zooms[i].end;
	}
}

static struct pfx_screen_lanes *need_lanes(struct pfx_screen *s)
{
	struct pfx_timeline_options options = {
		.lanes = PFX_VIEW_THREAD,
		.nr_cells = s->width > name_columns(s) + 8 ? s->width - name_columns(s) - 8 : 1,
		.max_lanes = LANES_MAX,
		.by_weight = true,
	};
	struct pfx_error err = {0};

	if (s->lanes && s->lanes->width == s->width && s->lanes->generation == s->generation)
		return s->lanes;
	pfx_screen_lanes_free(s);
	s->lanes = pfx_calloc(1, sizeof(*s->lanes));
	s->lanes->width = s->width;
	s->lanes->generation = s->generation;
	pfx_screen_select(s);
	options.column = pfx_screen_column(s);
	options.measure = s->measure;
	time_range(s, &options);
	if (s->selection.nr_events &&
	    pfx_timeline_make(&s->lanes->timeline, &s->selection, &options, &err) < 0)
		pfx_screen_say(s, err.text);
	return s->lanes;
}

/* --- drawing --- */

static void marked(const struct pfx_screen_lanes *lanes, uint32_t ret[2])
{
	ret[0] = lanes->cell;
	ret[1] = lanes->cell;
	if (!lanes->is_marked)
		return;
	ret[0] = lanes->mark < lanes->cell ? lanes->mark : lanes->cell;
	ret[1] = lanes->mark < lanes->cell ? lanes->cell : lanes->mark;
}

static void draw_cells(struct pfx_screen *s, struct pfx_grid *grid, unsigned y,
		       const struct pfx_timeline_lane *lane)
{
	static const char signs[] = ".:-=+*#@";
	const struct pfx_timeline *timeline = &s->lanes->timeline;
	unsigned x = name_columns(s) + 8, heat;
	uint32_t cell, range[2];

	marked(s->lanes, range);
	for (cell = 0; cell < timeline->nr_cells; cell++) {
		grid->pen = (struct pfx_pen){.link = cell + 1};
		grid->pen.selected =
			cell >= range[0] && cell <= range[1] &&
			(s->lanes->is_marked || lane == &timeline->lanes[s->lanes->lane]);
		heat = lane->cells[cell] ? 1 + (unsigned)(7.0 * (double)lane->cells[cell] /
							  (double)timeline->max)
					 : 0;
		grid->pen.tone = (uint8_t)(heat ? PFX_TONE_HEAT + heat - 1 : 0);
		pfx_grid_fill(grid, x + cell, y, heat ? (unsigned char)signs[heat - 1] : ' ', 1);
	}
}

static void draw_lane(struct pfx_screen *s, struct pfx_grid *grid, unsigned y, size_t index)
{
	const struct pfx_timeline_lane *lane = &s->lanes->timeline.lanes[index];
	double percent = pfx_screen_percent(lane->total, pfx_screen_total(s));
	struct pfx_str name = {0};
	char text[16];

	snprintf(text, sizeof(text), "%6.2f%%", percent);
	grid->pen = (struct pfx_pen){.selected = index == s->lanes->lane};
	grid->pen.style = pfx_screen_heat(percent);
	pfx_grid_put(grid, 0, y, text, 7);
	grid->pen.style = PFX_STYLE_NORMAL;
	pfx_screen_add_id(s, PFX_VIEW_THREAD, lane->id, &name);
	pfx_grid_put(grid, 8, y, pfx_str_get(&name), name_columns(s) - 1);
	pfx_str_fini(&name);
	draw_cells(s, grid, y, lane);
}

static void add_ms(struct pfx_str *to, uint64_t ns)
{
	pfx_str_addf(to, "%.6f s", (double)ns / 1e9);
}

/* Seconds since the first sample over every twentieth cell or so. */
static void draw_axis(struct pfx_screen *s, struct pfx_grid *grid, unsigned y)
{
	const struct pfx_timeline *timeline = &s->lanes->timeline;
	uint64_t from = timeline->start - s->profile->first_time;
	unsigned x = name_columns(s) + 8;
	uint32_t cell;
	char text[32];

	grid->pen = (struct pfx_pen){.style = PFX_STYLE_DIM};
	for (cell = 0; cell + AXIS_CELLS / 2 < timeline->nr_cells; cell += AXIS_CELLS) {
		snprintf(text, sizeof(text), "%s%.3f s", s->options.ascii ? "|" : "\u258f",
			 (double)(from + cell * timeline->cell) / 1e9);
		pfx_grid_put(grid, x + cell, y, text, AXIS_CELLS);
	}
	grid->pen = (struct pfx_pen){0};
}

static void draw_times(struct pfx_screen *s, struct pfx_grid *grid, unsigned y)
{
	const struct pfx_timeline *timeline = &s->lanes->timeline;
	uint64_t from = timeline->start - s->profile->first_time;
	struct pfx_str text = {0};
	uint32_t range[2];

	marked(s->lanes, range);
	add_ms(&text, from + range[0] * timeline->cell);
	pfx_str_add(&text, " - ");
	add_ms(&text, from + (range[1] + 1ull) * timeline->cell);
	pfx_str_add(&text,
		    s->lanes->is_marked ? "   Enter: only this range" : "   Space: begin a range");
	grid->pen = (struct pfx_pen){.style = PFX_STYLE_HEADING};
	pfx_grid_put(grid, 0, y, text.at, grid->width);
	grid->pen = (struct pfx_pen){0};
	pfx_str_fini(&text);
}

static void draw(struct pfx_screen *s, struct pfx_grid *grid)
{
	struct pfx_screen_lanes *lanes = need_lanes(s);
	unsigned first = first_lane(grid->height), room, y;

	room = grid->height > first + 2 ? grid->height - first - 2 : 1;
	s->page = room;
	if (!lanes->timeline.nr_lanes) {
		pfx_grid_put(grid, 0, 1, pfx_screen_why_no_samples(s), grid->width);
		return;
	}
	lanes->top = pfx_screen_scroll(lanes->top, lanes->lane, lanes->timeline.nr_lanes, room);
	for (y = 0; y < room && lanes->top + y < lanes->timeline.nr_lanes; y++)
		draw_lane(s, grid, first + y, lanes->top + y);
	if (first == 2)
		draw_axis(s, grid, 1);
	if (grid->height > 3)
		draw_times(s, grid, grid->height - 2);
}

/* --- keys --- */

static void zoom_range(struct pfx_screen *s)
{
	const struct pfx_timeline *timeline = &s->lanes->timeline;
	struct pfx_zoom zoom = {.kind = PFX_ZOOM_TIME};
	uint32_t range[2];

	marked(s->lanes, range);
	zoom.start = timeline->start + range[0] * timeline->cell;
	zoom.end = timeline->start + (range[1] + 1ull) * timeline->cell - 1;
	pfx_screen_zoom(s, &zoom);
}

static void enter(struct pfx_screen *s)
{
	struct pfx_str name = {0};
	struct pfx_zoom zoom = {.kind = PFX_ZOOM_BY, .by = PFX_VIEW_THREAD};

	if (s->lanes->is_marked) {
		zoom_range(s);
		return;
	}
	pfx_screen_add_id(s, PFX_VIEW_THREAD, s->lanes->timeline.lanes[s->lanes->lane].id, &name);
	zoom.name = pfx_screen_intern(s, pfx_str_get(&name));
	pfx_str_fini(&name);
	pfx_screen_zoom(s, &zoom);
}

static void mark(struct pfx_screen_lanes *lanes)
{
	lanes->is_marked = !lanes->is_marked;
	lanes->mark = lanes->cell;
}

static void move_lane(struct pfx_screen *s, long by)
{
	long last = (long)s->lanes->timeline.nr_lanes - 1, at = (long)s->lanes->lane + by;

	s->lanes->lane = (size_t)(at < 0 ? 0 : at > last ? last : at);
	pfx_screen_stale(s);
}

static void move_cell(struct pfx_screen_lanes *lanes, long by)
{
	long last = (long)lanes->timeline.nr_cells - 1, at = (long)lanes->cell + by;

	lanes->cell = (uint32_t)(at < 0 ? 0 : at > last ? last : at);
}

static bool act(struct pfx_screen *s, enum pfx_screen_action action)
{
	struct pfx_screen_lanes *lanes = need_lanes(s);

	if (!lanes->timeline.nr_lanes)
		return false;
	switch (action) {
	case PFX_ACT_UP:
	case PFX_ACT_DOWN:
		move_lane(s, action == PFX_ACT_UP ? -1 : 1);
		return true;
	case PFX_ACT_PAGE_UP:
	case PFX_ACT_PAGE_DOWN:
		move_lane(s, action == PFX_ACT_PAGE_UP ? -(long)s->page : (long)s->page);
		return true;
	case PFX_ACT_LEFT:
	case PFX_ACT_RIGHT:
		move_cell(lanes, action == PFX_ACT_LEFT ? -1 : 1);
		return true;
	case PFX_ACT_FIRST:
	case PFX_ACT_LAST:
		move_cell(lanes, action == PFX_ACT_FIRST ? -100000 : 100000);
		return true;
	case PFX_ACT_MARK:
		mark(lanes);
		return true;
	case PFX_ACT_ENTER:
		enter(s);
		return true;
	default:
		return false;
	}
}

/* The mouse marks from where it is pressed to where it is released. */
static void click(struct pfx_screen *s, uint32_t link, const struct pfx_press *press)
{
	struct pfx_screen_lanes *lanes = need_lanes(s);
	unsigned first = first_lane(s->height);

	if (link > lanes->timeline.nr_cells)
		return;
	lanes->cell = link - 1;
	if (press->code == PFX_PRESS_RELEASE) {
		lanes->is_marked = lanes->is_dragged && lanes->mark != lanes->cell;
		lanes->is_dragged = false;
		return;
	}
	if (press->y >= first && lanes->top + press->y - first < lanes->timeline.nr_lanes)
		move_lane(s, (long)lanes->top + (long)press->y - first - (long)lanes->lane);
	lanes->mark = lanes->cell;
	lanes->is_marked = false;
	lanes->is_dragged = true;
}

/* The threads as rows, for the report of the view. */
static void make(struct pfx_screen *s)
{
	const struct pfx_timeline *timeline = &need_lanes(s)->timeline;
	struct pfx_screen_row *row;
	uint32_t i;

	for (i = 0; i < timeline->nr_lanes; i++) {
		row = pfx_screen_add_row(s, PFX_ROW_TABLE);
		row->by = PFX_VIEW_THREAD;
		row->id = timeline->lanes[i].id;
		row->key = i + 1;
		row->self = row->total = timeline->lanes[i].total;
	}
	if (s->lanes->lane < s->rows.nr)
		pfx_screen_set_cursor(s, s->lanes->lane);
}

const struct pfx_screen_ops pfx_screen_timeline_ops = {
	.make = make,
	.row = pfx_screen_draw_columns,
	.draw = draw,
	.act = act,
	.click = click,
};
