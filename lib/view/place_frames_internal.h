/* SPDX-License-Identifier: MIT */
/*
 * From places and chains of a resolver to the functions, frames and stacks of a profile that is
 * being made. Looks up symbols.
 *
 *	pfx_place_frames_want(frames, chain);	// for each chain
 *	pfx_place_frames_add_chains(frames);
 *	stack = pfx_place_frames_stack(frames, chain, place);
 */
#ifndef PFX_VIEW_PLACE_FRAMES_INTERNAL_H
#define PFX_VIEW_PLACE_FRAMES_INTERNAL_H

#include "unwind/resolve.h"
#include "view/profile/make_profile.h"

struct pfx_place_frames;

/* Borrows both. @function_lines: functions have their file and line. @join_broken: as in
 * view/read_profile.h. */
struct pfx_place_frames *pfx_place_frames_new(struct pfx_resolver *resolver,
					      struct pfx_profile_maker *maker,
					      enum pfx_profile_frames by, bool function_lines,
					      bool join_broken);
void pfx_place_frames_free(struct pfx_place_frames *frames);
/* Chains by id; 0 has no frames. */
void pfx_place_frames_want(struct pfx_place_frames *frames, uint32_t chain);
void pfx_place_frames_add_chains(struct pfx_place_frames *frames);
/* Last: add a frame that stands for broken chains, if there are any, so that a filter can join
 * them: see select/view_filter.h. */
void pfx_place_frames_offer_broken(struct pfx_place_frames *frames);
/* The stack of samples at the place with this id and with this chain (0: none). */
uint32_t pfx_place_frames_stack(struct pfx_place_frames *frames, uint32_t chain, uint32_t place);

#endif
