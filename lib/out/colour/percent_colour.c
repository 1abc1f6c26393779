/* SPDX-License-Identifier: MIT */
#include "out/colour/percent_colour.h"

#include <stddef.h>

#define HOT_PERCENT  5.0
#define WARM_PERCENT 0.5
#define COLOUR_HOT   "\033[31m"
#define COLOUR_WARM  "\033[32m"

const char *pfx_percent_colour(double percent)
{
	if (percent <= WARM_PERCENT)
		return NULL;
	return percent >= HOT_PERCENT ? COLOUR_HOT : COLOUR_WARM;
}
