/* SPDX-License-Identifier: MIT */
/*
 * Stubs for vendor events from directories in a build without json-c, which fail with a message.
 * The built-in table is not affected.
 */
#include <errno.h>

#include "pmu/vendor/vendor_internal.h"

int pfx_vendor_parse_json(const char *text, size_t size, const char *path, struct pfx_arena *arena,
			  struct pfx_vendor_objects *ret, struct pfx_error *err)
{
	(void)text;
	(void)size;
	(void)path;
	(void)arena;
	(void)ret;
	return pfx_error_set(err, ENOTSUP,
			     "vendor events in directories need a pfx that is built with json-c");
}
