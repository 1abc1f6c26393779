/* SPDX-License-Identifier: MIT */
/* Shared by the files that build a struct pfx_code. */
#ifndef PFX_CODE_CODE_INTERNAL_H
#define PFX_CODE_CODE_INTERNAL_H

#include "base/alloc.h"
#include "base/hash.h"
#include "code/code.h"

/* An instruction whose data address is made of a page that another one, at @from, has set. */
struct pfx_code_page {
	uint32_t insn;
	uint64_t from;
};

/* Numbers that an instruction reads, see struct pfx_insn. */
struct pfx_code_numbers {
	uint32_t insn;
	uint8_t kind, size, nr;
	bool is_big; /* they begin with their highest byte */
};

/* Code that is being built. */
struct pfx_code_build {
	struct pfx_code *code;
	struct pfx_resolver *resolver;
	struct pfx_costs *costs;
	const struct pfx_code_function *function;
	const struct pfx_code_options *options;
	struct pfx_place begin; /* its first byte */
	uint64_t shift;         /* ELF address minus address in the DSO's terms */
	const uint8_t *bytes;
	size_t size;
	PFX_VEC(struct pfx_code_insn) insns;
	PFX_VEC(struct pfx_code_page) pages;     /* in the order of the instructions */
	PFX_VEC(struct pfx_code_numbers) values; /* the same */
	PFX_VEC(struct pfx_code_line) lines;
	PFX_VEC(struct pfx_code_inlined) inlined;
	struct pfx_intern line_keys; /* file's address and line -> index of lines */
};

/* A place in the function, by its address in the binary. */
static inline struct pfx_place pfx_code_place(const struct pfx_code_build *build, uint64_t addr)
{
	struct pfx_place place = build->begin;

	place.addr = addr - build->shift;
	place.ip += place.addr - build->begin.addr;
	return place;
}

/* --- insns.c: disassembly --- */
int pfx_code_decode(struct pfx_code_build *build, struct pfx_error *err);
/* --- jumps.c: targets inside the function, and lanes --- */
void pfx_code_find_jumps(struct pfx_code_build *build);
/* --- code_blocks.c --- */
/* Basic blocks and their costs; call it after the costs of instructions are set. */
void pfx_code_find_blocks(struct pfx_code_build *build);
/* Executions and cycles of blocks and instructions, from branch stacks: @runs of this function, in
 * order. */
void pfx_code_add_runs(struct pfx_code_build *build, const struct pfx_branch_run *runs, size_t nr);
/* --- operands.c: symbols and texts at the addresses of operands; call it after the jumps --- */
void pfx_code_name_operands(struct pfx_code_build *build);
/* --- code_memory.c --- */
/* The memory accesses of instructions. */
void pfx_code_add_memory(struct pfx_code_build *build);
/* --- code_lines.c: source lines and inlined functions of instructions --- */
void pfx_code_find_lines(struct pfx_code_build *build);
/* Costs of lines; call it after the costs of instructions are set. */
void pfx_code_cost_lines(struct pfx_code_build *build);

#endif
