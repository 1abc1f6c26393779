/* SPDX-License-Identifier: MIT */
/* Which functions and events of two recordings belong together, and in which order they are
 * shown. */
#include "diff/code/code_diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/words.h"
#include "diff/code/code_pair_text.h"
#include "diff/names/build_names.h"
#include "out/term/term.h"
#include "sym/table/asked_name.h"

/* How names are compared, the strictest way first. */
enum how { BY_NAME, BY_BUILD_NAME, BY_FUNCTION, NR_HOWS };

struct matched {
	uint32_t functions[2]; /* PFX_CODE_NONE: not in that recording */
	double change;         /* of the share, in points, of the event for which it is largest */
};

struct side {
	const struct pfx_annotate *a;
	const struct pfx_code_function *functions;
	uint32_t nr;
	bool *is_matched; /* by function; true, too, for those that are not asked for */
	struct pfx_cost *wholes;
};

struct comparing {
	struct side sides[2];
	PFX_VEC(struct pfx_code_pair_event) events;
	uint32_t *pair_of[2]; /* by event of each side: index of events, plus 1; 0: not in both */
	PFX_VEC(struct matched) matched;
	struct pfx_code_diff_result *ret;
	struct pfx_str *to;
};

/* --- events --- */

static void add_event_name(const char *name, bool without_precision, struct pfx_str *to)
{
	pfx_str_clear(to);
	if (without_precision)
		pfx_build_event_name(name, to);
	else
		pfx_str_add(to, name);
}

/* Events of the same name; else those that differ in precision alone. */
static void match_events(struct comparing *comparing, bool without_precision)
{
	const struct pfx_meta *old = comparing->sides[0].a->meta,
			      *new = comparing->sides[1].a->meta;
	struct pfx_intern names = {0};
	PFX_VEC(uint32_t) first = {0}; /* by name: the old event, plus 1 */
	struct pfx_str text = {0};
	uint32_t i, *slot;

	for (i = 0; i < old->nr_events; i++) {
		add_event_name(old->events[i]->name, without_precision, &text);
		slot = pfx_vec_slot(&first, pfx_intern_str(&names, pfx_str_get(&text)));
		if (!*slot)
			*slot = i + 1;
	}
	for (i = 0; i < new->nr_events; i++) {
		add_event_name(new->events[i]->name, without_precision, &text);
		slot = pfx_vec_slot(&first, pfx_intern_str(&names, pfx_str_get(&text)));
		if (!*slot)
			continue;
		pfx_vec_push(&comparing->events,
			     ((struct pfx_code_pair_event){new->events[i]->name,
							   {*slot - 1, i},
							   {comparing->sides[0].wholes[*slot - 1],
							    comparing->sides[1].wholes[i]}}));
		*slot = 0;
	}
	pfx_str_fini(&text);
	pfx_vec_free(&first);
	pfx_intern_fini(&names);
}

/* Those that neither side has samples of are left out, unless there are no others. */
static void drop_empty_events(struct comparing *comparing)
{
	size_t i, nr = 0;

	for (i = 0; i < comparing->events.nr; i++)
		if (comparing->events.at[i].wholes[0].nr_samples ||
		    comparing->events.at[i].wholes[1].nr_samples)
			comparing->events.at[nr++] = comparing->events.at[i];
	comparing->events.nr = nr ? nr : 1;
}

static void index_events(struct comparing *comparing)
{
	size_t e;
	int i;

	for (i = 0; i < 2; i++) {
		comparing->pair_of[i] = pfx_calloc(comparing->sides[i].a->meta->nr_events + 1ul,
						   sizeof(*comparing->pair_of[i]));
		for (e = 0; e < comparing->events.nr; e++)
			comparing->pair_of[i][comparing->events.at[e].idx[i]] = (uint32_t)e + 1;
	}
}

/* --- functions --- */

static bool is_asked_for(const struct side *side, const struct pfx_code_function *function,
			 const struct pfx_asked_name *asked, struct pfx_str *text)
{
	if (!pfx_filter_dso(side->a->filter, function->dso))
		return false;
	if (!asked->word || pfx_asked_name_fits(asked, function->symbol->name))
		return true;
	pfx_str_clear(text);
	pfx_build_function_name(function->symbol->name, text);
	return !strcmp(asked->word, pfx_str_get(text));
}

/* Whether any function of the side is asked for; the others are left out. */
static bool choose_asked(struct side *side, const struct pfx_asked_name *asked)
{
	struct pfx_str text = {0};
	bool is_asked, any = false;
	uint32_t i;

	for (i = 0; i < side->nr; i++) {
		is_asked = is_asked_for(side, &side->functions[i], asked, &text);
		side->is_matched[i] = !is_asked;
		any |= is_asked;
	}
	pfx_str_fini(&text);
	return any;
}

