/* SPDX-License-Identifier: MIT */
/* Demangles C++, Rust and D names, if libiberty is built in. */
#ifndef PFX_SYM_DEMANGLE_H
#define PFX_SYM_DEMANGLE_H

#include <stdbool.h>

/* The demangled name, which the caller frees, or NULL when @name is not mangled: without
 * parameters, and with them. */
char *pfx_demangle(const char *name);
char *pfx_demangle_full(const char *name);
/* Whether a library is built in; without it names stay mangled. */
bool pfx_demangle_is_built_in(void);

#endif
