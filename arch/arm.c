/* SPDX-License-Identifier: MIT */
/*
 * 32-bit ARM. DWARF numbers: "DWARF for the Arm Architecture"; numbers in samples: the kernel's
 * perf_regs.h. The ARM unwind tables are decoded in arm_exidx.c.
 */
#include <elf.h>

#include "arch/arch_internal.h"

const char *const pfx_arm_reg_names[PFX_ARM_NR_REG_NAMES] = {
	"r0", "r1", "r2",  "r3", "r4", "r5", "r6", "r7",
	"r8", "r9", "r10", "fp", "ip", "sp", "lr", "pc",
};

static const uint8_t to_dwarf[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static const struct pfx_unwind_arch unwind = {
	.name = "arm",
	.e_machine = EM_ARM,
	.word = 4,
	.sp = 13,
	.fp = 11,
	.ra = 14,
	.pc = 15,
	.sample_pc = 15,
	PFX_TO_DWARF(to_dwarf),
	.pc_mask = 0xfffffffe,
	.has_exidx = true,
};

const struct pfx_arch pfx_arch_arm = {
	.name = "arm",
	.names = PFX_ARCH_NAMES("arm"),
	.e_machine = EM_ARM,
	.word = 4,
	PFX_REG_NAMES(pfx_arm_reg_names),
	.unwind = &unwind,
	.elf =
		{
			.is_marker = pfx_arm_is_marker,
			.has_thumb_bit = true,
			.plt_header = 20,
			.plt_entry = 12,
		},
	.masks = {.user = 0xffff, .frame = 1 << 13 | 1 << 15},
};
