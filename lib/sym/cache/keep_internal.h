/* SPDX-License-Identifier: MIT */
/* Shared by the files about the build-id cache. */
#ifndef PFX_SYM_KEEP_INTERNAL_H
#define PFX_SYM_KEEP_INTERNAL_H

#include <stdbool.h>

#include "sym/elf/buildid.h"

#define PFX_KEEP_SPLIT_START "dwo-" /* of the names of files with the half of a unit */

/* Whether @path is a plain file that may be kept as @what of the build @id: its build ID, or what
 * the id is the SHA-1 of. Of kallsyms and split debug information only the form is known. */
bool pfx_keep_is_right(const char *path, const struct pfx_build_id *id, const char *what);
/* The name in the target of a link of the index, "../../usr/bin/x/0123" -> "/usr/bin/x", when it
 * ends in @id; NULL: it is none, or leads out of the cache. The caller frees. */
char *pfx_keep_name_of_target(const char *target, const char *id);
/* Make the directory that @path is in, and those above. */
int pfx_keep_make_parents(const char *path);

#endif
