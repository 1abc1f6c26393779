/* SPDX-License-Identifier: MIT */
/*
 * Data flow analysis of addresses in a function: the code as basic blocks, and the state of the
 * registers at the start of each block, joined over all jumps to it until nothing changes. A block
 * without known predecessors is a case of a switch, and starts with the joined state of all
 * indirect jumps; if it may also be a landing pad of exceptions, it starts only with the stack
 * pointer from call frame information. Finally every memory access is evaluated once.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "sym/types/type_flow_internal.h"

#define BLOCKS_MAX      8192      /* with more, each block starts with an empty state */
#define FACT_PLACES_MAX (1 << 22) /* pairs of facts and blocks */
#define ROUNDS_MAX      64        /* passes over all blocks; valid analyses end earlier */

struct block {
	uint32_t first, end; /* index of the first operation and of the end */
	uint32_t first_fact, nr_facts;
	bool is_dirty;
};

struct flow {
	struct pfx_type_table *table;
	const struct pfx_type_function *function;
	const struct pfx_type_code *code;
	PFX_VEC(struct block) blocks;
	PFX_VEC(uint32_t) facts;            /* the facts of each block, by index in the function */
	struct pfx_flow_state *states;      /* at the start of each block; NULL: above BLOCKS_MAX */
	struct pfx_flow_state behind_jumps; /* joined states of jumps with unknown targets */
};

/* --- blocks --- */

/* The operation at an address, or code->nr. */
static size_t find_op(const struct pfx_type_code *code, uint64_t addr)
{
	size_t at = pfx_bisect(i, code->nr, code->ops[i].addr < addr);

	return at < code->nr && code->ops[at].addr == addr ? at : code->nr;
}

static bool ends_block(uint8_t kind)
{
	return kind == PFX_OP_BRANCH || kind == PFX_OP_JUMP || kind == PFX_OP_END;
}

/* Whether execution may continue at the next operation. */
static bool falls_through(const struct pfx_type_code *code, size_t i)
{
	const struct pfx_op *op = &code->ops[i];

	return op->kind != PFX_OP_JUMP && op->kind != PFX_OP_END && i + 1 < code->nr &&
	       code->ops[i + 1].addr == op->addr + op->len;
}

static void find_blocks(struct flow *flow)
{
	const struct pfx_type_code *code = flow->code;
	bool *leads = pfx_calloc(code->nr + 1, sizeof(*leads));
	size_t i, target;

	leads[0] = true;
	target = find_op(code, flow->function->entry);
	leads[target] = true;
	for (i = 0; i < code->nr; i++) {
		if (ends_block(code->ops[i].kind) || !falls_through(code, i))
			leads[i + 1] = true;
		if (ends_block(code->ops[i].kind) && code->ops[i].target)
			leads[find_op(code, code->ops[i].target)] = true;
	}
	for (i = 0; i < code->nr; i++) {
		if (leads[i])
			pfx_vec_push(&flow->blocks, ((struct block){.first = (uint32_t)i}));
		flow->blocks.at[flow->blocks.nr - 1].end = (uint32_t)i + 1;
	}
	free(leads);
}

static uint64_t block_addr(const struct flow *flow, size_t block)
{
	return flow->code->ops[flow->blocks.at[block].first].addr;
}

/* The block that begins at the address, or blocks.nr. */
static size_t find_block(const struct flow *flow, uint64_t addr)
{
	size_t at = pfx_bisect(i, flow->blocks.nr, block_addr(flow, i) < addr);

	return at < flow->blocks.nr && block_addr(flow, at) == addr ? at : flow->blocks.nr;
}

/* Collects the facts that overlap a block, so that each operation checks only these. */
static void find_facts(struct flow *flow, struct block *block)
{
	const struct pfx_op *ops = flow->code->ops;
	uint64_t low = ops[block->first].addr, high = ops[block->end - 1].addr;
	const struct pfx_fact *fact;
	size_t i;

	block->first_fact = (uint32_t)flow->facts.nr;
	for (i = 0; i < flow->function->facts.nr && flow->facts.nr < FACT_PLACES_MAX; i++) {
		fact = &flow->function->facts.at[i];
		if (fact->low <= high && fact->high > low)
			pfx_vec_push(&flow->facts, (uint32_t)i);
	}
	block->nr_facts = (uint32_t)flow->facts.nr - block->first_fact;
}

