/* SPDX-License-Identifier: MIT */
/*
 * Code that ran without a taken branch, from branch stacks: from the target of one branch to the
 * origin of the next one, which has the cycles that the code took. Counted by distinct pairs of
 * places. Owns what it counts, borrows the resolver. Add all samples first; the other functions
 * load symbols.
 */
#ifndef PFX_UNWIND_BRANCH_RUNS_H
#define PFX_UNWIND_BRANCH_RUNS_H

#include "unwind/resolve.h"

struct pfx_branch_runs;

#define PFX_BRANCH_BINS 16 /* bin N: 2^N to 2^(N+1) - 1 cycles; the first one from 0 */

struct pfx_branch_run {
	uint32_t event;
	const struct pfx_place *start; /* in the function of the end; NULL: unknown */
	const struct pfx_place *end;
	uint64_t cycles, count; /* of executions with cycles */
	double squares;         /* of the cycles of each of them */
	const uint32_t *bins;   /* how many of them took how many cycles */
	uint64_t executions;    /* 0: unknown */
};

/* @with_executions: also those without cycles. */
struct pfx_branch_runs *pfx_branch_runs_new(struct pfx_resolver *resolver, bool with_executions);
void pfx_branch_runs_free(struct pfx_branch_runs *runs);
/* Add the branch stack of a sample of event number @event. */
void pfx_branch_runs_add(struct pfx_branch_runs *runs, uint32_t event, struct pfx_thread *thread,
			 const struct pfx_branch_stack *stack);
/* The cycles of all branches of an event. */
uint64_t pfx_branch_runs_cycles(const struct pfx_branch_runs *runs, uint32_t event);

/* All runs: by function; within it by end, descending; then the longest first. Returns their
 * number. */
size_t pfx_branch_runs_all(struct pfx_branch_runs *runs, const struct pfx_branch_run **ret);
/* Those of the function at a place. */
size_t pfx_branch_runs_of(struct pfx_branch_runs *runs, const struct pfx_place *place,
			  const struct pfx_branch_run **ret);
/* The order of functions: by DSO, then by address. */
int pfx_branch_run_order(const struct pfx_place *a, const struct pfx_place *b);

/* The code of a function by offset, owned by the caller. */
struct pfx_branch_code {
	uint8_t *marks; /* 1 where an instruction begins, 0 elsewhere */
	uint64_t size;  /* elements of the arrays */
	float *ipc;     /* set: instructions per cycle, 0 if unknown; NULL: not wanted */
};

/* The speed of a function, as far as runs cover it. */
struct pfx_ipc {
	double ipc;      /* instructions per cycle; 0: unknown */
	double coverage; /* percent of the function's instructions in runs */
};

/* Measure the function at @begin (as place->addr) by its @nr runs, in their order. Of runs with the
 * same end, the longest one counts. */
struct pfx_ipc pfx_branch_runs_measure(const struct pfx_branch_run *runs, size_t nr, uint64_t begin,
				       const struct pfx_branch_code *code);

#endif
