/* SPDX-License-Identifier: MIT */
/*
 * From a frame to its caller: applies a row's rules to the registers and to the sample's stack
 * dump. Unavailable values are marked as unknown; only the program counter and the CFA are
 * required. Reads nothing except the sample.
 */
#include <string.h>

#include "base/cursor.h"
#include "unwind/rows/rows_internal.h"

#define STACK_MAX 16 /* stack depth of an expression */

static inline bool load(struct pfx_frame_state *state, uint64_t addr, unsigned size, uint64_t *ret)
{
	uint64_t offset = addr - state->stack_start;
	const uint8_t *at;

	if (state->stack_size < size || offset > state->stack_size - size) {
		state->beyond |= addr >= state->stack_start;
		return false;
	}
	at = state->stack + offset;
	switch (size) {
	case 8:
		*ret = pfx_load64(at, state->swap);
		return true;
	case 4:
		*ret = pfx_load32(at, state->swap);
		return true;
	case 2:
		*ret = pfx_load16(at, state->swap);
		return true;
	case 1:
		*ret = *at;
		return true;
	default:
		return false;
	}
}

bool pfx_frame_load(struct pfx_frame_state *state, uint64_t addr, unsigned size, uint64_t *ret)
{
	return load(state, addr, size, ret);
}

/* --- expressions; operation numbers are those of DWARF --- */

enum {
	OP_ADDR = 0x03,
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONSTS = 0x11,
	OP_DUP = 0x12,
	OP_DROP = 0x13,
	OP_OVER = 0x14,
	OP_PICK = 0x15,
	OP_SWAP = 0x16,
	OP_ROT = 0x17,
	OP_ABS = 0x19,
	OP_AND = 0x1a,
	OP_DIV = 0x1b,
	OP_MINUS = 0x1c,
	OP_MOD = 0x1d,
	OP_MUL = 0x1e,
	OP_NEG = 0x1f,
	OP_NOT = 0x20,
	OP_OR = 0x21,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_SHR = 0x25,
	OP_SHRA = 0x26,
	OP_XOR = 0x27,
	OP_EQ = 0x29,
	OP_GE = 0x2a,
	OP_GT = 0x2b,
	OP_LE = 0x2c,
	OP_LT = 0x2d,
	OP_NE = 0x2e,
	OP_LIT0 = 0x30,
	OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
	OP_BREGX = 0x92,
	OP_DEREF_SIZE = 0x94,
	OP_NOP = 0x96,
	OP_CALL_FRAME_CFA = 0x9c,
	OP_STACK_VALUE = 0x9f,
};

struct eval {
	struct pfx_frame_state *state;
	const uint64_t *cfa;
	uint64_t stack[STACK_MAX];
	unsigned nr;
};

static bool push(struct eval *e, uint64_t value)
{
	if (e->nr == STACK_MAX)
		return false;
	e->stack[e->nr++] = value;
	return true;
}

static bool push_reg(struct eval *e, uint64_t reg, uint64_t offset)
{
	return reg < PFX_UNWIND_NR_REGS && pfx_frame_has(e->state, (unsigned)reg) &&
	       push(e, e->state->regs[reg] + offset);
}

static bool eval_compare(uint8_t atom, int64_t a, int64_t b, uint64_t *ret)
{
	switch (atom) {
	case OP_EQ:
		*ret = a == b;
		return true;
	case OP_GE:
		*ret = a >= b;
		return true;
	case OP_GT:
		*ret = a > b;
		return true;
	case OP_LE:
		*ret = a <= b;
		return true;
	case OP_LT:
		*ret = a < b;
		return true;
	case OP_NE:
		*ret = a != b;
		return true;
	default:
		return false;
	}
}

static uint64_t shift(uint8_t atom, uint64_t a, uint64_t b)
{
	if (b > 63)
		return atom == OP_SHRA && (int64_t)a < 0 ? UINT64_MAX : 0;
	if (atom == OP_SHRA)
		return (uint64_t)((int64_t)a >> b);
	return atom == OP_SHL ? a << b : a >> b;
}

/* A binary operation; *@a is the lower operand and gets the result. */
static bool eval_two(uint8_t atom, uint64_t *a, uint64_t b)
{
	switch (atom) {
	case OP_AND:
		*a &= b;
		return true;
	case OP_OR:
		*a |= b;
		return true;
	case OP_XOR:
		*a ^= b;
		return true;
	case OP_PLUS:
		*a += b;
		return true;
	case OP_MINUS:
		*a -= b;
		return true;
	case OP_MUL:
		*a *= b;
		return true;
	case OP_MOD:
		*a = b ? *a % b : 0;
		return b != 0;
	case OP_DIV:
		if (!b)
			return false;
		*a = b == UINT64_MAX ? 0 - *a : (uint64_t)((int64_t)*a / (int64_t)b);
		return true;
	case OP_SHL:
	case OP_SHR:
	case OP_SHRA:
		*a = shift(atom, *a, b);
		return true;
	default:
		return eval_compare(atom, (int64_t)*a, (int64_t)b, a);
	}
}