static struct pfx_flow_at at_block(const struct flow *flow, const struct block *block,
				   const struct pfx_flow_state *state)
{
	return (struct pfx_flow_at){
		.table = flow->table,
		.function = flow->function,
		.arch = flow->code->arch,
		.facts = flow->facts.at ? flow->facts.at + block->first_fact : NULL,
		.nr_facts = block->nr_facts,
		.addr = flow->code->ops[block->first].addr,
		.state = state,
	};
}

/* --- stack slots --- */

static struct pfx_value slot_value(const struct pfx_flow_state *state, int64_t at)
{
	unsigned i;

	for (i = 0; i < state->nr_slots; i++)
		if (state->slots[i].at == at)
			return state->slots[i].value;
	return (struct pfx_value){0};
}

/* Forgets slots that a store overwrites. */
static void forget_slots(struct pfx_flow_state *state, int64_t at, uint64_t size, uint8_t word)
{
	unsigned i = 0;

	while (i < state->nr_slots)
		if (state->slots[i].at > at - word && state->slots[i].at < at + (int64_t)size)
			state->slots[i] = state->slots[--state->nr_slots];
		else
			i++;
}

static void set_slot(struct pfx_flow_state *state, int64_t at, struct pfx_value value, uint8_t word)
{
	forget_slots(state, at, word, word);
	if (value.kind != PFX_VALUE_NONE && state->nr_slots < PFX_VALUE_SLOTS)
		state->slots[state->nr_slots++] = (struct pfx_value_slot){at, value};
}

/* The stack position of an operand without an index. */
static bool on_stack(const struct pfx_flow_state *state, const struct pfx_op *op, int64_t *ret)
{
	const struct pfx_op_memory *memory = &op->memory;

	return op->has_memory && !memory->has_index && memory->base != PFX_DATA_NO_REG &&
	       state->regs[memory->base].kind == PFX_VALUE_STACK &&
	       !__builtin_add_overflow(state->regs[memory->base].offset, memory->disp, ret);
}

static void push(struct pfx_flow_state *state, const struct pfx_data_arch *arch,
		 struct pfx_value value)
{
	struct pfx_value *sp = &state->regs[arch->sp];

	*sp = pfx_value_add(*sp, -(int64_t)arch->word);
	if (sp->kind == PFX_VALUE_STACK)
		set_slot(state, sp->offset, value, arch->word);
}

static struct pfx_value pop(struct pfx_flow_state *state, const struct pfx_data_arch *arch)
{
	struct pfx_value *sp = &state->regs[arch->sp], value = {0};

	if (sp->kind == PFX_VALUE_STACK)
		value = slot_value(state, sp->offset);
	*sp = pfx_value_add(*sp, arch->word);
	return value;
}

/* --- effects of operations --- */

/* A pointer to the type, or an unknown value if the type is unknown. */
static struct pfx_value to_type(uint32_t type)
{
	return (struct pfx_value){type ? PFX_VALUE_ADDRESS : PFX_VALUE_NONE, .type = type};
}

/* The type that the loaded pointer points to. */
static uint32_t loaded_type(const struct pfx_flow_at *at, const struct pfx_access *access)
{
	struct pfx_type_part part =
		pfx_type_walk(at->table, access->type, access->offset, at->arch->word, NULL);
	const struct pfx_type *leaf = pfx_type_get(at->table, part.type);

	if (leaf->shape != PFX_SHAPE_ADDRESS || part.offset || part.is_ambiguous || part.is_bits)
		return 0;
	return leaf->target;
}

static struct pfx_value loaded(const struct pfx_flow_at *at, const struct pfx_op *op)
{
	struct pfx_value value = {0};
	struct pfx_access access;
	int64_t offset;

	if (op->memory.size != at->arch->word)
		return value;
	access = pfx_flow_judge(at, op);
	if (access.kind == PFX_DATA_TYPE)
		value = to_type(loaded_type(at, &access));
	if (!value.kind && on_stack(at->state, op, &offset))
		value = slot_value(at->state, offset);
	return value;
}

/* The same for one word of a pair. */
static struct pfx_value loaded_of_pair(const struct pfx_flow_at *at, const struct pfx_op *op,
				       unsigned nr)
{
	struct pfx_op one = *op;

	one.memory.size = at->arch->word;
	one.memory.disp += (int64_t)nr * at->arch->word;
	return loaded(at, &one);
}

