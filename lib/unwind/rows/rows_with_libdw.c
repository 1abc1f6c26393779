/* SPDX-License-Identifier: MIT */
/*
 * Rows from call frame information through libdw: .eh_frame of the program, else .debug_frame of
 * the program or of its debug file. libdw returns a small expression for each register; the usual
 * ones become rules with an offset, others are kept as expressions. Files are untrusted: libdw is
 * only used where cfi_tables.h allows it, and values that do not fit into a row make it invalid.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "sym/dwarf/cfi_tables.h"
#include "unwind/rows/rows_internal.h"

#define OPS_MAX 32 /* operations of one expression; real ones have a dozen */

struct pfx_cfi {
	struct pfx_binary *binary;
	Dwarf_CFI *eh; /* from .eh_frame; NULL: none */
	struct pfx_cfi_tables *tables;
	Dwarf *dwarf[2];
	Dwarf_CFI *debug[2]; /* from .debug_frame: the program's own, its debug file's */
	bool looked_for_debug;
};

struct pfx_cfi *pfx_cfi_new(struct pfx_binary *binary)
{
	struct pfx_cfi *cfi = pfx_calloc(1, sizeof(*cfi));

	cfi->binary = binary;
	cfi->eh = dwarf_getcfi_elf(pfx_binary_elf(binary));
	cfi->tables = pfx_cfi_tables_new(pfx_binary_elf(binary), false);
	return cfi;
}

void pfx_cfi_free(struct pfx_cfi *cfi)
{
	int i;

	if (!cfi)
		return;
	if (cfi->eh)
		dwarf_cfi_end(cfi->eh);
	pfx_cfi_tables_free(cfi->tables);
	for (i = 0; i < 2; i++)
		dwarf_end(cfi->dwarf[i]); /* also frees its CFI */
	free(cfi);
}

bool pfx_cfi_is_built_in(void)
{
	return true;
}

/* Opening debug information unpacks all of it: done only if .debug_frame exists. */
static void open_debug_frames(struct pfx_cfi *cfi)
{
	Elf *elf;
	int i;

	cfi->looked_for_debug = true;
	for (i = 0; i < 2; i++) {
		if (!pfx_binary_has_section(cfi->binary, i, ".debug_frame") &&
		    !pfx_binary_has_section(cfi->binary, i, ".zdebug_frame"))
			continue;
		elf = i ? pfx_binary_debug_elf(cfi->binary) : pfx_binary_elf(cfi->binary);
		cfi->dwarf[i] = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
		if (cfi->dwarf[i] && pfx_cfi_debug_frame_allowed(elf, false))
			cfi->debug[i] = dwarf_getcfi(cfi->dwarf[i]);
	}
}

/* @ret_bad: the tables failed the check, so that libdw is not used. */
static Dwarf_Frame *find_frame(struct pfx_cfi *cfi, uint64_t vaddr, bool *ret_bad)
{
	Dwarf_Frame *frame = NULL;
	int i;

	*ret_bad = cfi->eh && !pfx_cfi_tables_allow(cfi->tables, vaddr);
	if (*ret_bad)
		return NULL;
	if (cfi->eh && !dwarf_cfi_addrframe(cfi->eh, vaddr, &frame))
		return frame;
	if (!cfi->looked_for_debug)
		open_debug_frames(cfi);
	for (i = 0; i < 2; i++)
		if (cfi->debug[i] && !dwarf_cfi_addrframe(cfi->debug[i], vaddr, &frame))
			return frame;
	return NULL;
}

static bool fits_offset(uint64_t number, int32_t *ret)
{
	*ret = (int32_t)number;
	return (uint64_t)(int64_t)*ret == number;
}

/* "a register plus a number" */
static bool is_reg_plus(const Dwarf_Op *op, uint8_t *ret_reg, int32_t *ret_offset)
{
	uint64_t reg, offset;

	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		reg = op->atom - DW_OP_breg0;
		offset = op->number;
	} else if (op->atom == DW_OP_bregx) {
		reg = op->number;
		offset = op->number2;
	} else {
		return false;
	}
	*ret_reg = (uint8_t)reg;
	return reg < PFX_UNWIND_NR_REGS && fits_offset(offset, ret_offset);
}

static bool keep_expr(const Dwarf_Op *ops, size_t nr, struct pfx_arena *arena,
		      struct pfx_row_rule *ret)
{
	struct pfx_row_op *to;
	size_t i;

	if (!nr || nr > OPS_MAX)
		return false;
	to = pfx_arena_array(arena, struct pfx_row_op, nr);
	for (i = 0; i < nr; i++)
		to[i] = (struct pfx_row_op){ops[i].atom, ops[i].number, ops[i].number2};
	ret->ops = to;
	ret->nr_ops = (uint8_t)nr;
	return true;
}

/* The CFA: the expression's result is the value. */
static bool read_cfa(const Dwarf_Op *ops, size_t nr, struct pfx_arena *arena,
		     struct pfx_row_rule *ret)
{
	bool plus = nr && is_reg_plus(&ops[0], &ret->base, &ret->offset);

