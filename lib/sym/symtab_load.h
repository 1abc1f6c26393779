/* SPDX-License-Identifier: MIT */
/* Loads the symbols of a DSO of any kind: the interface to the loaders in the folders below. */
#ifndef PFX_SYM_SYMTAB_LOAD_H
#define PFX_SYM_SYMTAB_LOAD_H

#include "base/error.h"
#include "sym/find/request.h"
#include "sym/table/symtab.h"

/* Load symbols from the best available source. Always returns a table; if it is empty, @err (may be
 * NULL) contains the reason. 0, or the reason as a negative errno. */
int pfx_symtab_load(struct pfx_symtab **ret, const struct pfx_sym_request *request,
		    const struct pfx_sym_options *options, struct pfx_error *err);
/* Whether these symbols may have a function of this name; false: surely not. Loads none. */
bool pfx_symtab_may_have(const struct pfx_sym_request *request,
			 const struct pfx_sym_options *options, const char *name);

#endif
