/* SPDX-License-Identifier: MIT */
/*
 * Blocks of code compared by the cycles of one execution, from branch stacks with cycles. A block
 * is the code from the target of a branch to the next branch. Blocks match by function and by
 * offset in it; those of other builds by their source lines. Owns its texts.
 */
#ifndef PFX_DIFF_CYCLES_H
#define PFX_DIFF_CYCLES_H

#include "base/str.h"
#include "unwind/branch_runs.h"

/* The executions of a block on one side. */
struct pfx_block_cycles {
	uint64_t cycles, count;
	double squares; /* of the cycles of each execution */
	uint64_t bins[PFX_BRANCH_BINS];
};

struct pfx_block_pair {
	const char *event, *dso, *function; /* untrusted */
	uint64_t start, end;                /* offsets in the function */
	const char *lines;                  /* "a.c:3 -> a.c:7"; "": unknown */
	struct pfx_block_cycles old, new;
};

struct pfx_diff_cycles;

/* No blocks yet. */
struct pfx_diff_cycles *pfx_diff_cycles_new(void);
void pfx_diff_cycles_free(struct pfx_diff_cycles *cycles); /* may be NULL */
/* Add the blocks of a run; @event is the name of event number @number of the runs. */
void pfx_diff_cycles_add(struct pfx_diff_cycles *cycles, bool is_new, struct pfx_branch_runs *runs,
			 struct pfx_resolver *resolver, const char *const *events);
/* The blocks that both sides have: the largest change of the mean cycles first. */
uint32_t pfx_diff_cycles_pairs(struct pfx_diff_cycles *cycles, const struct pfx_block_pair **ret);
/* The mean cycles of an execution, and the standard deviation. */
double pfx_block_mean(const struct pfx_block_cycles *block);
double pfx_block_deviation(const struct pfx_block_cycles *block);
/* Append the table. @histogram: also the deviations, and how often each number of cycles was
 * seen. @separator: NULL: columns are padded. */
struct pfx_diff_cycles_look {
	bool histogram, quiet;
	const char *separator;
};
void pfx_diff_cycles_text(struct pfx_diff_cycles *cycles, const struct pfx_diff_cycles_look *look,
			  struct pfx_str *to);
/* The same as one JSON object: Documentation/diff-branches-schema.json. */
void pfx_diff_cycles_json(struct pfx_diff_cycles *cycles, struct pfx_str *to);

#endif
