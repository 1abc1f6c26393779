/* SPDX-License-Identifier: MIT */
/*
 * Downloads the debug files of stripped binaries for the build-ID cache, if this machine has none.
 * keep.c implements the cache's layout.
 */
#include <stdlib.h>

#include "sym/cache/debuginfod_internal.h"
#include "sym/cache/keep.h"
#include "sym/elf/buildid.h"
#include "sym/elf/elf_internal.h"
#include "sym/find/find_internal.h"
#include "sym/find/keep_debug.h"
#include "sym/find/request.h"

/* Whether this machine has symbols of the binary: in the binary or in a debug file. */
static bool has_symbols(const char *dir, const struct pfx_build_id *id, const char *from)
{
	const struct pfx_sym_options options = {.buildid_dir = dir};
	struct pfx_elf runtime = {0}, debug = {0};
	char *path = NULL;
	bool found;

	if (pfx_elf_open(from, &runtime, NULL) < 0)
		return true;
	found = pfx_elf_has_symtab(&runtime);
	if (!found && pfx_debugfile_open(&runtime, from, id, &options, &debug, &path)) {
		found = true;
		pfx_elf_close(&debug);
	}
	free(path);
	pfx_elf_close(&runtime);
	return found;
}

int pfx_keep_debug(const char *dir, const char *name, const struct pfx_build_id *id,
		   const char *from, const struct pfx_fetch_watch *watch)
{
	char *path;
	int rc;

	if (has_symbols(dir, id, from))
		return 0;
	path = pfx_debuginfod_fetch(watch, PFX_FETCH_DEBUG, id, name);
	if (!path)
		return 0;
	rc = pfx_keep_file(dir, name, id, path, "debug", NULL);
	free(path);
	return rc < 0 ? 0 : 1;
}
