/* SPDX-License-Identifier: MIT */
#include "cmd/app/screen/screen_syntax.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"

int pfx_screen_syntax_option(void *is_intel, const char *arg, bool unset, struct pfx_error *err)
{
	bool *intel = is_intel;
	char shown[64];

	*intel = !unset && !strcmp(arg, "intel");
	if (unset || *intel || !strcmp(arg, "att"))
		return 0;
	return pfx_error_set(err, EINVAL, "'%s' is not a syntax of instructions: att and intel are",
			     pfx_escape(shown, sizeof(shown), arg));
}