static bool eval_stack(struct eval *e, const struct pfx_row_op *op)
{
	uint64_t pick = op->atom == OP_DUP ? 0 : op->atom == OP_OVER ? 1 : op->number, top;

	switch (op->atom) {
	case OP_DUP:
	case OP_OVER:
	case OP_PICK:
		return pick < e->nr && push(e, e->stack[e->nr - 1 - pick]);
	case OP_DROP:
		e->nr -= e->nr > 0;
		return true;
	case OP_SWAP:
	case OP_ROT:
		pick = op->atom == OP_SWAP ? 2 : 3;
		if (e->nr < pick)
			return false;
		top = e->stack[e->nr - 1];
		memmove(&e->stack[e->nr - pick + 1], &e->stack[e->nr - pick], (pick - 1) * 8);
		e->stack[e->nr - pick] = top;
		return true;
	default:
		return false;
	}
}

/* A unary operation, in place. */
static bool eval_one(struct eval *e, const struct pfx_row_op *op)
{
	uint64_t *top;

	if (!e->nr)
		return false;
	top = &e->stack[e->nr - 1];
	switch (op->atom) {
	case OP_DEREF:
		return pfx_frame_load(e->state, *top, e->state->arch->word, top);
	case OP_DEREF_SIZE:
		return pfx_frame_load(e->state, *top, (unsigned)op->number, top);
	case OP_ABS:
		*top = (int64_t)*top < 0 ? 0 - *top : *top;
		return true;
	case OP_NEG:
		*top = 0 - *top;
		return true;
	case OP_NOT:
		*top = ~*top;
		return true;
	case OP_PLUS_UCONST:
		*top += op->number;
		return true;
	default:
		return false;
	}
}

static bool eval_op(struct eval *e, const struct pfx_row_op *op)
{
	uint8_t atom = op->atom;

	if (atom >= OP_LIT0 && atom <= OP_LIT31)
		return push(e, atom - OP_LIT0);
	if (atom >= OP_BREG0 && atom <= OP_BREG31)
		return push_reg(e, atom - OP_BREG0, op->number);
	if (atom == OP_BREGX)
		return push_reg(e, op->number, op->number2);
	if (atom == OP_ADDR || (atom >= OP_CONST1U && atom <= OP_CONSTS))
		return push(e, op->number);
	if (atom == OP_CALL_FRAME_CFA)
		return e->cfa && push(e, *e->cfa);
	if (atom == OP_NOP || atom == OP_STACK_VALUE)
		return true;
	if (atom >= OP_DUP && atom <= OP_ROT)
		return eval_stack(e, op);
	if (atom == OP_DEREF || atom == OP_DEREF_SIZE || atom == OP_ABS || atom == OP_NEG ||
	    atom == OP_NOT || atom == OP_PLUS_UCONST)
		return eval_one(e, op);
	if (e->nr < 2)
		return false;
	e->nr--;
	return eval_two(atom, &e->stack[e->nr - 1], e->stack[e->nr]);
}

/* Evaluates an expression; @cfa, if not NULL, is pushed first. */
static bool eval_rule(struct pfx_frame_state *state, const struct pfx_row_rule *rule,
		      const uint64_t *cfa, uint64_t *ret)
{
	struct eval e = {.state = state, .cfa = cfa};
	unsigned i;

	for (i = 0; i < rule->nr_ops; i++)
		if (!eval_op(&e, &rule->ops[i]))
			return false;
	if (!e.nr)
		return false;
	*ret = e.stack[e.nr - 1];
	return true;
}

/* --- rules --- */

