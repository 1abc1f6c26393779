/* SPDX-License-Identifier: MIT */
/* Stacks walked by libunwind, where it is not built in: none. */
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
