/* SPDX-License-Identifier: MIT */
/*
 * From a function of a profile to its code: to what lib/code counted while the same recording was
 * read, and which pfx_code_new() shows as instructions and source lines.
 */
#ifndef PFX_VIEW_VIEW_CODE_H
#define PFX_VIEW_VIEW_CODE_H

#include "code/cost.h"
#include "view/profile/profile.h"

/* The function among those that pfx_costs_functions() returned; NULL: it has no samples of its own,
 * is inlined (its code is in its callers), or has no symbol. */
const struct pfx_code_function *pfx_view_code(const struct pfx_profile *profile, uint32_t function,
					      const struct pfx_code_function *functions,
					      uint32_t nr);

/* The functions of a profile by their code. */
struct pfx_view_functions {
	const struct pfx_profile *profile; /* borrowed */
	uint32_t *by_address;
	uint32_t nr;
};

/* Sorts them once. */
void pfx_view_functions_init(struct pfx_view_functions *functions,
			     const struct pfx_profile *profile);
void pfx_view_functions_fini(struct pfx_view_functions *functions);
/* The function that begins with this symbol; PFX_NO_ID: none. */
uint32_t pfx_view_function(const struct pfx_view_functions *functions, const struct pfx_dso *dso,
			   const struct pfx_symbol *symbol);

#endif
