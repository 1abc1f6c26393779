/* SPDX-License-Identifier: MIT */
/* A place in source code, as symbol tables and debug information have it. */
#ifndef PFX_SYM_SOURCE_H
#define PFX_SYM_SOURCE_H

#include <stdint.h>

struct pfx_source {
	const char *file; /* with its folder, and with that of the compiler; foreign text */
	uint32_t line;    /* never 0 */
	uint32_t column;  /* 0: unknown */
};

#endif
