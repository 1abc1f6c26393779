/* SPDX-License-Identifier: MIT */
/*
 * Selects the data types to print and their order. The output forms are in data_text.c and
 * data_json.c.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/words.h"
#include "code/read_data.h"
#include "out/annotate/annotate_internal.h"
#include "out/code/data_json.h"
#include "out/code/data_text.h"
#include "out/term/term.h"

#define FLUSH_SIZE (64u << 10)

/* The state of printing. */
struct writing {
	const struct pfx_annotate *a;
	const struct pfx_cost *wholes;
	const struct pfx_data_profile *profile;
	uint32_t leader;              /* the event that orders the types */
	uint32_t nr;                  /* types of this event so far */
	struct pfx_event_items items; /* the types by event, for text */
	struct pfx_str *to;
};

/* --- which types --- */

static bool has_name(const struct pfx_annotate *a, const struct pfx_data_type *type)
{
	return !a->data.type || pfx_data_type_is(type, a->data.type);
}

static bool is_wanted(const void *context, const struct pfx_data_type *type)
{
	const struct writing *w = context;
	uint64_t period = pfx_cost_of(&type->costs, w->leader).period;

	return has_name(w->a, type) &&
	       pfx_annotate_share(w->wholes, w->leader, period) >= w->a->percent_limit;
}

static int refuse_type(const struct writing *w, struct pfx_error *err)
{
	const struct pfx_data_profile *profile = w->profile;
	const char **names = pfx_calloc(profile->nr_types + 1, sizeof(*names)), *near;
	bool is_bare = pfx_data_type_bare(w->a->data.type) == w->a->data.type;
	char shown[256], other[256];
	uint32_t i;

	for (i = 0; i < profile->nr_types; i++)
		names[i] = is_bare ? pfx_data_type_bare(profile->types[i].name)
				   : profile->types[i].name;
	near = pfx_nearest(w->a->data.type, names, profile->nr_types);
	free(names);
	pfx_error_set(err, ENOENT, "no sample accesses data of type '%s'",
		      pfx_escape(shown, sizeof(shown), w->a->data.type));
	if (near)
		pfx_error_hint(err, "did you mean '%s'?", pfx_escape(other, sizeof(other), near));
	else
		pfx_error_hint(err, "'--type-stat' shows why the types of samples are not known");
	return -ENOENT;
}

static int check_type(const struct writing *w, struct pfx_error *err)
{
	uint32_t i;

	for (i = 0; w->a->data.type && i < w->profile->nr_types; i++)
		if (has_name(w->a, &w->profile->types[i]))
			return 0;
	return w->a->data.type ? refuse_type(w, err) : 0;
}

/* --- writing --- */

/* The types of an event (of the first one of a group), in order; the caller frees the list. */
static struct pfx_ranked *list_types(struct writing *w, const struct pfx_shown_events *shown,
				     uint32_t *ret_nr)
{
	const struct pfx_data_type *types = w->profile->types;
	uint32_t i, nr_all, nr = 0;
	struct pfx_ranked *list = pfx_event_items_of(&w->items, shown, &nr_all);

	w->leader = shown->at.at[0]->idx;
	for (i = 0; i < nr_all; i++) {
		list[i].period = pfx_cost_of(&types[list[i].item].costs, w->leader).period;
		if (is_wanted(w, &types[list[i].item]))
			list[nr++] = list[i];
	}
	*ret_nr = pfx_annotate_rank(w->a, list, nr);
	return list;
}

static int write_types(void *context, const struct pfx_shown_events *shown, struct pfx_error *err)
{
	struct writing *w = context;
	const struct pfx_code_events events = {shown->at.at, (uint32_t)shown->at.nr, w->wholes};
	uint32_t i, nr;
	struct pfx_ranked *list = list_types(w, shown, &nr);
	int rc = 0;

	for (i = 0; i < nr && !rc; i++) {
		pfx_data_text_type(&w->profile->types[list[i].item], &w->a->style, &events, w->to);
		rc = pfx_out_write(w->to, FLUSH_SIZE, err);
	}
	free(list);
	return rc;
}

static int write_text(struct writing *w, struct pfx_error *err)
{
	uint32_t i;
	int rc = 0;

	for (i = 0; i < w->profile->nr_types; i++)
		pfx_event_items_add(&w->items, i, &w->profile->types[i].costs);
	pfx_event_items_sort(&w->items);
	if (w->a->data.types)
		rc = pfx_annotate_each_event(w->a, w->wholes, write_types, w, err);
	if (w->a->data.type_stat)
		pfx_data_text_stat(w->profile, w->to);
	if (w->a->data.insn_stat)
		pfx_data_text_insns(w->profile, w->to);
	return rc;
}

static bool is_wanted_first(const void *context, const struct pfx_data_type *type)
{
	struct writing *w = (struct writing *)(uintptr_t)context;

	return is_wanted(w, type) && (!w->a->top || w->nr++ < w->a->top);
}

static void write_json(struct writing *w)
{
	struct pfx_code_json json;

	pfx_code_json_begin(&json, w->a->meta, w->wholes, w->to);
	if (w->a->data.types)
		pfx_data_json_types(&json, w->profile, is_wanted_first, w, w->to);
	if (w->a->data.type_stat)
		pfx_data_json_stat(&json, w->profile, w->to);
	if (w->a->data.insn_stat)
		pfx_data_json_insns(&json, w->profile, w->to);
	pfx_code_json_end(&json, w->to);
}

int pfx_annotate_write_data(const struct pfx_annotate *annotate, const struct pfx_asked_name *asked,
			    const struct pfx_cost *wholes, uint64_t *ret_nr,
			    const struct pfx_code_output *output)
{
	const struct pfx_data_choice choice = {asked, annotate->filter, annotate->data.insn_stat};
	struct pfx_data_profile *profile = pfx_data_profile_new(annotate->meta->nr_events);
	struct writing w = {
		.a = annotate, .wholes = wholes, .profile = profile, .to = output->text};
	int rc;

	pfx_data_profile_read(profile, annotate->resolver, annotate->costs, &choice);
	*ret_nr = profile->nr_samples;
	rc = check_type(&w, output->err);
	if (!rc && annotate->json)
		write_json(&w);
	else if (!rc)
		rc = write_text(&w, output->err);
	pfx_event_items_fini(&w.items);
	pfx_data_profile_free(profile);
	return rc;
}
