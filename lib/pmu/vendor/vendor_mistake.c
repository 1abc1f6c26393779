/* SPDX-License-Identifier: MIT */
/* What is wrong in a directory of vendor events: the first mistake in words, the others by number.
 */
#include <errno.h>

#include "base/str.h"
#include "pmu/vendor/vendor_internal.h"

void pfx_vendor_mistake(struct pfx_vendor_load *load, size_t line, const char *what)
{
	char shown[256];

	if (load->nr_mistakes++)
		return;
	pfx_escape(shown, sizeof(shown), load->path);
	pfx_error_set(&load->mistake, EBADMSG, "%s:%zu: %s", shown, line, what);
}
