/* SPDX-License-Identifier: MIT */
/* C++, Rust and D names in readable form, by a library where one is built in. */
#ifndef PFX_SYM_DEMANGLE_H
#define PFX_SYM_DEMANGLE_H

#include <stdbool.h>

/* The readable form, which the caller frees, or NULL when @name is not mangled: without parameters,
 * and with them. */
char *pfx_demangle(const char *name);
char *pfx_demangle_full(const char *name);
/* Whether a library is built in; without one no name is changed. */
bool pfx_demangle_is_built_in(void);

#endif
