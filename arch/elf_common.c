/* SPDX-License-Identifier: MIT */
/* Properties of ELF files that several CPUs share. */
#include <string.h>

#include "arch/arch_internal.h"

uint32_t pfx_load_le32(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

bool pfx_arm_is_marker(const char *name)
{
	return name[0] == '$' && name[1] && strchr("adtx", name[1]) && (!name[2] || name[2] == '.');
}

bool pfx_elf_is_label(const char *name)
{
	return !strncmp(name, "L0", 2) || !strncmp(name, ".L", 2);
}
