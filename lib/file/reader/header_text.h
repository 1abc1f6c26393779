/* SPDX-License-Identifier: MIT */
/* The output of `--header`: the fixed header, then every feature, in perf's format. */
#ifndef PFX_FILE_HEADER_TEXT_H
#define PFX_FILE_HEADER_TEXT_H

#include "base/str.h"
#include "file/reader/reader.h"

/* From "# ========" to "# ========\n#\n". @full: the long features too (-I). */
void pfx_header_text(struct pfx_reader *reader, bool full, struct pfx_str *to);

#endif
