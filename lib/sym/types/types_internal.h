/* SPDX-License-Identifier: MIT */
/*
 * Internals of the type analysis: the table of types (type_table_with_libdw.c), look-ups of parts
 * (type_walk.c), facts from debug information (type_facts_with_libdw.c), and data flow
 * (type_flow.c). Types are ids; 0 is none. The table's arena owns everything.
 */
#ifndef PFX_SYM_TYPES_INTERNAL_H
#define PFX_SYM_TYPES_INTERNAL_H

#include "base/alloc.h"
#include "base/arena.h"
#include "base/str.h"
#include "sym/code/decode.h"
#include "sym/dwarf/lines_internal.h"
#include "sym/find/binary.h"
#include "sym/types/types.h"

enum pfx_type_shape {
	PFX_SHAPE_NONE, /* void, functions, incomplete and malformed types */
	PFX_SHAPE_PLAIN,
	PFX_SHAPE_ADDRESS, /* pointers and references */
	PFX_SHAPE_ARRAY,
	PFX_SHAPE_PARTS, /* struct, class, union */
};

struct pfx_type_member {
	const char *name; /* NULL: an anonymous struct or union; its members belong to the parent */
	uint64_t offset, size;
	uint32_t type;
	bool is_bits;
};

struct pfx_type {
	uint32_t id;
	const char *name; /* untrusted text */
	enum pfx_type_shape shape;
	uint64_t size;    /* bytes */
	uint32_t target;  /* the pointed-to type, or an array's element type */
	bool is_open;     /* the last member is a flexible array */
	bool has_members; /* the members were read */
	struct pfx_type_member *members;
	uint32_t nr_members;
};

/* --- the table --- */

struct pfx_type_table;

/* NULL: no debug information. */
struct pfx_type_table *pfx_type_table_new(struct pfx_debug_info *info, struct pfx_arena *arena);
void pfx_type_table_free(struct pfx_type_table *table);
/* Never NULL; shape NONE for id 0. The members of PARTS are read. */
const struct pfx_type *pfx_type_get(struct pfx_type_table *table, uint32_t id);

/* --- parts of types: type_walk.c --- */

/* A part of a type. */
struct pfx_type_part {
	uint32_t type;
	uint64_t offset; /* offset in the part */
	bool is_bits;
	uint64_t element;  /* element size of the last array on the way; 0: none */
	bool is_late;      /* the offset is in the second half of that array */
	bool is_ambiguous; /* members of other types have the same offset */
};

/* Find the innermost part at @offset of @type, preferably of @size bytes; its name is appended to
 * @path unless @path is NULL. */
struct pfx_type_part pfx_type_walk(struct pfx_type_table *table, uint32_t type, uint64_t offset,
				   uint64_t size, struct pfx_str *path);
/* The element type of an array of any dimensions; the type itself when it is not an array. */
const struct pfx_type *pfx_type_element(struct pfx_type_table *table, uint32_t type);

/* --- the members of a type: type_layout.c --- */

/* See pfx_types_layout(). The list belongs to the arena. */
uint32_t pfx_type_layout(struct pfx_type_table *table, struct pfx_arena *arena, uint32_t id,
			 const struct pfx_data_member **ret);

/* --- facts from debug information --- */

enum pfx_fact_kind {
	PFX_FACT_REG, /* register holds the address `offset` bytes into a `type` */
	PFX_FACT_MEM, /* the variable of `type` is at register + offset */
	PFX_FACT_CFA, /* the variable of `type` is at the canonical frame address + offset */
};

/* Valid from low to high. Facts of inner blocks come first. */
struct pfx_fact {
	uint64_t low, high;
	uint8_t kind, reg;
	uint32_t type;
	int64_t offset;
};

/* A variable with a fixed address. */
struct pfx_type_global {
	uint64_t addr;
	uint32_t type;
};

/* The return type of a call, by return address. */
struct pfx_type_call {
	uint64_t addr;
	uint32_t type; /* the type that the result points to */
};

struct pfx_type_range {
	uint64_t low, high;
};

struct pfx_type_function {
	uint64_t entry;
	bool may_land;                         /* may have landing pads of exceptions */
	PFX_VEC(struct pfx_type_range) ranges; /* sorted by address */
	PFX_VEC(struct pfx_fact) facts;
	PFX_VEC(struct pfx_type_global) globals;
	PFX_VEC(struct pfx_type_call) calls;
};

/* The function that contains @vaddr; false when there is none. Release it with
 * pfx_type_function_fini(). */
bool pfx_type_function_read(struct pfx_type_table *table, uint64_t vaddr,
			    struct pfx_type_function *ret);
void pfx_type_function_fini(struct pfx_type_function *function);
/* The global variable at @vaddr, as declared in the unit of the last function that was read: its
 * type, and the offset in it. */
bool pfx_type_global_find(struct pfx_type_table *table, uint64_t vaddr, uint32_t *ret_type,
			  uint64_t *ret_offset);
/* The type that the result of the function at @vaddr points to, if the function is in the same
 * unit; 0: unknown. */
uint32_t pfx_type_returned(struct pfx_type_table *table, uint64_t vaddr);
/* The canonical frame address at @vaddr as a register plus a constant. */
bool pfx_type_cfa(struct pfx_type_table *table, uint64_t vaddr, uint8_t *ret_reg,
		  int64_t *ret_offset);

/* --- results of the data flow --- */

/* A memory access of an instruction. */
struct pfx_access {
	uint64_t addr;
	uint8_t kind; /* enum pfx_data_kind */
	uint16_t size;
	uint32_t type;
	uint64_t offset;
};

struct pfx_type_code {
	const struct pfx_data_arch *arch;
	const struct pfx_op *ops; /* sorted by address */
	size_t nr;
};

/* The memory accesses of all instructions, sorted by address, into @ret, which has room for
 * code->nr. Returns their number. */
size_t pfx_type_flow(struct pfx_type_table *table, const struct pfx_type_function *function,
		     const struct pfx_type_code *code, struct pfx_access *ret);

#endif
