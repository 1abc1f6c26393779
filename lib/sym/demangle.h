/* SPDX-License-Identifier: MIT */
/* C++ and Rust names in readable form, by a library where one is built in. */
#ifndef PFX_SYM_DEMANGLE_H
#define PFX_SYM_DEMANGLE_H

#include <stdbool.h>

/* The readable form, which the caller frees, or NULL when @name is not mangled. */
char *pfx_demangle(const char *name);
bool pfx_demangle_is_built_in(void);

#endif
