/* SPDX-License-Identifier: MIT */
/*
 * An ELF file for one function of a JIT compiler, so that tools which know nothing of jitdump find
 * its symbol, code, lines and unwind tables. All input is borrowed.
 */
#ifndef PFX_SYM_JIT_ELF_H
#define PFX_SYM_JIT_ELF_H

#include "sym/elf/buildid.h"
#include "sym/jit/jitdump.h"

/* Where the code stands in the file, in bytes; its address in the file is the same. */
#define PFX_JIT_TEXT_OFFSET 0x100

struct pfx_jit_function {
	const struct pfx_jit_load *load;
	const struct pfx_jit_debug *debug;         /* NULL: none */
	const struct pfx_jit_unwinding *unwinding; /* NULL: none */
	uint32_t machine;                          /* EM_* */
	bool big_endian;
};

/* Write the file and tell its build id, which depends on all that is in it. A file that was there
 * is replaced, never followed or written through. */
int pfx_jit_elf_write(const char *path, const struct pfx_jit_function *function,
		      struct pfx_build_id *ret_id, struct pfx_error *err);
/* The bytes of that file in memory, which the caller frees. */
int pfx_jit_elf_image(const struct pfx_jit_function *function, uint8_t **ret, size_t *ret_size,
		      struct pfx_error *err);
/* How much of the address space the function takes: its code, and tables mapped behind it. */
uint64_t pfx_jit_mapped_size(const struct pfx_jit_function *function);

#endif
