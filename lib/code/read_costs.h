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
/* Count the samples of the CPUs of @filter in @costs: 0 or an error. Call pfx_recording_resolve()
 * before. @step may be NULL. */
int pfx_costs_read(struct pfx_costs *costs, struct pfx_recording *recording,
		   const struct pfx_filter *filter, pfx_reading_step_fn step, void *context,
		   struct pfx_error *err);

#endif
