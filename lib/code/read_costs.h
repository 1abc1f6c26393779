/* SPDX-License-Identifier: MIT */
/* Counts the samples of a recording by address. */
#ifndef PFX_CODE_READ_COSTS_H
#define PFX_CODE_READ_COSTS_H

#include "code/cost.h"
#include "read/samples.h"

/* Count a sample in @costs (struct pfx_costs): a pfx_take_sample_fn, for readers that count it in
 * other ways, too. */
void pfx_costs_take(void *costs, const struct pfx_event *event, const struct pfx_sample *sample,
		    struct pfx_thread *thread);
/* The same without call chains. */
void pfx_costs_take_self(struct pfx_costs *costs, const struct pfx_event *event,
			 const struct pfx_sample *sample, struct pfx_thread *thread);

/* What to count. All borrowed. */
struct pfx_costs_reading {
	struct pfx_recording *recording; /* after pfx_recording_resolve() */
	const struct pfx_filter *filter; /* only samples of its CPUs */
	bool no_chains;                  /* inclusive costs are not asked for: twice as fast */
	pfx_reading_step_fn step;        /* NULL: none */
	void *step_context;
};

/* Count the samples of a recording: 0 or an error. */
int pfx_costs_read(struct pfx_costs *costs, const struct pfx_costs_reading *reading,
		   struct pfx_error *err);

#endif
