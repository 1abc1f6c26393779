/* SPDX-License-Identifier: MIT */
/* Used when libdw is not built in: its unwinder is not available. */
#include "unwind/walk_internal.h"

bool pfx_libdw_is_built_in(void)
{
	return false;
}

enum pfx_unwind_end pfx_libdw_walk(struct pfx_walk *walk)
{
	return PFX_UNWIND_NO_CFI;
}

void pfx_libdw_free(struct pfx_libdw *libdw)
{
}
