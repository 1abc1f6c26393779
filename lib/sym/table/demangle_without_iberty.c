/* SPDX-License-Identifier: MIT */
/* Without libiberty names stay as the compiler wrote them. */
#include <stddef.h>

#include "sym/table/demangle.h"

char *pfx_demangle(const char *name)
{
	return NULL;
}

char *pfx_demangle_full(const char *name)
{
	return NULL;
}

bool pfx_demangle_is_built_in(void)
{
	return false;
}
