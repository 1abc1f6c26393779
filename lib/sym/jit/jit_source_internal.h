/* SPDX-License-Identifier: MIT */
/* Source lines of a jitdump, by file offset of the code. */
#ifndef PFX_SYM_JIT_SOURCE_INTERNAL_H
#define PFX_SYM_JIT_SOURCE_INTERNAL_H

#include "base/error.h"
#include "sym/find/request.h"
#include "sym/table/source.h"

struct pfx_jit_source;

int pfx_jit_source_new(struct pfx_jit_source **ret, const struct pfx_sym_request *request,
		       const struct pfx_sym_options *options, struct pfx_error *err);
void pfx_jit_source_free(struct pfx_jit_source *source);
bool pfx_jit_source_find(const struct pfx_jit_source *source, uint64_t offset,
			 struct pfx_source *ret);

#endif
