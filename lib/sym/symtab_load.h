/* SPDX-License-Identifier: MIT */
/* The symbols of a DSO, whatever its kind: the door above the rooms of this folder. */
#ifndef PFX_SYM_SYMTAB_LOAD_H
#define PFX_SYM_SYMTAB_LOAD_H

#include "base/error.h"
#include "sym/find/request.h"
#include "sym/table/symtab.h"

/* Load symbols from the best place there is. Always gives a table, empty when nothing was found; a
 * sentence in @err (may be NULL) then says why. 0, or the reason as a negative errno. */
int pfx_symtab_load(struct pfx_symtab **ret, const struct pfx_sym_request *request,
		    const struct pfx_sym_options *options, struct pfx_error *err);

#endif
