/* SPDX-License-Identifier: MIT */
/*
 * Reads facts about one function from its debug information: which registers hold addresses of
 * which types in which range, which variables are on the stack, and what calls return. Inlined
 * functions and blocks are included; facts of inner scopes come before those of outer scopes. Files
 * are untrusted: depths and counts are bounded, and unusual location expressions are ignored.
 */
#include <stdlib.h>

#include "sym/types/type_table_internal.h"

#define FACTS_MAX  (1 << 17) /* of one function */
#define CALLS_MAX  (1 << 16)
#define PLACES_MAX (1 << 12) /* of one variable */
#define SCOPE_MAX  64        /* ranges that are used of one block */
#define OPS_MAX    64        /* of one expression */
#define LANG_C17   0x2c      /* DW_LANG_C17, missing in older headers */

/* State of the walk through a function's DIEs. */
struct walk {
	struct pfx_type_table *table;
	struct pfx_type_function *function;
	Dwarf_Attribute frame; /* frame base; valid == 0: none */
	bool has_frame;
};

/* The address ranges of a block. */
struct scope {
	struct pfx_type_range at[SCOPE_MAX];
	unsigned nr;
};

/* A variable, and the range in which its location is valid. */
struct variable {
	uint32_t type;
	Dwarf_Attribute *attr;
	const struct scope *scope;
	uint64_t low, high; /* if `whole` is set, the scope's ranges are used instead */
	bool whole;
};

static void read_scope(Dwarf_Die *die, struct scope *ret)
{
	struct pfx_die_range at = {0};

	for (ret->nr = 0; ret->nr < SCOPE_MAX && pfx_die_next_range(die, &at); ret->nr++)
		ret->at[ret->nr] = (struct pfx_type_range){at.low, at.high};
}

/* --- facts --- */

static void push_fact(struct walk *walk, const struct pfx_fact *fact)
{
	if (fact->low < fact->high && walk->function->facts.nr < FACTS_MAX)
		pfx_vec_push(&walk->function->facts, *fact);
}

static void add_fact(struct walk *walk, const struct variable *variable, struct pfx_fact fact)
{
	unsigned i;

	if (fact.reg >= PFX_DATA_NR_REGS && fact.kind != PFX_FACT_CFA)
		return;
	if (!variable->whole) {
		fact.low = variable->low;
		fact.high = variable->high;
		push_fact(walk, &fact);
		return;
	}
	for (i = 0; i < variable->scope->nr; i++) {
		fact.low = variable->scope->at[i].low;
		fact.high = variable->scope->at[i].high;
		push_fact(walk, &fact);
	}
}

/* A single register. */
static bool is_reg(const Dwarf_Op *op, uint8_t *ret)
{
	uint64_t reg = PFX_DATA_NO_REG;

	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		reg = op->atom - DW_OP_reg0;
	else if (op->atom == DW_OP_regx)
		reg = op->number;
	*ret = (uint8_t)reg;
	return reg < PFX_DATA_NR_REGS;
}

/* A register plus a constant. */
static bool is_reg_plus(const Dwarf_Op *op, uint8_t *ret, int64_t *ret_offset)
{
	uint64_t reg = PFX_DATA_NO_REG;

	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		reg = op->atom - DW_OP_breg0;
		*ret_offset = (int64_t)op->number;
	} else if (op->atom == DW_OP_bregx) {
		reg = op->number;
		*ret_offset = (int64_t)op->number2;
	}
	*ret = (uint8_t)reg;
	return reg < PFX_DATA_NR_REGS;
}

/* The type that the pointer at @offset of a variable points to; 0: not a pointer. */
static uint32_t pointed_to(struct pfx_type_table *table, uint32_t type, uint64_t offset)
{
	struct pfx_type_part part = pfx_type_walk(table, type, offset, 0, NULL);
	const struct pfx_type *leaf = pfx_type_get(table, part.type);

	if (part.offset || part.is_ambiguous || part.is_bits || leaf->shape != PFX_SHAPE_ADDRESS)
		return 0;
	return leaf->target;
}

/* The variable's bytes from @offset are in a register. */
static void add_in_register(struct walk *walk, const struct variable *variable, uint8_t reg,
			    uint64_t offset)
{
	uint32_t target = pointed_to(walk->table, variable->type, offset);

	if (target)
		add_fact(walk, variable,
			 (struct pfx_fact){.kind = PFX_FACT_REG, .reg = reg, .type = target});
}

