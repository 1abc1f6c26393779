/* SPDX-License-Identifier: MIT */
/*
 * Costs of items by event, where there are samples: memory follows the samples, even if a recording
 * has thousands of items and events. Items are small numbers that the caller chooses. Owns the
 * costs. Zero-initialize.
 */
#ifndef PFX_CODE_COST_TABLE_H
#define PFX_CODE_COST_TABLE_H

#include <stdint.h>

#include "base/alloc.h"
#include "base/hash.h"

/* Cost of one event. */
struct pfx_cost {
	uint64_t period, nr_samples;
};

static inline void pfx_cost_add(struct pfx_cost *to, const struct pfx_cost *more)
{
	to->period += more->period;
	to->nr_samples += more->nr_samples;
}

struct pfx_event_cost {
	uint32_t item, event;
	struct pfx_cost cost;
};

/* The costs of an item, sorted by event. Borrowed. */
struct pfx_cost_list {
	const struct pfx_event_cost *at;
	uint32_t nr;
};

/* The cost of an event; zero if it has no samples. */
struct pfx_cost pfx_cost_of(const struct pfx_cost_list *list, uint32_t event);
/* For sorting by descending period of the first event that differs; 0: all are equal. */
int pfx_cost_compare(const struct pfx_cost_list *a, const struct pfx_cost_list *b);

struct pfx_cost_table {
	struct pfx_hash index; /* item and event -> index of costs; empty after sorting */
	PFX_VEC(struct pfx_event_cost) costs;
};

/* Add to the cost of an item and event. */
void pfx_cost_table_add(struct pfx_cost_table *table, uint32_t item, uint32_t event,
			const struct pfx_cost *cost);
/* Call it before pfx_cost_table_list(). More may be added afterwards: then all lists are invalid.
 */
void pfx_cost_table_sort(struct pfx_cost_table *table);
/* The costs of an item; empty if it has none. */
struct pfx_cost_list pfx_cost_table_list(const struct pfx_cost_table *table, uint32_t item);
void pfx_cost_table_fini(struct pfx_cost_table *table);

#endif
