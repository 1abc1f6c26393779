/* SPDX-License-Identifier: MIT */
/*
 * Selects the functions to print, their order, and the events side by side. The output forms are in
 * code_text.c and code_json.c.
 */
#include "out/annotate/annotate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "code/code_store.h"
#include "code/find_inlined.h"
#include "out/annotate/annotate_internal.h"
#include "out/code/code_json.h"
#include "out/term/term.h"
#include "sym/table/asked_name.h"

/* The state of printing. */
struct writing {
	const struct pfx_annotate *a;
	struct pfx_missing_code *missing;
	int missing_rc; /* why the last function without code has none; its message is the error's
			 */
	const struct pfx_code_function *functions;
	uint32_t nr_functions;
	struct pfx_code_style style;
	struct pfx_asked_name asked; /* the symbol, if one is requested */
	bool *is_outer;              /* by function: the symbol is inlined in it; NULL: it is not */
	struct pfx_cost *wholes;     /* of all samples, by event */
	struct pfx_code_store codes;
	struct pfx_event_items items; /* the functions by event, for text */
	struct pfx_str *to;
};

/* --- which functions, in which order --- */

static bool is_wanted(const struct writing *w, const struct pfx_code_function *function)
{
	const struct pfx_annotate *o = w->a;

	if (w->is_outer)
		return w->is_outer[function - w->functions];
	return pfx_filter_dso(o->filter, function->dso) &&
	       (!o->symbol || pfx_asked_name_fits(&w->asked, function->symbol->name));
}

static bool is_above_limit(const struct writing *w, uint32_t event, uint64_t period)
{
	return pfx_annotate_share(w->wholes, event, period) >= w->a->percent_limit;
}

/* The functions to print for an event (for the first one of a group), in order; the caller frees
 * the list. */
static struct pfx_ranked *list_functions(const struct writing *w,
					 const struct pfx_shown_events *shown, uint32_t *ret_nr)
{
	uint32_t leader = shown->at.at[0]->idx, i, nr_all, nr = 0;
	struct pfx_ranked *list = pfx_event_items_of(&w->items, shown, &nr_all);
	const struct pfx_code_function *function;

	for (i = 0; i < nr_all; i++) {
		function = &w->functions[list[i].item];
		list[i].period = pfx_cost_of(&function->costs, leader).period;
		if (is_wanted(w, function) && is_above_limit(w, leader, list[i].period))
			list[nr++] = list[i];
	}
	*ret_nr = pfx_annotate_rank(w->a, list, nr);
	return list;
}

/* --- writing --- */

void pfx_missing_code_add(struct pfx_missing_code *missing,
			  const struct pfx_code_function *function, uint32_t i, uint32_t nr,
			  int reason)
{
	struct pfx_missing_dso *dso = pfx_vec_slot(&missing->dsos, function->dso->id);
	uint32_t e;

	if (!missing->is_counted)
		missing->is_counted = pfx_calloc(nr, sizeof(*missing->is_counted));
	if (missing->is_counted[i])
		return;
	missing->is_counted[i] = true;
	dso->nr_functions++;
	dso->nr_too_large += reason == -EFBIG;
	for (e = 0; e < function->costs.nr; e++)
		dso->nr_samples += function->costs.at[e].cost.nr_samples;
}

/* The code of a function: 1, 0 if it is not available and other functions are shown, or an
 * error. */
static int get_code(struct writing *w, const struct pfx_code_function *function,
		    struct pfx_code **ret, struct pfx_error *err)
{
	int rc = pfx_code_store_get(&w->codes, (uint32_t)(function - w->functions), ret, err);

	if (!rc) {
		w->missing->nr_shown++;
		if (!(*ret)->has_disassembler) {
			w->missing->has_no_disassembler = true;
			w->missing->machine = (*ret)->machine;
		}
		return 1;
	}
	if (rc != -ENODATA && rc != -EFBIG)
		return rc;
	w->missing_rc = rc;
	pfx_missing_code_add(w->missing, function, (uint32_t)(function - w->functions),
			     w->nr_functions, rc);
	return 0;
}

/* Whether the function will be shown again, for an event after those that are shown now. */
static bool is_shown_again(const struct pfx_shown_events *shown,
			   const struct pfx_code_function *function)
{
	const struct pfx_cost_list *costs = &function->costs;

	return costs->at[costs->nr - 1].event > shown->at.at[shown->at.nr - 1]->idx;
}

