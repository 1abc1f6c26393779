/* SPDX-License-Identifier: MIT */
/*
 * RISC-V. DWARF numbers and PLT: its psABI; numbers in samples: the kernel's perf_regs.h; signal
 * frames: the kernel's struct rt_sigframe.
 */
#include <elf.h>
#include <stdio.h>

#include "arch/arch_internal.h"

#ifndef EM_RISCV
#define EM_RISCV 243
#endif
#define NO PFX_UNWIND_NO_REG

static const char *const reg_names[] = {
	"pc", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
	"a1", "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
	"s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};

/* pc, then ra = x1 to t6 = x31: the order of the registers with gp and tp in their places */
static const uint8_t to_dwarf[] = {
	NO, 1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
};

/* A signal frame: siginfo (128 bytes), then ucontext with the machine context at 176: pc,
 * x1-x31. */
static const struct pfx_unwind_arch unwind = {
	.name = "riscv64",
	.e_machine = EM_RISCV,
	.word = 8,
	.sp = 2,
	.fp = 8,
	.ra = 1,
	.pc = NO,
	.sample_pc = 0,
	PFX_TO_DWARF(to_dwarf),
	.pc_mask = UINT64_MAX,
	.fp_ra = -8,
	.fp_fp = -16,
	.fp_sp = 0,
	.signal_pc = 304,
	.signal_regs = 312,
	.signal_sp = 320,
	.signal_first = 1,
	.signal_nr = 31,
};

static bool is_marker(const char *name)
{
	return (name[0] == '$' && (name[1] == 'x' || name[1] == 'd')) || pfx_elf_is_label(name);
}

/* Vendor, architecture and implementation. */
static bool cpuid(const char *root, char *out, size_t size)
{
	char vendor[64], arch[64], impl[64];

	if (!pfx_cpuid_file_key(root, "/proc/cpuinfo", "mvendorid", vendor, sizeof(vendor)) ||
	    !pfx_cpuid_file_key(root, "/proc/cpuinfo", "marchid", arch, sizeof(arch)) ||
	    !pfx_cpuid_file_key(root, "/proc/cpuinfo", "mimpid", impl, sizeof(impl)))
		return false;
	snprintf(out, size, "%s-%s-%s", vendor, arch, impl);
	return true;
}

#define ELF                                                                                \
	{                                                                                  \
		.is_marker = is_marker, .irelative = 58, .plt_header = 32, .plt_entry = 16 \
	}
#define MASKS                                                      \
	{                                                          \
		.user = (1ull << 32) - 1, .frame = 1 << 0 | 1 << 2 \
	}

const struct pfx_arch pfx_arch_riscv64 = {
	.name = "riscv64",
	.names = PFX_ARCH_NAMES("riscv64", "riscv"),
	.e_machine = EM_RISCV,
	.word = 8,
	.events = "riscv",
	PFX_REG_NAMES(reg_names),
	.unwind = &unwind,
	.elf = ELF,
	.masks = MASKS,
	.cpuid = cpuid,
};

const struct pfx_arch pfx_arch_riscv32 = {
	.name = "riscv32",
	.names = PFX_ARCH_NAMES("riscv32"),
	.e_machine = EM_RISCV,
	.word = 4,
	PFX_REG_NAMES(reg_names),
	.elf = ELF,
	.masks = MASKS,
	.cpuid = cpuid,
};
