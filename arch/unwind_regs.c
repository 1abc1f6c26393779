/* SPDX-License-Identifier: MIT */
/*
 * Tables of registers for unwinding. Numbers in samples are those of each kernel's perf_regs.h,
 * DWARF numbers those of each processor supplement. Layouts of signal frames are what the kernel
 * puts on the stack: struct rt_sigframe of the machine.
 */
#include "arch/unwind_regs.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

#define NO PFX_UNWIND_NO_REG

#define DEFAULT_MASK ((1ull << 48) - 1) /* where the maps tell nothing: what most kernels have */
#define KERNEL_HALF  (1ull << 55)       /* is in the kernel's addresses, and in no program's */

#define TO_DWARF(table) .nr_sample = sizeof(table), .to_dwarf = (table)

/* ax bx cx dx si di bp sp ip flags cs ss ds es fs gs r8-r15 */
static const uint8_t x86_64_regs[] = {
	0, 3, 2, 1, 4, 5, 6, 7, 16, NO, NO, NO, NO, NO, NO, NO, 8, 9, 10, 11, 12, 13, 14, 15,
};
static const uint8_t x86_32_regs[] = {0, 3, 1, 2, 6, 7, 5, 4, 8};
/* x0-x30 sp pc */
static const uint8_t arm64_regs[] = {
	0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
	17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
};
static const uint8_t arm_regs[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
/* pc, then ra = x1 to t6 = x31: the order of the registers with gp and tp in their places */
static const uint8_t riscv_regs[] = {
	NO, 1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
};
/* r0-r15, f0-f15, PSW mask and address; DWARF counts the even of four f registers first */
static const uint8_t s390_regs[] = {
	0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
	20, 17, 21, 18, 22, 19, 23, 24, 28, 25, 29, 26, 30, 27, 31, 64, 65,
};
/* r0-r31 nip msr orig_r3 ctr link */
static const uint8_t powerpc_regs[] = {
	0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18,
	19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, NO, NO, NO, 66, 65,
};

static const struct pfx_unwind_arch x86_64 = {
	.name = "x86_64",
	.word = 8,
	.sp = 7,
	.fp = 6,
	.ra = NO,
	.pc = 16,
	.sample_pc = 8,
	TO_DWARF(x86_64_regs),
	.pc_mask = UINT64_MAX,
	.fp_ra = 8,
	.fp_fp = 0,
	.fp_sp = 16,
};
/* The handler's number, then segments (16), di si bp sp bx dx cx ax, two more, ip. Where the
 * handler takes a siginfo, the same behind two pointers, that (128), and the head of ucontext (20).
 */
static const struct pfx_unwind_arch x86_32 = {
	.name = "i386",
	.word = 4,
	.sp = 4,
	.fp = 5,
	.ra = NO,
	.pc = 8,
	.sample_pc = 8,
	TO_DWARF(x86_32_regs),
	.pc_mask = UINT32_MAX,
	.fp_ra = 4,
	.fp_fp = 0,
	.fp_sp = 8,
	.signal_pc = 60,
	.signal_regs = 20,
	.signal_sp = 32,
	.signal_first = 7,
	.signal_nr = 8,
	.signal_down = true,
	.signal_alt = 156,
	.vsyscall_ra = 12,
};
/* Of kernels with pages of 4, 16 and 64 KiB and two to four levels of tables, or large addresses.
 */
static const uint8_t arm64_address_bits[] = {36, 39, 42, 47, 48, 52, 0};
/* siginfo (128), then ucontext with the
 * machine's part at 176: fault address, x0-x30, sp, pc. */
static const struct pfx_unwind_arch arm64 = {
	.name = "arm64",
	.word = 8,
	.sp = 31,
	.fp = 29,
	.ra = 30,
	.pc = 32,
	.sample_pc = 32,
	TO_DWARF(arm64_regs),
	.pc_mask = UINT64_MAX,
	.address_bits = arm64_address_bits,
	.fp_ra = 8,
	.fp_fp = 0,
	.fp_sp = 16,
	.signal_pc = 568,
	.signal_regs = 312,
	.signal_sp = 560,
	.signal_first = 0,
	.signal_nr = 31,
};
static const struct pfx_unwind_arch arm = {
	.name = "arm",
	.word = 4,
	.sp = 13,
	.fp = 11,
	.ra = 14,
	.pc = 15,
	.sample_pc = 15,
	TO_DWARF(arm_regs),
	.pc_mask = 0xfffffffeull,
	.has_exidx = true,
};
/* siginfo (128), then ucontext with the machine's part at 176: pc, x1-x31. */
static const struct pfx_unwind_arch riscv64 = {
	.name = "riscv64",
	.word = 8,
	.sp = 2,
	.fp = 8,
	.ra = 1,
	.pc = NO,
	.sample_pc = 0,
	TO_DWARF(riscv_regs),
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
static const struct pfx_unwind_arch s390x = {
	.name = "s390x",
	.word = 8,
	.sp = 15,
	.fp = 11,
	.ra = 14,
	.pc = 65,
	.sample_pc = 33,
	TO_DWARF(s390_regs),
	.pc_mask = UINT64_MAX,
	.cfa_bias = 160,
};
static const struct pfx_unwind_arch ppc64 = {
	.name = "ppc64",
	.word = 8,
	.sp = 1,
	.fp = 31,
	.ra = 65,
	.pc = NO,
	.sample_pc = 32,
	TO_DWARF(powerpc_regs),
	.pc_mask = UINT64_MAX,
};

/* By how the name of the machine begins; the more special name comes first. */
static const struct {
	const char *prefix;
	const struct pfx_unwind_arch *narrow, *wide; /* for 32-bit and 64-bit programs */
} machines[] = {
	{"x86_64", &x86_32, &x86_64}, {"amd64", &x86_32, &x86_64}, {"i", &x86_32, NULL},
	{"aarch64", &arm, &arm64},    {"arm64", &arm, &arm64},     {"arm", &arm, NULL},
	{"riscv64", NULL, &riscv64},  {"s390x", NULL, &s390x},     {"ppc64", NULL, &ppc64},
	{"powerpc64", NULL, &ppc64},
};

const struct pfx_unwind_arch *pfx_unwind_arch_find(const char *machine, uint64_t abi)
{
	size_t i;

	for (i = 0; machine && i < sizeof(machines) / sizeof(machines[0]); i++)
		if (!strncmp(machine, machines[i].prefix, strlen(machines[i].prefix)))
			return abi == 1 ? machines[i].narrow : abi == 2 ? machines[i].wide : NULL;
	return NULL;
}

uint64_t pfx_unwind_pc_mask(const struct pfx_unwind_arch *arch, uint64_t top)
{
	const uint8_t *bits = arch->address_bits;

	if (!bits)
		return arch->pc_mask;
	while (*bits && (top - 1) >> *bits)
		bits++;
	return *bits && top ? (1ull << *bits) - 1 : DEFAULT_MASK;
}

uint64_t pfx_unwind_strip(const struct pfx_unwind_arch *arch, uint64_t mask, uint64_t value)
{
	return arch->address_bits && value & KERNEL_HALF ? value | ~mask : value & mask;
}

const char *pfx_unwind_machine_name(uint32_t e_machine)
{
	switch (e_machine) {
	case EM_X86_64:
		return "x86_64";
	case EM_386:
		return "i386";
	case EM_AARCH64:
		return "aarch64";
	case EM_ARM:
		return "arm";
	case EM_RISCV:
		return "riscv64";
	case EM_S390:
		return "s390x";
	case EM_PPC64:
		return "ppc64";
	default:
		return NULL;
	}
}
