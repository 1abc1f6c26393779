/* SPDX-License-Identifier: MIT */
/* Which events are shown side by side. */
#include "out/annotate_internal.h"

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

void pfx_annotate_choose_events(const struct pfx_annotate *annotate, const struct pfx_cost *wholes,
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

struct pfx_cost *pfx_annotate_wholes(const struct pfx_annotate *annotate)
{
	uint32_t i, nr = annotate->meta->nr_events;
	struct pfx_cost *wholes = pfx_calloc(nr + 1, sizeof(*wholes));

	for (i = 0; i < nr; i++)
		wholes[i] = pfx_costs_total(annotate->costs, i);
	return wholes;
}