/* The variable is at the frame base plus a constant. */
static void add_in_frame(struct walk *walk, const struct variable *variable, int64_t offset)
{
	struct pfx_fact fact = {.type = variable->type, .offset = offset};
	uint64_t at =
		variable->whole && variable->scope->nr ? variable->scope->at[0].low : variable->low;
	Dwarf_Op *ops;
	size_t nr;

	if (!walk->has_frame || dwarf_getlocation_addr(&walk->frame, at, &ops, &nr, 1) != 1 ||
	    nr != 1)
		return;
	if (ops[0].atom == DW_OP_call_frame_cfa) {
		fact.kind = PFX_FACT_CFA;
	} else if (is_reg(&ops[0], &fact.reg)) {
		fact.kind = PFX_FACT_MEM;
	} else if (is_reg_plus(&ops[0], &fact.reg, &fact.offset)) {
		fact.kind = PFX_FACT_MEM;
		if (__builtin_add_overflow(fact.offset, offset, &fact.offset))
			return;
	} else {
		return;
	}
	add_fact(walk, variable, fact);
}

static void add_global(struct walk *walk, const struct variable *variable, uint64_t addr)
{
	struct pfx_type_global global = {addr, variable->type};

	if (walk->function->globals.nr < FACTS_MAX)
		pfx_vec_push(&walk->function->globals, global);
}

/* A location expression for a whole variable: one operation, with an optional DW_OP_stack_value. */
static void add_place(struct walk *walk, const struct variable *variable, Dwarf_Op *ops, size_t nr)
{
	bool is_value = nr == 2 && ops[1].atom == DW_OP_stack_value;
	struct pfx_fact fact = {.type = variable->type};
	uint64_t addr;

	if (pfx_type_fixed_address(variable->attr, ops, nr, &addr)) {
		add_global(walk, variable, addr);
	} else if (is_value && is_reg_plus(&ops[0], &fact.reg, &fact.offset)) {
		/* register + constant is the start of the pointed-to data */
		fact.kind = PFX_FACT_REG;
		fact.type = pointed_to(walk->table, variable->type, 0);
		if (fact.type && fact.offset != INT64_MIN) {
			fact.offset = -fact.offset;
			add_fact(walk, variable, fact);
		}
	} else if (nr == 1 && is_reg(&ops[0], &fact.reg)) {
		add_in_register(walk, variable, fact.reg, 0);
	} else if (nr == 1 && is_reg_plus(&ops[0], &fact.reg, &fact.offset)) {
		fact.kind = PFX_FACT_MEM;
		add_fact(walk, variable, fact);
	} else if (nr == 1 && ops[0].atom == DW_OP_fbreg) {
		add_in_frame(walk, variable, (int64_t)ops[0].number);
	}
}

/* A variable in several pieces: only the pieces in registers are used. */
static bool add_pieces(struct walk *walk, const struct variable *variable, const Dwarf_Op *ops,
		       size_t nr)
{
	uint64_t offset = 0;
	bool any = false;
	size_t i, start = 0;
	uint8_t reg;

	for (i = 0; i < nr && i < OPS_MAX; i++) {
		if (ops[i].atom == DW_OP_bit_piece)
			return true;
		if (ops[i].atom != DW_OP_piece)
			continue;
		any = true;
		if (i == start + 1 && is_reg(&ops[start], &reg))
			add_in_register(walk, variable, reg, offset);
		start = i + 1;
		if (__builtin_add_overflow(offset, ops[i].number, &offset))
			return true;
	}
	return any;
}

static void add_variable(struct walk *walk, Dwarf_Die *die, const struct scope *scope)
{
	struct variable variable = {.scope = scope};
	Dwarf_Addr base, low, high;
	Dwarf_Attribute attr;
	ptrdiff_t at = 0;
	Dwarf_Op *ops;
	unsigned i;
	size_t nr;

	if (!dwarf_attr_integrate(die, DW_AT_location, &attr))
		return;
	variable.attr = &attr;
	variable.type = pfx_type_of(walk->table, die);
	for (i = 0; variable.type && i < PLACES_MAX; i++) {
		at = dwarf_getlocations(&attr, at, &base, &low, &high, &ops, &nr);
		if (at <= 0)
			return;
		variable.whole = !low && high == UINT64_MAX;
		variable.low = low;
		variable.high = high;
		if (nr && !add_pieces(walk, &variable, ops, nr))
			add_place(walk, &variable, ops, nr);
	}
}

/* --- calls --- */

static bool address_of(Dwarf_Die *die, unsigned name, uint64_t *ret)
{
	Dwarf_Attribute attr;
	Dwarf_Addr addr;

	if (!dwarf_attr(die, name, &attr) || dwarf_formaddr(&attr, &addr))
		return false;
	*ret = addr;
	return true;
}

