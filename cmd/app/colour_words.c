/* SPDX-License-Identifier: MIT */
/* When to print colours, as given on the command line. */
#include "cmd/app/colour_words.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "base/words.h"

int pfx_colour_parse(enum pfx_colour_when *ret, const char *word, struct pfx_error *err)
{
	static const char *const names[] = {
		[PFX_COLOUR_AUTO] = "auto",
		[PFX_COLOUR_ALWAYS] = "always",
		[PFX_COLOUR_NEVER] = "never",
	};
	const size_t nr = sizeof(names) / sizeof(names[0]);
	const char *near;
	char shown[64];
	size_t i;

	for (i = 0; i < nr; i++) {
		if (!strcmp(word, names[i])) {
			*ret = (enum pfx_colour_when)i;
			return 0;
		}
	}
	pfx_error_set(err, EINVAL, "'%s' is not one of always, never, auto",
		      pfx_escape(shown, sizeof(shown), word));
	near = pfx_nearest(word, names, nr);
	if (near)
		pfx_error_hint(err, "did you mean '%s'?", near);
	return -EINVAL;
}

int pfx_colour_option(void *value, const char *arg, bool unset, struct pfx_error *err)
{
	return pfx_colour_parse(value, unset ? "never" : arg, err);
}
