/* SPDX-License-Identifier: MIT */
/* The debuginfod client: either debuginfod_with_debuginfod.c or debuginfod_without_debuginfod.c. */
#ifndef PFX_SYM_DEBUGINFOD_INTERNAL_H
#define PFX_SYM_DEBUGINFOD_INTERNAL_H

#include "sym/cache/debuginfod.h"
#include "sym/elf/buildid.h"

enum pfx_fetch_kind { PFX_FETCH_PROGRAM, PFX_FETCH_DEBUG, PFX_FETCH_SOURCE };

/* Download the program of the build or its debug file; @what is its name for messages. NULL when no
 * server has it or
 * @watch is NULL; else its path in the library's own cache, which the caller frees. Files of
 * another build or over the limits of the watch are removed from that cache. A server that cannot
 * be reached is not tried again. */
char *pfx_debuginfod_fetch(const struct pfx_fetch_watch *watch, enum pfx_fetch_kind kind,
			   const struct pfx_build_id *id, const char *what);

#endif
