/* SPDX-License-Identifier: MIT */
/* Symbol tables of JIT code. */
#ifndef PFX_SYM_JIT_TABLE_INTERNAL_H
#define PFX_SYM_JIT_TABLE_INTERNAL_H

#include "base/error.h"
#include "sym/find/request.h"
#include "sym/table/symtab.h"

/* Add the symbols of a perf map, or of a jitdump; 0, or a negative errno with a message. */
int pfx_symtab_load_perf_map(struct pfx_symtab *tab, const struct pfx_sym_request *request,
			     const struct pfx_sym_options *options, struct pfx_error *err);
int pfx_symtab_load_jitdump(struct pfx_symtab *tab, const struct pfx_sym_request *request,
			    const struct pfx_sym_options *options, struct pfx_error *err);

#endif
