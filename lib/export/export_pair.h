/* SPDX-License-Identifier: MIT */
/* Both recordings of a comparison as one, for formats with PFX_EXPORT_COMPARES and input->old. */
#ifndef PFX_EXPORT_EXPORT_PAIR_H
#define PFX_EXPORT_EXPORT_PAIR_H

#include "diff/pair_noise.h"
#include "export/export.h"

struct pfx_export_pair {
	struct pfx_diff
		*diff; /* of the functions; their new names are those of the joined profile */
	struct pfx_joined joined;
	struct pfx_view_filter filter;
	struct pfx_selection selection; /* of the joined profile: the events of both */
};

/* 0, or -EINVAL with a message if they have no event in common. Free it in both cases. */
int pfx_export_pair_make(struct pfx_export_pair *ret, const struct pfx_export_input *in,
			 struct pfx_error *err);
void pfx_export_pair_fini(struct pfx_export_pair *pair);
/* What `pfx diff` finds of it; before the pair is freed. */
struct pfx_pair_noise *pfx_export_pair_noise(const struct pfx_export_pair *pair,
					     const struct pfx_export_input *in, bool by_comm);

#endif