static bool is_address(struct pfx_value value)
{
	return value.kind == PFX_VALUE_ADDRESS || value.kind == PFX_VALUE_STACK;
}

static struct pfx_value address_of(const struct pfx_flow_at *at, const struct pfx_op_memory *memory)
{
	struct pfx_value value = {PFX_VALUE_NUMBER, .offset = memory->disp}, index = {0};

	if (memory->base != PFX_DATA_NO_REG)
		value = pfx_value_add(pfx_flow_reg(at, memory->base), memory->disp);
	if (!memory->has_index)
		return value;
	if (memory->index != PFX_DATA_NO_REG)
		index = pfx_flow_reg(at, memory->index);
	if (memory->base == memory->index && memory->base != PFX_DATA_NO_REG && !is_address(index))
		return pfx_value_add(pfx_value_scale(index, memory->scale + 1), memory->disp);
	if (memory->scale != 1 || !is_address(index))
		index = pfx_value_scale(index, memory->scale);
	return pfx_value_sum(at, value, index);
}

static struct pfx_value call_value(const struct pfx_flow_at *at, const struct pfx_op *op)
{
	const struct pfx_type_function *function = at->function;
	uint64_t behind = op->addr + op->len;
	size_t at_call = pfx_bisect(i, function->calls.nr, function->calls.at[i].addr < behind);

	if (at_call < function->calls.nr && function->calls.at[at_call].addr == behind)
		return to_type(function->calls.at[at_call].type);
	return to_type(op->target ? pfx_type_returned(at->table, op->target) : 0);
}

/* The new value of dst. */
static struct pfx_value result_of(const struct pfx_flow_at *at, const struct pfx_op *op)
{
	struct pfx_value value = {PFX_VALUE_NUMBER, .offset = op->number}, src2 = {0};

	switch (op->kind) {
	case PFX_OP_MOVE:
		return pfx_flow_reg(at, op->src);
	case PFX_OP_CHOOSE:
		return pfx_value_join(at, pfx_flow_reg(at, op->dst), pfx_flow_reg(at, op->src));
	case PFX_OP_LOAD:
		return loaded(at, op);
	case PFX_OP_LOAD_PAIR:
		return loaded_of_pair(at, op, 0);
	case PFX_OP_CHOOSE_LOAD:
		return pfx_value_join(at, pfx_flow_reg(at, op->dst), loaded(at, op));
	case PFX_OP_ADDRESS:
		return address_of(at, &op->memory);
	case PFX_OP_ADD:
		return pfx_value_add(pfx_flow_reg(at, op->src), op->number);
	case PFX_OP_ADD_REG:
		if (op->src2 != PFX_DATA_NO_REG)
			src2 = pfx_flow_reg(at, op->src2);
		if (op->src == op->src2 && !is_address(src2))
			return pfx_value_scale(src2, op->number + 1);
		if (op->number != 1 || !is_address(src2))
			src2 = pfx_value_scale(src2, op->number);
		return pfx_value_sum(at, pfx_flow_reg(at, op->src), src2);
	case PFX_OP_SCALE:
		return pfx_value_scale(pfx_flow_reg(at, op->src), op->number);
	case PFX_OP_NUMBER:
		return value;
	default:
		return (struct pfx_value){0};
	}
}

/* Pushes, pops and stores. */
static void move_words(const struct pfx_flow_at *at, const struct pfx_op *op,
		       struct pfx_flow_state *state)
{
	struct pfx_value value = {0};
	int64_t offset;

	if (op->src != PFX_DATA_NO_REG)
		value = pfx_flow_reg(at, op->src);
	switch (op->kind) {
	case PFX_OP_STORE:
		if (on_stack(state, op, &offset))
			set_slot(state, offset, value, at->arch->word);
		return;
	case PFX_OP_PUSH:
		push(state, at->arch, value);
		return;
	case PFX_OP_POP:
		value = pop(state, at->arch);
		if (op->dst != PFX_DATA_NO_REG)
			state->regs[op->dst] = value;
		return;
	case PFX_OP_LEAVE:
		state->regs[at->arch->sp] = state->regs[at->arch->fp];
		state->regs[at->arch->fp] = pop(state, at->arch);
		return;
	default:
		if (op->has_memory && op->memory.is_written && on_stack(state, op, &offset))
			forget_slots(state, offset, op->memory.size, at->arch->word);
		return;
	}
}

