/* SPDX-License-Identifier: MIT */
/* What the readers of debug information share (*_with_libdw.c only). */
#ifndef PFX_SYM_DWARF_INTERNAL_H
#define PFX_SYM_DWARF_INTERNAL_H

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "sym/dwarf/lines_internal.h"

#define PFX_DIE_DEPTH_MAX  128       /* of scopes around functions, and of blocks in them */
#define PFX_DIE_RANGES_MAX (1 << 16) /* of one entry */

/* The addresses that an entry is about, piece by piece. Starts as zero. */
struct pfx_die_range {
	Dwarf_Addr low, high, base;
	ptrdiff_t next;
	uint32_t nr;
};

/* To the first one that is not empty, or the next; false behind the last one. */
static inline bool pfx_die_next_range(Dwarf_Die *die, struct pfx_die_range *at)
{
	while (at->nr++ < PFX_DIE_RANGES_MAX) {
		at->next = dwarf_ranges(die, at->next, &at->base, &at->low, &at->high);
		if (at->next <= 0)
			return false;
		if (at->low < at->high)
			return true;
	}
	return false;
}

/* To the next entry of the same parent; entries that lead back would have no end. */
static inline bool pfx_die_next(Dwarf_Die *die)
{
	Dwarf_Die next;

	if (dwarf_siblingof(die, &next) || next.addr <= die->addr)
		return false;
	*die = next;
	return true;
}

struct pfx_debug_unit;

/* The unit of an address, or NULL. */
struct pfx_debug_unit *pfx_debug_info_unit(struct pfx_debug_info *info, uint64_t vaddr);
/* The entry that its functions and types stand below. */
Dwarf_Die pfx_debug_unit_tree(const struct pfx_debug_unit *unit);
/* The function with the code at the address; false when there is none. */
bool pfx_debug_unit_function(struct pfx_debug_unit *unit, uint64_t vaddr, Dwarf_Die *ret);
Dwarf *pfx_debug_info_dwarf(const struct pfx_debug_info *info);
struct pfx_binary *pfx_debug_info_binary(const struct pfx_debug_info *info);

/* --- of the table of types --- */

struct pfx_type_table;

/* The number of the type that the entry has; 0: none. */
uint32_t pfx_type_of(struct pfx_type_table *table, Dwarf_Die *die);

/* alt_with_libdw.c: what .gnu_debugaltlink names, or a file without contents in its place. Starts
 * as zero; is closed after the one it belongs to. */
struct pfx_alt_dwarf {
	Dwarf *dwarf, *empty; /* NULL: not needed */
	Elf *elf;             /* of the empty one */
	struct empty_image *image;
};
void pfx_alt_dwarf_open(struct pfx_alt_dwarf *alt, Dwarf *of, struct pfx_binary *binary);
void pfx_alt_dwarf_close(struct pfx_alt_dwarf *alt);

#endif
