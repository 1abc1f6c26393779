/* SPDX-License-Identifier: MIT */
/* Functions of libraries that are loaded at run time. */
#ifndef PFX_BASE_DL_H
#define PFX_BASE_DL_H

#include <stdbool.h>
#include <stddef.h>

/* Store the address of function @name of library @handle, from dlopen(), in @ret, a function
 * pointer of @size bytes. False: the library has no such function. */
bool pfx_dl_function(void *handle, const char *name, void *ret, size_t size);

#endif
