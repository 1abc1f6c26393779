/* SPDX-License-Identifier: MIT */
/*
 * Determines the type of a memory access: among all facts about the registers of an operand,
 * chooses the one that fits the access best. A pointer to a struct fits if the access lies within
 * it; with an added index, only in an array, or from one struct to the next. Facts of inner blocks
 * have priority over those of outer blocks, and these over values from the data flow. Nothing fits:
 * unknown.
 */
#include "sym/types/type_flow_internal.h"

#define VECTOR_SIZE 16 /* an access of at least this size may be to several elements */

enum {
	MISFIT,
	LOOSE, /* right position, other size */
	INSIDE,
	EXACT,
	EXACT_PART, /* of a larger type, which is more specific */
};

struct judging {
	const struct pfx_flow_at *at;
	const struct pfx_op_memory *memory;
	struct pfx_value index; /* added to the base */
	struct pfx_access best;
	unsigned rank;
};

/* --- how well a type fits --- */

static bool is_in(const struct pfx_type *type, int64_t offset)
{
	const struct pfx_type_member *last =
		type->nr_members ? &type->members[type->nr_members - 1] : NULL;

	if (offset < 0)
		return false;
	return (uint64_t)offset < type->size ||
	       (type->is_open && last && (uint64_t)offset >= last->offset);
}

/* Whether a multiple of the stride leads to another element of the type. There are no arrays of
 * types with a flexible array member. */
static bool goes_along(const struct pfx_type *type, uint64_t stride)
{
	return type->size && !type->is_open && stride % type->size == 0;
}

/* With a stride, the access iterates over an array: of the type itself, or one inside it. Compilers
 * fold constant parts of an index into the displacement, so that the address can point before the
 * array, possibly into the end of another one: it is trusted only in an array's first half. */
static unsigned fit_parts(struct judging *j, const struct pfx_type *type, int64_t offset,
			  uint64_t stride)
{
	const struct pfx_type *leaf;
	struct pfx_type_part part;

	if (!is_in(type, offset))
		return MISFIT;
	part = pfx_type_walk(j->at->table, type->id, (uint64_t)offset, j->memory->size, NULL);
	if (stride && !goes_along(type, stride) &&
	    (!part.element || part.is_late || stride % part.element != 0))
		return MISFIT;
	leaf = pfx_type_get(j->at->table, part.type);
	return !part.offset && leaf->size == j->memory->size ? EXACT_PART : INSIDE;
}

/* A pointer to a scalar may point to an array of scalars. */
static unsigned fit_plain(struct judging *j, const struct pfx_type *type, int64_t *offset,
			  uint64_t stride)
{
	bool has_size = j->memory->size == type->size;
	int64_t size = (int64_t)type->size;

	if (!size || *offset % size || stride % (uint64_t)size ||
	    (*offset && !has_size && j->memory->size < VECTOR_SIZE))
		return MISFIT;
	*offset = 0;
	return has_size ? EXACT : LOOSE;
}

/* Reduces an offset in an array to an offset in its element. */
static bool enter_array(const struct judging *j, const struct pfx_type **type, int64_t *offset,
			uint64_t stride)
{
	const struct pfx_type *element = pfx_type_element(j->at->table, (*type)->id);
	uint64_t at = (uint64_t)*offset, size = (*type)->size;

	if (*offset < 0 || !element->size || (size && at >= size))
		return false;
	if (stride && at >= element->size && size && at >= size / 2)
		return false;
	*offset = (int64_t)(at % element->size);
	*type = element;
	return true;
}

/* An iteration starts in the first element, or in the first group of an unrolled loop; the access
 * may be to a later element. */
static bool enter_walk(const struct pfx_type *type, struct pfx_value value, int64_t *offset)
{
	int64_t size = (int64_t)type->size;

	if (!value.stride || !goes_along(type, value.stride))
		return true;
	if (type->shape == PFX_SHAPE_PARTS && (value.offset < 0 || value.offset >= value.stride))
		return false;
	*offset %= size;
	*offset += *offset < 0 ? size : 0;
	return true;
}

