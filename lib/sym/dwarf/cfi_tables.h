/* SPDX-License-Identifier: MIT */
/*
 * Call frame information as foreign bytes: where the functions are that it describes, and whether
 * an unwinder of a library may be let near it. libdw makes room for the highest register number
 * that a program names and copies all of it whenever a state is remembered; a few bytes would cost
 * gigabytes. The bytes are borrowed from the file, which has to stay open.
 */
#ifndef PFX_SYM_CFI_TABLES_H
#define PFX_SYM_CFI_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct Elf;
struct pfx_cfi_tables;

/* The tables that a library finds in .eh_frame; never NULL. */
struct pfx_cfi_tables *pfx_cfi_tables_new(struct Elf *elf);
void pfx_cfi_tables_free(struct pfx_cfi_tables *tables);
/* Whether what a library reads when it is asked about @vaddr is within reason: sizes, register
 * numbers, remembered states. Where the index is not the usual one, of all there is. */
bool pfx_cfi_tables_allow(struct pfx_cfi_tables *tables, uint64_t vaddr);
/* The same of all addresses. */
bool pfx_cfi_tables_allow_all(struct pfx_cfi_tables *tables);
/* The function at @vaddr, as virtual addresses, end exclusive. False: none is described. */
bool pfx_cfi_tables_function(struct pfx_cfi_tables *tables, uint64_t vaddr, uint64_t *ret_start,
			     uint64_t *ret_end);
/* All functions in order of address, as long as the tables are there, and the virtual address that
 * their records are relative to. No more than those before the first record that makes no sense. */
struct pfx_cfi_function {
	uint64_t start, end;
	uint64_t record; /* where its own is */
};
const struct pfx_cfi_function *pfx_cfi_tables_all(struct pfx_cfi_tables *tables, size_t *ret_nr,
						  uint64_t *ret_vaddr);
/* Whether all of .debug_frame is within reason, too; sections must be unpacked already. True where
 * there is none. */
bool pfx_cfi_debug_frame_allowed(struct Elf *elf);

#endif
