/* SPDX-License-Identifier: MIT */
/* gzip for outputs. Equal input makes equal bytes: the header has no time and no name. */
#ifndef PFX_EXPORT_OUTPUT_PACK_INTERNAL_H
#define PFX_EXPORT_OUTPUT_PACK_INTERNAL_H

#include <stdbool.h>

#include "base/str.h"

struct pfx_export_pack;

/* NULL: not built in, or no memory; then the output stays as it is. */
struct pfx_export_pack *pfx_export_pack_new(void);
void pfx_export_pack_free(struct pfx_export_pack *pack);
/* Append the packed bytes of @from to @to; with @is_last, also the end. */
void pfx_export_pack_add(struct pfx_export_pack *pack, const struct pfx_str *from, bool is_last,
			 struct pfx_str *to);

#endif
