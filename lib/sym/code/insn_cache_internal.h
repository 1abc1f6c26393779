/* SPDX-License-Identifier: MIT */
/*
 * Remembers the x86 instructions that were disassembled, by their bytes: the same ones come again
 * and again, and the library takes thousands of its own to make a text. No instruction is the
 * beginning of another one, so bytes that begin with a known instruction are that instruction. A
 * zeroed struct is an empty cache; it knows one mode and one syntax.
 */
#ifndef PFX_SYM_INSN_CACHE_INTERNAL_H
#define PFX_SYM_INSN_CACHE_INTERNAL_H

#include "base/alloc.h"
#include "base/arena.h"
#include "base/hash.h"
#include "sym/code/disasm.h"

#define PFX_INSN_LENGTH_MAX 15
#define PFX_SHORT_OPCODES   256 /* of one byte */
#define PFX_NEAR_JUMPS      16  /* conditional ones with a distance of 4 bytes */

struct pfx_known_insn {
	uint64_t low, high; /* its bytes; the rest is zero */
	const char *text;
	uint32_t text_len;
	struct pfx_insn insn; /* a relative address of data is the distance from its end */
};

struct pfx_insn_cache {
	struct pfx_arena texts;
	PFX_VEC(struct pfx_known_insn) known;
	struct pfx_id_table ids; /* of known, by their bytes */
	uint16_t *lengths;       /* by the first two bytes: a bit for each length that is known */
	uint32_t single[PFX_SHORT_OPCODES]; /* index of known, plus 1, for instructions of one byte
					     */
	/* The same by opcode for jumps to an address, and then for near ones. */
	uint32_t jumps[PFX_SHORT_OPCODES + PFX_NEAR_JUMPS];
};

/* The instruction at the start of @code, whose address is @addr; appends its text. False: it is not
 * known. */
bool pfx_insn_cache_find(const struct pfx_insn_cache *cache, const uint8_t *code, size_t size,
			 uint64_t addr, struct pfx_insn *ret, struct pfx_str *text);
/* Remember what was disassembled at @code, of 64-bit code if @is_64bit. @text: its text, which must
 * not depend on its address, but for the targets of jumps, and calls, that are numbers. */
void pfx_insn_cache_add(struct pfx_insn_cache *cache, const uint8_t *code, uint64_t addr,
			bool is_64bit, const struct pfx_insn *insn, const char *text);
/* Forget all. */
void pfx_insn_cache_clear(struct pfx_insn_cache *cache);

#endif
