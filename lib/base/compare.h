/* SPDX-License-Identifier: MIT */
/* The order of numbers, for functions that compare. */
#ifndef PFX_BASE_COMPARE_H
#define PFX_BASE_COMPARE_H

#include <stdint.h>

/* Negative, 0 or positive. */
static inline int pfx_compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

#endif
