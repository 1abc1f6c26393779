/* SPDX-License-Identifier: MIT */
/* The DWARF sections of a JIT function: jit_line.c makes them for jit_elf.c. */
#ifndef PFX_SYM_JIT_INTERNAL_H
#define PFX_SYM_JIT_INTERNAL_H

#include "base/buffer.h"
#include "sym/jit/jit_elf.h"

struct pfx_jit_dwarf {
	struct pfx_buffer abbrev, info, line;
};

/* @address_size: 4 or 8; the code is at PFX_JIT_TEXT_OFFSET. False: the function has no lines. */
bool pfx_jit_dwarf_make(const struct pfx_jit_function *function, unsigned address_size,
			struct pfx_jit_dwarf *ret);
void pfx_jit_dwarf_fini(struct pfx_jit_dwarf *dwarf);

#endif
