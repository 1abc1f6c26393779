/* SPDX-License-Identifier: MIT */
/*
 * How similar the code of two functions is. The code is compared by pieces of three bytes, because
 * addresses in it differ from build to build, but most of it does not.
 */
#ifndef PFX_DIFF_BODY_H
#define PFX_DIFF_BODY_H

#include <stddef.h>
#include <stdint.h>

#include "sym/find/request.h"
#include "view/profile/profile.h"

/* The pieces of a body, sorted. */
struct pfx_code_body {
	uint32_t *pieces;
	size_t nr; /* 0: the code is unknown */
};

/* From the bytes of the code. */
void pfx_code_body_make(struct pfx_code_body *ret, const uint8_t *code, size_t size);
/* From the binary, if it is found and is the recorded build. */
void pfx_code_body_read(struct pfx_code_body *ret, const struct pfx_profile *profile,
			uint32_t function, const struct pfx_sym_options *binaries);
void pfx_code_body_fini(struct pfx_code_body *body);
/* 0: nothing in common, to 1: the same. */
double pfx_code_body_similarity(const struct pfx_code_body *a, const struct pfx_code_body *b);

#endif
