/* SPDX-License-Identifier: MIT */
/* Where the split debug information of a program's units is, for who reads it with libdw. */
#ifndef PFX_SYM_SPLIT_FIND_INTERNAL_H
#define PFX_SYM_SPLIT_FIND_INTERNAL_H

#include <elfutils/libdw.h>

#include "sym/dwarf/lines.h"
#include "sym/dwarf/split_unit_internal.h"
#include "sym/find/binary.h"

/* A unit that was found. */
struct pfx_split_found {
	struct pfx_split_unit *unit;
	struct pfx_split_file *file; /* what it is a part of; NULL: the program's package */
	char *path;                  /* of that file */
	char *refused; /* where nothing was found: a file in its place that is of another build */
	char *missing; /* else the file that the unit names, which is not there; NULL: none */
};

/* The path of the file that the unit @cu of the program names, which the caller frees; NULL: it
 * names none, or that is not there. */
char *pfx_split_named_file(Dwarf_Die *cu);
/* Find the other half of the unit @cu of the program, which has the number @id, in all places:
 * libdw knows one of them. False: @ret tells what was refused or is missing, and is to be given
 * back as well. */
bool pfx_split_find(struct pfx_binary *binary, Dwarf_Die *cu, uint64_t id,
		    struct pfx_split_found *ret);
void pfx_split_found_fini(struct pfx_split_found *found);
/* Whether any unit of the program is one that has its other half elsewhere. */
bool pfx_split_is_any(Dwarf *dwarf);
/* Of all units of the program. */
void pfx_split_list(struct pfx_binary *binary, Dwarf *dwarf, struct pfx_split_list *ret);
/* Add that of the unit @cu, if it has its other half elsewhere. */
void pfx_split_list_add(struct pfx_binary *binary, Dwarf_Die *cu, struct pfx_split_list *to);

#endif
