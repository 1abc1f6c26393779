/* SPDX-License-Identifier: MIT */
/* The table of types, for *_with_libdw.c only. */
#ifndef PFX_SYM_TYPE_TABLE_INTERNAL_H
#define PFX_SYM_TYPE_TABLE_INTERNAL_H

#include "sym/dwarf/dwarf_internal.h"
#include "sym/types/types_internal.h"

/* A variable in the program's symbol table. */
struct pfx_type_symbol {
	uint64_t addr, size;
	const char *name;
};

/* The variables of one unit. */
struct pfx_type_unit {
	PFX_VEC(struct pfx_type_global) globals; /* sorted by address */
	struct pfx_hash declared; /* types of declared variables, by hash of the name */
};

struct pfx_type_table {
	struct pfx_debug_info *info;
	struct pfx_arena *arena;
	PFX_VEC(struct pfx_type *) types;  /* by id - 1 */
	PFX_VEC(Dwarf_Die) dies;           /* type DIEs; without typedefs after the type was read */
	struct pfx_hash ids;               /* DIE -> id */
	unsigned depth;                    /* of nested types, during a recursion */
	struct pfx_hash units;             /* unit DIE -> struct pfx_type_unit */
	struct pfx_debug_unit *unit;       /* of the last function that was read */
	const struct pfx_type_unit *known; /* variables of that unit */
	PFX_VEC(struct pfx_type_symbol) symbols; /* sorted by address */
	bool has_symbols;
	Dwarf_CFI *eh;
	struct pfx_cfi_tables *tables; /* of the binary; NULL: not opened yet */
	bool debug_allowed;            /* .debug_frame passed its check */
};

/* type_globals_with_libdw.c */
/* Use the variables of this unit from now on. */
void pfx_type_globals_enter(struct pfx_type_table *table, struct pfx_debug_unit *unit);
/* The fixed address of a variable, if its location expression is one. */
bool pfx_type_fixed_address(Dwarf_Attribute *attr, Dwarf_Op *ops, size_t nr, uint64_t *ret);

#endif
