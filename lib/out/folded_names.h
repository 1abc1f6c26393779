/* SPDX-License-Identifier: MIT */
/* Frames in lines of folded stacks, for all writers of such lines. */
#ifndef PFX_OUT_FOLDED_NAMES_H
#define PFX_OUT_FOLDED_NAMES_H

#include <stdbool.h>

#include "base/str.h"

/* A name: escaped; a semicolon would start a frame and becomes a colon. */
void pfx_folded_add_name(struct pfx_str *to, const char *name);

struct pfx_folded_frame {
	const char *name; /* of the function; NULL: unknown */
	const char *dso;  /* shown in brackets if there is no name; NULL: unknown */
	bool is_kernel, is_inlined, is_jit;
};

/* With the marks after which flame graphs choose colours: _[k], _[i], _[j]. */
void pfx_folded_add_frame(struct pfx_str *to, const struct pfx_folded_frame *frame);

#endif
