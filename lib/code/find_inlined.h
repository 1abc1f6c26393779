/* SPDX-License-Identifier: MIT */
/* Finds functions that have no code of their own, since they are inlined. */
#ifndef PFX_CODE_FIND_INLINED_H
#define PFX_CODE_FIND_INLINED_H

#include "code/cost.h"
#include "read/filter.h"
#include "sym/table/asked_name.h"

struct pfx_inlined_at {
	const struct pfx_code_function *outer; /* it is inlined in its code */
	bool has_source;
	struct pfx_source source; /* a line of it */
};

/* Find sampled code of the inlined function @name, in functions of the filter's DSOs, the most
 * expensive one first; false: none. Reads debug information. */
bool pfx_costs_find_inlined(struct pfx_costs *costs, struct pfx_resolver *resolver,
			    const struct pfx_filter *filter, const struct pfx_asked_name *name,
			    struct pfx_inlined_at *ret);
/* Find all functions that have samples in code of the inlined function @name; returns their number.
 * @ret: by function of pfx_costs_functions(). */
uint32_t pfx_costs_inlined_in(struct pfx_costs *costs, struct pfx_resolver *resolver,
			      const struct pfx_filter *filter, const struct pfx_asked_name *name,
			      bool *ret);

#endif
