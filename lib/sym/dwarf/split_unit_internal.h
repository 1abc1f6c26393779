/* SPDX-License-Identifier: MIT */
/* One unit of split debug information, made readable for libdw. */
#ifndef PFX_SYM_SPLIT_UNIT_INTERNAL_H
#define PFX_SYM_SPLIT_UNIT_INTERNAL_H

#include "sym/elf/split_internal.h"

/* What the program's skeleton knows and the unit does not. */
struct pfx_split_skeleton {
	uint64_t id;
	uint64_t base;              /* of ranges; 0 where ranges say it themselves */
	struct pfx_slice addresses; /* from the unit's first one on */
	struct pfx_slice ranges;    /* DWARF 4: from the unit's first one on */
};

struct pfx_split_unit;
struct Dwarf;

/* NULL: the unit is damaged, or another one. Borrows the bytes of the parts and of the skeleton. */
struct pfx_split_unit *pfx_split_unit_new(const struct pfx_split_parts *parts,
					  const struct pfx_split_skeleton *skeleton);
void pfx_split_unit_free(struct pfx_split_unit *unit);
/* libdw's handle; its first unit is the one. */
struct Dwarf *pfx_split_unit_dwarf(const struct pfx_split_unit *unit);

#endif
