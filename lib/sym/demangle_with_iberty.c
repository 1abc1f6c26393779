/* SPDX-License-Identifier: MIT */
/*
 * Readable names through libiberty: C++ (Itanium ABI) and both schemes of Rust. Parameters are left
 * out, as tables of functions have no room for them.
 */
#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

#include "sym/demangle.h"

/* Longer names are made by nobody but an attacker: some short ones grow without bounds already. */
#define NAME_LIMIT 16384

char *pfx_demangle(const char *name)
{
	/* No other scheme that libiberty knows begins differently. */
	if (name[0] != '_' || strnlen(name, NAME_LIMIT) == NAME_LIMIT)
		return NULL;
	return cplus_demangle(name, DMGL_NO_OPTS);
}

bool pfx_demangle_is_built_in(void)
{
	return true;
}
