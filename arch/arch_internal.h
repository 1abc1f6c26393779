/* SPDX-License-Identifier: MIT */
/* Shared by the files of arch/: all rows, and parts that several rows use. */
#ifndef PFX_ARCH_ARCH_INTERNAL_H
#define PFX_ARCH_ARCH_INTERNAL_H

#include "arch/arch.h"

extern const struct pfx_arch pfx_arch_x86_64, pfx_arch_i386;
extern const struct pfx_arch pfx_arch_arm64, pfx_arch_arm64_compat, pfx_arch_arm;
extern const struct pfx_arch pfx_arch_riscv64, pfx_arch_riscv32;
extern const struct pfx_arch pfx_arch_s390x, pfx_arch_s390;
extern const struct pfx_arch pfx_arch_ppc64, pfx_arch_ppc;
extern const struct pfx_arch pfx_arch_loongarch64;
extern const struct pfx_arch pfx_arch_mips64, pfx_arch_mips;
extern const struct pfx_arch pfx_arch_sparc64, pfx_arch_sparc;
extern const struct pfx_arch pfx_arch_parisc64, pfx_arch_parisc, pfx_arch_sh4, pfx_arch_m68k;

#define PFX_ARCH_NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})
/* Initializers: a table and its number of entries. */
#define PFX_REG_NAMES(table)  .reg_names = (table), .nr_reg_names = sizeof(table) / sizeof(*(table))
#define PFX_TO_DWARF(table)   .to_dwarf = (table), .nr_sample = sizeof(table)
#define PFX_DATA_NAMES(table) .names = (table), .nr_regs = sizeof(table) / sizeof(*(table))

#define PFX_ARM_NR_REG_NAMES 16
extern const char *const pfx_arm_reg_names[PFX_ARM_NR_REG_NAMES];

/* ARM mapping symbols, which mark code, data and instruction sets: "$a", "$d", "$t", "$x",
 * ".SUFFIX". */
bool pfx_arm_is_marker(const char *name);
/* Assembler labels. */
bool pfx_elf_is_label(const char *name);

uint32_t pfx_load_le32(const uint8_t *at);
bool pfx_x86_decode_plt(bool is_64bit, const struct pfx_plt_code *code, struct pfx_plt_entry *ret);

/* From the cpuid instruction; false on other CPUs. */
bool pfx_x86_cpuid(const char *root, char *out, size_t size);
/* cpuid_file.c: the value after "KEY :" in a file below @root, up to the end of its line. */
bool pfx_cpuid_file_key(const char *root, const char *file, const char *key, char *out,
			size_t size);

#endif
