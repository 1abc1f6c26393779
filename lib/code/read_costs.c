/* SPDX-License-Identifier: MIT */
/* A sample with counts of several events of a group counts for each of them. */
#include "code/read_costs.h"

/* Members of a group that is read as a whole have the sample of their leader. */
static bool has_branches(const struct pfx_event *event, const struct pfx_sample *sample)
{
	return sample->type & PFX_SAMPLE_BRANCH_STACK &&
	       (!(sample->type & PFX_SAMPLE_READ) || event->leader == event->idx);
}

void pfx_costs_take(void *costs, const struct pfx_event *event, const struct pfx_sample *sample,
		    struct pfx_thread *thread)
{
	pfx_costs_add(costs, event->idx, sample, thread);
	if (has_branches(event, sample))
		pfx_costs_add_branches(costs, event->idx, sample, thread);
}

void pfx_costs_take_self(struct pfx_costs *costs, const struct pfx_event *event,
			 const struct pfx_sample *sample, struct pfx_thread *thread)
{
	bool branches = has_branches(event, sample);

	pfx_costs_add_self(costs, event->idx, sample, thread);
	if (branches)
		pfx_costs_add_branches(costs, event->idx, sample, thread);
}

static void take_self(void *costs, const struct pfx_event *event, const struct pfx_sample *sample,
		      struct pfx_thread *thread)
{
	pfx_costs_take_self(costs, event, sample, thread);
}

int pfx_costs_read(struct pfx_costs *costs, const struct pfx_costs_reading *reading,
		   struct pfx_error *err)
{
	const struct pfx_samples_reading samples = {
		.recording = reading->recording,
		.batch = !reading->no_chains,
		.filter = reading->filter,
		.take = reading->no_chains ? take_self : pfx_costs_take,
		.context = costs,
		.step = reading->step,
		.step_context = reading->step_context,
	};

	return pfx_samples_read(&samples, err);
}
