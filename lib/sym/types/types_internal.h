/* SPDX-License-Identifier: MIT */
/*
 * Types of data from the inside: the table of types (type_table_with_libdw.c), ways through them
 * (type_walk.c), what debug information says of a function (type_facts_with_libdw.c), and what
 * follows from its code (type_flow.c). Types are numbers; 0 is none. All of it belongs to the arena
 * of the table.
 */
#ifndef PFX_SYM_TYPES_INTERNAL_H
#define PFX_SYM_TYPES_INTERNAL_H

#include "base/alloc.h"
#include "base/arena.h"
#include "base/str.h"
#include "sym/code/decode.h"
#include "sym/dwarf/lines_internal.h"
#include "sym/find/binary.h"

enum pfx_type_shape {
	PFX_SHAPE_NONE, /* void, functions, what is only declared or makes no sense */
	PFX_SHAPE_PLAIN,
	PFX_SHAPE_ADDRESS, /* pointers and references */
	PFX_SHAPE_ARRAY,
	PFX_SHAPE_PARTS, /* struct, class, union */
};

struct pfx_type_member {
	const char *name; /* NULL: its own members count as if they stood here */
	uint64_t offset, size;
	uint32_t type;
	bool is_bits;
};

struct pfx_type {
	uint32_t id;
	const char *name; /* foreign text */
	enum pfx_type_shape shape;
	uint64_t size;    /* bytes */
	uint32_t target;  /* what it points to, or what it is an array of */
	bool is_open;     /* the last member is an array without an end */
	bool has_members; /* they were read */
	struct pfx_type_member *members;
	uint32_t nr_members;
};

/* --- the table --- */

struct pfx_type_table;

/* NULL: there is no debug information. */
struct pfx_type_table *pfx_type_table_new(struct pfx_debug_info *info, struct pfx_arena *arena);
void pfx_type_table_free(struct pfx_type_table *table);
/* Never NULL; of kind NONE for 0. The members of PARTS are there. */
const struct pfx_type *pfx_type_get(struct pfx_type_table *table, uint32_t id);

/* --- ways through types: type_walk.c --- */

/* Where a way from a type to a part of it ends. */
struct pfx_type_part {
	uint32_t type;
	uint64_t offset; /* in that */
	bool is_bits;
	uint64_t element;  /* bytes of each in the last array that the way led through; 0: none */
	bool is_late;      /* into the second half of that */
	bool is_ambiguous; /* members of other types lie at the same place */
};

/* To the innermost part at @offset of @type, of @size bytes if there is one; its name is appended
 * to @path unless that is NULL. */
struct pfx_type_part pfx_type_walk(struct pfx_type_table *table, uint32_t type, uint64_t offset,
				   uint64_t size, struct pfx_str *path);
/* What arrays are made of, through all their dimensions; the type itself when it is none. */
const struct pfx_type *pfx_type_element(struct pfx_type_table *table, uint32_t type);

/* --- what debug information says of a function --- */

enum pfx_fact_kind {
	PFX_FACT_REG, /* the register holds an address: `offset` bytes into a `type` */
	PFX_FACT_MEM, /* the `size` bytes at register + offset are a `type`, from part on */
	PFX_FACT_CFA, /* the same at the canonical frame address + offset */
};

/* It holds from low to high. Those of inner blocks come first. */
struct pfx_fact {
	uint64_t low, high;
	uint8_t kind, reg;
	uint32_t type;
	int64_t offset;
};

/* A variable that stays where it is. */
struct pfx_type_global {
	uint64_t addr;
	uint32_t type;
};

/* What a call returns, by the address behind it. */
struct pfx_type_call {
	uint64_t addr;
	uint32_t type; /* that its value points to */
};

struct pfx_type_range {
	uint64_t low, high;
};

struct pfx_type_function {
	uint64_t entry;
	bool may_land;                         /* exceptions may enter it anywhere */
	PFX_VEC(struct pfx_type_range) ranges; /* by address */
	PFX_VEC(struct pfx_fact) facts;
	PFX_VEC(struct pfx_type_global) globals;
	PFX_VEC(struct pfx_type_call) calls;
};

/* The function with the code at @vaddr; false when there is none. To be cleared with fini. */
bool pfx_type_function_read(struct pfx_type_table *table, uint64_t vaddr,
			    struct pfx_type_function *ret);
void pfx_type_function_fini(struct pfx_type_function *function);
/* The variable at @vaddr that the unit of the function read last knows: its type, and the bytes
 * from its start. */
bool pfx_type_global_find(struct pfx_type_table *table, uint64_t vaddr, uint32_t *ret_type,
			  uint64_t *ret_offset);
/* What the function at @vaddr returns an address of, where it is in the same unit; 0: unknown. */
uint32_t pfx_type_returned(struct pfx_type_table *table, uint64_t vaddr);
/* The canonical frame address at @vaddr as a register plus a number. */
bool pfx_type_cfa(struct pfx_type_table *table, uint64_t vaddr, uint8_t *ret_reg,
		  int64_t *ret_offset);

/* --- what follows from the code --- */

/* The type that an instruction accesses. */
struct pfx_access {
	uint64_t addr;
	uint8_t kind; /* enum pfx_data_kind */
	uint16_t size;
	uint32_t type;
	uint64_t offset;
};

struct pfx_code {
	const struct pfx_data_arch *arch;
	const struct pfx_op *ops; /* by address */
	size_t nr;
};

/* The accesses of all instructions that access memory, by address, into @ret, which has room for
 * code->nr. Returns how many there are. */
size_t pfx_type_flow(struct pfx_type_table *table, const struct pfx_type_function *function,
		     const struct pfx_code *code, struct pfx_access *ret);

#endif
