/* SPDX-License-Identifier: MIT */
/* Used when liblzma is not built in: xz files cannot be read. */
#include "sym/elf/unpack_internal.h"

uint8_t *pfx_unpack_xz(const uint8_t *packed, size_t size, size_t *ret_size)
{
	return NULL;
}
