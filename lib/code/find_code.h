/* SPDX-License-Identifier: MIT */
/*
 * Functions without samples of their own: their code is shown as that of others, with what it cost
 * as zero. A function is known by a place in it that any sample in its binary gives.
 */
#ifndef PFX_CODE_FIND_CODE_H
#define PFX_CODE_FIND_CODE_H

#include "code/code.h"

/* For pfx_code_new(). Do not copy it: @function has the address of @place. */
struct pfx_found_code {
	struct pfx_code_function function;
	struct pfx_place place;
};

/* The function of a binary (by path) with this name and first address. False: the binary is in no
 * sample and in no map, or it has no such function. */
bool pfx_find_code(struct pfx_resolver *resolver, const char *dso, const char *name, uint64_t start,
		   struct pfx_found_code *ret);
/*
 * The function that an instruction of @from, of which @code is, calls or jumps to: in its binary,
 * or where the maps of its process, as they are at the end of the recording, have its address (JIT
 * code, the kernel). A call through the procedure linkage table, or through a slot of the global
 * offset table whose address is a constant in the code, leads to the first function of its name in
 * another binary of the process, from low addresses up, else in its own. False: it does neither, or
 * the target is not known.
 */
bool pfx_find_called_code(struct pfx_resolver *resolver, const struct pfx_code_function *from,
			  const struct pfx_code *code, const struct pfx_code_insn *insn,
			  struct pfx_found_code *ret);
/* The function's name in such a slot; NULL: the instruction does not call through one. */
const char *pfx_called_slot(struct pfx_resolver *resolver, const struct pfx_code_function *from,
			    const struct pfx_code *code, const struct pfx_code_insn *insn);

#endif
