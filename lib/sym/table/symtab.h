/* SPDX-License-Identifier: MIT */
/*
 * Symbol tables: address to name for one dso. A table is loaded once and then only read; names live
 * in its arena. Addresses are the dso's own: file offsets for user files (as struct pfx_location
 * has them), run-time addresses for the kernel and its modules, and for perf maps.
 */
#ifndef PFX_SYM_SYMTAB_H
#define PFX_SYM_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pfx_symbol {
	uint64_t start, end; /* end exclusive */
	const char *name;    /* demangled unless asked otherwise; foreign text */
	char binding;        /* 'g' global, 'l' local, 'w' weak */
	bool is_func;
	bool is_label;    /* it has no size: it ends where the next symbol begins */
	bool is_nameless; /* not in any table: a function whose bounds are all that is known */
	bool is_inlined;  /* not in any table: a function inlined in the one that starts here */
};

/* Longer names (functions, source files) are cut, and end in "...": a made-up one of a hundred
 * megabytes would come as often as it is shown, padded to its width. */
#define PFX_NAME_LIMIT 65536

struct pfx_symtab;

/* The symbol that covers @addr, or NULL. */
const struct pfx_symbol *pfx_symtab_find(const struct pfx_symtab *tab, uint64_t addr);
/* All of them, in the order of their addresses. */
size_t pfx_symtab_nr(const struct pfx_symtab *tab);
const struct pfx_symbol *pfx_symtab_at(const struct pfx_symtab *tab, size_t i);
/* Where the symbols came from (a path), "" when none were found. */
const char *pfx_symtab_source(const struct pfx_symtab *tab);
/* Why it has the names that the program exports alone, as a part of a sentence; "" when it has all
 * that there are. */
const char *pfx_symtab_lack(const struct pfx_symtab *tab);
/* How far the symbols of a kernel were moved from where their source has them. */
uint64_t pfx_symtab_moved(const struct pfx_symtab *tab);
void pfx_symtab_free(struct pfx_symtab *tab);

#endif
