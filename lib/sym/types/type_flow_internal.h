/* SPDX-License-Identifier: MIT */
/* Following addresses through code: values (type_value.c), what memory means by them
 * (type_judge.c), and the way through a function (type_flow.c). */
#ifndef PFX_SYM_TYPE_FLOW_INTERNAL_H
#define PFX_SYM_TYPE_FLOW_INTERNAL_H

#include "sym/types/types.h"
#include "sym/types/types_internal.h"

#define PFX_VALUE_SLOTS 16 /* words on the stack that are followed at a time */

/* What is known of a register or a word on the stack. All that is known of it is known of every way
 * that leads here. */
enum pfx_value_kind {
	PFX_VALUE_NONE,    /* whatever was read or computed */
	PFX_VALUE_ADDRESS, /* `offset` bytes into a `type`, plus any multiple of `stride` */
	PFX_VALUE_STACK,   /* the canonical frame address plus `offset` */
	PFX_VALUE_NUMBER,  /* `offset`, plus any multiple of `stride` */
	PFX_VALUE_FREE,    /* the same, of which the multiple was read or computed */
	PFX_VALUE_MIXED,   /* different things on different ways */
};

struct pfx_value {
	uint8_t kind;
	uint32_t type, stride;
	int64_t offset;
};

struct pfx_value_slot {
	int64_t at; /* from the canonical frame address */
	struct pfx_value value;
};

struct pfx_flow_state {
	bool is_reached;
	uint8_t nr_slots;
	struct pfx_value regs[PFX_DATA_NR_REGS];
	struct pfx_value_slot slots[PFX_VALUE_SLOTS];
};

/* Where a state is looked at. */
struct pfx_flow_at {
	struct pfx_type_table *table;
	const struct pfx_type_function *function;
	const struct pfx_data_arch *arch;
	const uint32_t *facts; /* that may hold here, by their index */
	size_t nr_facts;
	uint64_t addr;
	const struct pfx_flow_state *state;
	bool is_loop; /* what is joined comes from further down */
};

static inline bool pfx_fact_holds(const struct pfx_flow_at *at, const struct pfx_fact *fact)
{
	return at->addr >= fact->low && at->addr < fact->high;
}

/* --- type_value.c --- */

struct pfx_value pfx_value_add(struct pfx_value value, int64_t number);
/* A number times another one. */
struct pfx_value pfx_value_scale(struct pfx_value value, int64_t number);
/* The sum of two values. */
struct pfx_value pfx_value_sum(const struct pfx_flow_at *at, struct pfx_value a,
			       struct pfx_value b);
/* What is true of both; @b comes to where @a is. @at tells what lies on the stack. */
struct pfx_value pfx_value_join(const struct pfx_flow_at *at, struct pfx_value a,
				struct pfx_value b);
/* On the stack, or a number: the address in the variable that lies there; else as it is. */
struct pfx_value pfx_value_in_variable(const struct pfx_flow_at *at, struct pfx_value value);

/* --- type_judge.c --- */

/* What a register holds, as a value to be copied. */
struct pfx_value pfx_flow_reg(const struct pfx_flow_at *at, uint8_t reg);
/* What the operation accesses. */
struct pfx_access pfx_flow_judge(const struct pfx_flow_at *at, const struct pfx_op *op);

#endif
