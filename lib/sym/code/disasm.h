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

/* Where execution continues after an instruction. */
enum pfx_flow {
	PFX_FLOW_ON,     /* at the next one; traps and system calls, too */
	PFX_FLOW_BRANCH, /* at the next one or elsewhere */
	PFX_FLOW_JUMP,   /* elsewhere */
	PFX_FLOW_CALL,
	PFX_FLOW_RETURN,
};

/* What the bytes are that an instruction reads. */
enum pfx_numbers_kind {
	PFX_NUMBERS_UNKNOWN, /* unknown */
	PFX_NUMBERS_INTEGER,
	PFX_NUMBERS_FLOAT,
	PFX_NUMBERS_BITS, /* of numbers that are masked */
};
#define PFX_NUMBERS_MAX 16 /* numbers in a vector */

struct pfx_insn {
	unsigned len;   /* bytes; 0: not a valid instruction */
	bool is_branch; /* jumps, calls, returns, traps */
	/* The members below are valid if @text was given. */
	uint8_t flow;       /* enum pfx_flow */
	bool has_target;    /* of a branch, jump or call */
	bool has_data;      /* an address that follows from the code alone */
	bool takes_address; /* of the data, and does not access it */
	bool is_relative;   /* the data has a fixed distance from the instruction */
	bool has_page;      /* made of a page that the instruction at page_from has set (arm64), if
			       that ran before it */
	bool is_number;     /* the data is an operand that may be an address or any other number:
				      an address only in code that has addresses of its own */
	uint8_t value_kind; /* enum pfx_numbers_kind: of the numbers at the data address, */
	uint8_t value_size, nr_values; /* bytes of each, and how many */
	uint64_t target, data, page_from;
	unsigned mnemonic; /* length of the mnemonic in the text, in bytes */
};

/* A disassembler for code of @machine ("x86_64"), 64-bit or 32-bit. -ENOTSUP: no disassembler is
 * built in, or it does not support the machine. */
int pfx_disasm_new(struct pfx_disasm **ret, const char *machine, bool is_64bit,
		   struct pfx_error *err);
/* Load the library already now: it takes a millisecond, and any thread may do it. */
void pfx_disasm_prepare(void);
void pfx_disasm_free(struct pfx_disasm *disasm);
/* Texts of x86 in Intel's syntax instead of AT&T's; nothing changes for others. */
void pfx_disasm_use_intel(struct pfx_disasm *disasm, bool intel);
/* T32 instructions of 32-bit ARM instead of A32; nothing changes for others. */
void pfx_disasm_use_thumb(struct pfx_disasm *disasm, bool thumb);
/* What follows does not run after what was disassembled before. */
void pfx_disasm_restart(struct pfx_disasm *disasm);
/* Disassemble the instruction at the start of @code, whose address is @addr. Its text is appended
 * to @text unless @text is NULL. */
struct pfx_insn pfx_disasm_one(struct pfx_disasm *disasm, const uint8_t *code, size_t size,
			       uint64_t addr, struct pfx_str *text);

#endif
