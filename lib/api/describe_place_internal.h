/* SPDX-License-Identifier: MIT */
/* A place of a resolver as a frame for the caller. */
#ifndef PFX_API_DESCRIBE_PLACE_INTERNAL_H
#define PFX_API_DESCRIBE_PLACE_INTERNAL_H

#include "pfx/input.h"
#include "unwind/resolve.h"

/* @flags: enum pfx_input_flags. Looks up its symbol, and its source line if that is requested. */
void pfx_api_describe(struct pfx_resolver *resolver, struct pfx_place *place, uint32_t flags,
		      struct pfx_frame *ret);

#endif