static void make_side(struct side *side, const struct pfx_annotate *a)
{
	side->a = a;
	pfx_annotate_prepare(a);
	side->nr = pfx_costs_functions(a->costs, a->meta->nr_events, &side->functions);
	side->wholes = pfx_annotate_wholes(a);
	side->is_matched = pfx_calloc(side->nr + 1ul, sizeof(*side->is_matched));
}

static void add_key(const struct pfx_code_function *function, enum how how, struct pfx_str *to)
{
	pfx_str_clear(to);
	if (how == BY_NAME)
		pfx_str_add(to, function->symbol->name);
	else
		pfx_build_function_name(function->symbol->name, to);
	if (how == BY_FUNCTION)
		return;
	pfx_str_addc(to, '\n');
	if (how == BY_NAME)
		pfx_str_add(to, function->dso->short_name);
	else
		pfx_build_library_name(function->dso->short_name, to);
}

/* Those that have not been matched: the most expensive ones of a key belong together. */
static void match_functions(struct comparing *comparing, enum how how)
{
	struct side *old = &comparing->sides[0], *new = &comparing->sides[1];
	struct pfx_intern keys = {0};
	PFX_VEC(uint32_t) first = {0}; /* by key: the old function, plus 1 */
	struct pfx_str text = {0};
	uint32_t i, *slot;

	for (i = 0; i < old->nr; i++) {
		if (old->is_matched[i])
			continue;
		add_key(&old->functions[i], how, &text);
		slot = pfx_vec_slot(&first, pfx_intern_str(&keys, pfx_str_get(&text)));
		if (!*slot)
			*slot = i + 1;
	}
	for (i = 0; i < new->nr; i++) {
		if (new->is_matched[i])
			continue;
		add_key(&new->functions[i], how, &text);
		slot = pfx_vec_slot(&first, pfx_intern_str(&keys, pfx_str_get(&text)));
		if (!*slot)
			continue;
		pfx_vec_push(&comparing->matched, ((struct matched){{*slot - 1, i}, 0}));
		old->is_matched[*slot - 1] = new->is_matched[i] = true;
		*slot = 0;
	}
	pfx_str_fini(&text);
	pfx_vec_free(&first);
	pfx_intern_fini(&keys);
}

static void add_unmatched(struct comparing *comparing, int side)
{
	struct matched matched = {{PFX_CODE_NONE, PFX_CODE_NONE}, 0};
	uint32_t i;

	for (i = 0; i < comparing->sides[side].nr; i++) {
		if (comparing->sides[side].is_matched[i])
			continue;
		matched.functions[side] = i;
		pfx_vec_push(&comparing->matched, matched);
	}
}

static double share_of(const struct comparing *comparing, const struct matched *matched, int side,
		       const struct pfx_code_pair_event *event)
{
	uint32_t function = matched->functions[side];
	struct pfx_cost cost;

	if (function == PFX_CODE_NONE || !event->wholes[side].period)
		return 0;
	cost = pfx_cost_of(&comparing->sides[side].functions[function].costs, event->idx[side]);
	return 100.0 * (double)cost.period / (double)event->wholes[side].period;
}

/* The largest change of the events that a function has samples of on @side; true: one of its shares
 * reaches the limit. */
static bool measure_side(const struct comparing *comparing, struct matched *matched, int side)
{
	const double limit = comparing->sides[1].a->percent_limit;
	const struct pfx_code_pair_event *event;
	const struct pfx_cost_list *costs;
	bool reaches = !(limit > 0);
	double old, new;
	uint32_t i, e;

	if (matched->functions[side] == PFX_CODE_NONE)
		return false;
	costs = &comparing->sides[side].functions[matched->functions[side]].costs;
	for (i = 0; i < costs->nr; i++) {
		e = comparing->pair_of[side][costs->at[i].event];
		if (!e)
			continue;
		event = &comparing->events.at[e - 1];
		old = share_of(comparing, matched, 0, event);
		new = share_of(comparing, matched, 1, event);
		if (fabs(new - old) > fabs(matched->change))
			matched->change = new - old;
		reaches |= old >= limit || new >= limit;
	}
	return reaches;
}

