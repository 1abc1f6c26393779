/* SPDX-License-Identifier: MIT */
/*
 * The code of a function: instructions and source lines with their cost, jumps as arrows. The host
 * reads the costs when code is looked at for the first time.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "screen/screen_listing.h"
#include "view/view_code.h"

struct pfx_screen_listing *pfx_screen_listing(struct pfx_screen *s)
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
	struct pfx_screen_listing *l = pfx_screen_listing(s);
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
	struct pfx_screen_listing *l = pfx_screen_listing(s);
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

	if (pfx_screen_listing(s)->function == s->function_keys[function])
		return true;
	if (load(s, function, &err) < 0) {
		pfx_screen_say(s, err.text);
		return false;
	}
	pfx_screen_stale(s);
	return true;
}

/* --- rows --- */

/* The text of a line, or its place if the file is not available. */
static char *text_of(const struct pfx_code_line *line)
{
	const char *slash = strrchr(line->file, '/');

	if (line->text)
		return pfx_strndup(line->text, line->len);
	return pfx_strfmt("%s:%u", slash ? slash + 1 : line->file, line->line);
}

static void add_source(struct pfx_screen *s, const struct pfx_code *code, uint32_t insn)
{
	const struct pfx_code_line *line = &code->lines[code->insns[insn].line];
	struct pfx_screen_row *row = pfx_screen_add_row(s, PFX_ROW_SOURCE);
	char *text = text_of(line), *at;

	/* A tab is one blank here: lines are narrow. */
	for (at = text; *at; at++)
		if (*at == '\t')
			*at = ' ';
	row->text = pfx_screen_intern(s, text);
	row->id = insn;
	row->key = code->insns[insn].addr << 1 ^ 1ull << 63;
	free(text);
}

static void make(struct pfx_screen *s)
{
	struct pfx_screen_listing *l = pfx_screen_listing(s);
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
		if (!l->no_source && code->insns[i].line != PFX_CODE_NONE &&
		    (!i || code->insns[i].line != code->insns[i - 1].line))
			add_source(s, code, i);
		row = pfx_screen_add_row(s, PFX_ROW_INSN);
		row->id = i;
		row->key = code->insns[i].addr << 1 | 1;
		row->text = code->insns[i].text;
	}
	s->has_rows = true;
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
	double own = pfx_listing_percent(s, a, s->event),
	       other = pfx_listing_percent(s, b, s->event);

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

static void say_location(struct pfx_screen *s)
{
	const struct pfx_screen_row *row = pfx_screen_row(s);
	const struct pfx_code *code = s->listing->code;
	uint32_t line = row && row->id < code->nr_insns ? code->insns[row->id].line : PFX_CODE_NONE;

	if (line == PFX_CODE_NONE)
		pfx_screen_say(s, "the source line is unknown: there is no debug information");
	else
		pfx_screen_sayf(s, "%s:%u", code->lines[line].file, code->lines[line].line);
}

static bool act_switch(struct pfx_screen *s, enum pfx_screen_action action)
{
	struct pfx_screen_listing *l = s->listing;

	switch (action) {
	case PFX_ACT_SOURCE:
		l->no_source = !l->no_source;
		break;
	case PFX_ACT_VALUES:
		l->values = (l->values + 1) % (PFX_LISTING_SAMPLES + 1);
		break;
	case PFX_ACT_GLOBAL:
		l->global = !l->global;
		break;
	case PFX_ACT_HITS:
		l->hits = !l->hits;
		break;
	case PFX_ACT_CYCLES:
		l->no_cycles = !l->no_cycles;
		if (!l->code->speeds)
			pfx_screen_say(s, "there are no cycles: record with branch stacks (-b)");
		break;
	case PFX_ACT_JUMPS:
		l->no_jumps = !l->no_jumps;
		break;
	case PFX_ACT_LINES:
		l->line_numbers = !l->line_numbers;
		break;
	case PFX_ACT_JUMP_COUNTS:
		l->nr_jumps_in = !l->nr_jumps_in;
		break;
	case PFX_ACT_RAW:
		l->raw = !l->raw;
		break;
	case PFX_ACT_OFFSETS:
		l->offsets = (l->offsets + 1) % (PFX_OFFSETS_ALL + 1);
		break;
	case PFX_ACT_ADDRESSES:
		l->addresses = !l->addresses;
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
	case PFX_ACT_LOCATION:
		say_location(s);
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
	.heading = pfx_listing_draw_heading,
	.row = pfx_listing_draw_row,
	.act = act,
	.about = about,
};
