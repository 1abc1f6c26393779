/* SPDX-License-Identifier: MIT */
/* Finds the location of a function by name, for probes. */
#ifndef PFX_SYM_FUNCTION_H
#define PFX_SYM_FUNCTION_H

#include <stdint.h>

#include "base/error.h"

struct pfx_function {
	uint64_t at;   /* file offset; for the kernel, the address */
	uint64_t size; /* bytes, 0: unknown */
};

/* Find @name in the program or library @path (absolute), in its symbols or those of its debug file:
 * the symbol's own name, or a demangled C++ or Rust name with or without parameters. -ENOENT: not
 * found (the hint contains a similar name), -ENOTUNIQ: ambiguous (the hint lists the functions). */
int pfx_function_find(const char *path, const char *name, struct pfx_function *ret,
		      struct pfx_error *err);
/* The same in the running kernel and its modules; @kallsyms: NULL, or a file in the format of
 * /proc/kallsyms. */
int pfx_function_find_kernel(const char *kallsyms, const char *name, struct pfx_function *ret,
			     struct pfx_error *err);

#endif
