/* SPDX-License-Identifier: MIT */
/* Without zlib, outputs are not packed; their readers accept that. */
#include "export/output/pack_internal.h"

#include <stddef.h>

struct pfx_export_pack *pfx_export_pack_new(void)
{
	return NULL;
}

void pfx_export_pack_free(struct pfx_export_pack *pack)
{
	(void)pack;
}

void pfx_export_pack_add(struct pfx_export_pack *pack, const struct pfx_str *from, bool is_last,
			 struct pfx_str *to)
{
	(void)pack;
	(void)is_last;
	pfx_str_addn(to, from->at, from->len);
}
