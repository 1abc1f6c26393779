/* SPDX-License-Identifier: MIT */
/* The colour of a percentage, in tables, call trees and code. */
#ifndef PFX_OUT_PERCENT_COLOUR_H
#define PFX_OUT_PERCENT_COLOUR_H

#define PFX_COLOUR_END "\033[m"

/* The escape sequence that begins the colour: red from 5 percent on, green above 0.5; NULL: none.
 */
const char *pfx_percent_colour(double percent);

#endif
