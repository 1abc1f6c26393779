/* SPDX-License-Identifier: MIT */
/*
 * Blocks of code between branches, and how fast they ran: from branch stacks whose entries have
 * cycles. The code from the target of one branch to the origin of the next took the cycles of the
 * latter. Owned by the hists; valid after pfx_hists_finish().
 */
#ifndef PFX_HIST_BLOCKS_H
#define PFX_HIST_BLOCKS_H

#include "hist/hist.h"
#include "unwind/branch_runs.h"

/* All blocks that end with the same branch. */
struct pfx_block {
	const struct pfx_place *start; /* the longest block seen; NULL: where it began is unknown */
	const struct pfx_place *end;
	uint64_t cycles, count;
};

/* The blocks of a table, the most cycles first. Returns their number. */
uint32_t pfx_hist_blocks(struct pfx_hists *hists, const struct pfx_hist *hist,
			 const struct pfx_block **ret);
/* The cycles of all branches that were sampled for a table. */
uint64_t pfx_hist_cycles(const struct pfx_hists *hists, const struct pfx_hist *hist);

/* The speed of the function at a place; disassembles it at first use. */
struct pfx_ipc pfx_hist_ipc(struct pfx_hists *hists, const struct pfx_place *place);

#endif
