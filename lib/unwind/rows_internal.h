/* SPDX-License-Identifier: MIT */
/*
 * Rows: for one address of a program, how the caller's registers are found. They come from the
 * program's call frame information, once per distinct address, and are kept per dso. A row is
 * small, so that a frame costs a look-up and a few loads.
 */
#ifndef PFX_UNWIND_ROWS_INTERNAL_H
#define PFX_UNWIND_ROWS_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/arena.h"
#include "sym/find/binary.h"
#include "sym/find/request.h"

/* An operation of a DWARF expression, with DWARF's numbers of atoms. */
struct pfx_row_op {
	uint8_t atom;
	uint64_t number, number2;
};

enum pfx_row_how {
	PFX_ROW_CFA_LOAD,  /* the word at CFA + offset */
	PFX_ROW_CFA_VALUE, /* CFA + offset */
	PFX_ROW_REG_LOAD,  /* the word at base + offset */
	PFX_ROW_REG_VALUE, /* base + offset */
	PFX_ROW_EXPR_LOAD, /* the word at what the expression gives */
	PFX_ROW_EXPR_VALUE,
};

/* Where one value is: a register of the caller, or the CFA itself. */
struct pfx_row_rule {
	uint8_t reg; /* the register that it is for */
	uint8_t how;
	uint8_t base; /* REG_*: a register of the callee */
	uint8_t nr_ops;
	int32_t offset;
	const struct pfx_row_op *ops; /* EXPR_* */
};

enum pfx_row_kind {
	PFX_ROW_RULES,   /* the rules below say it */
	PFX_ROW_LAST,    /* there is no caller */
	PFX_ROW_NONE,    /* the program says nothing about this address */
	PFX_ROW_BAD,     /* it says something that makes no sense */
	PFX_ROW_MISSING, /* the program is not at hand, or is another build */
};

struct pfx_unwind_row {
	uint8_t kind;
	bool is_signal; /* the caller did not call: it was interrupted */
	bool is_plain;  /* the CFA is a register + offset, and all rules are CFA_* */
	uint8_t ra;     /* the rule or register of the caller's program counter */
	uint8_t nr_rules;
	struct pfx_row_rule cfa;
	const struct pfx_row_rule *rules; /* for all registers that are not as in the callee */
	uint64_t keep[(PFX_UNWIND_NR_REGS + 63) / 64]; /* registers as they are in the callee */
};

/* --- rows of a dso --- */

struct pfx_rows;

/* Owns @binary. */
struct pfx_rows *pfx_rows_new(struct pfx_binary *binary, const struct pfx_unwind_arch *arch);
void pfx_rows_free(struct pfx_rows *rows);
/* Borrowed. */
struct pfx_binary *pfx_rows_binary(const struct pfx_rows *rows);
const struct pfx_unwind_arch *pfx_rows_arch(const struct pfx_rows *rows);
/* The row for the byte at @offset of the file; never NULL, valid as long as the rows are. */
const struct pfx_unwind_row *pfx_rows_find(struct pfx_rows *rows, uint64_t offset);

/* --- where rows come from: rows_with_libdw.c --- */

struct pfx_cfi;

struct pfx_cfi *pfx_cfi_new(struct pfx_binary *binary);
void pfx_cfi_free(struct pfx_cfi *cfi);
/* The row of a virtual address into *@ret, which is zero; its parts go into @arena. */
void pfx_cfi_row(struct pfx_cfi *cfi, const struct pfx_unwind_arch *arch, uint64_t vaddr,
		 struct pfx_arena *arena, struct pfx_unwind_row *ret);
bool pfx_cfi_is_built_in(void);

/* --- rows_jit.c --- */

struct pfx_jit_rows;

/* Of a jitdump. NULL: it is not at hand. */
struct pfx_jit_rows *pfx_jit_rows_new(const struct pfx_sym_request *request,
				      const struct pfx_sym_options *options,
				      const struct pfx_unwind_arch *arch);
void pfx_jit_rows_free(struct pfx_jit_rows *rows);
/* The row for the byte at @offset of the jitdump, as pfx_rows_find(). */
const struct pfx_unwind_row *pfx_jit_rows_find(struct pfx_jit_rows *rows, uint64_t offset);
/* The little program that the function at that byte was made into, and where the byte is in it;
 * NULL: the function has no tables. Borrowed. */
struct pfx_binary *pfx_jit_rows_binary(struct pfx_jit_rows *rows, uint64_t offset,
				       uint64_t *ret_offset);

/* --- rows_exidx.c --- */

/* The row of a virtual address by ARM's own unwind tables, where the program has some that speak of
 * it; else *@ret stays as it is. */
void pfx_exidx_row(const struct pfx_binary *binary, const struct pfx_unwind_arch *arch,
		   uint64_t vaddr, struct pfx_arena *arena, struct pfx_unwind_row *ret);

/* --- what a row is applied to --- */

struct pfx_frame_state {
	const struct pfx_unwind_arch *arch;
	uint64_t regs[PFX_UNWIND_NR_REGS];
	uint64_t valid[(PFX_UNWIND_NR_REGS + 63) / 64];
	uint64_t pc;
	uint64_t pc_mask;     /* bits of a return address that are address */
	uint64_t stack_start; /* address of the first byte of the copy */
	const uint8_t *stack;
	uint64_t stack_size;
	bool swap;
	bool beyond; /* a word above the end of the copy was wanted */
};

static inline bool pfx_frame_has(const struct pfx_frame_state *state, unsigned reg)
{
	return reg < PFX_UNWIND_NR_REGS && (state->valid[reg / 64] >> (reg % 64) & 1);
}

static inline void pfx_frame_set(struct pfx_frame_state *state, unsigned reg, uint64_t value)
{
	state->regs[reg] = value;
	state->valid[reg / 64] |= 1ull << (reg % 64);
}

/* A word, or @size bytes, of the copied stack; false when it is not in the copy. */
bool pfx_frame_load(struct pfx_frame_state *state, uint64_t addr, unsigned size, uint64_t *ret);
/* The address that a call returns to, as it was left in a register or on the stack. */
static inline uint64_t pfx_frame_return(const struct pfx_frame_state *state, uint64_t value)
{
	return pfx_unwind_strip(state->arch, state->pc_mask, value);
}
/* Go to the caller: registers, pc. False when a value that is needed cannot be had. */
bool pfx_frame_step(struct pfx_frame_state *state, const struct pfx_unwind_row *row);

#endif
