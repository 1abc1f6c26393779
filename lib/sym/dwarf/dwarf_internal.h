/* SPDX-License-Identifier: MIT */
/* Shared by the readers of debug information (*_with_libdw.c only). */
#ifndef PFX_SYM_DWARF_INTERNAL_H
#define PFX_SYM_DWARF_INTERNAL_H

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "sym/dwarf/lines_internal.h"

#define PFX_DIE_DEPTH_MAX  128       /* of nested scopes and blocks */
#define PFX_DIE_RANGES_MAX (1 << 16) /* of one DIE */

/* An iterator over the address ranges of a DIE. Starts as zero, but for @left. */
struct pfx_die_range {
	Dwarf_Addr low, high, base;
	ptrdiff_t next;
	uint32_t nr;
	uint64_t *left; /* how many ranges all iterators together may still return; NULL: any number
			 */
};

/* How many ranges of all DIEs together are read. In real files each list has one or two owners, and
 * takes three bytes for each of its ranges. */
static inline uint64_t pfx_die_ranges_left(const struct pfx_binary *binary)
{
	size_t size = 0;

	pfx_binary_bytes(binary, &size);
	return (1u << 20) + size / 4;
}

/* Advance to the first or next range that is not empty; false after the last one. */
static inline bool pfx_die_next_range(Dwarf_Die *die, struct pfx_die_range *at)
{
	while (at->nr++ < PFX_DIE_RANGES_MAX) {
		at->next = dwarf_ranges(die, at->next, &at->base, &at->low, &at->high);
		if (at->next <= 0)
			return false;
		if (at->low < at->high)
			return !at->left || (*at->left && (*at->left)--);
	}
	return false;
}

/* Advance to the next sibling; siblings must have ascending offsets, so that the walk ends. */
static inline bool pfx_die_next(Dwarf_Die *die)
{
	Dwarf_Die next;

	if (dwarf_siblingof(die, &next) || next.addr <= die->addr)
		return false;
	*die = next;
	return true;
}

/* The line where the class of a member function, or of the one that it is a copy of, is declared;
 * 0: unknown. Reads the function's unit up to it. */
uint32_t pfx_die_class_line(const Dwarf_Die *function);

struct pfx_debug_unit;

/* The unit of an address, or NULL. */
struct pfx_debug_unit *pfx_debug_info_unit(struct pfx_debug_info *info, uint64_t vaddr);
/* The DIE whose children are the unit's functions and types. */
Dwarf_Die pfx_debug_unit_tree(const struct pfx_debug_unit *unit);
/* The function that contains the address; false when there is none. */
bool pfx_debug_unit_function(struct pfx_debug_unit *unit, uint64_t vaddr, Dwarf_Die *ret);
Dwarf *pfx_debug_info_dwarf(const struct pfx_debug_info *info);
struct pfx_binary *pfx_debug_info_binary(const struct pfx_debug_info *info);

/* --- table of types --- */

struct pfx_type_table;

/* The id of the DIE's type; 0: none. */
uint32_t pfx_type_of(struct pfx_type_table *table, Dwarf_Die *die);

/* The file that .gnu_debugaltlink names, or an empty file (alt_with_libdw.c). Starts as zero; close
 * it after the Dwarf handle that uses it. */
struct pfx_alt_dwarf {
	Dwarf *dwarf, *empty; /* NULL: not needed */
	Elf *elf;             /* of `empty` */
	struct empty_image *image;
	struct pfx_debug_image *unpacked; /* that `dwarf` reads; NULL: the file itself */
};
void pfx_alt_dwarf_open(struct pfx_alt_dwarf *alt, Dwarf *of, struct pfx_binary *binary);
void pfx_alt_dwarf_close(struct pfx_alt_dwarf *alt);

#endif
