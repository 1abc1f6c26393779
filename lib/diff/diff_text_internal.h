/* SPDX-License-Identifier: MIT */
/* What the forms of a comparison share. */
#ifndef PFX_DIFF_TEXT_INTERNAL_H
#define PFX_DIFF_TEXT_INTERNAL_H

#include "diff/diff_text.h"

/* The table of amounts. */
void pfx_diff_amounts_text(const struct pfx_diff_look *look, struct pfx_str *to);
/* Whether the difference of a side is within noise; false if that is not known. */
bool pfx_diff_amount_within(const struct pfx_diff_look *look, const struct pfx_diff_amount *amount,
			    uint32_t side);
/* A weight with its unit: "1.25%", "3.00 ms", "17". */
void pfx_diff_weight_text(enum pfx_diff_footing weight, double number, bool with_sign,
			  struct pfx_str *to);

#endif
