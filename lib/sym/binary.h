/* SPDX-License-Identifier: MIT */
/*
 * The ELF files behind a program, a library or the vdso, for who reads other things from them than
 * symbols: the file that ran (checked by its build id) and the file with its debug information. A
 * binary owns both until it is freed.
 */
#ifndef PFX_SYM_BINARY_H
#define PFX_SYM_BINARY_H

#include "sym/symtab.h"

struct Elf; /* libelf's handle, with <libelf.h> also called Elf */
struct pfx_binary;

/* Find the files of @request (kinds FILE and VDSO). 0 when at least the file that ran is there. */
int pfx_binary_open(struct pfx_binary **ret, const struct pfx_sym_request *request,
		    const struct pfx_sym_options *options, struct pfx_error *err);
void pfx_binary_free(struct pfx_binary *binary);
/* Borrowed. The bytes may be written to, as libraries do that unpack sections; the files stay as
 * they are. The debug file is NULL where there is none. It is looked for when first asked for. */
struct Elf *pfx_binary_elf(const struct pfx_binary *binary);
struct Elf *pfx_binary_debug_elf(struct pfx_binary *binary);
/* The virtual address of a byte of the file that ran; false when in no segment. */
bool pfx_binary_vaddr(const struct pfx_binary *binary, uint64_t offset, uint64_t *ret);
/* Whether the file that ran, or (@debug) the debug file, has a section of that name. */
bool pfx_binary_has_section(struct pfx_binary *binary, bool debug, const char *name);

#endif
