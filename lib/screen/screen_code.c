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

static void forget_code(struct pfx_screen_listing *l)
{
	pfx_code_free(l->code);
	free(l->found);
	l->code = NULL;
	l->found = NULL;
	l->of = NULL;
	l->function = 0;
}

void pfx_screen_costs_stale(struct pfx_screen *s)
{
	if (!s->listing)
		return;
	forget_code(s->listing);
	s->listing->profile = NULL;
}

void pfx_screen_listing_free(struct pfx_screen *s)
{
	pfx_screen_costs_stale(s);
	if (s->listing)
		pfx_vec_free(&s->listing->called);
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

static const struct pfx_listing_called *find_called(const struct pfx_screen *s, uint64_t key)
{
	size_t i;

	for (i = 0; s->listing && i < s->listing->called.nr; i++)
		if (s->listing->called.at[i].key == key)
			return &s->listing->called.at[i];
	return NULL;
}

/* A function of the profile: with its samples, or if it only calls others, without. */
static int find_own(struct pfx_screen *s, uint32_t id, struct pfx_found_code *found,
		    const struct pfx_code_function **ret, struct pfx_error *err)
{
	const struct pfx_profile_function *function = &s->profile->functions[id];
	struct pfx_screen_listing *l = s->listing;

	*ret = pfx_view_code(s->profile, id, l->from.functions, l->from.nr_functions);
	if (*ret)
		return 0;
	*ret = &found->function;
	if (!function->is_inlined && function->dso != PFX_NO_ID &&
	    pfx_find_code(l->from.resolver, s->profile->dsos[function->dso].name, function->name,
			  function->start, found))
		return 0;
	return pfx_error_set(err, ENODATA, "'%s' has no code to show: %s", function->name,
			     function->is_inlined ? "it is inlined in its callers"
						  : "no sample is in the function itself");
}

/* What the function with a key is in the recording. */
static int find_function(struct pfx_screen *s, uint64_t key, struct pfx_found_code *found,
			 const struct pfx_code_function **ret, struct pfx_error *err)
{
	const struct pfx_listing_called *called = find_called(s, key);
	uint32_t id = pfx_screen_find_function(s, key);

	if (id != PFX_NO_ID)
		return find_own(s, id, found, ret, err);
	*ret = &found->function;
	if (called && pfx_find_code(s->listing->from.resolver, called->dso, called->name,
				    called->start, found))
		return 0;
	return pfx_error_set(err, ENODATA, "the function is not in this recording");
}

static int load(struct pfx_screen *s, uint64_t key, struct pfx_error *err)
{
	struct pfx_screen_listing *l = pfx_screen_listing(s);
	struct pfx_found_code *found;
	const struct pfx_code_function *of;
	struct pfx_code *code;
	int rc = read_costs(s, err);

	if (rc < 0)
		return rc;
	found = pfx_calloc(1, sizeof(*found));
	rc = find_function(s, key, found, &of, err);
	if (!rc)
		rc = pfx_code_new(&code, l->from.resolver, l->from.costs, of, &l->from.options,
				  err);
	if (rc < 0) {
		free(found);
		return rc;
	}
	forget_code(l);
	l->code = code;
	l->of = of;
	l->found = found;
	l->function = key;
	return 0;
}

bool pfx_screen_open_code(struct pfx_screen *s, uint64_t function)
{
	struct pfx_error err = {0};

	if (function && pfx_screen_listing(s)->function == function)
		return true;
	if (load(s, function, &err) < 0) {
		pfx_screen_say(s, err.text);
		return false;
	}
	pfx_screen_stale(s);
	return true;
}

const char *pfx_screen_code_name(const struct pfx_screen *s)
{
	uint32_t function = pfx_screen_find_function(s, s->place.function);
	const struct pfx_listing_called *called = find_called(s, s->place.function);

	if (function != PFX_NO_ID)
		return s->profile->functions[function].name;
	return called ? called->name : NULL;
}

/* --- rows --- */

/* The text of a line, or its place if the file is not available. */
static char *text_of(const struct pfx_code_line *line)
{
	if (line->text)
		return pfx_strndup(line->text, line->len);
	return pfx_strfmt("%s:%u", pfx_file_name(line->file), line->line);
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
	const struct pfx_code *code;
	struct pfx_screen_row *row;
	uint32_t i;

	pfx_screen_select(s);
	if (!pfx_screen_open_code(s, s->place.function)) {
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

/* A step begins at the row's instruction if it has samples, otherwise at the hottest one. */
static void go_hot(struct pfx_screen *s, int step)
{
	const struct pfx_screen_row *row = pfx_screen_row(s);
	uint32_t than = PFX_CODE_NONE, insn;

	if (s->event >= s->listing->code->nr_events)
		return;
	if (step && row && row->kind == PFX_ROW_INSN &&
	    pfx_code_cost(s->listing->code, row->id, s->event)->nr_samples)
		than = row->id;
	insn = hot_insn(s, than, step);
	if (insn == PFX_CODE_NONE)
		pfx_screen_say(s, !step      ? "no instruction has samples"
				  : step < 0 ? "this is the most expensive instruction"
					     : "no other instruction has samples");
	else
		go_to_insn(s, insn);
}

void pfx_screen_go_hottest(struct pfx_screen *s)
{
	uint32_t insn;

	pfx_screen_need_rows(s);
	if (s->event >= s->listing->code->nr_events)
		return;
	insn = hot_insn(s, PFX_CODE_NONE, 0);
	if (insn != PFX_CODE_NONE)
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

/* The key of a function that is called: that of the profile's if it has it, else a new one. */
static uint64_t key_of_called(struct pfx_screen *s, const struct pfx_code_function *of)
{
	struct pfx_screen_listing *l = s->listing;
	uint64_t key = pfx_screen_key_of_function(of->symbol->name, of->dso->short_name, false);
	uint32_t id = pfx_screen_find_function(s, key);

	if (id != PFX_NO_ID && s->profile->functions[id].start == of->symbol->start)
		return key;
	if (id != PFX_NO_ID) /* another of this name */
		key = pfx_hash_u64(key ^ of->symbol->start) | 1;
	if (!find_called(s, key))
		pfx_vec_push(&l->called,
			     ((struct pfx_listing_called){key, of->symbol->start,
							  pfx_screen_intern(s, of->symbol->name),
							  pfx_screen_intern(s, of->dso->name)}));
	return key;
}

/* A call through the table of another binary's functions: that function, if it has samples. */
static uint32_t find_linked(const struct pfx_screen *s, const char *name)
{
	const char *at = strstr(name, "@plt");
	char *plain = pfx_strndup(name, at ? (size_t)(at - name) : strlen(name));
	uint32_t id = find_named(s, plain);

	free(plain);
	return id;
}

/* The key of the function that an instruction leads to; 0: none. */
static uint64_t key_of_target(struct pfx_screen *s, const struct pfx_code_insn *insn)
{
	struct pfx_screen_listing *listing = s->listing;
	struct pfx_resolver *resolver = listing->from.resolver;
	struct pfx_found_code called;
	bool found = pfx_find_called_code(resolver, listing->of, listing->code, insn, &called);
	const char *slot = pfx_called_slot(resolver, listing->of, listing->code, insn);
	const char *name = found           ? called.function.symbol->name
			   : slot          ? slot
			   : insn->is_data ? NULL
					   : insn->name;
	uint32_t id = PFX_NO_ID;

	if (name && (!found || strstr(name, "@plt"))) /* the maps do not say which one it is */
		id = find_linked(s, name);
	if (id != PFX_NO_ID)
		return s->function_keys[id];
	return found ? key_of_called(s, &called.function) : 0;
}

/* As in perf, a return leads to where the function was opened. */
static void leave_function(struct pfx_screen *s)
{
	uint64_t function = s->place.function;

	while (s->place.view == PFX_SCREEN_CODE && s->place.function == function)
		if (!pfx_screen_back(s)) {
			pfx_screen_say(s, "this is the function that you began with");
			return;
		}
}

static void follow(struct pfx_screen *s)
{
	const struct pfx_screen_row *row = pfx_screen_row(s);
	const struct pfx_code_insn *insn;
	uint64_t key;

	if (!row || row->kind != PFX_ROW_INSN)
		return;
	insn = &s->listing->code->insns[row->id];
	if (insn->flow == PFX_FLOW_RETURN) {
		leave_function(s);
		return;
	}
	if (insn->target_insn != PFX_CODE_NONE) {
		pfx_screen_push(s);
		go_to_insn(s, insn->target_insn);
		return;
	}
	key = key_of_target(s, insn);
	if (!key)
		pfx_screen_say(s, (insn->name && !insn->is_data) || insn->flow == PFX_FLOW_CALL
					  ? "the called function is not known"
					  : "this instruction neither jumps nor calls");
	if (!key || !pfx_screen_open_code(s, key))
		return;
	pfx_screen_push(s);
	s->place.function = key;
	s->place.selected = s->place.cursor = s->place.top = s->place.left = 0;
	pfx_screen_stale(s);
	pfx_screen_go_hottest(s);
	if (s->listing->of == &s->listing->found->function)
		pfx_screen_say(s, "the function has no samples of its own");
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
	const char *name = pfx_screen_code_name(s);

	if (name)
		pfx_str_addf(to, " of %s", name);
}

const struct pfx_screen_ops pfx_screen_code_ops = {
	.make = make,
	.heading = pfx_listing_draw_heading,
	.row = pfx_listing_draw_row,
	.act = act,
	.text = pfx_listing_text,
	.about = about,
};
