/* SPDX-License-Identifier: MIT */
/* Names of functions where there is little room, as in a frame of a picture. The page does the
 * same: lib/export/page/fitting.js. */
#ifndef PFX_BASE_FITTING_NAME_H
#define PFX_BASE_FITTING_NAME_H

#include <stddef.h>

#include "base/str.h"

#define PFX_ELLIPSIS "\xe2\x80\xa6" /* in UTF-8; ends what is cut */

/* The length in bytes of the first @nr characters of a UTF-8 text, or of all of it. */
size_t pfx_chars_length(const char *text, size_t nr);
/* Add as much of a name as fits into @room characters, at least 2: all of it, or it without
 * template arguments and parameters, or of that what is after the last "::", or the beginning of
 * that with an ellipsis. */
void pfx_fitting_name(struct pfx_str *to, const char *name, size_t room);

#endif
