/* SPDX-License-Identifier: MIT */
/*
 * Looks up functions in loaded libraries. ISO C has no cast from an object pointer to a function
 * pointer, so the bytes are copied, as POSIX recommends.
 */
#include "base/dl.h"

#include <dlfcn.h>
#include <string.h>

bool pfx_dl_function(void *handle, const char *name, void *ret, size_t size)
{
	void *symbol = dlsym(handle, name);

	memcpy(ret, &symbol, size);
	return symbol;
}
