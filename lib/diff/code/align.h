/* SPDX-License-Identifier: MIT */
/*
 * Two sequences side by side, in the order of both: which elements correspond, and which are in one
 * of them alone. Elements are numbers, for example hashes, and correspond when these are equal.
 */
#ifndef PFX_DIFF_ALIGN_H
#define PFX_DIFF_ALIGN_H

#include <stdint.h>

#include "base/alloc.h"

#define PFX_ALIGN_NONE UINT32_MAX

/* The numbers of an element in both sequences; PFX_ALIGN_NONE: it is in the other one alone. */
struct pfx_aligned {
	uint32_t old, new;
	uint32_t level; /* the first key that is equal; that of the gap for an element of one alone
			 */
};

/* A sequence, described by several keys: those of the first level are looked at first, and the gaps
 * that it leaves are filled by the next one. */
struct pfx_align_keys {
	const uint64_t *old, *new;
};

struct pfx_alignment {
	PFX_VEC(struct pfx_aligned) rows; /* of a gap: first what is in the old one alone */
};

/* Align @nr_old elements with @nr_new. Takes time and memory in proportion to both, times a
 * constant that is large only where much has changed. Free the result with pfx_alignment_fini(). */
void pfx_align(struct pfx_alignment *ret, const struct pfx_align_keys *levels, uint32_t nr_levels,
	       uint32_t nr_old, uint32_t nr_new);
void pfx_alignment_fini(struct pfx_alignment *alignment);

#endif