/* Tries the address @value plus @disp plus the index. */
static void try_value(struct judging *j, struct pfx_value value, int64_t disp)
{
	const struct pfx_type *type = pfx_type_get(j->at->table, value.type);
	struct pfx_value whole = pfx_value_sum(j->at, value, j->index);
	unsigned rank = MISFIT;
	uint64_t stride;
	int64_t offset;

	if (value.kind != PFX_VALUE_ADDRESS || whole.kind != PFX_VALUE_ADDRESS ||
	    __builtin_add_overflow(whole.offset, disp, &offset))
		return;
	stride = whole.stride;
	if (type->shape == PFX_SHAPE_ARRAY) {
		if (!enter_array(j, &type, &offset, stride))
			return;
		/* a stride of whole elements leads to the same offset in another element */
		stride = stride % type->size ? stride : 0;
	} else if (!enter_walk(type, value, &offset)) {
		return;
	}
	if (type->shape == PFX_SHAPE_PARTS && type->size)
		rank = fit_parts(j, type, offset, stride);
	else if (type->shape == PFX_SHAPE_PLAIN || type->shape == PFX_SHAPE_ADDRESS)
		rank = fit_plain(j, type, &offset, stride);
	/* if the iteration starts after the first element, a part must match exactly */
	if (rank < EXACT && value.stride && value.offset >= (int64_t)type->size &&
	    type->shape == PFX_SHAPE_PARTS)
		return;
	if (rank <= j->rank)
		return;
	j->rank = rank;
	j->best.kind = PFX_DATA_TYPE;
	j->best.type = type->id;
	j->best.offset = (uint64_t)offset;
}

/* --- facts about a register --- */

static void try_fact(struct judging *j, const struct pfx_fact *fact, uint8_t reg, int64_t disp)
{
	struct pfx_value value = {PFX_VALUE_ADDRESS, fact->type, 0, fact->offset};
	int64_t offset;

	if (fact->kind == PFX_FACT_CFA || fact->reg != reg || !pfx_fact_holds(j->at, fact))
		return;
	if (fact->kind == PFX_FACT_REG) {
		try_value(j, value, disp);
		return;
	}
	value.offset = 0;
	if (!__builtin_sub_overflow(disp, fact->offset, &offset) && offset >= 0 &&
	    (uint64_t)offset < pfx_type_get(j->at->table, fact->type)->size)
		try_value(j, value, offset);
}

static void try_facts(struct judging *j, uint8_t reg, int64_t disp, enum pfx_fact_kind kind)
{
	const struct pfx_flow_at *at = j->at;
	const struct pfx_fact *fact;
	size_t i;

	for (i = 0; i < at->nr_facts; i++) {
		fact = &at->function->facts.at[at->facts[i]];
		if (fact->kind == kind)
			try_fact(j, fact, reg, disp);
	}
}

static void try_held(struct judging *j, uint8_t reg, int64_t disp)
{
	struct pfx_value value = j->at->state->regs[reg];

	if (value.kind != PFX_VALUE_STACK && value.kind != PFX_VALUE_NUMBER) {
		try_value(j, value, disp);
		return;
	}
	value = pfx_value_in_variable(j->at, pfx_value_add(value, disp));
	try_value(j, value, 0);
	if (!j->rank && value.kind == PFX_VALUE_STACK && !j->memory->has_index) {
		j->rank = LOOSE;
		j->best.kind = PFX_DATA_STACK;
	}
}

/* Memory at @reg plus @disp. A memory location relative to the stack or frame pointer is reliable;
 * with other registers, it may describe a value that the compiler also keeps elsewhere, so it is
 * tried last. */
static void try_reg(struct judging *j, uint8_t reg, int64_t disp)
{
	bool is_frame = reg == j->at->arch->sp || reg == j->at->arch->fp;

	if (is_frame)
		try_facts(j, reg, disp, PFX_FACT_MEM);
	try_facts(j, reg, disp, PFX_FACT_REG);
	try_held(j, reg, disp);
	if (!is_frame && !j->rank)
		try_facts(j, reg, disp, PFX_FACT_MEM);
}

