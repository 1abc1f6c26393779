/* SPDX-License-Identifier: MIT */
/*
 * Drawing of the code view: costs, cycles, jumps as arrows, instructions and source lines. As in
 * perf, instructions are simplified at first: offsets where something jumps to, and targets as
 * offsets.
 */
#include "screen/screen_listing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define LANES_MAX    6  /* columns of arrows */
#define EVENTS_MAX   4  /* columns of costs */
#define CYCLE_COLUMN 14 /* IPC and cycles */
#define COST_COLUMN  8

static uint32_t nr_columns(const struct pfx_screen *s)
{
	uint32_t nr = s->selection.nr_events;

	return !nr ? 1 : nr > EVENTS_MAX ? EVENTS_MAX : nr;
}

static bool shows_cycles(const struct pfx_screen_listing *l)
{
	return l->code && l->code->speeds && !l->no_cycles;
}

/* Where arrows begin. */
static unsigned left_of(const struct pfx_screen *s)
{
	return COST_COLUMN * nr_columns(s) + (shows_cycles(s->listing) ? CYCLE_COLUMN : 0) + 1;
}

/* Where the text of instructions begins. */
static unsigned text_column(const struct pfx_screen *s)
{
	const struct pfx_screen_listing *l = s->listing;

	return left_of(s) + (!l->no_jumps && l->code->nr_jumps ? LANES_MAX + 2 : 0);
}

/* --- costs --- */

double pfx_listing_percent(const struct pfx_screen *s, uint32_t insn, uint32_t event)
{
	const struct pfx_screen_listing *l = s->listing;
	const struct pfx_cost *cost = pfx_code_cost(l->code, insn, event);
	const struct pfx_cost *total = &l->code->totals[event];
	const struct pfx_profile_event *all =
		event < s->profile->nr_events ? &s->profile->events[event] : NULL;

	if (l->hits || !total->period)
		return pfx_screen_percent(cost->nr_samples,
					  l->global && all ? all->nr_samples : total->nr_samples);
	return pfx_screen_percent(cost->period, l->global && all ? all->period : total->period);
}

static void put_cost(struct pfx_screen *s, struct pfx_grid *grid, const unsigned at[2],
		     uint32_t insn, uint32_t event)
{
	const struct pfx_screen_listing *l = s->listing;
	const struct pfx_cost *cost = pfx_code_cost(l->code, insn, event);
	double percent = pfx_listing_percent(s, insn, event);
	struct pfx_pen pen = grid->pen;
	struct pfx_str text = {0};
	char number[16];

	if (!cost->nr_samples)
		return;
	if (l->values == PFX_LISTING_PERCENT) {
		snprintf(number, sizeof(number), "%7.2f", percent);
		pfx_str_add(&text, number);
	} else {
		pfx_screen_add_short(&text, l->values == PFX_LISTING_PERIOD ? cost->period
									    : cost->nr_samples);
	}
	grid->pen.style = pfx_screen_heat(percent);
	pfx_grid_put(grid, at[0] + (text.len < 7 ? 7 - (unsigned)text.len : 0), at[1], text.at, 7);
	grid->pen = pen;
	pfx_str_fini(&text);
}

static void put_cycles(struct pfx_screen *s, struct pfx_grid *grid, unsigned y, uint32_t insn)
{
	const struct pfx_code_speed *speed = &s->listing->code->speeds[insn];
	unsigned x = COST_COLUMN * nr_columns(s);
	char text[32] = "";

	if (speed->ipc > 0)
		snprintf(text, sizeof(text), "%5.2f", (double)speed->ipc);
	pfx_grid_put(grid, x, y, text, 6);
	if (speed->cycles) {
		snprintf(text, sizeof(text), "%6" PRIu64, speed->cycles);
		pfx_grid_put(grid, x + 6, y, text, 7);
	}
}

static uint32_t event_of(const struct pfx_screen *s, uint32_t column)
{
	return s->selection.nr_events ? s->selection.events[column] : 0;
}

static void put_costs(struct pfx_screen *s, struct pfx_grid *grid, unsigned y, uint32_t insn)
{
	uint32_t column, event;

	for (column = 0; column < nr_columns(s); column++) {
		event = event_of(s, column);
		if (event < s->listing->code->nr_events)
			put_cost(s, grid, (const unsigned[]){COST_COLUMN * column, y}, insn, event);
	}
	if (shows_cycles(s->listing))
		put_cycles(s, grid, y, insn);
}

/* What the columns are, of what percentages are (as annotate --percent-type names it), the binary.
 */
