/* SPDX-License-Identifier: MIT */
/*
 * The code of a function: instructions and source lines with their cost, jumps as arrows. The host
 * reads the costs when code is looked at for the first time.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "screen/screen_internal.h"
#include "view/view_code.h"

#define LANES_MAX  6 /* columns of arrows */
#define EVENTS_MAX 4 /* columns of costs */

enum values { PERCENT, PERIOD, SAMPLES, NR_VALUES };

struct pfx_screen_listing {
	const struct pfx_profile *profile; /* for which the costs were read; NULL: not yet */
	struct pfx_screen_code from;
	struct pfx_code *code; /* of the function */
	uint64_t function;     /* its key */
	enum values values;
	bool no_source, no_jumps, line_numbers, offsets;
};

static struct pfx_screen_listing *listing_of(struct pfx_screen *s)
{
	if (!s->listing)
		s->listing = pfx_calloc(1, sizeof(*s->listing));
	return s->listing;
}

void pfx_screen_costs_stale(struct pfx_screen *s)
{
	if (!s->listing)
		return;
	pfx_code_free(s->listing->code);
	s->listing->code = NULL;
	s->listing->function = 0;
	s->listing->profile = NULL;
}

void pfx_screen_listing_free(struct pfx_screen *s)
{
	pfx_screen_costs_stale(s);
	free(s->listing);
	s->listing = NULL;
}

/* --- the code of a function --- */

static int read_costs(struct pfx_screen *s, struct pfx_error *err)
{
	struct pfx_screen_listing *l = listing_of(s);
	int rc;

	if (l->profile == s->profile)
		return 0;
	if (!s->options.host.code)
		return pfx_error_set(err, ENOTSUP, "there is no code for this recording");
	rc = s->options.host.code(s->options.host.context, &l->from, err);
	if (!rc)
		l->profile = s->profile;
	return rc;
}

static int load(struct pfx_screen *s, uint32_t function, struct pfx_error *err)
{
	struct pfx_screen_listing *l = listing_of(s);
	const struct pfx_code_function *of;
	struct pfx_code *code;
	int rc = read_costs(s, err);

	if (rc < 0)
		return rc;
	of = pfx_view_code(s->profile, function, l->from.functions, l->from.nr_functions);
	if (!of)
		return pfx_error_set(err, ENODATA, "'%s' has no code to show: %s",
				     s->profile->functions[function].name,
				     s->profile->functions[function].is_inlined
					     ? "it is inlined in its callers"
					     : "no sample is in the function itself");
	rc = pfx_code_new(&code, l->from.resolver, l->from.costs, of, &l->from.options, err);
	if (rc < 0)
		return rc;
	pfx_code_free(l->code);
	l->code = code;
	l->function = s->function_keys[function];
	return 0;
}

bool pfx_screen_open_code(struct pfx_screen *s, uint32_t function)
{
	struct pfx_error err = {0};

	if (listing_of(s)->function == s->function_keys[function])
		return true;
	if (load(s, function, &err) < 0) {
		pfx_screen_say(s, err.text);
		return false;
	}
	pfx_screen_stale(s);
	return true;
}

/* --- rows --- */

static void add_source(struct pfx_screen *s, const struct pfx_code *code, uint32_t insn)
{
	const struct pfx_code_line *line = &code->lines[code->insns[insn].line];
	struct pfx_screen_row *row = pfx_screen_add_row(s, PFX_ROW_SOURCE);
	char *text = pfx_strndup(line->text ? line->text : "", line->text ? line->len : 0), *at;

	/* A tab is one blank here: lines are narrow. */
	for (at = text; *at; at++)
		if (*at == '\t')
			*at = ' ';
	row->text = pfx_screen_intern(s, text);
	row->id = insn;
	row->key = code->insns[insn].addr << 1 ^ 1ull << 63;
	free(text);
}

static bool has_text(const struct pfx_code *code, uint32_t insn)
{
	return code->insns[insn].line != PFX_CODE_NONE &&
	       code->lines[code->insns[insn].line].text != NULL;
}

static void make(struct pfx_screen *s)
{
	struct pfx_screen_listing *l = listing_of(s);
	uint32_t function = pfx_screen_find_function(s, s->place.function);
	const struct pfx_code *code;
	struct pfx_screen_row *row;
	uint32_t i;

	pfx_screen_select(s);
	if (function == PFX_NO_ID || !pfx_screen_open_code(s, function)) {
		row = pfx_screen_add_row(s, PFX_ROW_TEXT);
		row->text = "there is no code to show";
		return;
	}
	code = l->code;
	for (i = 0; i < code->nr_insns; i++) {
		if (!l->no_source && has_text(code, i) &&
		    (!i || code->insns[i].line != code->insns[i - 1].line))
			add_source(s, code, i);
		row = pfx_screen_add_row(s, PFX_ROW_INSN);
		row->id = i;
		row->key = code->insns[i].addr << 1 | 1;
		row->text = code->insns[i].text;
	}
	s->has_rows = true;
}

