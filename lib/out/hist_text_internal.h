/* SPDX-License-Identifier: MIT */
/* Shared by the text of rows and the text of call trees. */
#ifndef PFX_OUT_HIST_TEXT_INTERNAL_H
#define PFX_OUT_HIST_TEXT_INTERNAL_H

#include "out/hist_text.h"

/* "\033[31m" for a high percentage, "\033[32m" for a medium one, NULL for others. */
const char *pfx_percent_colour(const struct pfx_hist_text *how, double percent);
/* The call tree of a row. */
void pfx_call_text(const struct pfx_hist_text *how, const struct pfx_hists *hists,
		   const struct pfx_hist *hist, const struct pfx_row *row, struct pfx_str *to);

/* Name and value of counter @i, 0, 1, ...; NULL after the last. */
const char *pfx_branch_count(const struct pfx_branch_counts *counts, unsigned i, uint64_t *ret_nr);
/* "COND_BWD CALL CROSS_4K": bits of enum pfx_branch_kind_bit, a blank after each. */
void pfx_branch_kinds_text(uint64_t kinds, struct pfx_str *to);

#endif
