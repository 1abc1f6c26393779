/* SPDX-License-Identifier: MIT */
/* LoongArch. Numbers in samples: the kernel's perf_regs.h; PLT: its ELF psABI. */
#include <elf.h>

#include "arch/arch_internal.h"

#ifndef EM_LOONGARCH
#define EM_LOONGARCH 258
#endif

static const char *const reg_names[] = {
	"PC",  "R1",  "R2",  "R3",  "R4",  "R5",  "R6",  "R7",  "R8",  "R9",  "R10",
	"R11", "R12", "R13", "R14", "R15", "R16", "R17", "R18", "R19", "R20", "R21",
	"R22", "R23", "R24", "R25", "R26", "R27", "R28", "R29", "R30", "R31",
};

const struct pfx_arch pfx_arch_loongarch64 = {
	.name = "loongarch64",
	.names = PFX_ARCH_NAMES("loongarch"),
	.e_machine = EM_LOONGARCH,
	.word = 8,
	.events = "loongarch",
	PFX_REG_NAMES(reg_names),
	.elf = {.is_marker = pfx_elf_is_label, .plt_header = 32, .plt_entry = 16},
	/* Program counter, r1 to r31; r3 is the stack pointer. */
	.masks = {.user = (1ull << 32) - 1, .frame = 1 << 0 | 1 << 3},
};
