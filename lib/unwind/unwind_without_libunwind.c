/* SPDX-License-Identifier: MIT */
/* Used when libunwind is not built in: its unwinder is not available. */
#include "unwind/walk_internal.h"

bool pfx_libunwind_can(const struct pfx_unwind_arch *arch)
{
	return false;
}

const char *pfx_libunwind_machine(void)
{
	return NULL;
}

enum pfx_unwind_end pfx_libunwind_walk(struct pfx_walk *walk)
{
	return PFX_UNWIND_NO_CFI;
}

void pfx_libunwind_free(struct pfx_libunwind *libunwind)
{
}
