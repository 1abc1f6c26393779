/* SPDX-License-Identifier: MIT */
/* Without liblzma the packed symbols of .gnu_debugdata stay closed. */
#include "sym/elf_internal.h"

uint8_t *pfx_minidebug_unpack(const struct pfx_elf *elf, size_t *ret_size)
{
	return NULL;
}
