/* SPDX-License-Identifier: MIT */
/*
 * Call chains that the kernel found by frame pointers: which of them do not reach the start of
 * their thread, and in which binaries they end. A chain is judged once, whatever the number of its
 * samples, by its frames near the root.
 */
#ifndef PFX_UNWIND_POINTER_CHAIN_H
#define PFX_UNWIND_POINTER_CHAIN_H

#include "event/attr.h"
#include "unwind/resolve.h"

struct pfx_pointer_stats {
	uint64_t nr_chains;     /* counted that have frames of user space */
	uint64_t nr_no_pointer; /* end in a binary, in code that keeps no frame pointer */
	uint64_t nr_made_code;  /* end in code that was made at run time */
	uint64_t nr_cut;        /* have as many frames as were recorded at most */
	uint32_t max_frames;    /* the most frames that one of nr_cut has */
};

/* Whether user frames of samples of this event were found by frame pointers: they were recorded,
 * and come neither from copies of the stack nor from branches. */
bool pfx_pointer_chain_recorded(const struct pfx_attr *attr);
/* Count @nr samples of the event with that @chain (pfx_resolve_chain_id()). May load symbols and
 * unwind information of the binary that the chain ends in, once for each address there. Chains
 * without frames of user space, and those that end in a binary that is not at hand or says nothing
 * about that address, are never incomplete. */
void pfx_pointer_chain_count(struct pfx_resolver *resolver, const struct pfx_attr *attr,
			     uint32_t chain, uint64_t nr);
/* What was counted so far. */
const struct pfx_pointer_stats *pfx_pointer_chain_stats(const struct pfx_resolver *resolver);
/* How many of them do not reach the start of their thread, for any reason. */
uint64_t pfx_pointer_chain_incomplete(const struct pfx_resolver *resolver);
/* How many of nr_no_pointer end in @dso. */
uint64_t pfx_pointer_chain_ends_in(const struct pfx_resolver *resolver, const struct pfx_dso *dso);

#endif
