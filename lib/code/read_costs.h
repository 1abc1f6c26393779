/* SPDX-License-Identifier: MIT */
/* What the samples of a recording cost, by address. */
#ifndef PFX_CODE_READ_COSTS_H
#define PFX_CODE_READ_COSTS_H

#include "base/words.h"
#include "code/cost.h"
#include "read/recording.h"

/* Which samples count. Zero lets all pass. */
struct pfx_costs_filter {
	const struct pfx_list *cpus; /* NULL: all */
};

/* Called after each record, NULL: nothing is; below 0 ends the reading with that error. */
typedef int (*pfx_costs_step_fn)(void *context, const struct pfx_item *item, struct pfx_error *err);

/* Read all records of @recording, whose resolver was asked for, into @costs: 0 or an error. */
int pfx_costs_read(struct pfx_costs *costs, struct pfx_recording *recording,
		   const struct pfx_costs_filter *filter, pfx_costs_step_fn step, void *context,
		   struct pfx_error *err);

#endif
