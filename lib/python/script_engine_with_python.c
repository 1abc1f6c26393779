/* SPDX-License-Identifier: MIT */
/*
 * Loads the library with the Python interpreter, pfx-python.so: libpython and what it needs take
 * longer to load than most commands take to run. The library uses functions of this program, so it
 * must belong to it. Knows nothing of Python.
 */
#include <dlfcn.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pfx_version.h"
#include "python/engine_load.h"

/* PFX_LIBRARY_PLACE: the folder of libraries as seen from that of the program; from CMake. */
#define LIBRARY "pfx-python.so"

/* Beside the program as in a build folder, or where it is installed. False: not found. */
static bool find_library(char *ret, size_t size)
{
	static const char *const places[] = {LIBRARY, PFX_LIBRARY_PLACE "/" LIBRARY};
	char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	const char *folder;
	size_t i;

	path[len > 0 ? len : 0] = '\0';
	folder = dirname(path);
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(ret, size, "%s/%s", folder, places[i]);
		if (access(ret, R_OK) == 0)
			return true;
	}
	return false;
}

/* Modules of Python that are libraries look for its functions among those of the program: GLOBAL.
 */
static const struct pfx_script_engine_ops *open_library(char *why, size_t size)
{
	const struct pfx_script_engine_ops *ops;
	char path[PATH_MAX + 128];
	void *handle;

	if (!find_library(path, sizeof(path))) {
		snprintf(why, size, "%s is not there", path);
		return NULL;
	}
	handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	ops = handle ? dlsym(handle, "pfx_script_engine_python") : NULL;
	if (!ops) {
		pfx_escape(why, size, dlerror());
	} else if (strcmp(ops->version, PFX_VERSION) != 0 ||
		   ops->view_size != sizeof(struct pfx_script_view)) {
		snprintf(why, size, "%s belongs to another pfx", path);
		return NULL;
	}
	return ops;
}

const struct pfx_script_engine_ops *pfx_script_engine_load(const char *path, struct pfx_error *err)
{
	static const struct pfx_script_engine_ops *ops;
	char why[PATH_MAX + 256], shown[256];

	if (!ops)
		ops = open_library(why, sizeof(why));
	if (!ops) {
		pfx_error_set(err, ELIBACC, "cannot run '%s': Python cannot be loaded: %s",
			      pfx_escape(shown, sizeof(shown), path), why);
		pfx_error_hint(err, "install Python's library (libpython3) and all of pfx, " LIBRARY
				    " with it");
	}
	return ops;
}