static void add_call(struct walk *walk, Dwarf_Die *die)
{
	struct pfx_type_call call;
	Dwarf_Attribute attr;
	Dwarf_Die origin;

	if (!address_of(die, DW_AT_call_return_pc, &call.addr) &&
	    (dwarf_tag(die) != DW_TAG_GNU_call_site || !address_of(die, DW_AT_low_pc, &call.addr)))
		return;
	if ((!dwarf_attr(die, DW_AT_call_origin, &attr) &&
	     !dwarf_attr(die, DW_AT_abstract_origin, &attr)) ||
	    !dwarf_formref_die(&attr, &origin))
		return;
	call.type = pointed_to(walk->table, pfx_type_of(walk->table, &origin), 0);
	if (walk->function->calls.nr < CALLS_MAX)
		pfx_vec_push(&walk->function->calls, call);
}

/* --- the walk --- */

static void walk_scope(struct walk *walk, Dwarf_Die *parent, const struct scope *scope,
		       unsigned depth);

static void walk_blocks(struct walk *walk, Dwarf_Die *die, const struct scope *around,
			unsigned depth)
{
	struct scope scope;

	do {
		switch (dwarf_tag(die)) {
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
		case DW_TAG_inlined_subroutine:
			read_scope(die, &scope);
			walk_scope(walk, die, scope.nr ? &scope : around, depth + 1);
			break;
		case DW_TAG_call_site:
		case DW_TAG_GNU_call_site:
			add_call(walk, die);
			break;
		default:
			break;
		}
	} while (walk->function->facts.nr < FACTS_MAX && pfx_die_next(die));
}

/* Inner blocks first. */
static void walk_scope(struct walk *walk, Dwarf_Die *parent, const struct scope *scope,
		       unsigned depth)
{
	Dwarf_Die first, die;
	int tag;

	if (depth > PFX_DIE_DEPTH_MAX || dwarf_child(parent, &first))
		return;
	die = first;
	walk_blocks(walk, &die, scope, depth);
	die = first;
	do {
		tag = dwarf_tag(&die);
		if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
			add_variable(walk, &die, scope);
	} while (walk->function->facts.nr < FACTS_MAX && pfx_die_next(&die));
}

static int by_low(const void *x, const void *y)
{
	const struct pfx_type_range *a = x, *b = y;

	return (a->low > b->low) - (a->low < b->low);
}

static int by_call(const void *x, const void *y)
{
	const struct pfx_type_call *a = x, *b = y;

	return (a->addr > b->addr) - (a->addr < b->addr);
}

/* C has no exceptions, so that no landing pads are possible. */
static bool may_land(const struct pfx_debug_unit *unit)
{
	Dwarf_Die tree = pfx_debug_unit_tree(unit);

	switch (dwarf_srclang(&tree)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case LANG_C17:
		return false;
	default:
		return true;
	}
}

/* The entry point: DW_AT_entry_pc, else the start of the first range. */
static uint64_t entry_of(Dwarf_Die *die, const struct scope *scope)
{
	Dwarf_Addr entry;

	if (!dwarf_entrypc(die, &entry))
		return entry;
	return scope->at[0].low;
}

bool pfx_type_function_read(struct pfx_type_table *table, uint64_t vaddr,
			    struct pfx_type_function *ret)
{
	struct walk walk = {.table = table, .function = ret};
	struct pfx_debug_unit *unit = pfx_debug_info_unit(table->info, vaddr);
	struct scope scope;
	Dwarf_Die die;
	unsigned i;

	*ret = (struct pfx_type_function){0};
	if (!unit || !pfx_debug_unit_function(unit, vaddr, &die))
		return false;
	read_scope(&die, &scope);
	if (!scope.nr)
		return false;
	pfx_type_globals_enter(table, unit);
	ret->entry = entry_of(&die, &scope);
	ret->may_land = may_land(unit);
	for (i = 0; i < scope.nr; i++)
		pfx_vec_push(&ret->ranges, scope.at[i]);
	qsort(ret->ranges.at, ret->ranges.nr, sizeof(*ret->ranges.at), by_low);
	walk.has_frame = dwarf_attr_integrate(&die, DW_AT_frame_base, &walk.frame) != NULL;
	walk_scope(&walk, &die, &scope, 0);
	if (ret->calls.nr)
		qsort(ret->calls.at, ret->calls.nr, sizeof(*ret->calls.at), by_call);
	return true;
}

void pfx_type_function_fini(struct pfx_type_function *function)
{
	pfx_vec_free(&function->ranges);
	pfx_vec_free(&function->facts);
	pfx_vec_free(&function->globals);
	pfx_vec_free(&function->calls);
}
