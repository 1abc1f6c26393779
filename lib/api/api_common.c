/* SPDX-License-Identifier: MIT */
/* What describes the library itself. The other functions of pfx/common.h are where their state is:
 * in base/alloc.c, base/environment.c and base/workers.c. */
#include <errno.h>
#include <string.h>

#include "api/api_internal.h"
#include "base/error.h"
#include "base/io.h"
#include "pfx_version.h"

const char *pfx_version(void)
{
	return PFX_VERSION;
}

unsigned pfx_version_number(void)
{
	return PFX_API_MAJOR * 10000 + PFX_API_MINOR * 100 + PFX_API_PATCH;
}

void pfx_api_give(void *ret, const void *value, size_t size)
{
	size_t theirs, start = sizeof(theirs);

	if (!ret)
		return;
	memcpy(&theirs, ret, start);
	if (theirs > size)
		theirs = size;
	if (theirs > start)
		memcpy((char *)ret + start, (const char *)value + start, theirs - start);
}

int pfx_api_missing(const char *name, struct pfx_error *err)
{
	return pfx_error_set(err, EINVAL, "'%s' is NULL", name);
}

int pfx_api_take(void *to, size_t size, const void *options, const char *name,
		 struct pfx_error *err)
{
	size_t theirs = 0, start = sizeof(theirs);

	pfx_environment_is_private();
	if (!options)
		return 0;
	memcpy(&theirs, options, start);
	if (theirs <= start) {
		pfx_error_set(err, EINVAL, "'size' of struct %s is not set", name);
		pfx_error_hint(err, "begin with PFX_INIT(struct %s)", name);
		return -EINVAL;
	}
	if (theirs > size)
		theirs = size;
	memcpy((char *)to + start, (const char *)options + start, theirs - start);
	return 0;
}
