/* SPDX-License-Identifier: MIT */
/* Converts one unit of split debug information into a form that any libdw reads. */
#ifndef PFX_SYM_SPLIT_UNIT_INTERNAL_H
#define PFX_SYM_SPLIT_UNIT_INTERNAL_H

#include "sym/elf/split_internal.h"

/* Data of the program's skeleton that the split unit lacks. */
struct pfx_split_skeleton {
	uint64_t id;
	uint64_t base;              /* base address of ranges; 0 if ranges contain it */
	struct pfx_slice addresses; /* .debug_addr from the unit's first address */
	struct pfx_slice ranges;    /* DWARF 4: .debug_ranges from the unit's first range */
};

struct pfx_split_unit;
struct Dwarf;

/* NULL: the unit is malformed, or its id differs. Borrows the bytes of the parts and of the
 * skeleton. */
struct pfx_split_unit *pfx_split_unit_new(const struct pfx_split_parts *parts,
					  const struct pfx_split_skeleton *skeleton);
void pfx_split_unit_free(struct pfx_split_unit *unit);
/* libdw's handle; its first unit is the converted one. */
struct Dwarf *pfx_split_unit_dwarf(const struct pfx_split_unit *unit);

#endif
