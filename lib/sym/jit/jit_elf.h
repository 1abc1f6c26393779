/* SPDX-License-Identifier: MIT */
/*
 * Writes an ELF file for one JIT function, so that tools without jitdump support find its symbol,
 * code, lines and unwind tables. All input is borrowed.
 */
#ifndef PFX_SYM_JIT_ELF_H
#define PFX_SYM_JIT_ELF_H

#include "sym/elf/buildid.h"
#include "sym/jit/jitdump.h"

/* Offset of the code in the file, which is also its virtual address. */
#define PFX_JIT_TEXT_OFFSET 0x100

struct pfx_jit_function {
	const struct pfx_jit_load *load;
	const struct pfx_jit_debug *debug;         /* NULL: none */
	const struct pfx_jit_unwinding *unwinding; /* NULL: none */
	uint32_t machine;                          /* EM_* */
	bool big_endian;
};

/* Write the file and return its build ID, a hash of all its contents. An existing file or symbolic
 * link is replaced, never followed or overwritten. */
int pfx_jit_elf_write(const char *path, const struct pfx_jit_function *function,
		      struct pfx_build_id *ret_id, struct pfx_error *err);
/* The bytes of that file in memory, which the caller frees. */
int pfx_jit_elf_image(const struct pfx_jit_function *function, uint8_t **ret, size_t *ret_size,
		      struct pfx_error *err);
/* The address space of the function: its code, and the tables mapped after it. */
uint64_t pfx_jit_mapped_size(const struct pfx_jit_function *function);

#endif
