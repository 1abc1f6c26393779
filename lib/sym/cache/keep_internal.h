/* SPDX-License-Identifier: MIT */
/* Shared by the files of the build-ID cache. */
#ifndef PFX_SYM_KEEP_INTERNAL_H
#define PFX_SYM_KEEP_INTERNAL_H

#include <stdbool.h>

#include "sym/elf/buildid.h"

#define PFX_KEEP_SPLIT_START "dwo-" /* prefix of the file name of a split unit */

/* Whether @path is a regular file whose contents match @what and @id: the build ID in the file, or
 * the SHA-1 of its contents. Of kallsyms and split debug information only the format is checked. */
bool pfx_keep_is_right(const char *path, const struct pfx_build_id *id, const char *what);
/* The name in a link target of the index, "../../usr/bin/x/0123" -> "/usr/bin/x", if the target
 * ends in @id; NULL: malformed, or leads out of the cache. The caller frees. */
char *pfx_keep_name_of_target(const char *target, const char *id);
/* Create the parent directories of @path. */
int pfx_keep_make_parents(const char *path);

#endif
