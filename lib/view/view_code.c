/* SPDX-License-Identifier: MIT */
/* A function is found by its binary and its address. */
#include "view/view_code.h"

#include <string.h>

const struct pfx_code_function *pfx_view_code(const struct pfx_profile *profile, uint32_t function,
					      const struct pfx_code_function *functions,
					      uint32_t nr)
{
	const struct pfx_profile_function *wanted = &profile->functions[function];
	uint32_t i;

	if (wanted->is_inlined || wanted->dso == PFX_NO_ID)
		return NULL;
	for (i = 0; i < nr; i++)
		if (functions[i].symbol && functions[i].dso &&
		    functions[i].dso->id == profile->dsos[wanted->dso].session_dso &&
		    functions[i].symbol->start == wanted->start &&
		    !strcmp(functions[i].symbol->name, wanted->name))
			return &functions[i];
	return NULL;
}
