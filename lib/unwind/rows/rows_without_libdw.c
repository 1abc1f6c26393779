/* SPDX-License-Identifier: MIT */
/* Used when libdw is not built in: no rows. */
#include "unwind/rows/rows_internal.h"

struct pfx_cfi *pfx_cfi_new(struct pfx_binary *binary)
{
	return NULL;
}

void pfx_cfi_free(struct pfx_cfi *cfi)
{
}

void pfx_cfi_row(struct pfx_cfi *cfi, const struct pfx_unwind_arch *arch, uint64_t vaddr,
		 struct pfx_arena *arena, struct pfx_unwind_row *ret)
{
	ret->kind = PFX_ROW_NONE;
}

bool pfx_cfi_is_built_in(void)
{
	return false;
}
