/* SPDX-License-Identifier: MIT */
/*
 * Unwind rows: how to restore the caller's registers at one address of a program. They are made
 * from call frame information, once per distinct address, and cached per dso. A row is small, so
 * that unwinding a frame takes one look-up and a few loads.
 */
#ifndef PFX_UNWIND_ROWS_INTERNAL_H
#define PFX_UNWIND_ROWS_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/arena.h"
#include "sym/find/binary.h"
#include "sym/find/request.h"

/* An operation of a DWARF expression, with DWARF's operation numbers. */
struct pfx_row_op {
	uint8_t atom;
	uint64_t number, number2;
};

enum pfx_row_how {
	PFX_ROW_CFA_LOAD,  /* the word at CFA + offset */
	PFX_ROW_CFA_VALUE, /* CFA + offset */
	PFX_ROW_REG_LOAD,  /* the word at base + offset */
	PFX_ROW_REG_VALUE, /* base + offset */
	PFX_ROW_EXPR_LOAD, /* the word at the expression's result */
	PFX_ROW_EXPR_VALUE,
};

/* The rule for one value: a register of the caller, or the CFA. */
struct pfx_row_rule {
	uint8_t reg; /* the register that it restores */
	uint8_t how;
	uint8_t base; /* REG_*: a register of the callee */
	uint8_t nr_ops;
	int32_t offset;
	const struct pfx_row_op *ops; /* EXPR_* */
};

enum pfx_row_kind {
	PFX_ROW_RULES,   /* restored by the rules below */
	PFX_ROW_LAST,    /* there is no caller */
	PFX_ROW_NONE,    /* no unwind information for this address */
	PFX_ROW_BAD,     /* invalid unwind information */
	PFX_ROW_MISSING, /* the binary is missing, or is another build */
};

struct pfx_unwind_row {
	uint8_t kind;
	bool is_signal; /* signal frame: the caller was interrupted */
	bool is_plain;  /* the CFA is a register + offset, and all rules are CFA_* */
	/* Registers that are saved below the stack pointer were restored already (tables often omit
	 * what `pop %rbp` does) or are not changed yet. */
	bool is_restored;
	uint8_t ra; /* the rule or register of the caller's program counter */
	uint8_t nr_rules;
	struct pfx_row_rule cfa;
	const struct pfx_row_rule *rules;              /* for all registers that change */
	uint64_t keep[(PFX_UNWIND_NR_REGS + 63) / 64]; /* registers that are unchanged */
};

/* --- rows of a dso --- */

struct pfx_rows;

/* Takes ownership of @binary. */
struct pfx_rows *pfx_rows_new(struct pfx_binary *binary, const struct pfx_unwind_arch *arch);
void pfx_rows_free(struct pfx_rows *rows);
/* Borrowed. */
struct pfx_binary *pfx_rows_binary(const struct pfx_rows *rows);
const struct pfx_unwind_arch *pfx_rows_arch(const struct pfx_rows *rows);
/* The row for the byte at file offset @offset; never NULL, valid as long as the rows are. */
const struct pfx_unwind_row *pfx_rows_find(struct pfx_rows *rows, uint64_t offset);

/* --- making rows: rows_with_libdw.c --- */

struct pfx_cfi;

struct pfx_cfi *pfx_cfi_new(struct pfx_binary *binary);
void pfx_cfi_free(struct pfx_cfi *cfi);
/* Fill *@ret, which is zero, with the row of a virtual address; its rules are allocated from
 * @arena. */
void pfx_cfi_row(struct pfx_cfi *cfi, const struct pfx_unwind_arch *arch, uint64_t vaddr,
		 struct pfx_arena *arena, struct pfx_unwind_row *ret);
bool pfx_cfi_is_built_in(void);

/* --- rows_jit.c --- */

struct pfx_jit_rows;

/* For a jitdump. NULL: the file is missing. */
struct pfx_jit_rows *pfx_jit_rows_new(const struct pfx_sym_request *request,
				      const struct pfx_sym_options *options,
				      const struct pfx_unwind_arch *arch);
void pfx_jit_rows_free(struct pfx_jit_rows *rows);
/* The row for the byte at @offset of the jitdump, as pfx_rows_find(). */
const struct pfx_unwind_row *pfx_jit_rows_find(struct pfx_jit_rows *rows, uint64_t offset);
/* The ELF image made for the JIT function at that byte, and the byte's offset in it; NULL: the
 * function has no tables. Borrowed. */
struct pfx_binary *pfx_jit_rows_binary(struct pfx_jit_rows *rows, uint64_t offset,
				       uint64_t *ret_offset);

/* --- rows_exidx.c --- */

/* The row of a virtual address from ARM's unwind tables; *@ret is not changed if the program has
 * none for it. */
void pfx_exidx_row(const struct pfx_binary *binary, const struct pfx_unwind_arch *arch,
		   uint64_t vaddr, struct pfx_arena *arena, struct pfx_unwind_row *ret);

/* --- applying a row --- */

struct pfx_frame_state {
	const struct pfx_unwind_arch *arch;
	uint64_t regs[PFX_UNWIND_NR_REGS];
	uint64_t valid[(PFX_UNWIND_NR_REGS + 63) / 64];
	uint64_t pc;
	uint64_t pc_mask;     /* address bits of a return address */
	uint64_t stack_start; /* address of the stack dump's first byte */
	const uint8_t *stack;
	uint64_t stack_size;
	bool swap;
	bool beyond; /* a word above the end of the dump was needed */
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

/* Load a word, or @size bytes, from the stack dump; false when it is outside of the dump. */
bool pfx_frame_load(struct pfx_frame_state *state, uint64_t addr, unsigned size, uint64_t *ret);
/* The return address in a saved value, without its signature bits. */
static inline uint64_t pfx_frame_return(const struct pfx_frame_state *state, uint64_t value)
{
	return pfx_unwind_strip(state->arch, state->pc_mask, value);
}
/* Unwind to the caller: updates registers and pc. False when a required value is unknown. */
bool pfx_frame_step(struct pfx_frame_state *state, const struct pfx_unwind_row *row);

#endif
