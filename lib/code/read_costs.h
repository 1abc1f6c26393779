/* SPDX-License-Identifier: MIT */
/* Counts the samples of a recording by address. */
#ifndef PFX_CODE_READ_COSTS_H
#define PFX_CODE_READ_COSTS_H

#include "code/cost.h"
#include "read/filter.h"
#include "read/recording.h"

/* Called after each record, NULL: not called; a negative result ends reading with that error. */
typedef int (*pfx_costs_step_fn)(void *context, const struct pfx_item *item, struct pfx_error *err);

/* Count the samples of the CPUs of @filter in @costs: 0 or an error. Call pfx_recording_resolve()
 * before. */
int pfx_costs_read(struct pfx_costs *costs, struct pfx_recording *recording,
		   const struct pfx_filter *filter, pfx_costs_step_fn step, void *context,
		   struct pfx_error *err);

#endif
