/* SPDX-License-Identifier: MIT */
/* MIPS. Numbers in samples: the kernel's perf_regs.h. */
#include <elf.h>

#include "arch/arch_internal.h"

static const char *const reg_names[] = {
	"PC",  "R1",  "R2",  "R3",  "R4",  "R5",  "R6",  "R7",  "R8",  "R9",
	"R10", "R11", "R12", "R13", "R14", "R15", "R16", "R17", "R18", "R19",
	"R20", "R21", "R22", "R23", "R24", "R25", "R28", "R29", "R30", "R31",
};

const struct pfx_arch pfx_arch_mips64 = {
	.name = "mips64",
	.names = PFX_ARCH_NAMES("mips64"),
	.e_machine = EM_MIPS,
	.word = 8,
	PFX_REG_NAMES(reg_names),
};

const struct pfx_arch pfx_arch_mips = {
	.name = "mips",
	.names = PFX_ARCH_NAMES("mips"),
	.e_machine = EM_MIPS,
	.word = 4,
	PFX_REG_NAMES(reg_names),
};
