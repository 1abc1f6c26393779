/* SPDX-License-Identifier: MIT */
/* The colour of a percentage, in tables and in call trees. */
#include "out/hist_text_internal.h"

#define HOT_PERCENT  5.0
#define WARM_PERCENT 0.5
#define COLOUR_HOT   "\033[31m"
#define COLOUR_WARM  "\033[32m"

const char *pfx_percent_colour(const struct pfx_hist_text *how, double percent)
{
	/* output with separators is for programs: no colour */
	if (!how->colours || how->separator || percent <= WARM_PERCENT)
		return NULL;
	return percent >= HOT_PERCENT ? COLOUR_HOT : COLOUR_WARM;
}
