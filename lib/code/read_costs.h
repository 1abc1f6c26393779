/* SPDX-License-Identifier: MIT */
/* Counts the samples of a recording by address. */
#ifndef PFX_CODE_READ_COSTS_H
#define PFX_CODE_READ_COSTS_H

#include "code/cost.h"
#include "read/samples.h"

/* Count the samples of the CPUs of @filter in @costs: 0 or an error. Call pfx_recording_resolve()
 * before. @step may be NULL. */
int pfx_costs_read(struct pfx_costs *costs, struct pfx_recording *recording,
		   const struct pfx_filter *filter, pfx_reading_step_fn step, void *context,
		   struct pfx_error *err);

#endif
