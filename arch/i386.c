/* SPDX-License-Identifier: MIT */
/*
 * 32-bit x86. DWARF numbers and PLT: its System V psABI; numbers in samples: the kernel's
 * perf_regs.h; signal frames: struct sigframe and rt_sigframe of the kernel.
 */
#include <elf.h>

#include "arch/arch_internal.h"

static const char *const reg_names[] = {
	"AX", "BX",    "CX", "DX", "SI", "DI", "BP", "SP",
	"IP", "FLAGS", "CS", "SS", "DS", "ES", "FS", "GS",
};

/* ax bx cx dx si di bp sp ip */
static const uint8_t to_dwarf[] = {0, 3, 1, 2, 6, 7, 5, 4, 8};

/*
 * A signal frame: signal number, segments (16 bytes), di si bp sp bx dx cx ax, two more words, ip.
 * With SA_SIGINFO, the same after two pointers, the siginfo (128 bytes) and the first 20 bytes of
 * ucontext.
 */
static const struct pfx_unwind_arch unwind = {
	.name = "i386",
	.e_machine = EM_386,
	.word = 4,
	.sp = 4,
	.fp = 5,
	.ra = PFX_UNWIND_NO_REG,
	.pc = 8,
	.sample_pc = 8,
	PFX_TO_DWARF(to_dwarf),
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

static const char *const data_names[][PFX_DATA_REG_NAMES] = {
	{"eax", "ax", "al", "ah"},
	{"ecx", "cx", "cl", "ch"},
	{"edx", "dx", "dl", "dh"},
	{"ebx", "bx", "bl", "bh"},
	{"esp", "sp"},
	{"ebp", "bp"},
	{"esi", "si"},
	{"edi", "di"},
};

static const struct pfx_data_arch data = {
	.name = "i386",
	.word = 4,
	.sp = 4,
	.fp = 5,
	.ret = 0,
	.entry_sp = -4,
	.canary = 0x14,
	.lost = 0x07, /* ax cx dx */
	PFX_DATA_NAMES(data_names),
};

static bool decode_plt(const struct pfx_plt_code *code, struct pfx_plt_entry *ret)
{
	return pfx_x86_decode_plt(false, code, ret);
}

const struct pfx_arch pfx_arch_i386 = {
	.name = "i386",
	.names = PFX_ARCH_NAMES("i386", "i486", "i586", "i686"),
	.e_machine = EM_386,
	.word = 4,
	.has_dies = true,
	.events = "x86",
	PFX_REG_NAMES(reg_names),
	.unwind = &unwind,
	.data = &data,
	.elf = {.irelative = R_386_IRELATIVE, .decode_plt = decode_plt, .plt_step = 8},
	.masks = {.user = 0xfff, .frame = 1 << 7 | 1 << 8},
	.cpuid = pfx_x86_cpuid,
};
