/* SPDX-License-Identifier: MIT */
/*
 * Makes an index of .eh_frame in the format of .eh_frame_hdr, for programs that were linked without
 * one.
 */
#include "base/alloc.h"
#include "sym/dwarf/cfi_tables.h"
#include "unwind/walk_internal.h"

/* False: the distance to the section does not fit into an entry. */
static bool make_entry(const struct pfx_cfi_function *function, uint64_t base,
		       struct pfx_eh_entry *ret)
{
	uint64_t start = function->start - base;

	*ret = (struct pfx_eh_entry){(int32_t)start, (int32_t)function->record};
	return (uint64_t)(int64_t)ret->start == start && (uint64_t)ret->fde == function->record;
}

struct pfx_eh_entry *pfx_eh_table_make(const struct pfx_binary *binary, uint64_t *ret_base,
				       uint32_t *ret_nr)
{
	struct pfx_cfi_tables *tables = pfx_cfi_tables_new(pfx_binary_elf(binary), false);
	PFX_VEC(struct pfx_eh_entry) entries = {0};
	const struct pfx_cfi_function *all;
	struct pfx_eh_entry entry;
	size_t i, nr;

	all = pfx_cfi_tables_all(tables, &nr, ret_base);
	for (i = 0; i < nr; i++)
		if (make_entry(&all[i], *ret_base, &entry))
			pfx_vec_push(&entries, entry);
	pfx_cfi_tables_free(tables);
	*ret_nr = (uint32_t)entries.nr;
	return entries.at;
}
