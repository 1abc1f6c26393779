/* SPDX-License-Identifier: MIT */
/* Sorts indexes by a small number, by counting: in time for the indexes and the numbers. */
#ifndef PFX_BASE_GROUPS_H
#define PFX_BASE_GROUPS_H

#include <stdint.h>

/* The indexes with key k are at[first[k]] to at[first[k + 1] - 1], in ascending order. */
struct pfx_groups {
	uint32_t *at, *first;
};

/* The key of an index, below the number of keys. */
typedef uint32_t (*pfx_group_key_fn)(const void *context, uint32_t i);

/* Groups the indexes from 0 to @nr - 1. */
void pfx_groups_make(struct pfx_groups *ret, uint32_t nr, uint32_t nr_keys, pfx_group_key_fn key,
		     const void *context);
void pfx_groups_fini(struct pfx_groups *groups);

#endif