static void forget_regs(struct pfx_flow_state *state, uint32_t bits)
{
	unsigned reg;

	for (; bits; bits &= bits - 1) {
		reg = (unsigned)__builtin_ctz(bits);
		state->regs[reg] = (struct pfx_value){0};
	}
}

/* A fact about a register stays valid after its range ends, until the register changes. */
static void take_facts(struct pfx_flow_at *at, struct pfx_flow_state *state)
{
	const struct pfx_fact *fact;
	size_t i;

	for (i = 0; i < at->nr_facts; i++) {
		fact = &at->function->facts.at[at->facts[i]];
		if (fact->kind == PFX_FACT_REG && fact->low <= at->addr && fact->high > at->addr &&
		    (state->regs[fact->reg].kind == PFX_VALUE_NONE ||
		     state->regs[fact->reg].kind == PFX_VALUE_MIXED))
			state->regs[fact->reg] = pfx_flow_reg(at, fact->reg);
	}
}

static void apply(struct pfx_flow_at *at, const struct pfx_op *op, struct pfx_flow_state *state)
{
	struct pfx_value value, base = {0}, second = {0};

	at->addr = op->addr;
	take_facts(at, state);
	value = op->kind == PFX_OP_CALL ? call_value(at, op) : result_of(at, op);
	if (op->kind == PFX_OP_LOAD_PAIR)
		second = loaded_of_pair(at, op, 1);
	if (op->base_add)
		base = pfx_value_add(pfx_flow_reg(at, op->memory.base), op->base_add);
	forget_regs(state, op->writes);
	move_words(at, op, state);
	if (op->kind == PFX_OP_CALL) {
		forget_regs(state, at->arch->lost);
		state->regs[at->arch->ret] = value;
	} else if (op->dst != PFX_DATA_NO_REG && op->kind != PFX_OP_POP &&
		   op->kind != PFX_OP_OTHER) {
		state->regs[op->dst] = value;
	}
	if (op->kind == PFX_OP_LOAD_PAIR)
		state->regs[op->src2] = second;
	if (op->base_add)
		state->regs[op->memory.base] = base;
}

/* --- between blocks --- */

static void start_anywhere(const struct flow *flow, const struct block *block,
			   struct pfx_flow_state *state)
{
	uint64_t addr = flow->code->ops[block->first].addr;
	int64_t offset;
	uint8_t reg;

	memset(state, 0, sizeof(*state));
	state->is_reached = true;
	if (addr == flow->function->entry)
		state->regs[flow->code->arch->sp] =
			(struct pfx_value){PFX_VALUE_STACK, .offset = flow->code->arch->entry_sp};
	else if (pfx_type_cfa(flow->table, addr, &reg, &offset))
		state->regs[reg] = (struct pfx_value){PFX_VALUE_STACK, .offset = -offset};
}

static bool same_value(const struct pfx_value *a, const struct pfx_value *b)
{
	return a->kind == b->kind && a->type == b->type && a->offset == b->offset &&
	       a->stride == b->stride;
}

static bool join_slots(const struct pfx_flow_at *at, struct pfx_flow_state *to,
		       const struct pfx_flow_state *from)
{
	struct pfx_value value;
	bool changed = false;
	unsigned i = 0;

	while (i < to->nr_slots) {
		value = pfx_value_join(at, to->slots[i].value, slot_value(from, to->slots[i].at));
		changed |= !same_value(&value, &to->slots[i].value);
		to->slots[i].value = value;
		if (value.kind == PFX_VALUE_NONE || value.kind == PFX_VALUE_MIXED)
			to->slots[i] = to->slots[--to->nr_slots];
		else
			i++;
	}
	return changed;
}

/* Joins @from into @to; returns whether @to changed. */
static bool join_states(const struct pfx_flow_at *at, struct pfx_flow_state *to,
			const struct pfx_flow_state *from)
{
	struct pfx_value value;
	bool changed = false;
	unsigned reg;

	if (!to->is_reached) {
		*to = *from;
		return true;
	}
	for (reg = 0; reg < PFX_DATA_NR_REGS; reg++) {
		value = pfx_value_join(at, to->regs[reg], from->regs[reg]);
		changed |= !same_value(&value, &to->regs[reg]);
		to->regs[reg] = value;
	}
	return join_slots(at, to, from) || changed;
}

