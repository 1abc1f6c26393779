/* SPDX-License-Identifier: MIT */
/*
 * A function with the cost of its code: instructions, jumps, source lines, inlined functions. One
 * model for all outputs of code. All texts and arrays belong to the struct pfx_code, except names
 * of symbols and source files, which live as long as the resolver and the sources. Names, source
 * lines and file names are untrusted text.
 */
#ifndef PFX_CODE_CODE_H
#define PFX_CODE_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "code/cost.h"
#include "code/source_file.h"
#include "sym/code/disasm.h"

#define PFX_CODE_NONE UINT32_MAX

/* A function of more bytes is refused: an instruction takes about 150 bytes here. */
#define PFX_CODE_SIZE_MAX (4u << 20)

struct pfx_code_insn {
	uint64_t addr; /* as the binary has it, the kernel's and JIT code's: as it ran */
	const uint8_t *bytes;
	const char *text;     /* mnemonic, blank, operands; bytes where it is not known */
	const char *name;     /* of what its operand points to; NULL: none is known */
	uint64_t name_offset; /* of the operand after the start of that symbol */
	uint64_t target;      /* of a branch, jump or call, or of an operand in data */
	uint32_t target_insn; /* of a branch or jump inside of the function, else PFX_CODE_NONE */
	uint32_t line;        /* index of lines, PFX_CODE_NONE: unknown */
	uint32_t inlined;     /* index of inlined: the innermost one; PFX_CODE_NONE: none */
	uint16_t mnemonic;    /* bytes of the text before the operands */
	uint8_t len;
	uint8_t flow;    /* enum pfx_flow */
	bool has_target; /* the address in target is known */
	bool is_data;    /* it is one of data, not of code */
	bool is_target;  /* a jump of the function leads here */
	bool is_bytes;   /* the disassembler does not know the instruction */
};

/* A jump inside of the function, drawn in a lane of its own: 0 is next to the code, jumps that
 * overlap have different ones. */
struct pfx_code_jump {
	uint32_t from, to; /* instructions */
	uint32_t lane;
};

/* A source line that instructions were made from, or that they were inlined at. */
struct pfx_code_line {
	const char *file;
	uint32_t line;
	const char *text; /* without its newline; NULL: the file is not available */
	size_t len;
	struct pfx_cost *self;      /* by event: of its own instructions */
	struct pfx_cost *inclusive; /* and of what they called, and what is inlined in the line */
};

/* A function inlined here: a range of instructions. It may be there several times. */
struct pfx_code_inlined {
	const char *name;
	uint32_t parent; /* PFX_CODE_NONE: in the function itself */
	uint32_t first, last;
	uint32_t call_line; /* index of lines; PFX_CODE_NONE: unknown */
};

struct pfx_code {
	struct pfx_arena arena;
	const struct pfx_dso *dso;
	const struct pfx_symbol *symbol;
	uint32_t nr_events;
	const struct pfx_cost *totals; /* of the function, by event */
	struct pfx_code_insn *insns;
	uint32_t nr_insns;
	struct pfx_cost *costs; /* nr_events of each instruction, in its order */
	struct pfx_code_jump *jumps;
	uint32_t nr_jumps, nr_lanes;
	struct pfx_code_line *lines; /* in the order of their first instruction */
	uint32_t nr_lines;
	struct pfx_code_inlined *inlined;
	uint32_t nr_inlined;
	bool has_disassembler; /* else all instructions are bytes */
	bool has_lines;        /* there is debug information */
};

/* What is wanted besides instructions and costs. */
struct pfx_code_options {
	const char *machine;         /* of the recording ("x86_64"), NULL unknown */
	bool intel;                  /* Intel's syntax for x86 */
	bool no_lines;               /* neither source lines nor inlined functions */
	struct pfx_sources *sources; /* where the text of lines comes from; NULL: not wanted */
};

/* The code of a function of @costs. -ENODATA: the recorded binary is not available; -EFBIG. A build
 * without disassembler gives bytes. */
int pfx_code_new(struct pfx_code **ret, struct pfx_resolver *resolver, struct pfx_costs *costs,
		 const struct pfx_code_function *function, const struct pfx_code_options *options,
		 struct pfx_error *err);
void pfx_code_free(struct pfx_code *code);

/* The cost of instruction @i for an event. */
static inline const struct pfx_cost *pfx_code_cost(const struct pfx_code *code, uint32_t i,
						   uint32_t event)
{
	return &code->costs[(size_t)i * code->nr_events + event];
}

/* The instruction that covers this address of the binary, PFX_CODE_NONE: none does. */
uint32_t pfx_code_find(const struct pfx_code *code, uint64_t addr);

#endif