static int by_change(const void *a, const void *b)
{
	const struct matched *x = a, *y = b;

	if (fabs(x->change) > fabs(y->change) || fabs(x->change) < fabs(y->change))
		return fabs(x->change) > fabs(y->change) ? -1 : 1;
	if (x->functions[1] != y->functions[1])
		return x->functions[1] < y->functions[1] ? -1 : 1;
	return (x->functions[0] > y->functions[0]) - (x->functions[0] < y->functions[0]);
}

/* Those above the limit, in the order in which they are shown. */
static void choose_functions(struct comparing *comparing)
{
	struct matched *matched;
	size_t i, nr = 0;
	bool reaches;
	enum how how;

	for (how = BY_NAME; how < NR_HOWS; how++)
		match_functions(comparing, how);
	add_unmatched(comparing, 0);
	add_unmatched(comparing, 1);
	for (i = 0; i < comparing->matched.nr; i++) {
		matched = &comparing->matched.at[i];
		reaches = measure_side(comparing, matched, 0);
		reaches |= measure_side(comparing, matched, 1);
		if (reaches)
			comparing->matched.at[nr++] = *matched;
	}
	comparing->matched.nr = nr;
	if (nr)
		qsort(comparing->matched.at, nr, sizeof(*comparing->matched.at), by_change);
}

/* --- the code --- */

/* The error with the recording that it is about. */
static int name_side(int side, int rc, struct pfx_error *err)
{
	struct pfx_error why;

	if (!err)
		return rc;
	why = *err;
	pfx_error_set(err, -rc, "in the %s recording, %s", side ? "new" : "old", why.text);
	pfx_error_hint(err, "%s", why.hint);
	return rc;
}

/* The code of one side: 1, 0 if it is not available and others are shown, or an error. */
static int get_code(struct comparing *comparing, const struct matched *matched, int side,
		    struct pfx_code **ret, struct pfx_error *err)
{
	const struct side *from = &comparing->sides[side];
	struct pfx_missing_code *missing = &comparing->ret->missing[side];
	uint32_t function = matched->functions[side];
	int rc;

	*ret = NULL;
	if (function == PFX_CODE_NONE)
		return 1;
	rc = pfx_code_new(ret, from->a->resolver, from->a->costs, &from->functions[function],
			  &from->a->code, err);
	if (!rc) {
		missing->nr_shown++;
		if (!(*ret)->has_disassembler) {
			missing->has_no_disassembler = true;
			missing->machine = (*ret)->machine;
		}
		return 1;
	}
	if ((rc != -ENODATA && rc != -EFBIG) || comparing->sides[1].a->symbol)
		return name_side(side, rc, err);
	pfx_missing_code_add(missing, &from->functions[function], function, from->nr, rc);
	return 0;
}

static bool has_samples(const struct pfx_code *const codes[2],
			const struct pfx_code_pair_event *event)
{
	return (codes[0] && codes[0]->totals[event->idx[0]].nr_samples) ||
	       (codes[1] && codes[1]->totals[event->idx[1]].nr_samples);
}

/* For each event that one side has samples of; the first event if there is none. */
static int write_texts(const struct comparing *comparing, const struct pfx_code_pair *pair,
		       const struct pfx_code_output *output)
{
	const struct pfx_code *const codes[2] = {pair->old, pair->new};
	const struct pfx_annotate *a = comparing->sides[1].a;
	const struct pfx_code_pair_event *event;
	bool any = false;
	size_t e;
	int rc = 0;

	for (e = 0; e < comparing->events.nr && !rc; e++) {
		event = &comparing->events.at[e];
		if (!has_samples(codes, event))
			continue;
		any = true;
		rc = pfx_code_pair_text(pair, &a->style, event, output);
	}
	return any ? rc : pfx_code_pair_text(pair, &a->style, &comparing->events.at[0], output);
}

static int write_pair(struct comparing *comparing, const struct pfx_code *const codes[2],
		      struct pfx_error *err)
{
	const struct pfx_annotate *a = comparing->sides[1].a;
	const struct pfx_code_output output = {comparing->to, pfx_out_write, err};
	struct pfx_code_pair pair;
	int rc;

	pfx_code_pair_make(&pair, codes[0], codes[1]);
	if (a->json)
		rc = pfx_code_pair_json_add(&pair, comparing->events.at,
					    (uint32_t)comparing->events.nr,
					    !comparing->ret->nr_shown, &output);
	else
		rc = write_texts(comparing, &pair, &output);
	comparing->ret->nr_shown++;
	comparing->ret->has_new |= !codes[0];
	pfx_code_pair_fini(&pair);
	return rc;
}

static int write_function(struct comparing *comparing, const struct matched *matched,
			  struct pfx_error *err)
{
	struct pfx_code *codes[2] = {NULL, NULL};
	int rc = get_code(comparing, matched, 0, &codes[0], err);

