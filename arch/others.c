/* SPDX-License-Identifier: MIT */
/* Machines with no known properties except the size of addresses. */
#include <elf.h>

#include "arch/arch_internal.h"

#define ROW(text, e, bytes)                                                                      \
	{                                                                                        \
		.name = (text), .names = PFX_ARCH_NAMES(text), .e_machine = (e), .word = (bytes) \
	}

const struct pfx_arch pfx_arch_parisc64 = ROW("parisc64", EM_PARISC, 8);
const struct pfx_arch pfx_arch_parisc = ROW("parisc", EM_PARISC, 4);
const struct pfx_arch pfx_arch_sh4 = ROW("sh4", EM_SH, 4);
const struct pfx_arch pfx_arch_m68k = ROW("m68k", EM_68K, 4);
