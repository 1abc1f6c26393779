/* SPDX-License-Identifier: MIT */
/*
 * Call frame information as untrusted input: lists the functions that it describes, and checks
 * whether a library may unwind with it. libdw allocates memory for the highest register number that
 * it reads, and copies all registers for each DW_CFA_remember_state; a few malicious bytes would
 * cost gigabytes. libdw and libunwind divide the smallest number by -1, which ends the process, and
 * libunwind reads registers of any number from its stack. The bytes are borrowed from the file,
 * which must stay open.
 */
#ifndef PFX_SYM_CFI_TABLES_H
#define PFX_SYM_CFI_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PFX_CFI_RECORD_MAX \
	65536 /* bytes after its length; the longest in GCC and LLVM have 20,000 */

struct Elf;
struct pfx_cfi_tables;

/* The tables that a library finds in .eh_frame; never NULL. @evaluates: it also evaluates
 * expressions, so those that divide are refused, and operations that are unknown here. */
struct pfx_cfi_tables *pfx_cfi_tables_new(struct Elf *elf, bool evaluates);
void pfx_cfi_tables_free(struct pfx_cfi_tables *tables);
/* Whether the records that a library reads for @vaddr are within limits: sizes, register numbers,
 * remembered states. If the index is not in the usual format, all records are checked. */
bool pfx_cfi_tables_allow(struct pfx_cfi_tables *tables, uint64_t vaddr);
/* The same for all addresses. */
bool pfx_cfi_tables_allow_all(struct pfx_cfi_tables *tables);
/* The function at @vaddr, as virtual addresses, end exclusive. False: no FDE covers it. */
bool pfx_cfi_tables_function(struct pfx_cfi_tables *tables, uint64_t vaddr, uint64_t *ret_start,
			     uint64_t *ret_end);
/* All functions in address order, valid as long as the tables, and the virtual address that their
 * records are relative to. The list ends at the first malformed record. */
struct pfx_cfi_function {
	uint64_t start, end;
	uint64_t record; /* of its FDE */
};
const struct pfx_cfi_function *pfx_cfi_tables_all(struct pfx_cfi_tables *tables, size_t *ret_nr,
						  uint64_t *ret_vaddr);
/* Whether all of .debug_frame is within limits; its section must be unpacked. True when there is no
 * such section. */
bool pfx_cfi_debug_frame_allowed(struct Elf *elf, bool evaluates);
/* Whether a library that evaluates expressions may read the FDE at @offset of @bytes, which are in
 * the form of .eh_frame and this machine's byte order, and its CIE; @word: bytes of an address,
 * @last_reg: the highest register that another one may be in. */
bool pfx_cfi_record_allowed(const uint8_t *bytes, size_t size, size_t offset, unsigned word,
			    unsigned last_reg);

#endif