/* --- drawing --- */

static uint32_t nr_columns(const struct pfx_screen *s)
{
	uint32_t nr = s->selection.nr_events;

	return !nr ? 1 : nr > EVENTS_MAX ? EVENTS_MAX : nr;
}

static double percent_of(const struct pfx_code *code, uint32_t insn, uint32_t event)
{
	const struct pfx_cost *cost = pfx_code_cost(code, insn, event);

	return code->totals[event].period
		       ? pfx_screen_percent(cost->period, code->totals[event].period)
		       : pfx_screen_percent(cost->nr_samples, code->totals[event].nr_samples);
}

static void put_cost(struct pfx_screen *s, struct pfx_grid *grid, const unsigned at[2],
		     uint32_t insn, uint32_t event)
{
	const struct pfx_screen_listing *l = s->listing;
	const struct pfx_cost *cost = pfx_code_cost(l->code, insn, event);
	double percent = percent_of(l->code, insn, event);
	struct pfx_pen pen = grid->pen;
	struct pfx_str text = {0};
	char number[16];

	if (!cost->nr_samples)
		return;
	if (l->values == PERCENT) {
		snprintf(number, sizeof(number), "%6.2f", percent);
		pfx_str_add(&text, number);
	} else {
		pfx_screen_add_short(&text, l->values == PERIOD ? cost->period : cost->nr_samples);
	}
	grid->pen.style = pfx_screen_heat(percent);
	pfx_grid_put(grid, at[0] + (text.len < 6 ? 6 - (unsigned)text.len : 0), at[1], text.at, 6);
	grid->pen = pen;
	pfx_str_fini(&text);
}

static void put_costs(struct pfx_screen *s, struct pfx_grid *grid, unsigned y, uint32_t insn)
{
	uint32_t column, event;

	for (column = 0; column < nr_columns(s); column++) {
		event = s->selection.nr_events ? s->selection.events[column] : 0;
		if (event < s->listing->code->nr_events)
			put_cost(s, grid, (const unsigned[]){7 * column, y}, insn, event);
	}
}

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

static void add_insn(const struct pfx_screen_listing *l, uint32_t index, struct pfx_str *to)
{
	const struct pfx_code_insn *insn = &l->code->insns[index];

	if (l->offsets)
		pfx_str_addf(to, "%5" PRIx64 ": ", insn->addr - l->code->insns[0].addr);
	else
		pfx_str_addf(to, "%8" PRIx64 ": ", insn->addr);
	pfx_str_add(to, insn->text);
	if (insn->name)
		pfx_str_addf(to, insn->name_offset ? " <%s+0x%" PRIx64 ">" : " <%s>", insn->name,
			     insn->name_offset);
	if (insn->string)
		pfx_str_addf(to, " # \"%s\"", insn->string);
}

static void add_source_text(const struct pfx_screen_listing *l, const struct pfx_screen_row *row,
			    struct pfx_str *to)
{
	const struct pfx_code_line *line = &l->code->lines[l->code->insns[row->id].line];

	if (l->line_numbers)
		pfx_str_addf(to, "%5u ", line->line);
	pfx_str_add(to, row->text);
}

static void draw_row(struct pfx_screen *s, struct pfx_grid *grid, unsigned y,
		     const struct pfx_screen_row *row)
{
	struct pfx_screen_listing *l = listing_of(s);
	unsigned x = 7 * nr_columns(s) + 1;
	struct pfx_str text = {0};

	if (row->kind == PFX_ROW_TEXT || !l->code) {
		pfx_grid_put(grid, 0, y, row->text, grid->width);
		return;
	}
	if (row->kind == PFX_ROW_INSN)
		put_costs(s, grid, y, row->id);
	if (!l->no_jumps && l->code->nr_jumps) {
		put_jumps(s, grid, (const unsigned[]){x, y}, row);
		x += LANES_MAX + 2;
	}
	if (row->kind == PFX_ROW_INSN)
		add_insn(l, row->id, &text);
	else
		add_source_text(l, row, &text);
	if (s->search && pfx_screen_has_text(row->text, s->search))
		grid->pen.style = PFX_STYLE_MATCH;
	else if (row->kind == PFX_ROW_SOURCE)
		grid->pen.style = PFX_STYLE_SOURCE;
	if (x < grid->width)
		pfx_grid_put_from(grid, x, y, pfx_str_get(&text), s->place.left);
	pfx_str_fini(&text);
}

/* --- keys --- */

static void go_to_insn(struct pfx_screen *s, uint32_t insn)
{
	size_t i;

	pfx_screen_need_rows(s);
	for (i = 0; i < s->rows.nr; i++) {
		if (s->rows.at[i].kind != PFX_ROW_INSN || s->rows.at[i].id != insn)
			continue;
		pfx_screen_set_cursor(s, i);
		s->place.top = i > s->page / 2 ? i - s->page / 2 : 0;
		return;
	}
}

