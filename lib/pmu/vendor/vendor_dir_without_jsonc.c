/* SPDX-License-Identifier: MIT */
/*
 * Vendor events from directories, built without json-c: says so. The table that is built in is not
 * touched by this.
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
