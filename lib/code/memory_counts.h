/* SPDX-License-Identifier: MIT */
/*
 * Sampled memory accesses by event, place, operation and memory level. Owns what it counts.
 */
#ifndef PFX_CODE_MEMORY_COUNTS_H
#define PFX_CODE_MEMORY_COUNTS_H

#include <stdbool.h>

#include "event/sample.h"

struct pfx_memory_count {
	uint32_t event;
	uint64_t data_src; /* operation and level alone: pfx_mem_op_text(), pfx_mem_level_text() */
	uint64_t nr_samples;
	uint64_t weight; /* sum; 0 if not recorded */
};

struct pfx_memory_table;

/* Nothing counted yet. */
struct pfx_memory_table *pfx_memory_table_new(void);
void pfx_memory_table_free(struct pfx_memory_table *table);
/* Count a sample, if it has the source of its data; @place: the id of its place. */
void pfx_memory_table_add(struct pfx_memory_table *table, uint32_t event, uint32_t place,
			  const struct pfx_sample *sample);
/* Iterates over the counts of a place, the latest first; begin with *@at 0. */
bool pfx_memory_table_next(const struct pfx_memory_table *table, uint32_t place, uint32_t *at,
			   struct pfx_memory_count *ret);
/* Whether no sample was counted. */
bool pfx_memory_table_is_empty(const struct pfx_memory_table *table);

#endif
