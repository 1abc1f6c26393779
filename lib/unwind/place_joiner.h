/* SPDX-License-Identifier: MIT */
/*
 * Places and chains as functions: all addresses of a function become the first one of them, so that
 * samples that differ in nothing else are equal. For counts that live long, of which only functions
 * are shown. Places without a symbol stay what they are in chains.
 */
#ifndef PFX_UNWIND_PLACE_JOINER_H
#define PFX_UNWIND_PLACE_JOINER_H

#include "unwind/resolve.h"

struct pfx_place_joiner;

/* Lives no longer than the resolver. */
struct pfx_place_joiner *pfx_place_joiner_new(struct pfx_resolver *resolver);
/* @joined may be NULL. */
void pfx_place_joiner_free(struct pfx_place_joiner *joined);
/* The first place with the same sym_id and mode. Loads symbols. */
uint32_t pfx_join_place(struct pfx_place_joiner *joined, uint32_t place);
/* The same in the same binary, which may be one of several with a short name. */
uint32_t pfx_join_place_of_dso(struct pfx_place_joiner *joined, uint32_t place);
/* The chain through the first places with the same frame_id and mode; with options.inlines the same
 * chain, since what is inlined depends on addresses. Loads symbols. */
uint32_t pfx_join_chain(struct pfx_place_joiner *joined, uint32_t chain);

#endif