static struct judging judge_as(const struct pfx_flow_at *at, const struct pfx_op *op, uint8_t base,
			       uint8_t index, unsigned scale)
{
	struct judging j = {.at = at, .memory = &op->memory};

	j.best.addr = op->addr;
	j.index.kind = PFX_VALUE_NUMBER;
	if (index != PFX_DATA_NO_REG)
		j.index = pfx_value_scale(at->state->regs[index], scale);
	else if (op->memory.has_index)
		j.index = pfx_value_scale((struct pfx_value){0}, scale);
	if (base != PFX_DATA_NO_REG)
		try_reg(&j, base, op->memory.disp);
	return j;
}

/* An absolute address. */
static void try_address(struct judging *j)
{
	struct pfx_value value = {PFX_VALUE_NUMBER, .offset = j->memory->disp};

	try_value(j, pfx_value_in_variable(j->at, value), 0);
}

static struct pfx_access judge_memory(const struct pfx_flow_at *at, const struct pfx_op *op)
{
	const struct pfx_op_memory *memory = &op->memory;
	struct judging j = judge_as(at, op, memory->base, memory->index, memory->scale), other;

	if (memory->base == PFX_DATA_NO_REG)
		try_address(&j);
	if (memory->base == PFX_DATA_NO_REG || memory->index == PFX_DATA_NO_REG ||
	    memory->scale != 1)
		return j.best;
	/* either register may hold the address: tries both */
	other = judge_as(at, op, memory->index, memory->base, 1);
	if (j.rank && other.rank)
		return (struct pfx_access){.addr = op->addr};
	return j.rank ? j.best : other.best;
}

enum pfx_data_kind pfx_types_of_op(const struct pfx_data_arch *arch, const struct pfx_op *op)
{
	const struct pfx_op_memory *memory = &op->memory;

	if (op->has_memory && memory->is_thread && memory->base == PFX_DATA_NO_REG &&
	    !memory->has_index && arch->canary && memory->disp == arch->canary)
		return PFX_DATA_CANARY;
	return op->is_stack ? PFX_DATA_STACK : PFX_DATA_UNKNOWN;
}

struct pfx_access pfx_flow_judge(const struct pfx_flow_at *at, const struct pfx_op *op)
{
	struct pfx_access access = {.addr = op->addr, .kind = pfx_types_of_op(at->arch, op)};

	if (op->has_memory && access.kind != PFX_DATA_CANARY && !op->memory.is_thread) {
		access = judge_memory(at, op);
		if (access.kind == PFX_DATA_UNKNOWN && op->is_stack)
			access.kind = PFX_DATA_STACK;
	}
	access.size = op->memory.size;
	return access;
}

/* Size of the struct that an address points into; 0: not such an address. */
static uint64_t size_of_parts(const struct pfx_flow_at *at, struct pfx_value value)
{
	const struct pfx_type *type = pfx_type_get(at->table, value.type);

	if (value.kind != PFX_VALUE_ADDRESS || type->shape != PFX_SHAPE_PARTS)
		return 0;
	return type->size;
}

/* An object and its first member have the same address, so that several facts may apply: uses the
 * largest type, which is valid for all later accesses. */
struct pfx_value pfx_flow_reg(const struct pfx_flow_at *at, uint8_t reg)
{
	struct pfx_value value = at->state->regs[reg], best = value, said;
	bool is_known = value.kind != PFX_VALUE_NONE && value.kind != PFX_VALUE_MIXED;
	const struct pfx_fact *fact;
	size_t i;

	for (i = 0; i < at->nr_facts; i++) {
		fact = &at->function->facts.at[at->facts[i]];
		if (fact->kind != PFX_FACT_REG || fact->reg != reg || !pfx_fact_holds(at, fact))
			continue;
		said = (struct pfx_value){PFX_VALUE_ADDRESS, fact->type, 0, fact->offset};
		if (pfx_type_get(at->table, fact->type)->shape == PFX_SHAPE_NONE)
			continue;
		if (!is_known || size_of_parts(at, said) > size_of_parts(at, best)) {
			best = said;
			is_known = true;
		}
	}
	return best;
}
