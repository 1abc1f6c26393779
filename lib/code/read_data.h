/* SPDX-License-Identifier: MIT */
/* Looks up the data that the samples of a recording access. */
#ifndef PFX_CODE_READ_DATA_H
#define PFX_CODE_READ_DATA_H

#include "code/cost.h"
#include "code/data_profile.h"
#include "read/filter.h"
#include "sym/table/asked_name.h"

/* Which samples to read. */
struct pfx_data_choice {
	const struct pfx_asked_name *asked; /* only of functions that it fits; NULL: of all */
	const struct pfx_filter *filter;    /* only of its DSOs */
	bool with_insns;                    /* mnemonics, too */
};

/* Add all samples of @costs and sort the profile. Call pfx_costs_functions() before. */
void pfx_data_profile_read(struct pfx_data_profile *profile, struct pfx_resolver *resolver,
			   const struct pfx_costs *costs, const struct pfx_data_choice *choice);

#endif
