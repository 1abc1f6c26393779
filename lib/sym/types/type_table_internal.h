/* SPDX-License-Identifier: MIT */
/* The table of types, for *_with_libdw.c only. */
#ifndef PFX_SYM_TYPE_TABLE_INTERNAL_H
#define PFX_SYM_TYPE_TABLE_INTERNAL_H

#include "sym/dwarf/dwarf_internal.h"
#include "sym/types/types_internal.h"

/* A variable of the program's table of symbols. */
struct pfx_type_symbol {
	uint64_t addr, size;
	const char *name;
};

/* The variables of one unit. */
struct pfx_type_unit {
	PFX_VEC(struct pfx_type_global) globals; /* by address */
	struct pfx_hash declared; /* types of those that are only declared, by hash of the name */
};

struct pfx_type_table {
	struct pfx_debug_info *info;
	struct pfx_arena *arena;
	PFX_VEC(struct pfx_type *) types;        /* by number - 1 */
	PFX_VEC(Dwarf_Die) dies;                 /* once a type was read: without typedefs */
	struct pfx_hash ids;                     /* entry -> number */
	unsigned depth;                          /* of types in types at hand */
	struct pfx_hash units;                   /* entry of a unit -> struct pfx_type_unit */
	struct pfx_debug_unit *unit;             /* of the function read last */
	const struct pfx_type_unit *known;       /* its variables */
	PFX_VEC(struct pfx_type_symbol) symbols; /* by address */
	bool has_symbols;
	Dwarf_CFI *eh;
	struct pfx_cfi_tables *tables; /* of it; NULL: not looked for yet */
	bool debug_allowed;            /* .debug_frame may be read */
};

/* type_globals_with_libdw.c */
/* From now on the variables of this unit are meant. */
void pfx_type_globals_enter(struct pfx_type_table *table, struct pfx_debug_unit *unit);
/* Where the attribute says that a variable stays, if it says that. */
bool pfx_type_fixed_address(Dwarf_Attribute *attr, Dwarf_Op *ops, size_t nr, uint64_t *ret);

#endif
