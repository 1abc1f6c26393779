/* SPDX-License-Identifier: MIT */
/* Maps a recorded path to one below --symfs. The caller frees returned strings unless stated
 * otherwise. */
#ifndef PFX_SYM_SYMFS_INTERNAL_H
#define PFX_SYM_SYMFS_INTERNAL_H

#include "sym/find/request.h"
#include "sym/table/symtab.h"

/* The directory that is put before a path, "" without a symfs. Borrowed. */
const char *pfx_symfs_dir(const struct pfx_sym_options *options);
/* The part of @path that follows the directory: the whole path, or in the flat layout a slash and
 * the file name. Borrowed from @path. */
const char *pfx_symfs_part(const struct pfx_sym_options *options, const char *path);
/* The complete path, on the heap. */
char *pfx_symfs_path(const struct pfx_sym_options *options, const char *path);

#endif