static int write_functions(void *context, const struct pfx_shown_events *shown,
			   struct pfx_error *err)
{
	struct writing *w = context;
	const struct pfx_code_events events = {shown->at.at, (uint32_t)shown->at.nr, w->wholes};
	const struct pfx_code_output output = {w->to, pfx_out_write, err};
	const struct pfx_code_function *function;
	struct pfx_ranked *list;
	struct pfx_code *code;
	uint32_t i, nr;
	int rc = 0;

	list = list_functions(w, shown, &nr);
	for (i = 0; i < nr && !rc; i++) {
		function = &w->functions[list[i].item];
		rc = get_code(w, function, &code, err);
		if (rc <= 0)
			continue;
		rc = pfx_code_text(code, &w->style, &events, &output);
		pfx_code_store_put(&w->codes, list[i].item, code, is_shown_again(shown, function));
	}
	free(list);
	return rc;
}

static int write_text(struct writing *w, struct pfx_error *err)
{
	uint32_t i;

	for (i = 0; i < w->nr_functions; i++)
		pfx_event_items_add(&w->items, i, &w->functions[i].costs);
	pfx_event_items_sort(&w->items);
	return pfx_annotate_each_event(w->a, w->wholes, write_functions, w, err);
}

/* JSON has the costs of all events in each function. */
static int write_json(struct writing *w, struct pfx_error *err)
{
	const struct pfx_meta *meta = w->a->meta;
	const struct pfx_code_output output = {w->to, pfx_out_write, err};
	struct pfx_code_json json = {0};
	struct pfx_code *code;
	uint64_t nr = 0;
	uint32_t i;
	int rc = 0;

	pfx_code_json_begin(&json, meta, w->wholes, w->to);
	for (i = 0; i < w->nr_functions && !rc; i++) {
		if (!is_wanted(w, &w->functions[i]) || (w->a->top && nr >= w->a->top) ||
		    !is_above_limit(w, 0, pfx_cost_of(&w->functions[i].costs, 0).period))
			continue;
		nr++;
		rc = get_code(w, &w->functions[i], &code, err);
		if (rc <= 0)
			continue;
		rc = pfx_code_json_add(&json, code, &output);
		pfx_code_store_put(&w->codes, i, code, false);
	}
	pfx_code_json_end(&json, w->to);
	return rc;
}

/* --- a requested symbol without samples --- */

/* A symbol of that name without samples, in the binaries that have samples. */
static bool is_symbol(const struct writing *w, const char *name)
{
	struct pfx_session *session = w->a->session;
	const struct pfx_dso *dso;
	uint32_t i;

	for (i = 0; i < pfx_session_nr_dsos(session); i++) {
		dso = pfx_session_dso_at(session, i);
		if (!dso->hit)
			continue;
		if (pfx_symtab_has(pfx_resolver_symtab(w->a->resolver, dso), name))
			return true;
	}
	return false;
}

/* Functions that contain the code of the symbol. */
static bool find_outer(struct writing *w)
{
	const struct pfx_annotate *a = w->a;

	bool *is_outer = pfx_calloc(w->nr_functions + 1, sizeof(*is_outer));

	w->missing->nr_outer =
		pfx_costs_inlined_in(a->costs, a->resolver, a->filter, &w->asked, is_outer);
	if (!w->missing->nr_outer) {
		free(is_outer);
		return false;
	}
	w->is_outer = is_outer;
	w->style.only = &w->asked;
	return true;
}

/* The most expensive function with a similar name; the caller frees it. NULL: none. */
static char *similar_function(const struct writing *w)
{
	const char **names = pfx_calloc(w->nr_functions + 1, sizeof(*names)), *near;
	uint32_t i;

	for (i = 0; i < w->nr_functions; i++)
		names[i] = w->functions[i].symbol->name;
	near = pfx_similar_name(w->a->symbol, names, w->nr_functions);
	free(names);
	return near ? pfx_short_name(near) : NULL;
}

