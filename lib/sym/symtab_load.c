/* SPDX-License-Identifier: MIT */
/*
 * Loads the symbols of a DSO: selects the loader by kind, which adds to an empty table.
 */
#include "sym/symtab_load.h"

#include "sym/find/find_internal.h"
#include "sym/find/request.h"
#include "sym/jit/jit_table_internal.h"
#include "sym/kernel/kernel_internal.h"
#include "sym/table/symtab_internal.h"

int pfx_symtab_load(struct pfx_symtab **ret, const struct pfx_sym_request *request,
		    const struct pfx_sym_options *options, struct pfx_error *err)
{
	static const struct pfx_sym_options none;
	static int (*const loaders[])(struct pfx_symtab *, const struct pfx_sym_request *,
				      const struct pfx_sym_options *, struct pfx_error *) = {
		[PFX_SYM_FILE] = pfx_symtab_load_file,
		[PFX_SYM_KERNEL] = pfx_symtab_load_kernel,
		[PFX_SYM_MODULE] = pfx_symtab_load_module,
		[PFX_SYM_VDSO] = pfx_symtab_load_vdso,
		[PFX_SYM_PERF_MAP] = pfx_symtab_load_perf_map,
		[PFX_SYM_JITDUMP] = pfx_symtab_load_jitdump,
	};
	bool is_kernel = request->kind == PFX_SYM_KERNEL || request->kind == PFX_SYM_MODULE;
	struct pfx_symtab *tab;
	int rc;

	options = options ? options : &none;
	tab = pfx_symtab_new(options->no_demangle || (is_kernel && !options->demangle_kernel));
	tab->full_names = options->demangle_full;
	rc = loaders[request->kind](tab, request, options, err);
	if (rc < 0)
		pfx_symtab_reset(tab);
	pfx_symtab_finish(tab);
	*ret = tab;
	return rc < 0 ? rc : 0;
}

bool pfx_symtab_may_have(const struct pfx_sym_request *request,
			 const struct pfx_sym_options *options, const char *name)
{
	bool is_kernel = request->kind == PFX_SYM_KERNEL || request->kind == PFX_SYM_MODULE;

	return !is_kernel || pfx_kernel_may_have(request, options, name);
}
