/* SPDX-License-Identifier: MIT */
/*
 * What samples cost, by address: the periods and the numbers of the samples of each event at each
 * place, and the call chains that they came with. Samples are added one by one and counted by
 * small ids; functions are made when all samples have been added. Owns what it counts, borrows the
 * resolver.
 *
 *	costs = pfx_costs_new(resolver);
 *	pfx_costs_add(costs, event->idx, &sample, thread);	// many times
 *	nr = pfx_costs_functions(costs, nr_events, &functions);
 */
#ifndef PFX_CODE_COST_H
#define PFX_CODE_COST_H

#include <stdint.h>

#include "code/cost_table.h"
#include "code/memory_counts.h"
#include "code/weights.h"
#include "unwind/branch_runs.h"
#include "unwind/resolve.h"

struct pfx_costs;

/* A function with samples of any event. */
struct pfx_code_function {
	const struct pfx_dso *dso;
	const struct pfx_symbol *symbol;
	const struct pfx_place *place; /* one of the sampled places */
	struct pfx_cost_list costs;    /* of the events that it has samples of */
};

/* Nothing counted yet. */
struct pfx_costs *pfx_costs_new(struct pfx_resolver *resolver);
void pfx_costs_free(struct pfx_costs *costs);
/* Count a sample of event number @event, with its call chain if it has one. */
void pfx_costs_add(struct pfx_costs *costs, uint32_t event, const struct pfx_sample *sample,
		   struct pfx_thread *thread);
/* Without its call chain: faster, but costs then include no callees. */
void pfx_costs_add_self(struct pfx_costs *costs, uint32_t event, const struct pfx_sample *sample,
			struct pfx_thread *thread);
/* Count the branch stack of a sample, if it has one. */
void pfx_costs_add_branches(struct pfx_costs *costs, uint32_t event,
			    const struct pfx_sample *sample, struct pfx_thread *thread);
/* The weights of the samples; valid as long as the costs. */
const struct pfx_weight_table *pfx_costs_weights(const struct pfx_costs *costs);
/* Their memory accesses; the same. */
const struct pfx_memory_table *pfx_costs_memory(const struct pfx_costs *costs);
/* Totals of an event, including samples without a symbol. */
struct pfx_cost pfx_costs_total(const struct pfx_costs *costs, uint32_t event);
/* Number of events, as passed to pfx_costs_functions(). */
uint32_t pfx_costs_nr_events(const struct pfx_costs *costs);

/* Which binaries have functions that are asked for: the symbols of others are not loaded. Another
 * choice changes what pfx_costs_functions() returns; NULL: all. It is called by the two functions
 * below only. */
struct pfx_costs_choice {
	bool (*accepts)(void *context, const struct pfx_dso *dso);
	void *context;
};
void pfx_costs_choose(struct pfx_costs *costs, const struct pfx_costs_choice *choice);
/* Whether the functions of the binary are asked for. */
bool pfx_costs_chosen(struct pfx_costs *costs, const struct pfx_dso *dso);

/* The functions with samples, for a recording with @nr_events events; sorted by descending cost of
 * the first event that differs. Loads symbols. Valid until the costs are freed; no samples may be
 * added afterwards. */
uint32_t pfx_costs_functions(struct pfx_costs *costs, uint32_t nr_events,
			     const struct pfx_code_function **ret);

/* The code between branches that was executed in a function. Returns its length; 0: no branch
 * stacks.
 */
size_t pfx_costs_runs(const struct pfx_costs *costs, const struct pfx_code_function *function,
		      const struct pfx_branch_run **ret);

/* Iterates over the counts of a function: each distinct combination of event, place and call chain
 * (0: none) of its samples; begin with *@at 0. A function that pfx_costs_functions() did not
 * return has none. */
struct pfx_cost_entry {
	uint32_t event, chain;
	const struct pfx_place *place;
	struct pfx_cost cost;
};
bool pfx_costs_next(const struct pfx_costs *costs, const struct pfx_code_function *function,
		    uint32_t *at, struct pfx_cost_entry *ret);
/* The same for all functions, and for places that are in none. */
bool pfx_costs_each(const struct pfx_costs *costs, uint32_t *at, struct pfx_cost_entry *ret);
/* The same for chains: each chain that contains the function, once per event. */
bool pfx_costs_next_chain(struct pfx_costs *costs, const struct pfx_code_function *function,
			  uint32_t *at, struct pfx_cost_entry *ret);

#endif
