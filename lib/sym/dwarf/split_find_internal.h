/* SPDX-License-Identifier: MIT */
/* Finds the split debug information of a program's units, for readers that use libdw. */
#ifndef PFX_SYM_SPLIT_FIND_INTERNAL_H
#define PFX_SYM_SPLIT_FIND_INTERNAL_H

#include <elfutils/libdw.h>

#include "sym/dwarf/lines.h"
#include "sym/dwarf/split_unit_internal.h"
#include "sym/find/binary.h"

/* The result of a search. */
struct pfx_split_found {
	struct pfx_split_unit *unit;
	struct pfx_split_file *file; /* contains the unit; NULL: the program's package */
	char *path;                  /* of that file */
	char *refused; /* if not found: a file that was refused because it is another build */
	char *missing; /* else the file that the unit names; NULL: none */
};

/* The existing file that the skeleton unit @cu names, which the caller frees; NULL: no name, or no
 * such file. */
char *pfx_split_named_file(Dwarf_Die *cu);
/* Search all places for the split unit with id @id of the skeleton @cu; libdw searches only one of
 * them. False: @ret contains the refused or missing path. Release @ret in both cases. */
bool pfx_split_find(struct pfx_binary *binary, Dwarf_Die *cu, uint64_t id,
		    struct pfx_split_found *ret);
void pfx_split_found_fini(struct pfx_split_found *found);
/* Whether the program has any skeleton units. */
bool pfx_split_is_any(Dwarf *dwarf);
/* For all units of the program. */
void pfx_split_list(struct pfx_binary *binary, Dwarf *dwarf, struct pfx_split_list *ret);
/* Add the file of the unit @cu, if @cu is a skeleton. */
void pfx_split_list_add(struct pfx_binary *binary, Dwarf_Die *cu, struct pfx_split_list *to);

#endif
