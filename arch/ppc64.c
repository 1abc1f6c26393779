/* SPDX-License-Identifier: MIT */
/* PowerPC. DWARF numbers, function descriptors: its ELF ABI supplements; numbers in samples: the
 * kernel's perf_regs.h. */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "arch/arch_internal.h"

#define NO PFX_UNWIND_NO_REG

static const char *const reg_names[] = {
	"r0",   "r1",  "r2",  "r3",    "r4",   "r5",  "r6",    "r7",      "r8",
	"r9",   "r10", "r11", "r12",   "r13",  "r14", "r15",   "r16",     "r17",
	"r18",  "r19", "r20", "r21",   "r22",  "r23", "r24",   "r25",     "r26",
	"r27",  "r28", "r29", "r30",   "r31",  "nip", "msr",   "orig_r3", "ctr",
	"link", "xer", "ccr", "softe", "trap", "dar", "dsisr", "sier",    "mmcra",
};

/* r0-r31 nip msr orig_r3 ctr link */
static const uint8_t to_dwarf[] = {
	0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18,
	19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, NO, NO, NO, 66, 65,
};

static const struct pfx_unwind_arch unwind = {
	.name = "ppc64",
	.e_machine = EM_PPC64,
	.word = 8,
	.sp = 1,
	.fp = 31,
	.ra = 65,
	.pc = NO,
	.sample_pc = 32,
	PFX_TO_DWARF(to_dwarf),
	.pc_mask = UINT64_MAX,
	.has_red_zone = true,
};

/* ELF ABI version 1, or not specified. */
static bool has_descriptors(uint32_t e_flags)
{
	return (e_flags & 3) < 2;
}

/* "revision : 2.2 (pvr 004e 1202)" */
static bool cpuid(const char *root, char *out, size_t size)
{
	unsigned version, revision;
	char line[256], *pvr;

	if (!pfx_cpuid_file_key(root, "/proc/cpuinfo", "revision", line, sizeof(line)))
		return false;
	pvr = strstr(line, "pvr ");
	if (!pvr || sscanf(pvr, "pvr %x %x", &version, &revision) != 2)
		return false;
	snprintf(out, size, "%u,%u", version, revision);
	return true;
}

const struct pfx_arch pfx_arch_ppc64 = {
	.name = "ppc64",
	.names = PFX_ARCH_NAMES("ppc64", "powerpc64"),
	.e_machine = EM_PPC64,
	.word = 8,
	.events = "powerpc",
	PFX_REG_NAMES(reg_names),
	.unwind = &unwind,
	.elf = {.has_descriptors = has_descriptors, .irelative = 248 /* R_PPC64_IRELATIVE */},
	.masks = {.user = (1ull << 45) - 1, .frame = 1ull << 1 | 1ull << 32},
	.cpuid = cpuid,
};

const struct pfx_arch pfx_arch_ppc = {
	.name = "ppc",
	.names = PFX_ARCH_NAMES("ppc", "powerpc"),
	.e_machine = EM_PPC,
	.word = 4,
	PFX_REG_NAMES(reg_names),
	.cpuid = cpuid,
};
