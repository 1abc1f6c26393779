/* SPDX-License-Identifier: MIT */
/* Machine code as instructions: their lengths, their text, and which of them are branches. */
#ifndef PFX_SYM_DISASM_H
#define PFX_SYM_DISASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

struct pfx_disasm;

struct pfx_insn {
	unsigned len;   /* bytes; 0: these are no instruction */
	bool is_branch; /* jumps, calls, returns, traps */
};

/* For code of @machine ("x86_64"), of its 64- or 32-bit kind. -ENOTSUP: no disassembler is built
 * in, or it does not know the machine. */
int pfx_disasm_new(struct pfx_disasm **ret, const char *machine, bool is_64bit,
		   struct pfx_error *err);
void pfx_disasm_free(struct pfx_disasm *disasm);
/* The instruction at the start of @code, which lies at @addr. Its text is appended to @text unless
 * that is NULL. */
struct pfx_insn pfx_disasm_one(struct pfx_disasm *disasm, const uint8_t *code, size_t size,
			       uint64_t addr, struct pfx_str *text);

#endif
