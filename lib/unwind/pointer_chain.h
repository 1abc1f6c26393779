/* SPDX-License-Identifier: MIT */
/*
 * Frame pointer call chains that do not reach the start of their thread, counted by the binary in
 * which they end. Each distinct chain is checked once, by its frames near the root.
 */
#ifndef PFX_UNWIND_POINTER_CHAIN_H
#define PFX_UNWIND_POINTER_CHAIN_H

#include "event/attr.h"
#include "unwind/resolve.h"

struct pfx_pointer_stats {
	uint64_t nr_chains;     /* counted chains with user frames */
	uint64_t nr_no_pointer; /* end in a binary, in code that keeps no frame pointer */
	uint64_t nr_made_code;  /* end in JIT code */
	uint64_t nr_cut;        /* have the maximum number of frames */
	uint32_t max_frames;    /* the largest number of frames in chains of nr_cut */
};

/* Whether the user frames of this event's samples were found by frame pointers: chains were
 * recorded, without stack dumps and LBR call stacks. */
bool pfx_pointer_chain_recorded(const struct pfx_attr *attr);
/* Whether threads start in the function of the place: frames beyond it are none. */
bool pfx_pointer_chain_starts(struct pfx_resolver *resolver, struct pfx_place *place);
/* Whether the chain (its id, or 0) has such a function. */
bool pfx_pointer_chain_is_whole(struct pfx_resolver *resolver, uint32_t chain);
/* Count @nr samples of the event with @chain (from pfx_resolve_chain_id()). May load symbols and
 * unwind information of the binary in which the chain ends, once per address. Chains without user
 * frames count as complete, and so do chains that end in a missing binary or where unwind
 * information is missing. */
void pfx_pointer_chain_count(struct pfx_resolver *resolver, const struct pfx_attr *attr,
			     uint32_t chain, uint64_t nr);
/* The counts so far. */
const struct pfx_pointer_stats *pfx_pointer_chain_stats(const struct pfx_resolver *resolver);
/* The number of chains that do not reach the start of their thread, for any reason. */
uint64_t pfx_pointer_chain_incomplete(const struct pfx_resolver *resolver);
/* The number of chains in nr_no_pointer that end in @dso. */
uint64_t pfx_pointer_chain_ends_in(const struct pfx_resolver *resolver, const struct pfx_dso *dso);

#endif
