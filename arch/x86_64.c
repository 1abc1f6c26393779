/* SPDX-License-Identifier: MIT */
/* x86-64. DWARF numbers and PLT: its System V psABI; numbers in samples: the kernel's perf_regs.h.
 */
#include <elf.h>

#include "arch/arch_internal.h"

#define NO PFX_UNWIND_NO_REG

static const char *const reg_names[] = {
	"AX",    "BX",    "CX",    "DX",    "SI",    "DI",    "BP",    "SP",    "IP",    "FLAGS",
	"CS",    "SS",    "DS",    "ES",    "FS",    "GS",    "R8",    "R9",    "R10",   "R11",
	"R12",   "R13",   "R14",   "R15",   NULL,    NULL,    NULL,    NULL,    NULL,    NULL,
	NULL,    NULL,    "XMM0",  "XMM0",  "XMM1",  "XMM1",  "XMM2",  "XMM2",  "XMM3",  "XMM3",
	"XMM4",  "XMM4",  "XMM5",  "XMM5",  "XMM6",  "XMM6",  "XMM7",  "XMM7",  "XMM8",  "XMM8",
	"XMM9",  "XMM9",  "XMM10", "XMM10", "XMM11", "XMM11", "XMM12", "XMM12", "XMM13", "XMM13",
	"XMM14", "XMM14", "XMM15", "XMM15",
};

/* ax bx cx dx si di bp sp ip flags cs ss ds es fs gs r8-r15 */
static const uint8_t to_dwarf[] = {
	0, 3, 2, 1, 4, 5, 6, 7, 16, NO, NO, NO, NO, NO, NO, NO, 8, 9, 10, 11, 12, 13, 14, 15,
};

/* The bytes of a pop, of `cmp $imm8, reg` or of a jump that may not be taken; 0: another
 * instruction. */
static size_t harmless_size(const uint8_t *at, size_t size)
{
	bool has_prefix = size >= 2 && at[0] == 0x41;

	if (size && (at[has_prefix] & 0xf8) == 0x58)
		return 1 + has_prefix;
	if (size >= 4 && (at[0] & 0xfe) == 0x48 && at[1] == 0x83 && at[2] >= 0xf8)
		return 4;
	return size >= 2 && (at[0] & 0xf0) == 0x70 ? 2 : 0;
}

static bool returns(const uint8_t *code, size_t size)
{
	size_t len;

	for (; (len = harmless_size(code, size)); size -= len)
		code += len;
	if (size >= 2 && (code[0] & 0xfe) == 0xf2)
		return code[1] == 0xc3; /* rep ret, bnd ret */
	return size && (code[0] & 0xfe) == 0xc2;
}

static const struct pfx_unwind_arch unwind = {
	.name = "x86_64",
	.e_machine = EM_X86_64,
	.word = 8,
	.sp = 7,
	.fp = 6,
	.ra = NO,
	.pc = 16,
	.sample_pc = 8,
	PFX_TO_DWARF(to_dwarf),
	.pc_mask = UINT64_MAX,
	.fp_ra = 8,
	.fp_fp = 0,
	.fp_sp = 16,
	.has_red_zone = true,
	.returns = returns,
};

static const char *const data_names[][PFX_DATA_REG_NAMES] = {
	{"rax", "eax", "ax", "al", "ah"}, {"rdx", "edx", "dx", "dl", "dh"},
	{"rcx", "ecx", "cx", "cl", "ch"}, {"rbx", "ebx", "bx", "bl", "bh"},
	{"rsi", "esi", "si", "sil"},      {"rdi", "edi", "di", "dil"},
	{"rbp", "ebp", "bp", "bpl"},      {"rsp", "esp", "sp", "spl"},
	{"r8", "r8d", "r8w", "r8b"},      {"r9", "r9d", "r9w", "r9b"},
	{"r10", "r10d", "r10w", "r10b"},  {"r11", "r11d", "r11w", "r11b"},
	{"r12", "r12d", "r12w", "r12b"},  {"r13", "r13d", "r13w", "r13b"},
	{"r14", "r14d", "r14w", "r14b"},  {"r15", "r15d", "r15w", "r15b"},
};

static const struct pfx_data_arch data = {
	.name = "x86_64",
	.word = 8,
	.sp = 7,
	.fp = 6,
	.ret = 0,
	.entry_sp = -8,
	.canary = 0x28,
	.lost = 0x0f37, /* ax dx cx si di r8-r11 */
	PFX_DATA_NAMES(data_names),
};

static bool decode_plt(const struct pfx_plt_code *code, struct pfx_plt_entry *ret)
{
	return pfx_x86_decode_plt(true, code, ret);
}

const struct pfx_arch pfx_arch_x86_64 = {
	.name = "x86_64",
	.names = PFX_ARCH_NAMES("x86_64", "amd64"),
	.e_machine = EM_X86_64,
	.word = 8,
	.has_dies = true,
	.events = "x86",
	.narrow = &pfx_arch_i386,
	PFX_REG_NAMES(reg_names),
	.unwind = &unwind,
	.data = &data,
	.elf = {.irelative = R_X86_64_IRELATIVE, .decode_plt = decode_plt, .plt_step = 8},
	.masks =
		{
			/* ax to ss and r8 to r15: the kernel refuses ds, es, fs and gs. */
			.user = 0xff0fff,
			.vector = 0xffffffff00000000,
			.frame = 1 << 7 | 1 << 8,
		},
	.cpuid = pfx_x86_cpuid,
};