static int refuse_symbol(const struct writing *w, struct pfx_error *err)
{
	const char *symbol = w->a->symbol;
	char shown[256], other[256], *near = similar_function(w);
	bool is_known = is_symbol(w, symbol);

	pfx_escape(shown, sizeof(shown), symbol);
	pfx_error_set(err, ENOENT,
		      is_known ? "no sample lies in '%s'"
			       : "there is no function '%s' in the recording",
		      shown);
	pfx_escape(other, sizeof(other), near ? near : "");
	if (w->a->data.types && !w->a->data.type && !is_known)
		pfx_error_hint(err, "for a type, write --data-type=%s", shown);
	else if (near)
		pfx_error_hint(err, is_known ? "'%s' has samples" : "did you mean '%s'?", other);
	else if (is_known)
		pfx_error_hint(err, "'pfx report' shows where the samples are");
	free(near);
	return -ENOENT;
}

/* Types are those of functions. */
static int refuse_types(const struct writing *w, struct pfx_error *err)
{
	char shown[256];

	return pfx_error_set(err, ENODATA,
			     "'%s' has no code of its own: it is inlined in other functions",
			     pfx_escape(shown, sizeof(shown), w->a->symbol));
}

static bool has_wanted(const struct writing *w)
{
	uint32_t i;

	for (i = 0; i < w->nr_functions; i++)
		if (is_wanted(w, &w->functions[i]))
			return true;
	return false;
}

static int check_symbol(struct writing *w, struct pfx_error *err)
{
	if (!w->a->symbol || has_wanted(w))
		return 0;
	if (!find_outer(w)) {
		pfx_asked_name_loosen(&w->asked);
		if (has_wanted(w))
			return 0;
		if (!find_outer(w))
			return refuse_symbol(w, err);
	}
	return pfx_annotate_shows_data(&w->a->data) ? refuse_types(w, err) : 0;
}

static bool may_have_symbol(void *context, const struct pfx_dso *dso)
{
	const struct pfx_annotate *annotate = context;

	return pfx_filter_dso(annotate->filter, dso) &&
	       pfx_resolver_may_have(annotate->resolver, dso, annotate->symbol);
}

static void list_all(struct writing *w)
{
	pfx_annotate_prepare(w->a);
	w->nr_functions = pfx_costs_functions(w->a->costs, w->a->meta->nr_events, &w->functions);
}

/* Of binaries that cannot have the symbol nothing is loaded, unless no other one has it: messages
 * then name similar functions. */
static void list_wanted(struct writing *w)
{
	const struct pfx_annotate *a = w->a;
	const struct pfx_costs_choice choice = {may_have_symbol, (void *)a};

	if (a->symbol && !a->json && !pfx_annotate_shows_data(&a->data)) {
		pfx_costs_choose(a->costs, &choice);
		list_all(w);
		if (has_wanted(w))
			return;
		pfx_costs_choose(a->costs, NULL);
	}
	list_all(w);
}

int pfx_annotate_write(const struct pfx_annotate *annotate, struct pfx_missing_code *ret_missing,
		       struct pfx_str *to, struct pfx_error *err)
{
	struct writing w = {
		.a = annotate,
		.missing = ret_missing,
		.style = annotate->style,
		.asked = {.word = annotate->symbol},
		.to = to,
	};
	const struct pfx_code_output output = {to, pfx_out_write, err};
	struct pfx_code_options options = annotate->code;
	int rc;

	list_wanted(&w);
	options.no_lanes = !annotate->json;
	w.codes = (struct pfx_code_store){
		.resolver = annotate->resolver, .costs = annotate->costs, .options = &options};
	w.wholes = pfx_annotate_wholes(annotate);
	rc = check_symbol(&w, err);
	if (!rc && (pfx_annotate_shows_data(&annotate->data)))
		rc = pfx_annotate_write_data(annotate, annotate->symbol ? &w.asked : NULL, w.wholes,
					     &ret_missing->nr_shown, &output);
	else if (!rc)
		rc = annotate->json ? write_json(&w, err) : write_text(&w, err);
	if (!rc && annotate->symbol && !ret_missing->nr_shown)
		rc = w.missing_rc;
	pfx_code_store_fini(&w.codes);
	pfx_event_items_fini(&w.items);
	pfx_asked_name_fini(&w.asked);
	free(w.is_outer);
	free(w.wholes);
	return rc < 0 ? rc : pfx_out_write(to, 0, err);
}

void pfx_missing_code_fini(struct pfx_missing_code *missing)
{
	free(missing->is_counted);
	pfx_vec_free(&missing->dsos);
}