/* @from is the state at a jump to the block. */
static void join_into(struct flow *flow, size_t nr, const struct pfx_flow_state *from, bool is_loop)
{
	struct block *block = &flow->blocks.at[nr];
	struct pfx_flow_at at = at_block(flow, block, from);

	at.is_loop = is_loop;
	block->is_dirty |= join_states(&at, &flow->states[nr], from);
}

static void run_block(struct flow *flow, size_t nr)
{
	struct block *block = &flow->blocks.at[nr];
	struct pfx_flow_state state = flow->states[nr];
	struct pfx_flow_at at = at_block(flow, block, &state);
	const struct pfx_op *last = &flow->code->ops[block->end - 1];
	size_t i, target;

	block->is_dirty = false;
	for (i = block->first; i < block->end; i++)
		apply(&at, &flow->code->ops[i], &state);
	if (falls_through(flow->code, block->end - 1))
		join_into(flow, nr + 1, &state, false);
	target = ends_block(last->kind) && last->target ? find_block(flow, last->target)
							: flow->blocks.nr;
	if (target < flow->blocks.nr)
		join_into(flow, target, &state, target <= nr);
	if (last->kind == PFX_OP_JUMP && !last->target)
		join_states(&at, &flow->behind_jumps, &state);
}

static bool run_dirty(struct flow *flow)
{
	bool any = false;
	size_t i;

	for (i = 0; i < flow->blocks.nr; i++) {
		if (!flow->blocks.at[i].is_dirty)
			continue;
		run_block(flow, i);
		any = true;
	}
	return any;
}

/* Analyzes from a block without known predecessors. */
static bool run_from(struct flow *flow, size_t nr)
{
	unsigned round;

	if (flow->behind_jumps.is_reached && !flow->function->may_land)
		flow->states[nr] = flow->behind_jumps;
	else
		start_anywhere(flow, &flow->blocks.at[nr], &flow->states[nr]);
	flow->blocks.at[nr].is_dirty = true;
	for (round = 0; round < ROUNDS_MAX; round++)
		if (!run_dirty(flow))
			return true;
	return false;
}

static void run_all(struct flow *flow)
{
	size_t i, nr = flow->blocks.nr, entry = find_block(flow, flow->function->entry);
	bool ok = true;

	if (nr > BLOCKS_MAX)
		return;
	flow->states = pfx_calloc(nr, sizeof(*flow->states));
	if (entry < nr)
		ok = run_from(flow, entry);
	for (i = 0; i < nr && ok; i++)
		if (!flow->states[i].is_reached)
			ok = run_from(flow, i);
	if (ok)
		return;
	free(flow->states);
	flow->states = NULL;
}

static size_t judge_block(const struct flow *flow, size_t nr, struct pfx_access *ret)
{
	const struct block *block = &flow->blocks.at[nr];
	struct pfx_flow_state state;
	const struct pfx_op *op;
	struct pfx_flow_at at;
	size_t i, found = 0;

	if (flow->states)
		state = flow->states[nr];
	else
		start_anywhere(flow, block, &state);
	at = at_block(flow, block, &state);
	for (i = block->first; i < block->end; i++) {
		op = &flow->code->ops[i];
		at.addr = op->addr;
		if ((op->has_memory && op->kind != PFX_OP_ADDRESS) || op->is_stack)
			ret[found++] = pfx_flow_judge(&at, op);
		apply(&at, op, &state);
	}
	return found;
}

size_t pfx_type_flow(struct pfx_type_table *table, const struct pfx_type_function *function,
		     const struct pfx_type_code *code, struct pfx_access *ret)
{
	struct flow flow = {.table = table, .function = function, .code = code};
	size_t i, nr = 0;

	if (!code->nr)
		return 0;
	find_blocks(&flow);
	for (i = 0; i < flow.blocks.nr; i++)
		find_facts(&flow, &flow.blocks.at[i]);
	run_all(&flow);
	for (i = 0; i < flow.blocks.nr; i++)
		nr += judge_block(&flow, i, ret + nr);
	free(flow.states);
	pfx_vec_free(&flow.blocks);
	pfx_vec_free(&flow.facts);
	return nr;
}
