/* SPDX-License-Identifier: MIT */
/* SPARC. The kernel does not sample registers. PLT: its psABI. */
#include <elf.h>

#include "arch/arch_internal.h"

const struct pfx_arch pfx_arch_sparc64 = {
	.name = "sparc64",
	.names = PFX_ARCH_NAMES("sparc64"),
	.e_machine = EM_SPARCV9,
	.word = 8,
	.elf = {.plt_header = 128, .plt_entry = 32},
};

const struct pfx_arch pfx_arch_sparc = {
	.name = "sparc",
	.names = PFX_ARCH_NAMES("sparc"),
	.e_machine = EM_SPARC,
	.word = 4,
	.elf = {.plt_header = 48, .plt_entry = 12},
};
