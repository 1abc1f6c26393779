/* SPDX-License-Identifier: MIT */
/*
 * Vendor events from directories, built without json-c: says so. The table that is built in is not
 * touched by this.
 */
#include <errno.h>

#include "pmu/vendor/vendor_internal.h"

int pfx_vendor_read_json(const char *path, struct pfx_arena *arena, size_t *ret_bytes,
			 struct pfx_vendor_objects *ret, struct pfx_error *err)
{
	(void)path;
	(void)arena;
	(void)ret_bytes;
	(void)ret;
	return pfx_error_set(err, ENOTSUP,
			     "vendor events in directories need a pfx that is built with json-c");
}
