/* SPDX-License-Identifier: MIT */
/*
 * Downloads files by build ID from debuginfod servers. Servers are queried only when the look-up
 * options have a watch, which gets the progress of each download and can cancel it.
 */
#ifndef PFX_SYM_DEBUGINFOD_H
#define PFX_SYM_DEBUGINFOD_H

#include <stdbool.h>
#include <stdint.h>

struct pfx_build_id; /* sym/elf/buildid.h */

/* The usual limits for one file. */
#define PFX_FETCH_BYTES   (2ull << 30)
#define PFX_FETCH_SECONDS 600

/* The callbacks run in the thread that looks up symbols. */
struct pfx_fetch_watch {
	/* Limits for one file, as stored on disk: a download that exceeds them is canceled and
	 * removed. 0: no limit. */
	uint64_t max_size;    /* bytes */
	uint64_t max_seconds; /* from the request to the last byte */
	/* @what: the recorded path, untrusted text. */
	void (*begin)(const char *what);
	/* Called several times a second, in bytes; @total is 0 while unknown. Return false to
	 * cancel. */
	bool (*go_on)(uint64_t done, uint64_t total);
	/* @error is NULL after success, else the reason of the failure; @is_odd: unexpected, worth
	 * a message without -v, too. */
	void (*end)(const char *error, bool is_odd);
};

/* Whether libdebuginfod was found at build time and can be loaded. */
bool pfx_debuginfod_is_built_in(void);
/* Download a source file of the build, by its absolute path in the debug information. NULL when no
 * server has it or @watch is NULL; else its path in the library's own cache, which the caller
 * frees. */
char *pfx_debuginfod_source(const struct pfx_fetch_watch *watch, const struct pfx_build_id *id,
			    const char *file);

#endif
