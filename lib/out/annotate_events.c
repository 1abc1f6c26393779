/* SPDX-License-Identifier: MIT */
/* Without --group each event is shown alone. */
#include "out/annotate_internal.h"

void pfx_annotate_choose_events(const struct pfx_annotate *annotate, const struct pfx_cost *wholes,
				uint32_t i, struct pfx_shown_events *ret)
{
	const struct pfx_meta *meta = annotate->meta;
	const struct pfx_event *event = meta->events[i];
	bool has_groups = false, all;
	uint32_t k;

	ret->at.nr = 0;
	if (!annotate->group) {
		pfx_vec_push(&ret->at, event);
		return;
	}
	for (k = 0; k < meta->nr_events; k++)
		has_groups |= meta->events[k]->nr_members > 1;
	all = !has_groups; /* then all events are shown as one group */
	if (all ? i > 0 : event->leader != event->idx)
		return;
	for (k = i; k < meta->nr_events; k++)
		if ((all || meta->events[k]->leader == event->idx) &&
		    (!annotate->skip_empty || k == i || wholes[k].nr_samples))
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