	ret->reg = PFX_UNWIND_NO_REG;
	if (plus && nr == 1) {
		ret->how = PFX_ROW_REG_VALUE;
		return true;
	}
	if (plus && nr == 2 && ops[1].atom == DW_OP_deref) {
		ret->how = PFX_ROW_REG_LOAD;
		return true;
	}
	ret->how = PFX_ROW_EXPR_VALUE;
	return keep_expr(ops, nr, arena, ret);
}

/* CFA [+ number]: @nr operations without DW_OP_stack_value. */
static bool is_cfa_plus(const Dwarf_Op *ops, size_t nr, int32_t *ret_offset)
{
	*ret_offset = 0;
	if (!nr || nr > 2 || ops[0].atom != DW_OP_call_frame_cfa)
		return false;
	return nr == 1 ||
	       (ops[1].atom == DW_OP_plus_uconst && fits_offset(ops[1].number, ret_offset));
}

static bool is_other_reg(const Dwarf_Op *ops, size_t nr, uint8_t *ret)
{
	uint64_t reg;

	if (nr != 1)
		return false;
	if (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		reg = ops[0].atom - DW_OP_reg0;
	else if (ops[0].atom == DW_OP_regx)
		reg = ops[0].number;
	else
		return false;
	*ret = (uint8_t)reg;
	return reg < PFX_UNWIND_NR_REGS;
}

/* A register: the expression's result is its address, or with DW_OP_stack_value its value. */
static bool read_rule(const Dwarf_Op *ops, size_t nr, struct pfx_arena *arena,
		      struct pfx_row_rule *ret)
{
	bool is_value = nr && ops[nr - 1].atom == DW_OP_stack_value;
	const Dwarf_Op *rest;

	if (is_other_reg(ops, nr, &ret->base)) {
		ret->how = PFX_ROW_REG_VALUE;
		return true;
	}
	nr -= is_value;
	if (is_cfa_plus(ops, nr, &ret->offset)) {
		ret->how = is_value ? PFX_ROW_CFA_VALUE : PFX_ROW_CFA_LOAD;
		return true;
	}
	rest = nr && ops[0].atom == DW_OP_call_frame_cfa ? ops + 1 : ops;
	if (rest + 1 == ops + nr && is_reg_plus(rest, &ret->base, &ret->offset)) {
		ret->how = is_value ? PFX_ROW_REG_VALUE : PFX_ROW_REG_LOAD;
		return true;
	}
	ret->how = is_value ? PFX_ROW_EXPR_VALUE : PFX_ROW_EXPR_LOAD;
	return keep_expr(ops, nr, arena, ret);
}

/* 1: a rule, 0: no rule (unchanged or unknown, see row->keep), negative: invalid. */
static int read_reg(Dwarf_Frame *frame, unsigned reg, struct pfx_unwind_row *row,
		    struct pfx_arena *arena, struct pfx_row_rule *ret)
{
	Dwarf_Op mem[3], *ops;
	size_t nr;

	if (dwarf_frame_register(frame, (int)reg, mem, &ops, &nr))
		return -1;
	if (!nr) {
		if (!ops)
			row->keep[reg / 64] |= 1ull << (reg % 64);
		return 0;
	}
	*ret = (struct pfx_row_rule){.reg = (uint8_t)reg};
	return read_rule(ops, nr, arena, ret) ? 1 : -1;
}

/* Whether the rules restore the program counter. */
static bool has_caller(const struct pfx_unwind_row *row)
{
	unsigned i;

	if (row->keep[row->ra / 64] >> (row->ra % 64) & 1)
		return true;
	for (i = 0; i < row->nr_rules; i++)
		if (row->rules[i].reg == row->ra)
			return true;
	return false;
}

static bool read_frame(Dwarf_Frame *frame, struct pfx_unwind_row *row, struct pfx_arena *arena)
{
	struct pfx_row_rule rules[PFX_UNWIND_NR_REGS];
	Dwarf_Addr start, end;
	Dwarf_Op *ops;
	unsigned reg;
	size_t nr;
	int ra, rc;

	ra = dwarf_frame_info(frame, &start, &end, &row->is_signal);
	if (ra < 0 || ra >= PFX_UNWIND_NR_REGS || dwarf_frame_cfa(frame, &ops, &nr) ||
	    !read_cfa(ops, nr, arena, &row->cfa))
		return false;
	row->ra = (uint8_t)ra;
	for (reg = 0; reg < PFX_UNWIND_NR_REGS; reg++) {
		rc = read_reg(frame, reg, row, arena, &rules[row->nr_rules]);
		if (rc < 0)
			return false;
		row->nr_rules += rc;
	}
	row->rules = pfx_arena_memdup(arena, rules, row->nr_rules * sizeof(*rules));
	return true;
}

void pfx_cfi_row(struct pfx_cfi *cfi, const struct pfx_unwind_arch *arch, uint64_t vaddr,
		 struct pfx_arena *arena, struct pfx_unwind_row *ret)
{
	bool is_bad;
	Dwarf_Frame *frame = find_frame(cfi, vaddr, &is_bad);

	ret->kind = is_bad ? PFX_ROW_BAD : PFX_ROW_NONE;
	if (!frame)
		return;
	if (!read_frame(frame, ret, arena))
		ret->kind = PFX_ROW_BAD;
	else
		ret->kind = has_caller(ret) ? PFX_ROW_RULES : PFX_ROW_LAST;
	free(frame);
}
