/* SPDX-License-Identifier: MIT */
/*
 * Code that the kernel and JIT compilers make at run time: BPF programs with their source lines.
 * The recording has both; lib/unwind does not ask the kernel, unless the options of the resolver
 * give it a function that does.
 */
#ifndef PFX_UNWIND_MADE_CODE_H
#define PFX_UNWIND_MADE_CODE_H

#include "unwind/resolve.h"

/* A source line with its text, which is not NUL-terminated; untrusted, lives as long as the
 * resolver. */
struct pfx_made_line {
	struct pfx_source source;
	const char *text;
	size_t text_size;
};

/* The source line of the BPF program's code at the place; false when it is unknown. */
bool pfx_place_made_line(struct pfx_resolver *resolver, const struct pfx_place *place,
			 struct pfx_made_line *ret);

#endif
