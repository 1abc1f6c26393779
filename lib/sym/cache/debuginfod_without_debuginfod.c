/* SPDX-License-Identifier: MIT */
/* Used when libdebuginfod is not built in: downloads nothing. */
#include <stddef.h>

#include "sym/cache/debuginfod_internal.h"
#include "sym/elf/buildid.h"

bool pfx_debuginfod_is_built_in(void)
{
	return false;
}

char *pfx_debuginfod_fetch(const struct pfx_fetch_watch *watch, enum pfx_fetch_kind kind,
			   const struct pfx_build_id *id, const char *what)
{
	return NULL;
}

char *pfx_debuginfod_source(const struct pfx_fetch_watch *watch, const struct pfx_build_id *id,
			    const char *file)
{
	return NULL;
}
