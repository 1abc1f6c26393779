/* SPDX-License-Identifier: MIT */
/*
 * Symbol tables: map addresses of one DSO to names. A table is loaded once and then only read;
 * names are in its arena. Addresses are file offsets for user files (as in struct pfx_location),
 * run-time addresses for the kernel, its modules and perf maps.
 */
#ifndef PFX_SYM_SYMTAB_H
#define PFX_SYM_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pfx_symbol {
	uint64_t start, end; /* end exclusive */
	const char *name;    /* demangled, depending on the options; untrusted text */
	char binding;        /* 'g' global, 'l' local, 'w' weak */
	bool is_func;
	bool is_label;    /* symbol without a size: it ends where the next symbol begins */
	bool is_nameless; /* not in a table: a function without a name, whose bounds come from
			     unwind information */
	bool is_inlined;  /* not in a table: a function inlined into the one that starts here */
};

/* Longer names (functions, source files) are truncated and end in "...": a malicious name of a
 * hundred megabytes would be printed in every line, and columns padded to its width. */
#define PFX_NAME_LIMIT 65536

struct pfx_symtab;

/* The symbol that covers @addr, or NULL. */
const struct pfx_symbol *pfx_symtab_find(const struct pfx_symtab *tab, uint64_t addr);
/* The function whose address the dynamic linker puts into the slot of the global offset table at
 * @addr; NULL: it puts none there, or the file has no name for it. */
const char *pfx_symtab_slot(const struct pfx_symtab *tab, uint64_t addr);
/* All symbols, in address order. */
size_t pfx_symtab_nr(const struct pfx_symtab *tab);
const struct pfx_symbol *pfx_symtab_at(const struct pfx_symtab *tab, size_t i);
/* Whether one of them has exactly this name. */
bool pfx_symtab_has(const struct pfx_symtab *tab, const char *name);
/* The path of the file that the symbols came from, "" when none were found. */
const char *pfx_symtab_source(const struct pfx_symtab *tab);
/* Why the table has only exported names, as a part of a sentence; "" when it is complete. */
const char *pfx_symtab_lack(const struct pfx_symtab *tab);
/* The distance by which the symbols of a kernel were moved from the addresses in their source
 * (KASLR). */
uint64_t pfx_symtab_moved(const struct pfx_symtab *tab);
void pfx_symtab_free(struct pfx_symtab *tab);

#endif
