/* SPDX-License-Identifier: MIT */
/* Binary search. */
#ifndef PFX_BASE_BISECT_H
#define PFX_BASE_BISECT_H

#include <stddef.h>

/*
 * The number of indexes from 0 to @nr - 1 that sort before a position: the first index for which
 * @is_before is false, or @nr. @is_before is an expression of @i, a size_t that the macro declares;
 * it must be true for a prefix of the indexes and false for the rest. In an array sorted by addr:
 *	first = pfx_bisect(i, v.nr, v.at[i].addr < addr);	the first at or above addr
 *	after = pfx_bisect(i, v.nr, v.at[i].addr <= addr);	v.at[after - 1]: the last up to it
 */
#define pfx_bisect(i, nr, is_before)                   \
	({                                             \
		size_t low_ = 0, high_ = (nr), i;      \
                                                       \
		while (low_ < high_) {                 \
			i = low_ + (high_ - low_) / 2; \
			if (is_before)                 \
				low_ = i + 1;          \
			else                           \
				high_ = i;             \
		}                                      \
		low_;                                  \
	})

#endif
