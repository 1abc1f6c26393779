/* SPDX-License-Identifier: MIT */
/* Fetching from debuginfod servers: --debuginfod and its progress. */
#ifndef PFX_CMD_FETCH_H
#define PFX_CMD_FETCH_H

#include "base/error.h"
#include "sym/cache/debuginfod.h"

/* For the table of options. */
int pfx_fetch_on_option(void *options, const char *arg, bool unset, struct pfx_error *err);
#define PFX_OPT_DEBUGINFOD                                                              \
	{                                                                               \
		PFX_OPT_CALL_OPTIONAL, 0, "debuginfod", 0, "urls",                      \
			"download missing binaries and debug files from these servers " \
			"(default: $DEBUGINFOD_URLS)",                                  \
			pfx_fetch_on_option, .is_new = true                             \
	}

/* For the options of look-ups: NULL unless the option or the configuration enables fetching.
 * @command, @quiet and @verbose are for messages. */
const struct pfx_fetch_watch *pfx_fetch_watch(const char *command, bool quiet, bool verbose);

#endif
