/* SPDX-License-Identifier: MIT */
/* Numbers, bytes and untrusted text in the format of the dump. */
#include "event/dump_internal.h"

void pfx_dump_text(struct pfx_str *to, const char *text)
{
	pfx_str_add_foreign(to, text);
}

void pfx_dump_hex_number(struct pfx_str *to, uint64_t v)
{
	if (v)
		pfx_str_add(to, "0x");
	pfx_str_hex(to, v, 0);
}

void pfx_dump_hex_bytes(struct pfx_str *to, const uint8_t *bytes, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		pfx_str_hex0(to, bytes[i], 2);
}
