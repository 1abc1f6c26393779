/* SPDX-License-Identifier: MIT */
/*
 * A function with the cost of its code: instructions, jumps, source lines, inlined functions. All
 * outputs of code use this model. All texts and arrays belong to the struct pfx_code, except names
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
#include "unwind/branch_runs.h"

#define PFX_CODE_NONE UINT32_MAX

/* Larger functions are refused (bytes): an instruction takes about 150 bytes in the model. */
#define PFX_CODE_SIZE_MAX (4u << 20)
/* The same for instructions times events: a cost takes 16 bytes, and there are several of each. */
#define PFX_CODE_COSTS_MAX (32u << 20)
/* Longer source lines are cut (bytes), since a line is shown each time the code comes back to it.
 */
#define PFX_CODE_LINE_MAX 4096

struct pfx_code_insn {
	uint64_t addr; /* in the binary's ELF file; run-time address for the kernel and JIT code */
	const uint8_t *bytes;
	const char *text;     /* mnemonic, blank, operands; byte directives if unknown */
	const char *name;     /* the symbol at the operand's address; NULL: unknown */
	uint64_t name_offset; /* of the operand's address from the start of that symbol */
	const char *string;   /* the constant text at the operand's address; NULL: none */
	const char *value;    /* the constant number or numbers there; NULL: none */
	uint64_t target;      /* of a branch, jump or call, or of a data operand */
	uint32_t target_insn; /* of a branch or jump inside the function, else PFX_CODE_NONE */
	uint32_t line;        /* index of lines, PFX_CODE_NONE: unknown */
	uint32_t inlined;     /* index of inlined: the innermost one; PFX_CODE_NONE: none */
	uint16_t mnemonic;    /* bytes of the text before the operands */
	uint8_t len;
	uint8_t flow;       /* enum pfx_flow */
	bool has_target;    /* the address in target is valid */
	bool is_data;       /* it is a data address */
	bool takes_address; /* of the data, and does not access it */
	bool is_number;     /* not an address for certain, but a symbol or text is there */
	bool is_target;     /* a jump inside the function has this target */
	bool is_bytes;      /* the disassembler does not know the instruction */
	bool is_unlinked;   /* the operand's address is not known, only its name */
};

/* A jump inside the function, drawn in a lane: lane 0 is next to the code, overlapping jumps have
 * different lanes. */
struct pfx_code_jump {
	uint32_t from, to; /* instructions */
	uint32_t lane;
};

/* A basic block: entered at its first instruction, left after its last one; calls do not end it. */
struct pfx_code_block {
	uint32_t first, last;   /* instructions */
	struct pfx_cost *costs; /* by event */
	uint64_t executions;    /* in branch stacks; 0: none seen */
	uint64_t cycles;        /* of executions with cycles */
	double ipc;             /* instructions per cycle; 0: unknown */
};

/* The speed of an instruction, by branch stacks with cycles. */
struct pfx_code_speed {
	float ipc;       /* of the longest code without a branch that it is in; 0: unknown */
	uint64_t cycles; /* of a branch: average since the previous branch; 0: unknown */
};

/* Memory accesses of an instruction, with one operation and memory level. */
struct pfx_code_memory {
	uint32_t insn;
	struct pfx_memory_count count;
};

/* A source line of instructions, or a call site of an inlined function. */
struct pfx_code_line {
	const char *file;
	uint32_t line;
	const char *text; /* without its newline; NULL: the file is not available */
	size_t len;
	struct pfx_cost *self;      /* by event: self cost */
	struct pfx_cost *inclusive; /* by event: self, callees and inlined functions */
};

/* A range of instructions of an inlined function, which may have several ranges. */
struct pfx_code_inlined {
	const char *name;
	uint32_t parent; /* the enclosing inlined function; PFX_CODE_NONE: the function itself */
	uint32_t first, last;
	uint32_t call_line; /* index of lines; PFX_CODE_NONE: unknown */
};

struct pfx_code {
	struct pfx_arena arena;
	const struct pfx_dso *dso;
	const struct pfx_symbol *symbol;
	uint32_t nr_events;
	const struct pfx_cost *totals; /* totals of the function, by event */
	struct pfx_code_insn *insns;
	uint32_t nr_insns;
	const uint32_t *index; /* for pfx_code_find(); NULL: none */
	uint32_t nr_index;
	struct pfx_cost *costs;         /* nr_events for each instruction, in order */
	struct pfx_weights *weights;    /* like costs; NULL: none recorded */
	unsigned nr_weight_parts;       /* that are recorded */
	struct pfx_code_memory *memory; /* sorted by instruction, then most samples first */
	uint32_t nr_memory;             /* 0: not recorded */
	struct pfx_data *data;          /* by instruction: what those with samples access; NULL: not
					   requested */
	struct pfx_code_jump *jumps;
	uint32_t nr_jumps, nr_lanes;
	struct pfx_code_block *blocks; /* in the order of instructions, without gaps */
	uint32_t nr_blocks;
	struct pfx_code_speed *speeds; /* by instruction; NULL: no cycles recorded in branches */
	struct pfx_ipc ipc;            /* of the function, as tables have it; valid with speeds */
	struct pfx_code_line *lines;   /* in the order of their first instruction */
	uint32_t nr_lines;
	struct pfx_code_inlined *inlined;
	uint32_t nr_inlined;
	const char *machine;   /* of the instructions; NULL: unknown */
	bool has_disassembler; /* otherwise all instructions are bytes */
	bool has_lines;        /* debug information is available */
};

/* The disassembler of the function before, which knows its instructions: one that can be used again
 * is not opened for each function. Zero-initialize. */
struct pfx_code_decoder {
	struct pfx_disasm *disasm;
	char machine[24];
	bool is_64bit, intel;
};
void pfx_code_decoder_fini(struct pfx_code_decoder *decoder);

/* What to add to instructions and costs. */
struct pfx_code_options {
	bool intel;                       /* Intel's syntax for x86 */
	bool no_lines;                    /* neither source lines nor inlined functions */
	bool no_lanes;                    /* jumps have no lanes: they are not drawn */
	bool with_data;                   /* the data that instructions with samples access */
	struct pfx_sources *sources;      /* source of the lines' text; NULL: without text */
	struct pfx_code_decoder *decoder; /* shared by functions; NULL: each has its own */
};

/* The code of a function of @costs. -ENODATA: the recorded binary is not available; -EFBIG: too
 * large. A build without disassembler gives bytes. */
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

/* Whether instruction @i has samples of any event. */
static inline bool pfx_code_has_samples(const struct pfx_code *code, uint32_t i)
{
	uint32_t event;

	for (event = 0; event < code->nr_events; event++)
		if (pfx_code_cost(code, i, event)->nr_samples)
			return true;
	return false;
}

/* The weights of the samples of instruction @i for an event; only if code->weights is set. */
static inline const struct pfx_weights *pfx_code_weights(const struct pfx_code *code, uint32_t i,
							 uint32_t event)
{
	return &code->weights[(size_t)i * code->nr_events + event];
}

/* The instruction that covers this address of the binary; PFX_CODE_NONE if there is none. */
uint32_t pfx_code_find(const struct pfx_code *code, uint64_t addr);

#endif
