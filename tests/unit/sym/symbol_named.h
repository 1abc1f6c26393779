/* SPDX-License-Identifier: MIT */
/* Finds a symbol of a table by its demangled name. */
#ifndef PFX_TESTS_SYMBOL_NAMED_H
#define PFX_TESTS_SYMBOL_NAMED_H

#include <string.h>

#include "sym/table/symtab.h"

/* The first one of that name, or NULL. */
static inline const struct pfx_symbol *symbol_named(const struct pfx_symtab *tab, const char *name)
{
	size_t i;

	for (i = 0; i < pfx_symtab_nr(tab); i++)
		if (!strcmp(pfx_symtab_at(tab, i)->name, name))
			return pfx_symtab_at(tab, i);
	return NULL;
}

#endif
