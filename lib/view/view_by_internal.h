/* SPDX-License-Identifier: MIT */
/* The ids of enum pfx_view_by: of samples, and their order. */
#ifndef PFX_VIEW_VIEW_BY_INTERNAL_H
#define PFX_VIEW_VIEW_BY_INTERNAL_H

#include "view/select/selection.h"

/* The id of a row of the profile: its process, thread, name, CPU or event. */
uint32_t pfx_row_key(const struct pfx_profile *profile, enum pfx_view_by by, uint32_t row);
/* By library: the first with its short name, which is what libraries are shown by. The caller frees
 * it. */
uint32_t *pfx_view_first_dsos(const struct pfx_profile *profile);
/* By name or number. */
int pfx_view_compare(const struct pfx_profile *profile, enum pfx_view_by by, uint32_t a,
		     uint32_t b);
/* The ids below @nr with a weight of @min and above zero, into @ret, by weight or by name; returns
 * their number. */
uint32_t pfx_view_order_ids(const struct pfx_profile *profile, enum pfx_view_by by,
			    const uint64_t *weights, uint32_t nr, uint64_t min, bool by_name,
			    uint32_t *ret);

#endif
