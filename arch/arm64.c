/* SPDX-License-Identifier: MIT */
/*
 * 64-bit ARM. DWARF numbers: "DWARF for the Arm 64-bit Architecture"; numbers in samples: the
 * kernel's perf_regs.h; signal frames: the kernel's struct rt_sigframe.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "arch/arch_internal.h"
#include "base/alloc.h"
#include "base/io.h"

static const char *const reg_names[] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10", "x11",
	"x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23",
	"x24", "x25", "x26", "x27", "x28", "x29", "lr",  "sp",  "pc",  NULL,  NULL,  NULL,
	NULL,  NULL,  NULL,  NULL,  NULL,  NULL,  NULL,  NULL,  NULL,  NULL,  "vg",
};

/* x0-x30 sp pc */
static const uint8_t to_dwarf[] = {
	0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
	17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
};

/* For kernels with pages of 4, 16 and 64 KiB and two to four levels of page tables, or LVA. */
static const uint8_t address_bits[] = {36, 39, 42, 47, 48, 52, 0};

/* A signal frame: siginfo (128 bytes), then ucontext with the machine context at 176: fault
 * address, x0-x30, sp, pc. */
static const struct pfx_unwind_arch unwind = {
	.name = "arm64",
	.e_machine = EM_AARCH64,
	.word = 8,
	.sp = 31,
	.fp = 29,
	.ra = 30,
	.pc = 32,
	.sample_pc = 32,
	PFX_TO_DWARF(to_dwarf),
	.pc_mask = UINT64_MAX,
	.address_bits = address_bits,
	.fp_ra = 8,
	.fp_fp = 0,
	.fp_sp = 16,
	.signal_pc = 568,
	.signal_regs = 312,
	.signal_sp = 560,
	.signal_first = 0,
	.signal_nr = 31,
};

static const char *const data_names[][PFX_DATA_REG_NAMES] = {
	{"x0", "w0"},   {"x1", "w1"},   {"x2", "w2"},   {"x3", "w3"},   {"x4", "w4"},
	{"x5", "w5"},   {"x6", "w6"},   {"x7", "w7"},   {"x8", "w8"},   {"x9", "w9"},
	{"x10", "w10"}, {"x11", "w11"}, {"x12", "w12"}, {"x13", "w13"}, {"x14", "w14"},
	{"x15", "w15"}, {"x16", "w16"}, {"x17", "w17"}, {"x18", "w18"}, {"x19", "w19"},
	{"x20", "w20"}, {"x21", "w21"}, {"x22", "w22"}, {"x23", "w23"}, {"x24", "w24"},
	{"x25", "w25"}, {"x26", "w26"}, {"x27", "w27"}, {"x28", "w28"}, {"x29", "w29"},
	{"x30", "w30"}, {"sp", "wsp"},
};

static const struct pfx_data_arch data = {
	.name = "arm64",
	.word = 8,
	.sp = 31,
	.fp = 29,
	.ret = 0,
	.entry_sp = 0,
	.lost = 0x4007ffff, /* x0-x18, x30 */
	PFX_DATA_NAMES(data_names),
};

/* [bti c] adrp x16, page; ldr x17, [x16, #offset]; ... br x17 */
static bool decode_plt(const struct pfx_plt_code *code, struct pfx_plt_entry *ret)
{
	size_t at = code->size >= 4 && pfx_load_le32(code->at) == 0xd503245f ? 4 : 0;
	uint32_t adrp, ldr;
	uint64_t page;

	if (code->size < at + 16)
		return false;
	adrp = pfx_load_le32(code->at + at);
	ldr = pfx_load_le32(code->at + at + 4);
	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	page = (uint64_t)(adrp >> 5 & 0x7ffff) << 14 | (uint64_t)(adrp >> 29 & 3) << 12;
	if (page >> 32 & 1)
		page |= ~0ull << 33;
	*ret = (struct pfx_plt_entry){.size = (uint32_t)at + 16};
	ret->slot = ((code->addr + at) & ~0xfffull) + page + (ldr >> 10 & 0xfff) * 8;
	return true;
}

/* The MIDR as 0x and 16 digits. */
static bool cpuid(const char *root, char *out, size_t size)
{
	char *path = pfx_strfmt("%s/sys/devices/system/cpu/cpu0/regs/identification/midr_el1",
				root ? root : "");
	uint64_t midr;
	int rc = pfx_read_u64(path, &midr);

	free(path);
	if (rc)
		return false;
	snprintf(out, size, "0x%016llx", (unsigned long long)midr);
	return true;
}

const struct pfx_arch pfx_arch_arm64 = {
	.name = "aarch64",
	.names = PFX_ARCH_NAMES("aarch64", "arm64"),
	.e_machine = EM_AARCH64,
	.word = 8,
	.events = "arm64",
	.narrow = &pfx_arch_arm,
	PFX_REG_NAMES(reg_names),
	.unwind = &unwind,
	.data = &data,
	.elf =
		{
			.is_marker = pfx_arm_is_marker,
			.irelative = 1032, /* R_AARCH64_IRELATIVE */
			.decode_plt = decode_plt,
			.plt_step = 4,
		},
	.masks =
		{
			/* 31 general registers, stack pointer, program counter. */
			.user = (1ull << 33) - 1,
			.leaf = 1ull << 30,
			.frame = 1ull << 31 | 1ull << 32,
		},
	.cpuid = cpuid,
};

/* The machine that a 64-bit kernel reports to 32-bit programs: the one of recordings made by
 * them. */
const struct pfx_arch pfx_arch_arm64_compat = {
	.name = "armv8l",
	.names = PFX_ARCH_NAMES("armv8"),
	.e_machine = EM_NONE,
	.word = 8,
	.narrow = &pfx_arch_arm,
	PFX_REG_NAMES(pfx_arm_reg_names),
};