void pfx_listing_draw_heading(struct pfx_screen *s, struct pfx_grid *grid, unsigned y)
{
	static const char *const values[] = {"Percent", " Period", "Samples"};
	const struct pfx_screen_listing *l = s->listing;
	struct pfx_str text = {0};
	uint32_t column, nr = nr_columns(s);

	if (!l || !l->code)
		return;
	grid->pen.style = PFX_STYLE_HEADING;
	for (column = 0; column < nr; column++)
		pfx_grid_put(grid, COST_COLUMN * column, y,
			     nr > 1 ? s->profile->events[event_of(s, column)].name
				    : values[l->values],
			     7);
	if (shows_cycles(l))
		pfx_grid_put(grid, COST_COLUMN * nr, y, "  IPC  Cycle", CYCLE_COLUMN);
	pfx_str_addf(&text, "[%s-%s]  %s", l->global ? "global" : "local",
		     l->hits ? "hits" : "period", l->code->dso->name);
	pfx_grid_put(grid, text_column(s), y, text.at, grid->width);
	grid->pen = (struct pfx_pen){0};
	pfx_str_fini(&text);
}

/* --- jumps --- */

/* The glyphs of arrows: up to down, ends at both sides, target. */
struct glyphs {
	uint32_t down, top, bottom, across, target;
};

static const struct glyphs *glyphs_of(const struct pfx_screen *s)
{
	static const struct glyphs utf8 = {0x2502, 0x250c, 0x2514, 0x2500, 0x25b6};
	static const struct glyphs ascii = {'|', '+', '+', '-', '>'};

	return s->options.ascii ? &ascii : &utf8;
}

static void put_end(struct pfx_grid *grid, const unsigned at[3], const struct glyphs *glyphs,
		    bool is_target)
{
	unsigned x;

	for (x = at[0] + 1; x < at[2]; x++)
		if (pfx_grid_at(grid, x, at[1])->ch == ' ')
			pfx_grid_fill(grid, x, at[1], glyphs->across, 1);
	if (is_target)
		pfx_grid_fill(grid, at[2] - 1, at[1], glyphs->target, 1);
}

/* One jump where it passes a row. @source: the row is the source line before the instruction. */
static void put_jump(struct pfx_screen *s, struct pfx_grid *grid, const unsigned at[2],
		     const struct pfx_code_jump *jump, const struct pfx_screen_row *row)
{
	const struct glyphs *glyphs = glyphs_of(s);
	uint32_t low = jump->from < jump->to ? jump->from : jump->to;
	uint32_t high = jump->from < jump->to ? jump->to : jump->from;
	unsigned end = at[0] + LANES_MAX + 1, x;
	bool source = row->kind == PFX_ROW_SOURCE;

	if (jump->lane >= LANES_MAX || end > grid->width || row->id < low + source ||
	    row->id > high)
		return;
	x = at[0] + LANES_MAX - 1 - jump->lane;
	if (source || (row->id != low && row->id != high)) {
		pfx_grid_fill(grid, x, at[1], glyphs->down, 1);
		return;
	}
	pfx_grid_fill(grid, x, at[1], row->id == low ? glyphs->top : glyphs->bottom, 1);
	put_end(grid, (const unsigned[]){x, at[1], end}, glyphs, row->id == jump->to);
}

static void put_jumps(struct pfx_screen *s, struct pfx_grid *grid, const unsigned at[2],
		      const struct pfx_screen_row *row)
{
	const struct pfx_code *code = s->listing->code;
	uint32_t i, lane;

	grid->pen.style = PFX_STYLE_DIM;
	/* The outer ones first: inner ones are drawn over them. */
	for (lane = LANES_MAX; lane--;)
		for (i = 0; i < code->nr_jumps; i++)
			if (code->jumps[i].lane == lane)
				put_jump(s, grid, at, &code->jumps[i], row);
	grid->pen.style = PFX_STYLE_NORMAL;
}

static uint32_t nr_jumps_to(const struct pfx_code *code, uint32_t insn)
{
	uint32_t nr = 0, i;

	for (i = 0; i < code->nr_jumps; i++)
		nr += code->jumps[i].to == insn;
	return nr;
}

/* --- instructions --- */

static bool has_offset(const struct pfx_screen_listing *l, const struct pfx_code_insn *insn)
{
	return l->raw || l->offsets == PFX_OFFSETS_ALL || insn->is_target ||
	       (l->offsets == PFX_OFFSETS_CALLS && insn->flow == PFX_FLOW_CALL);
}

static void add_label(const struct pfx_screen_listing *l, const struct pfx_code_insn *insn,
		      struct pfx_str *to)
{
	uint64_t start = l->code->insns[0].addr;
	char text[32];
	int width;

