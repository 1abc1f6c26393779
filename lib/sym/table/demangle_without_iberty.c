/* SPDX-License-Identifier: MIT */
/* Used when libiberty is not built in: names stay mangled. */
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