	if (rc > 0)
		rc = get_code(comparing, matched, 1, &codes[1], err);
	if (rc > 0)
		rc = write_pair(comparing, (const struct pfx_code *const *)codes, err);
	pfx_code_free(codes[0]);
	pfx_code_free(codes[1]);
	return rc;
}

static int write_functions(struct comparing *comparing, struct pfx_error *err)
{
	const struct pfx_annotate *a = comparing->sides[1].a;
	size_t i;
	int rc = 0;

	if (a->json)
		pfx_code_pair_json_begin(comparing->events.at, (uint32_t)comparing->events.nr,
					 comparing->to);
	for (i = 0; i < comparing->matched.nr && !rc; i++)
		if (!a->top || comparing->ret->nr_shown < a->top)
			rc = write_function(comparing, &comparing->matched.at[i], err);
	if (a->json)
		pfx_code_pair_json_end(comparing->to);
	return rc;
}

/* --- what cannot be compared --- */

static int refuse_symbol(const struct comparing *comparing, struct pfx_error *err)
{
	const struct side *new = &comparing->sides[1];
	const char **names = pfx_calloc(new->nr + 1ul, sizeof(*names)), *near;
	char shown[256], other[256];
	uint32_t i;

	for (i = 0; i < new->nr; i++)
		names[i] = new->functions[i].symbol->name;
	near = pfx_similar_name(new->a->symbol, names, new->nr);
	pfx_error_set(err, ENOENT, "neither recording has samples in a function '%s'",
		      pfx_escape(shown, sizeof(shown), new->a->symbol));
	if (near)
		pfx_error_hint(err, "did you mean '%s'?", pfx_escape(other, sizeof(other), near));
	free(names);
	return -ENOENT;
}

static int refuse_events(const struct comparing *comparing, struct pfx_error *err)
{
	const struct pfx_meta *old = comparing->sides[0].a->meta,
			      *new = comparing->sides[1].a->meta;
	char one[128], other[128];

	if (!old->nr_events || !new->nr_events)
		return pfx_error_set(err, ENODATA, "the recordings have no events to compare");
	return pfx_error_set(err, ENODATA,
			     "the recordings have no event in common: the old one has '%s', the "
			     "new one '%s'",
			     pfx_escape(one, sizeof(one), old->events[0]->name),
			     pfx_escape(other, sizeof(other), new->events[0]->name));
}

/* The functions of the symbol, in both recordings alike. */
static void choose_both(struct comparing *comparing, const char *symbol)
{
	struct pfx_asked_name asked = {.word = symbol};
	bool any = choose_asked(&comparing->sides[0], &asked);

	any |= choose_asked(&comparing->sides[1], &asked);
	if (!any && symbol) {
		pfx_asked_name_loosen(&asked);
		choose_asked(&comparing->sides[0], &asked);
		choose_asked(&comparing->sides[1], &asked);
	}
	pfx_asked_name_fini(&asked);
}

static int compare(struct comparing *comparing, struct pfx_error *err)
{
	match_events(comparing, false);
	if (!comparing->events.nr)
		match_events(comparing, true);
	if (!comparing->events.nr)
		return refuse_events(comparing, err);
	drop_empty_events(comparing);
	index_events(comparing);
	choose_functions(comparing);
	if (!comparing->matched.nr && comparing->sides[1].a->symbol)
		return refuse_symbol(comparing, err);
	return write_functions(comparing, err);
}

int pfx_code_diff_write(const struct pfx_annotate *const recordings[2],
			struct pfx_code_diff_result *ret, struct pfx_str *to, struct pfx_error *err)
{
	struct comparing comparing = {.ret = ret, .to = to};
	int i, rc;

	*ret = (struct pfx_code_diff_result){0};
	for (i = 0; i < 2; i++)
		make_side(&comparing.sides[i], recordings[i]);
	choose_both(&comparing, recordings[1]->symbol);
	rc = compare(&comparing, err);
	for (i = 0; i < 2; i++) {
		free(comparing.sides[i].is_matched);
		free(comparing.sides[i].wholes);
		free(comparing.pair_of[i]);
	}
	pfx_vec_free(&comparing.events);
	pfx_vec_free(&comparing.matched);
	return rc < 0 ? rc : pfx_out_write(to, 0, err);
}

void pfx_code_diff_fini(struct pfx_code_diff_result *result)
{
	pfx_missing_code_fini(&result->missing[0]);
	pfx_missing_code_fini(&result->missing[1]);
}
