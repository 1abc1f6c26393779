/* SPDX-License-Identifier: MIT */
/* Functions of libraries that are loaded when they are needed. */
#ifndef PFX_BASE_DL_H
#define PFX_BASE_DL_H

#include <stdbool.h>
#include <stddef.h>

/* Put the address of function @name of the library @handle, from dlopen(), into @ret, which is a
 * pointer to a function of its type and @size bytes big. False: the library does not have it. */
bool pfx_dl_function(void *handle, const char *name, void *ret, size_t size);

#endif
