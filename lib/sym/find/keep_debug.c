/* SPDX-License-Identifier: MIT */
/*
 * Debug files for the build-id cache, from debuginfod servers: of stripped binaries whose debug
 * file is nowhere on this machine. How the cache is laid out is known to keep.c.
 */
#include <stdlib.h>

#include "sym/cache/debuginfod_internal.h"
#include "sym/cache/keep.h"
#include "sym/elf/buildid.h"
#include "sym/elf/elf_internal.h"
#include "sym/find/find_internal.h"
#include "sym/find/keep_debug.h"
#include "sym/find/request.h"

/* Whether there are symbols of the binary here, in itself or beside it. */
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
