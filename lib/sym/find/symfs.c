/* SPDX-License-Identifier: MIT */
/*
 * Paths below --symfs: the recorded path, or in the flat layout only its file name. Does not open
 * files.
 */
#include "sym/find/symfs_internal.h"

#include <string.h>

#include "base/alloc.h"
#include "sym/find/request.h"

const char *pfx_symfs_dir(const struct pfx_sym_options *options)
{
	return options->symfs ? options->symfs : "";
}

const char *pfx_symfs_part(const struct pfx_sym_options *options, const char *path)
{
	const char *slash = strrchr(path, '/');

	return options->symfs && options->symfs_flat && slash ? slash : path;
}

char *pfx_symfs_path(const struct pfx_sym_options *options, const char *path)
{
	return pfx_strfmt("%s%s", pfx_symfs_dir(options), pfx_symfs_part(options, path));
}
