/* SPDX-License-Identifier: MIT */
/*
 * Code of functions that is used several times, once for each event: built on the first request,
 * and kept as long as it is needed again and memory is left for it. Borrows everything in the
 * request. Zero-initialize.
 */
#ifndef PFX_CODE_CODE_STORE_H
#define PFX_CODE_CODE_STORE_H

#include "base/alloc.h"
#include "code/code.h"

struct pfx_code_store {
	struct pfx_resolver *resolver;
	struct pfx_costs *costs;
	const struct pfx_code_options *options;
	PFX_VEC(struct pfx_code *) codes; /* by index of the function */
	uint64_t size;                    /* of all codes that are kept */
	struct pfx_code_decoder decoder;
};

/* The code of function @i of pfx_costs_functions(), as pfx_code_new() returns it. Call
 * pfx_code_store_put() afterwards. */
int pfx_code_store_get(struct pfx_code_store *store, uint32_t i, struct pfx_code **ret,
		       struct pfx_error *err);
/* Return it; @again: it will be requested again. */
void pfx_code_store_put(struct pfx_code_store *store, uint32_t i, struct pfx_code *code,
			bool again);
void pfx_code_store_fini(struct pfx_code_store *store);

#endif
