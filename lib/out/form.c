/* SPDX-License-Identifier: MIT */
/* The list of output forms: their names and functions. */
#include "out/form_internal.h"

#include <errno.h>

#define ROW_OF_ROWS(name_, help_, also, function) \
	{.name = #name_, .help = help_, .needs = PFX_FORM_ROWS | (also), .write.rows = function},

const struct pfx_form pfx_forms_of_rows[PFX_NR_FORMS_OF_ROWS] = {PFX_FORMS_OF_ROWS(ROW_OF_ROWS)};

int pfx_form_choose(const struct pfx_form *forms, const bool *given, size_t nr,
		    const struct pfx_form **ret, struct pfx_error *err)
{
	size_t i;

	*ret = &forms[0];
	for (i = 1; i < nr; i++) {
		if (!given[i])
			continue;
		if (*ret != &forms[0])
			return pfx_error_set(err, EINVAL, "--%s and --%s are two forms: choose one",
					     (*ret)->name, forms[i].name);
		*ret = &forms[i];
	}
	return 0;
}
