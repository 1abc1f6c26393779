/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic on values, and the join of two values. An iteration over an array is detected where a
 * value is joined with itself plus a constant. Does not use instructions.
 */
#include "sym/types/type_flow_internal.h"

/* Numbers below this limit are not addresses, but NULL or small counts. */
#define NULL_PAGE 4096
/* An upper limit of frame sizes. */
#define FRAME_MAX ((int64_t)1 << 40)

static const struct pfx_value none, mixed = {.kind = PFX_VALUE_MIXED};

/* Greatest common divisor; gcd(a, 0) is a. */
static uint64_t gcd(uint64_t a, uint64_t b)
{
	uint64_t rest;

	while (b) {
		rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

static bool is_number(struct pfx_value value)
{
	return value.kind == PFX_VALUE_NONE || value.kind == PFX_VALUE_NUMBER ||
	       value.kind == PFX_VALUE_FREE;
}

/* An unknown value is any multiple of 1. */
static struct pfx_value as_number(struct pfx_value value)
{
	if (value.kind == PFX_VALUE_NONE)
		return (struct pfx_value){.kind = PFX_VALUE_FREE, .stride = 1};
	return value;
}

static struct pfx_value make_number(bool is_free, int64_t offset, uint64_t stride)
{
	struct pfx_value value = {is_free ? PFX_VALUE_FREE : PFX_VALUE_NUMBER, 0, 0, offset};

	if (stride > INT32_MAX)
		return mixed;
	value.stride = (uint32_t)stride;
	return is_free && !offset && stride == 1 ? none : value;
}

struct pfx_value pfx_value_add(struct pfx_value value, int64_t number)
{
	if (is_number(value))
		value = as_number(value);
	if (__builtin_add_overflow(value.offset, number, &value.offset))
		return mixed;
	if (value.kind == PFX_VALUE_STACK &&
	    (value.offset > FRAME_MAX || value.offset < -FRAME_MAX))
		return mixed;
	if (is_number(value))
		return make_number(value.kind == PFX_VALUE_FREE, value.offset, value.stride);
	return value;
}

/* An address plus any multiple of @stride. */
static struct pfx_value step_by(struct pfx_value value, uint64_t stride)
{
	stride = gcd(value.stride, stride);
	if (stride > INT32_MAX)
		return mixed;
	value.stride = (uint32_t)stride;
	return value;
}

struct pfx_value pfx_value_scale(struct pfx_value value, int64_t number)
{
	uint64_t stride;

	if (!is_number(value) || number < 0)
		return mixed;
	value = as_number(value);
	if (__builtin_mul_overflow(value.offset, number, &value.offset) ||
	    __builtin_mul_overflow((uint64_t)value.stride, (uint64_t)number, &stride))
		return mixed;
	return make_number(value.kind == PFX_VALUE_FREE, value.offset, stride);
}

/* Any element of the array that contains the address. */
static void enter_array(struct pfx_type_table *table, struct pfx_value *value)
{
	const struct pfx_type *element = pfx_type_element(table, value->type);

	if (!element->size || element->size > INT32_MAX || element->id == value->type)
		return;
	value->type = element->id;
	value->offset %= (int64_t)element->size;
	value->offset += value->offset < 0 ? (int64_t)element->size : 0;
	*value = step_by(*value, element->size);
}

/* Offset in the variable that the fact locates in memory; false when @offset is outside of it. */
static bool in_memory(const struct pfx_flow_at *at, const struct pfx_fact *fact, int64_t offset,
		      int64_t *ret)
{
	struct pfx_value base = {.kind = PFX_VALUE_STACK};
	uint64_t size;

	if (fact->kind == PFX_FACT_REG || !pfx_fact_holds(at, fact))
		return false;
	if (fact->kind == PFX_FACT_MEM)
		base = at->state->regs[fact->reg];
	if (base.kind != PFX_VALUE_STACK || __builtin_sub_overflow(offset, base.offset, ret) ||
	    __builtin_sub_overflow(*ret, fact->offset, ret))
		return false;
	size = pfx_type_get(at->table, fact->type)->size;
	return *ret >= 0 && (uint64_t)*ret < size;
}

/* The variable at @offset from the canonical frame address: its type, and the offset in it. */
static bool find_local(const struct pfx_flow_at *at, int64_t offset, uint32_t *ret_type,
		       int64_t *ret_offset)
{
	const struct pfx_fact *fact;
	size_t i;

	for (i = 0; i < at->nr_facts; i++) {
		fact = &at->function->facts.at[at->facts[i]];
		if (!in_memory(at, fact, offset, ret_offset))
			continue;
		*ret_type = fact->type;
		return true;
	}
	return false;
}

struct pfx_value pfx_value_in_variable(const struct pfx_flow_at *at, struct pfx_value value)
{
	struct pfx_value found = {.kind = PFX_VALUE_ADDRESS};
	uint64_t offset;

	if (value.kind == PFX_VALUE_STACK)
		return find_local(at, value.offset, &found.type, &found.offset) ? found : value;
	if (value.kind != PFX_VALUE_NUMBER || value.stride ||
	    !pfx_type_global_find(at->table, (uint64_t)value.offset, &found.type, &offset))
		return value;
	found.offset = (int64_t)offset;
	return found;
}

struct pfx_value pfx_value_sum(const struct pfx_flow_at *at, struct pfx_value a, struct pfx_value b)
{
	struct pfx_value other;

	if (b.kind == PFX_VALUE_NUMBER && !b.stride && a.kind == PFX_VALUE_STACK)
		return pfx_value_add(a, b.offset);
	a = pfx_value_in_variable(at, a);
	b = pfx_value_in_variable(at, b);
	if (b.kind == PFX_VALUE_ADDRESS) {
		other = a;
		a = b;
		b = other;
	}
	if (!is_number(b) || (a.kind != PFX_VALUE_ADDRESS && !is_number(a)))
		return mixed;
	b = as_number(b);
	if (is_number(a))
		a = as_number(a);
	if (__builtin_add_overflow(a.offset, b.offset, &a.offset))
		return mixed;
	a = step_by(a, b.stride);
	if (a.kind == PFX_VALUE_NUMBER || a.kind == PFX_VALUE_FREE)
		return make_number(a.kind == PFX_VALUE_FREE || b.kind == PFX_VALUE_FREE, a.offset,
				   a.stride);
	return a;
}

static bool is_null(struct pfx_value value)
{
	return value.kind == PFX_VALUE_NUMBER && !value.stride && value.offset >= 0 &&
	       value.offset < NULL_PAGE;
}

static bool is_same(struct pfx_value a, struct pfx_value b)
{
	return a.kind == b.kind && a.type == b.type && a.offset == b.offset && a.stride == b.stride;
}

static bool distance(struct pfx_value a, struct pfx_value b, uint64_t *ret)
{
	int64_t apart;

	if (__builtin_sub_overflow(a.offset, b.offset, &apart))
		return false;
	*ret = apart < 0 ? -(uint64_t)apart : (uint64_t)apart;
	return true;
}

/* In loops, @a's offset is kept, so that the analysis ends. */
static struct pfx_value join_numbers(const struct pfx_flow_at *at, struct pfx_value a,
				     struct pfx_value b)
{
	uint64_t apart;

	a = as_number(a);
	b = as_number(b);
	if (!distance(a, b, &apart) ||
	    (apart && !at->is_loop && (a.kind == PFX_VALUE_FREE || b.kind == PFX_VALUE_FREE)))
		return mixed;
	if (!at->is_loop && b.offset < a.offset)
		a.offset = b.offset;
	return make_number(a.kind == PFX_VALUE_FREE || b.kind == PFX_VALUE_FREE, a.offset,
			   gcd(a.stride, gcd(b.stride, apart)));
}

/* Two addresses in data of the same type: an iteration over an array if this is a loop, or if their
 * distance is a multiple of the element size. */
static struct pfx_value join_addresses(const struct pfx_flow_at *at, struct pfx_value a,
				       struct pfx_value b)
{
	uint64_t apart, size;

	if (a.type != b.type) {
		enter_array(at->table, &a);
		enter_array(at->table, &b);
	}
	size = pfx_type_get(at->table, a.type)->size;
	if (a.type != b.type || !size || !distance(a, b, &apart) || (apart % size && !at->is_loop))
		return mixed;
	return step_by(a, gcd(b.stride, apart));
}

struct pfx_value pfx_value_join(const struct pfx_flow_at *at, struct pfx_value a,
				struct pfx_value b)
{
	if (is_same(a, b))
		return a;
	if (is_null(a) && b.kind == PFX_VALUE_ADDRESS)
		return b;
	if (is_null(b) && a.kind == PFX_VALUE_ADDRESS)
		return a;
	a = pfx_value_in_variable(at, a);
	b = pfx_value_in_variable(at, b);
	if (a.kind == PFX_VALUE_ADDRESS && b.kind == PFX_VALUE_ADDRESS)
		return join_addresses(at, a, b);
	if (is_number(a) && is_number(b))
		return join_numbers(at, a, b);
	return mixed;
}
