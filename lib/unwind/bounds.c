/* SPDX-License-Identifier: MIT */
/*
 * Functions of stripped binaries: call frame information contains their bounds, but not their
 * names. Used only for binaries that lack symbols.
 */
#include <stdlib.h>

#include "base/str.h"
#include "sym/dwarf/cfi_tables.h"
#include "unwind/resolve_internal.h"

void pfx_bounds_fini(struct pfx_resolver *resolver)
{
	size_t i;

	for (i = 0; i < resolver->bounds.nr; i++) {
		pfx_cfi_tables_free(resolver->bounds.at[i].tables);
		pfx_hash_fini(&resolver->bounds.at[i].by_start);
	}
	pfx_vec_free(&resolver->bounds);
}

/* The made-up name contains the function's offset in the file, as for other unresolved
 * addresses. */
static const struct pfx_symbol *make_symbol(struct pfx_resolver *resolver,
					    const struct pfx_dso *dso, uint64_t start, uint64_t end)
{
	struct pfx_symbol *sym = pfx_arena_new(&resolver->arena, struct pfx_symbol);
	char *name = pfx_strfmt("[%s+%#llx]", dso->short_name, (unsigned long long)start);

	sym->start = start;
	sym->end = end;
	sym->name = pfx_arena_strdup(&resolver->arena, name);
	sym->binding = 'l';
	sym->is_func = true;
	sym->is_nameless = true;
	free(name);
	return sym;
}

/* @tables belong to @binary. */
static bool find_function(struct pfx_cfi_tables *tables, const struct pfx_binary *binary,
			  uint64_t offset, uint64_t *ret_start, uint64_t *ret_end)
{
	uint64_t vaddr, start, end;

	if (!pfx_binary_vaddr(binary, offset, &vaddr) ||
	    !pfx_cfi_tables_function(tables, vaddr, &start, &end) ||
	    !pfx_binary_offset(binary, start, ret_start))
		return false;
	*ret_end = *ret_start + (end - start);
	return *ret_start <= offset && offset < *ret_end;
}

const struct pfx_symbol *pfx_bounds_symbol(struct pfx_resolver *resolver, const struct pfx_dso *dso,
					   uint64_t offset)
{
	struct pfx_binary *binary;
	struct pfx_dso_bounds *bounds;
	uint64_t start, end, *at;

	if (dso->kind != PFX_DSO_FILE || !*pfx_resolver_symtab_lack(resolver, dso))
		return NULL;
	binary = pfx_resolver_binary(resolver, dso);
	if (!binary)
		return NULL;
	bounds = pfx_vec_slot(&resolver->bounds, dso->id);
	if (!bounds->tables)
		bounds->tables = pfx_cfi_tables_new(pfx_binary_elf(binary), false);
	if (!find_function(bounds->tables, binary, offset, &start, &end))
		return NULL;
	at = pfx_hash_add(&bounds->by_start, start, NULL);
	if (!*at)
		*at = (uintptr_t)make_symbol(resolver, dso, start, end);
	return (const struct pfx_symbol *)(uintptr_t)*at;
}
