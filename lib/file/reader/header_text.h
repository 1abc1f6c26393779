/* SPDX-License-Identifier: MIT */
/* The block of `--header`: what the fixed header says, then every feature, line for line as perf.
 */
#ifndef PFX_FILE_HEADER_TEXT_H
#define PFX_FILE_HEADER_TEXT_H

#include "base/str.h"
#include "file/reader/reader.h"

/* From "# ========" to "# ========\n#\n". @full: the long features too (-I). */
void pfx_header_text(struct pfx_reader *reader, bool full, struct pfx_str *to);

#endif
