/* SPDX-License-Identifier: MIT */
/* A source location, from a symbol table or debug information. */
#ifndef PFX_SYM_SOURCE_H
#define PFX_SYM_SOURCE_H

#include <stdint.h>

struct pfx_source {
	const char *file; /* with its directory and the compilation directory; untrusted text */
	uint32_t line;    /* never 0 */
	uint32_t column;  /* 0: unknown */
};

#endif
