/* SPDX-License-Identifier: MIT */
/* From the name of a function to its place, for who wants to stop there. */
#ifndef PFX_SYM_FUNCTION_H
#define PFX_SYM_FUNCTION_H

#include <stdint.h>

#include "base/error.h"

struct pfx_function {
	uint64_t at;   /* offset in the file; of the kernel, the address */
	uint64_t size; /* bytes, 0: unknown */
};

/* Find @name in the program or library @path (absolute), by its own symbols or those of its
 * separate debug file: the symbol as it is, or a C++ or Rust name as it reads, with or without its
 * parameters, when it means one function only. -ENOENT: not there (the hint has a near name),
 * -ENOTUNIQ: several (the hint lists them). */
int pfx_function_find(const char *path, const char *name, struct pfx_function *ret,
		      struct pfx_error *err);
/* The same in the running kernel and its modules; @kallsyms: NULL or another file like
 * /proc/kallsyms. */
int pfx_function_find_kernel(const char *kallsyms, const char *name, struct pfx_function *ret,
			     struct pfx_error *err);

#endif
