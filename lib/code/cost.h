/* SPDX-License-Identifier: MIT */
/*
 * What samples cost, by address: the periods and the numbers of the samples of each event at each
 * place, and the call chains that they came with. Samples go in one by one and are counted by small
 * ids; functions are made of it when all samples are there. Owns what it counts, borrows the
 * resolver.
 *
 *	costs = pfx_costs_new(resolver);
 *	pfx_costs_add(costs, event->idx, &sample, thread);	// many times
 *	nr = pfx_costs_functions(costs, nr_events, &functions);
 */
#ifndef PFX_CODE_COST_H
#define PFX_CODE_COST_H

#include <stdint.h>

#include "unwind/resolve.h"

/* Of one event. */
struct pfx_cost {
	uint64_t period, nr_samples;
};

struct pfx_costs;

/* A function that samples of any event lie in. */
struct pfx_code_function {
	const struct pfx_dso *dso;
	const struct pfx_symbol *symbol;
	const struct pfx_place *place; /* one of those that were hit */
	struct pfx_cost *costs;        /* by event */
};

/* Nothing counted yet. */
struct pfx_costs *pfx_costs_new(struct pfx_resolver *resolver);
void pfx_costs_free(struct pfx_costs *costs);
/* Count a sample of event number @event, with its call chain where it has one. */
void pfx_costs_add(struct pfx_costs *costs, uint32_t event, const struct pfx_sample *sample,
		   struct pfx_thread *thread);
/* All samples of an event, also those without a symbol. */
struct pfx_cost pfx_costs_total(const struct pfx_costs *costs, uint32_t event);
/* As passed to pfx_costs_functions(). */
uint32_t pfx_costs_nr_events(const struct pfx_costs *costs);

/* The functions with samples, for a recording that turned out to have @nr_events events; the most
 * expensive one of the first event that differs first. Loads symbols. Valid until the costs are
 * freed; no sample may be added afterwards. */
uint32_t pfx_costs_functions(struct pfx_costs *costs, uint32_t nr_events,
			     const struct pfx_code_function **ret);

/* The counts of a function: each distinct combination of event, place and call chain (0: none) of
 * its samples, one after another; begin with *@at 0. */
struct pfx_cost_entry {
	uint32_t event, chain;
	const struct pfx_place *place;
	struct pfx_cost cost;
};
bool pfx_costs_next(const struct pfx_costs *costs, const struct pfx_code_function *function,
		    uint32_t *at, struct pfx_cost_entry *ret);
/* The same of chains: each one that a frame of the function is in, once for an event. */
bool pfx_costs_next_chain(struct pfx_costs *costs, const struct pfx_code_function *function,
			  uint32_t *at, struct pfx_cost_entry *ret);

#endif
