/* SPDX-License-Identifier: MIT */
/* The unwinder for stack dumps, from the command line and the configuration. */
#include "cmd/app/unwind_style.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"

int pfx_unwind_style_parse(enum pfx_unwind_style *ret, const char *word, struct pfx_error *err)
{
	static const char *const names[] = {
		[PFX_UNWIND_ROWS] = "rows",
		[PFX_UNWIND_LIBUNWIND] = "libunwind",
		[PFX_UNWIND_LIBDW] = "libdw",
	};
	char shown[64];
	unsigned i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(word, names[i])) {
			*ret = (enum pfx_unwind_style)i;
			return 0;
		}
	}
	return pfx_error_set(err, EINVAL, "'%s' is not one of rows, libunwind, libdw",
			     pfx_escape(shown, sizeof(shown), word));
}

int pfx_unwind_style_option(void *value, const char *arg, bool unset, struct pfx_error *err)
{
	return pfx_unwind_style_parse(value, unset ? "rows" : arg, err);
}
