/* SPDX-License-Identifier: MIT */
/* Which events are shown side by side; and what is opened before anything is shown. */
#include <stdlib.h>

#include "base/alloc.h"
#include "out/annotate/annotate_internal.h"

/* The end of the events that event @i leads: itself, the members of its group, or all. */
static uint32_t end_of_group(const struct pfx_annotate *annotate, uint32_t i)
{
	const struct pfx_meta *meta = annotate->meta;
	uint32_t k, nr = meta->events[i]->nr_members;

	if (nr > 1)
		return annotate->group && nr <= meta->nr_events - i ? i + nr : i + 1;
	for (k = 0; annotate->group_all && k < meta->nr_events; k++)
		if (meta->events[k]->nr_members > 1)
			return i + 1;
	return annotate->group_all ? meta->nr_events : i + 1;
}

/* The events to show with event @i, for ascending @i: none if it was shown with one before it. */
static void choose_events(const struct pfx_annotate *annotate, const struct pfx_cost *wholes,
			  uint32_t i, struct pfx_shown_events *ret)
{
	const struct pfx_meta *meta = annotate->meta;
	uint32_t end, k;

	ret->at.nr = 0;
	if (i < ret->end)
		return;
	ret->end = end = end_of_group(annotate, i);
	for (k = i; k < end; k++)
		if (!annotate->skip_empty || k == i || wholes[k].nr_samples)
			pfx_vec_push(&ret->at, (const struct pfx_event *)meta->events[k]);
}

int pfx_annotate_each_event(const struct pfx_annotate *annotate, const struct pfx_cost *wholes,
			    pfx_annotate_write_fn write, void *context, struct pfx_error *err)
{
	struct pfx_shown_events shown = {0};
	uint32_t i;
	int rc = 0;

	for (i = 0; i < annotate->meta->nr_events && !rc; i++) {
		choose_events(annotate, wholes, i, &shown);
		if (shown.at.nr)
			rc = write(context, &shown, err);
	}
	pfx_vec_free(&shown.at);
	return rc;
}

struct pfx_cost *pfx_annotate_wholes(const struct pfx_annotate *annotate)
{
	uint32_t at = 0, nr = annotate->meta->nr_events;
	struct pfx_cost *wholes = pfx_calloc(nr + 1, sizeof(*wholes));
	struct pfx_cost_entry entry;

	while (pfx_costs_each(annotate->costs, &at, &entry))
		if (pfx_filter_dso(annotate->filter, entry.place->dso))
			pfx_cost_add(&wholes[entry.event], &entry.cost);
	return wholes;
}

/* What takes long to open: symbols, and debug information, which may be packed, unless that is
 * being opened while functions are shown. */
void pfx_annotate_prepare(const struct pfx_annotate *annotate)
{
	const uint32_t nr_dsos = pfx_session_nr_dsos(annotate->session);
	bool *is_wanted = pfx_calloc(nr_dsos + 1, sizeof(*is_wanted));
	bool is_ahead = pfx_resolver_opens_ahead(annotate->resolver);
	struct pfx_prepare wanted = {.place_sources = !annotate->symbol && !is_ahead};
	PFX_VEC(uint32_t) places = {0}; /* one of each binary */
	struct pfx_cost_entry entry;
	const struct pfx_dso *dso;
	uint32_t at = 0;

	while (pfx_costs_each(annotate->costs, &at, &entry)) {
		dso = entry.place->dso;
		if (!dso || is_wanted[dso->id] || !pfx_filter_dso(annotate->filter, dso) ||
		    !pfx_costs_chosen(annotate->costs, dso))
			continue;
		is_wanted[dso->id] = true;
		pfx_vec_push(&places, entry.place->id);
	}
	wanted.places = places.at;
	wanted.nr_places = (uint32_t)places.nr;
	if (places.nr > 1)
		pfx_resolver_prepare(annotate->resolver, &wanted);
	pfx_vec_free(&places);
	free(is_wanted);
}