static bool value_of(struct pfx_frame_state *state, const struct pfx_row_rule *rule,
		     const uint64_t *cfa, uint64_t *ret)
{
	unsigned word = state->arch->word;
	uint64_t addr;

	switch (rule->how) {
	case PFX_ROW_CFA_LOAD:
		return cfa &&
		       pfx_frame_load(state, *cfa + (uint64_t)(int64_t)rule->offset, word, ret);
	case PFX_ROW_CFA_VALUE:
		if (!cfa)
			return false;
		*ret = *cfa + (uint64_t)(int64_t)rule->offset;
		return true;
	case PFX_ROW_REG_LOAD:
	case PFX_ROW_REG_VALUE:
		if (!pfx_frame_has(state, rule->base))
			return false;
		*ret = state->regs[rule->base] + (uint64_t)(int64_t)rule->offset;
		return rule->how == PFX_ROW_REG_VALUE || pfx_frame_load(state, *ret, word, ret);
	case PFX_ROW_EXPR_LOAD:
		return eval_rule(state, rule, cfa, &addr) && pfx_frame_load(state, addr, word, ret);
	default:
		return eval_rule(state, rule, cfa, ret);
	}
}

static uint64_t narrow(const struct pfx_unwind_arch *arch, uint64_t value)
{
	return arch->word == 4 ? (uint32_t)value : value;
}

/*
 * Sets a register whose value could not be loaded. The stack dump begins at the stack pointer: if a
 * row says that the register is saved below it, and the row is restored, it still holds the value.
 * Otherwise it is unknown. @before: which registers had values.
 */
static void set_missing(struct pfx_frame_state *state, const struct pfx_unwind_row *row,
			const struct pfx_row_rule *rule, uint64_t cfa, const uint64_t *before)
{
	uint64_t addr = cfa + (uint64_t)(int64_t)rule->offset;
	bool stays = row->is_restored && rule->how == PFX_ROW_CFA_LOAD &&
		     addr < state->stack_start && rule->reg != row->ra &&
		     rule->reg != state->arch->sp;
	uint64_t bit = 1ull << (rule->reg % 64);
	unsigned word = rule->reg / 64;

	state->valid[word] = (state->valid[word] & ~bit) | (stays ? before[word] & bit : 0);
}

/* Computes the values of all rules before any register is changed, since rules may use other
 * registers. */
static bool apply_rules(struct pfx_frame_state *state, const struct pfx_unwind_row *row)
{
	const struct pfx_unwind_arch *arch = state->arch;
	const uint64_t before[2] = {state->valid[0], state->valid[1]};
	uint64_t values[PFX_UNWIND_NR_REGS], has[2] = {0}, cfa;
	unsigned i;

	if (!value_of(state, &row->cfa, NULL, &cfa))
		return false;
	cfa = narrow(arch, cfa);
	for (i = 0; i < row->nr_rules; i++)
		if (value_of(state, &row->rules[i], &cfa, &values[i]))
			has[i / 64] |= 1ull << (i % 64);
	state->valid[0] &= row->keep[0];
	state->valid[1] &= row->keep[1];
	pfx_frame_set(state, arch->sp, cfa - (uint64_t)arch->cfa_bias);
	for (i = 0; i < row->nr_rules; i++) {
		if (has[i / 64] >> (i % 64) & 1)
			pfx_frame_set(state, row->rules[i].reg, narrow(arch, values[i]));
		else
			set_missing(state, row, &row->rules[i], cfa, before);
	}
	return true;
}

/* Fast path for words of eight bytes and rules that do not use registers. */
static bool apply_plain(struct pfx_frame_state *state, const struct pfx_unwind_row *row)
{
	const struct pfx_row_rule *rule = row->rules, *end = rule + row->nr_rules;
	const uint64_t before[2] = {state->valid[0], state->valid[1]};
	uint64_t cfa, value;

	if (!pfx_frame_has(state, row->cfa.base))
		return false;
	cfa = state->regs[row->cfa.base] + (uint64_t)(int64_t)row->cfa.offset;
	state->valid[0] &= row->keep[0];
	state->valid[1] &= row->keep[1];
	pfx_frame_set(state, state->arch->sp, cfa - (uint64_t)state->arch->cfa_bias);
	for (; rule < end; rule++) {
		value = cfa + (uint64_t)(int64_t)rule->offset;
		if (rule->how == PFX_ROW_CFA_VALUE || load(state, value, 8, &value))
			pfx_frame_set(state, rule->reg, value);
		else
			set_missing(state, row, rule, cfa, before);
	}
	return true;
}

bool pfx_frame_step(struct pfx_frame_state *state, const struct pfx_unwind_row *row)
{
	bool plain = row->is_plain && state->arch->word == 8;

	state->beyond = false;
	if (!(plain ? apply_plain(state, row) : apply_rules(state, row)))
		return false;
	if (!pfx_frame_has(state, row->ra) || !pfx_frame_has(state, state->arch->sp))
		return false;
	state->pc = pfx_frame_return(state, state->regs[row->ra]);
	return true;
}
