/* SPDX-License-Identifier: MIT */
/* Binary search. */
#ifndef PFX_BASE_BISECT_H
#define PFX_BASE_BISECT_H

#include <stddef.h>

/*
 * How many of the indexes 0 to @nr - 1 come before a place: the index of the first that does not,
 * or @nr. @is_before is an expression about @i, a size_t of the macro's own; it is true for the
 * first ones and false for all behind them. In an array sorted by addr:
 *	first = pfx_bisect(i, v.nr, v.at[i].addr < addr);	the first at or behind addr
 *	behind = pfx_bisect(i, v.nr, v.at[i].addr <= addr);	v.at[behind - 1] is the last up to
 *it
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
