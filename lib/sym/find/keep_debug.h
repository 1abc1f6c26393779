/* SPDX-License-Identifier: MIT */
/* Debug files for the build-id cache. */
#ifndef PFX_SYM_KEEP_DEBUG_H
#define PFX_SYM_KEEP_DEBUG_H

#include "sym/elf/buildid.h"

struct pfx_fetch_watch;

/* Download the debug file of the stripped binary @from into the cache, unless this machine has it.
 * 1: stored, 0: not needed or not available. */
int pfx_keep_debug(const char *dir, const char *name, const struct pfx_build_id *id,
		   const char *from, const struct pfx_fetch_watch *watch);

#endif
