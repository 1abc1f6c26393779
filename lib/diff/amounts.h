/* SPDX-License-Identifier: MIT */
/*
 * Amounts of whole runs: counts of `stat record` files, and the time that a run took. With several
 * runs on a side, the difference of the means has an interval (Student's, with the variance of both
 * sides together, for all amounts simultaneously). Owns everything.
 */
#ifndef PFX_DIFF_AMOUNTS_H
#define PFX_DIFF_AMOUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "stat/stat.h"

#define PFX_DIFF_TOTAL_TIME "total-time" /* the amount of that name, in ns */

struct pfx_diff_amount {
	const char *name;          /* untrusted */
	const char *unit;          /* "" for plain counts; untrusted */
	struct pfx_moments *sides; /* by side; n is 0 where no run has it */
};

struct pfx_diff_amounts;

/* No amounts yet. */
struct pfx_diff_amounts *pfx_diff_amounts_new(uint32_t nr_sides);
void pfx_diff_amounts_free(struct pfx_diff_amounts *amounts); /* may be NULL */
/* Add what one run of a side has of it. */
void pfx_diff_amounts_add(struct pfx_diff_amounts *amounts, uint32_t side, const char *name,
			  const char *unit, double value);
/* Add all counts of a table: events that were not counted are left out. */
void pfx_diff_amounts_add_counts(struct pfx_diff_amounts *amounts, uint32_t side,
				 const struct pfx_counts *counts);
/* In order of appearance. */
uint32_t pfx_diff_nr_amounts(const struct pfx_diff_amounts *amounts);
const struct pfx_diff_amount *pfx_diff_amount_at(const struct pfx_diff_amounts *amounts,
						 uint32_t i);
/* By name: "cycles" is also found as "cycles:u". NULL: none. */
const struct pfx_diff_amount *pfx_diff_amount_named(const struct pfx_diff_amounts *amounts,
						    const char *name);
/* Half of the interval of the difference of a side from side 0. False: one run a side, the noise
 * is unknown. */
bool pfx_diff_amount_interval(const struct pfx_diff_amounts *amounts,
			      const struct pfx_diff_amount *amount, uint32_t side,
			      double confidence, double *ret);

#endif
