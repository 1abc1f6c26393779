/* SPDX-License-Identifier: MIT */
/*
 * From a function of a profile to its code: to what lib/code counted while the same recording was
 * read, and which pfx_code_new() shows as instructions and source lines.
 */
#ifndef PFX_VIEW_VIEW_CODE_H
#define PFX_VIEW_VIEW_CODE_H

#include "code/cost.h"
#include "view/profile.h"

/* The function among those that pfx_costs_functions() returned; NULL: it has no samples of its own,
 * is inlined (its code is in its callers), or has no symbol. */
const struct pfx_code_function *pfx_view_code(const struct pfx_profile *profile, uint32_t function,
					      const struct pfx_code_function *functions,
					      uint32_t nr);

#endif
