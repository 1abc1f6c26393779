/* SPDX-License-Identifier: MIT */
/* The memory use of this process, from /proc. */
#ifndef PFX_TESTS_MEMORY_USE_H
#define PFX_TESTS_MEMORY_USE_H

#include <stdlib.h>
#include <string.h>

#include "base/io.h"

/* Bytes of a kind: "RssFile:" of mapped files, "VmRSS:" of all. 0 if not available. */
static inline uint64_t memory_use(const char *kind)
{
	char *text, *at;
	uint64_t kb = 0;

	if (pfx_read_file("/proc/self/status", 1 << 16, &text, NULL, NULL))
		return 0;
	at = strstr(text, kind);
	if (at)
		kb = strtoull(at + strlen(kind), NULL, 10);
	free(text);
	return kb << 10;
}

#endif
