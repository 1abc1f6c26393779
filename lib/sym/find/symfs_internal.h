/* SPDX-License-Identifier: MIT */
/* Where a recorded path lies below --symfs. Strings that come back are the caller's. */
#ifndef PFX_SYM_SYMFS_INTERNAL_H
#define PFX_SYM_SYMFS_INTERNAL_H

#include "sym/find/request.h"
#include "sym/table/symtab.h"

/* The directory, "" when there is none: what stands in front of a path. */
const char *pfx_symfs_dir(const struct pfx_sym_options *options);
/* What stands behind it for a recorded path: the path, or in the flat layout its last part with the
 * slash. Part of @path. */
const char *pfx_symfs_part(const struct pfx_sym_options *options, const char *path);
/* Both together, on the heap. */
char *pfx_symfs_path(const struct pfx_sym_options *options, const char *path);

#endif
