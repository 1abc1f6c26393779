/* SPDX-License-Identifier: MIT */
/* Data flow analysis of addresses: values (type_value.c), the types of memory accesses
 * (type_judge.c), and the pass over a function (type_flow.c). */
#ifndef PFX_SYM_TYPE_FLOW_INTERNAL_H
#define PFX_SYM_TYPE_FLOW_INTERNAL_H

#include "sym/types/types.h"
#include "sym/types/types_internal.h"

#define PFX_VALUE_SLOTS 16 /* stack words that are tracked at a time */

/* The value of a register or a stack word that holds on every path to this point. */
enum pfx_value_kind {
	PFX_VALUE_NONE,    /* unknown: loaded or computed */
	PFX_VALUE_ADDRESS, /* `offset` bytes into a `type`, plus any multiple of `stride` */
	PFX_VALUE_STACK,   /* the canonical frame address plus `offset` */
	PFX_VALUE_NUMBER,  /* `offset`, plus any multiple of `stride` */
	PFX_VALUE_FREE,    /* like NUMBER, but the multiple was loaded or computed */
	PFX_VALUE_MIXED,   /* differs between paths */
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

/* A position in the analysis, and the state there. */
struct pfx_flow_at {
	struct pfx_type_table *table;
	const struct pfx_type_function *function;
	const struct pfx_data_arch *arch;
	const uint32_t *facts; /* that may be valid here, by index */
	size_t nr_facts;
	uint64_t addr;
	const struct pfx_flow_state *state;
	bool is_loop; /* the joined state comes from a backward jump */
};

static inline bool pfx_fact_holds(const struct pfx_flow_at *at, const struct pfx_fact *fact)
{
	return at->addr >= fact->low && at->addr < fact->high;
}

/* --- type_value.c --- */

struct pfx_value pfx_value_add(struct pfx_value value, int64_t number);
/* The product of a value and a constant. */
struct pfx_value pfx_value_scale(struct pfx_value value, int64_t number);
/* The sum of two values. */
struct pfx_value pfx_value_sum(const struct pfx_flow_at *at, struct pfx_value a,
			       struct pfx_value b);
/* The value that holds for both; @b is joined into @a. @at gives the variables on the stack. */
struct pfx_value pfx_value_join(const struct pfx_flow_at *at, struct pfx_value a,
				struct pfx_value b);
/* If the value is a stack address or a number: the address in the variable at that position; else
 * the value itself. */
struct pfx_value pfx_value_in_variable(const struct pfx_flow_at *at, struct pfx_value value);

/* --- type_judge.c --- */

/* The value of a register, to be copied. */
struct pfx_value pfx_flow_reg(const struct pfx_flow_at *at, uint8_t reg);
/* The type that the operation accesses. */
struct pfx_access pfx_flow_judge(const struct pfx_flow_at *at, const struct pfx_op *op);

#endif
