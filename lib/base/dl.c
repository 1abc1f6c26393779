/* SPDX-License-Identifier: MIT */
/*
 * Looks up functions in loaded libraries. C has no cast from a pointer to data to one to a
 * function; the bytes are copied, as POSIX wants it.
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
