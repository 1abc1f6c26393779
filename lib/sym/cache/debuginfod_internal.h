/* SPDX-License-Identifier: MIT */
/* What asks debuginfod servers: one of debuginfod_with_debuginfod.c,
 * debuginfod_without_debuginfod.c.
 */
#ifndef PFX_SYM_DEBUGINFOD_INTERNAL_H
#define PFX_SYM_DEBUGINFOD_INTERNAL_H

#include "sym/cache/debuginfod.h"
#include "sym/elf/buildid.h"

enum pfx_fetch_kind { PFX_FETCH_PROGRAM, PFX_FETCH_DEBUG };

/* Fetch a file of the build, which is called @what. NULL when there is none, or when nothing is to
 * be fetched (@watch is NULL); else its path in the library's own cache, which the caller frees.
 * What is not this build, or beyond the limits of the watch, is removed from there. A server that
 * cannot be reached is not asked again. */
char *pfx_debuginfod_fetch(const struct pfx_fetch_watch *watch, enum pfx_fetch_kind kind,
			   const struct pfx_build_id *id, const char *what);

#endif
