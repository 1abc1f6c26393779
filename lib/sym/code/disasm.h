/* SPDX-License-Identifier: MIT */
/* Disassembles machine code: length and text of each instruction, and whether it is a branch. */
#ifndef PFX_SYM_DISASM_H
#define PFX_SYM_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

struct pfx_disasm;

struct pfx_insn {
	unsigned len;   /* bytes; 0: not a valid instruction */
	bool is_branch; /* jumps, calls, returns, traps */
};

/* A disassembler for code of @machine ("x86_64"), 64-bit or 32-bit. -ENOTSUP: no disassembler is
 * built in, or it does not support the machine. */
int pfx_disasm_new(struct pfx_disasm **ret, const char *machine, bool is_64bit,
		   struct pfx_error *err);
void pfx_disasm_free(struct pfx_disasm *disasm);
/* Disassemble the instruction at the start of @code, whose address is @addr. Its text is appended
 * to @text unless @text is NULL. */
struct pfx_insn pfx_disasm_one(struct pfx_disasm *disasm, const uint8_t *code, size_t size,
			       uint64_t addr, struct pfx_str *text);

#endif
