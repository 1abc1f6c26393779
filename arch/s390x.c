/* SPDX-License-Identifier: MIT */
/* s390. DWARF numbers and PLT: its ELF ABI supplement; numbers in samples: the kernel's
 * perf_regs.h. */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "arch/arch_internal.h"

static const char *const reg_names[] = {
	"R0",  "R1",  "R2",   "R3",   "R4",   "R5",   "R6",   "R7",   "R8",   "R9",  "R10", "R11",
	"R12", "R13", "R14",  "R15",  "FP0",  "FP1",  "FP2",  "FP3",  "FP4",  "FP5", "FP6", "FP7",
	"FP8", "FP9", "FP10", "FP11", "FP12", "FP13", "FP14", "FP15", "MASK", "PC",
};

/* r0-r15, f0-f15, PSW mask and address; in each group of eight f registers, DWARF numbers the even
 * ones first */
static const uint8_t to_dwarf[] = {
	0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
	20, 17, 21, 18, 22, 19, 23, 24, 28, 25, 29, 26, 30, 27, 31, 64, 65,
};

static const struct pfx_unwind_arch unwind = {
	.name = "s390x",
	.e_machine = EM_S390,
	.word = 8,
	.sp = 15,
	.fp = 11,
	.ra = 14,
	.pc = 65,
	.sample_pc = 33,
	PFX_TO_DWARF(to_dwarf),
	.pc_mask = UINT64_MAX,
	.cfa_bias = 160,
};

/* The words of a line in /proc/sysinfo, which is padded with blanks; returns their number. */
static int words(const char *root, const char *key, char first[32], char second[32])
{
	char line[128];

	if (!pfx_cpuid_file_key(root, "/proc/sysinfo", key, line, sizeof(line)))
		return 0;
	return sscanf(line, "%31s %31s", first, second);
}

/* Manufacturer, type, capacity, model (missing on z900), then version and authorization of the
 * counter facility, if there is one. */
static bool cpuid(const char *root, char *out, size_t size)
{
	char maker[32], type[32], capacity[32], model[32], version[32], authorization[32];
	char counters[128], more[32];
	const char *at;
	int nr;

	if (words(root, "Manufacturer:", maker, more) < 1 || words(root, "Type:", type, more) < 1)
		return false;
	nr = words(root, "Model:", capacity, model);
	if (nr < 1)
		return false;
	nr = snprintf(out, size, "%s,%s,%s%s%s", maker, type, capacity, nr > 1 ? "," : "",
		      nr > 1 ? model : "");
	if ((size_t)nr < size &&
	    pfx_cpuid_file_key(root, "/proc/service_levels", "CPU-MF: Counter facility", counters,
			       sizeof(counters)) &&
	    (at = strstr(counters, "version=")) &&
	    sscanf(at, "version=%31s authorization=%31s", version, authorization) == 2)
		snprintf(out + nr, size - (size_t)nr, ",%s,%s", version, authorization);
	return true;
}

#define ELF                                                                              \
	{                                                                                \
		.irelative = 61 /* R_390_IRELATIVE */, .plt_header = 32, .plt_entry = 32 \
	}

const struct pfx_arch pfx_arch_s390x = {
	.name = "s390x",
	.names = PFX_ARCH_NAMES("s390x"),
	.e_machine = EM_S390,
	.word = 8,
	.has_dies = true,
	.events = "s390",
	PFX_REG_NAMES(reg_names),
	.unwind = &unwind,
	.elf = ELF,
	.masks =
		{
			/* 16 general, 16 floating point, PSW mask and address. */
			.user = (1ull << 34) - 1,
			.frame = 1ull << 15 | 1ull << 33,
		},
	.cpuid = cpuid,
};

const struct pfx_arch pfx_arch_s390 = {
	.name = "s390",
	.names = PFX_ARCH_NAMES("s390"),
	.e_machine = EM_S390,
	.word = 4,
	PFX_REG_NAMES(reg_names),
	.elf = ELF,
	.cpuid = cpuid,
};