/* Whether instruction @a is more expensive than @b; of equal ones the first. */
static bool is_hotter(const struct pfx_screen *s, uint32_t a, uint32_t b)
{
	const struct pfx_code *code = s->listing->code;
	double own = percent_of(code, a, s->event), other = percent_of(code, b, s->event);

	return own > other || (own == other && a < b);
}

/* The hottest instruction; or the hottest that is colder than @than, or the coldest that is hotter.
 */
static uint32_t hot_insn(const struct pfx_screen *s, uint32_t than, int step)
{
	const struct pfx_code *code = s->listing->code;
	uint32_t best = PFX_CODE_NONE, i;

	for (i = 0; i < code->nr_insns; i++) {
		if (!pfx_code_cost(code, i, s->event)->nr_samples)
			continue;
		if (than != PFX_CODE_NONE && (i == than || is_hotter(s, i, than) != (step < 0)))
			continue;
		if (best == PFX_CODE_NONE || is_hotter(s, i, best) == (step >= 0))
			best = i;
	}
	return best;
}

static void go_hot(struct pfx_screen *s, int step)
{
	const struct pfx_screen_row *row = pfx_screen_row(s);
	uint32_t than = step && row ? row->id : PFX_CODE_NONE, insn;

	if (s->event >= s->listing->code->nr_events)
		return;
	if (step && row && row->kind != PFX_ROW_INSN)
		than = PFX_CODE_NONE;
	insn = hot_insn(s, than, step);
	if (insn == PFX_CODE_NONE)
		pfx_screen_say(s, step < 0 ? "this is the most expensive instruction"
					   : "no other instruction has samples");
	else
		go_to_insn(s, insn);
}

static uint32_t find_named(const struct pfx_screen *s, const char *name)
{
	const struct pfx_profile *profile = s->profile;
	uint32_t i;

	for (i = 0; i < profile->nr_functions; i++)
		if (!profile->functions[i].is_inlined && !strcmp(profile->functions[i].name, name))
			return i;
	return PFX_NO_ID;
}

static void follow(struct pfx_screen *s)
{
	const struct pfx_screen_row *row = pfx_screen_row(s);
	const struct pfx_code_insn *insn;
	uint32_t function;

	if (!row || row->kind != PFX_ROW_INSN)
		return;
	insn = &s->listing->code->insns[row->id];
	if (insn->target_insn != PFX_CODE_NONE) {
		pfx_screen_push(s);
		go_to_insn(s, insn->target_insn);
		return;
	}
	function = insn->name ? find_named(s, insn->name) : PFX_NO_ID;
	if (function == PFX_NO_ID) {
		pfx_screen_say(s, insn->name ? "the called function has no samples"
					     : "this instruction neither jumps nor calls");
		return;
	}
	if (!pfx_screen_open_code(s, function))
		return;
	pfx_screen_push(s);
	s->place.function = s->function_keys[function];
	s->place.selected = s->place.cursor = s->place.top = s->place.left = 0;
	pfx_screen_stale(s);
}

static bool act_switch(struct pfx_screen *s, enum pfx_screen_action action)
{
	struct pfx_screen_listing *l = s->listing;

	switch (action) {
	case PFX_ACT_SOURCE:
		l->no_source = !l->no_source;
		break;
	case PFX_ACT_VALUES:
		l->values = (l->values + 1) % NR_VALUES;
		break;
	case PFX_ACT_JUMPS:
		l->no_jumps = !l->no_jumps;
		break;
	case PFX_ACT_LINES:
		l->line_numbers = !l->line_numbers;
		break;
	case PFX_ACT_ADDRESSES:
		l->offsets = !l->offsets;
		break;
	default:
		return false;
	}
	pfx_screen_stale(s);
	return true;
}

static bool act(struct pfx_screen *s, enum pfx_screen_action action)
{
	pfx_screen_need_rows(s);
	if (!s->listing || !s->listing->code)
		return false;
	switch (action) {
	case PFX_ACT_HOTTEST:
		go_hot(s, 0);
		return true;
	case PFX_ACT_HOT_NEXT:
	case PFX_ACT_HOT_PREVIOUS:
		go_hot(s, action == PFX_ACT_HOT_NEXT ? 1 : -1);
		return true;
	case PFX_ACT_ENTER:
		follow(s);
		return true;
	default:
		return act_switch(s, action);
	}
}

static void about(struct pfx_screen *s, struct pfx_str *to)
{
	uint32_t function = pfx_screen_find_function(s, s->place.function);

	if (function != PFX_NO_ID)
		pfx_str_addf(to, " of %s", s->profile->functions[function].name);
}

const struct pfx_screen_ops pfx_screen_code_ops = {
	.make = make,
	.row = draw_row,
	.act = act,
	.about = about,
};
