/* SPDX-License-Identifier: MIT */
#include "sym/elf/inflate_internal.h"

bool pfx_inflate_is_built_in(void)
{
	return false;
}

bool pfx_inflate(const uint8_t *packed, size_t size, uint8_t *to, size_t to_size)
{
	(void)packed;
	(void)size;
	(void)to;
	(void)to_size;
	return false;
}