	if (l->raw || l->addresses) {
		width = snprintf(text, sizeof(text), "%" PRIx64,
				 l->code->insns[l->code->nr_insns - 1].addr);
		snprintf(text, sizeof(text), "%*" PRIx64 ": ", width, insn->addr);
	} else {
		snprintf(text, sizeof(text), "%5" PRIx64 ": ", insn->addr - start);
	}
	if (has_offset(l, insn))
		pfx_str_add(to, text);
	else
		pfx_str_pad(to, ' ', (unsigned)strlen(text));
}

/* The name of what is called or accessed. */
static void add_name(const struct pfx_code_insn *insn, struct pfx_str *to)
{
	if (insn->name)
		pfx_str_addf(to, insn->name_offset ? " <%s+0x%" PRIx64 ">" : " <%s>", insn->name,
			     insn->name_offset);
}

/* The instruction, with the offset of its target instead of an address. */
static void add_simple(const struct pfx_screen_listing *l, const struct pfx_code_insn *insn,
		       struct pfx_str *to)
{
	if (insn->target_insn != PFX_CODE_NONE) {
		pfx_str_addn(to, insn->text, insn->mnemonic);
		pfx_str_addf(to, " %" PRIx64, insn->target - l->code->insns[0].addr);
	} else if (insn->name && insn->has_target && !insn->is_data) {
		pfx_str_addn(to, insn->text, insn->mnemonic);
		pfx_str_addf(to, insn->name_offset ? " %s+0x%" PRIx64 : " %s", insn->name,
			     insn->name_offset);
	} else {
		pfx_str_add(to, insn->text);
		add_name(insn, to);
	}
}

static void add_insn(const struct pfx_screen_listing *l, uint32_t index, struct pfx_str *to)
{
	const struct pfx_code_insn *insn = &l->code->insns[index];
	uint32_t nr = l->nr_jumps_in ? nr_jumps_to(l->code, index) : 0;

	if (nr)
		pfx_str_addf(to, "%3u ", nr);
	else if (l->nr_jumps_in)
		pfx_str_add(to, "    ");
	add_label(l, insn, to);
	if (l->raw) {
		pfx_str_add(to, insn->text);
		add_name(insn, to);
	} else {
		add_simple(l, insn, to);
	}
	if (insn->string)
		pfx_str_addf(to, " # \"%s\"", insn->string);
	if (insn->value)
		pfx_str_addf(to, " # %s", insn->value);
}

static void add_source_text(const struct pfx_screen_listing *l, const struct pfx_screen_row *row,
			    struct pfx_str *to)
{
	const struct pfx_code_line *line = &l->code->lines[l->code->insns[row->id].line];

	if (l->line_numbers)
		pfx_str_addf(to, "%5u ", line->line);
	pfx_str_add(to, row->text);
}

void pfx_listing_text(struct pfx_screen *s, const struct pfx_screen_row *row, struct pfx_str *to)
{
	if (row->kind == PFX_ROW_TEXT || !s->listing || !s->listing->code)
		pfx_str_add(to, row->text);
	else if (row->kind == PFX_ROW_INSN)
		add_insn(s->listing, row->id, to);
	else
		add_source_text(s->listing, row, to);
}

static void put_text(struct pfx_screen *s, struct pfx_grid *grid, unsigned y,
		     const struct pfx_screen_row *row)
{
	struct pfx_str text = {0};
	unsigned x = text_column(s);

	pfx_listing_text(s, row, &text);
	if (s->search && pfx_screen_has_text(pfx_str_get(&text), s->search))
		grid->pen.style = PFX_STYLE_MATCH;
	else if (row->kind == PFX_ROW_SOURCE)
		grid->pen.style = PFX_STYLE_SOURCE;
	if (x < grid->width)
		pfx_grid_put_from(grid, x, y, pfx_str_get(&text), s->place.left);
	pfx_str_fini(&text);
}

void pfx_listing_draw_row(struct pfx_screen *s, struct pfx_grid *grid, unsigned y,
			  const struct pfx_screen_row *row)
{
	const struct pfx_screen_listing *l = s->listing;

	if (row->kind == PFX_ROW_TEXT || !l || !l->code) {
		pfx_grid_put(grid, 0, y, row->text, grid->width);
		return;
	}
	if (row->kind == PFX_ROW_INSN)
		put_costs(s, grid, y, row->id);
	if (!l->no_jumps && l->code->nr_jumps)
		put_jumps(s, grid, (const unsigned[]){left_of(s), y}, row);
	put_text(s, grid, y, row);
}
