/* SPDX-License-Identifier: MIT */
/*
 * The build-id cache: copies of binaries by build id, laid out as perf does, so that a recording
 * can be read after a binary was rebuilt. DIR/NAME/ID/elf (kallsyms, vdso) holds the bytes, and
 * DIR/.build-id/xx/yyyy is a link to DIR/NAME/ID.
 */
#ifndef PFX_SYM_KEEP_H
#define PFX_SYM_KEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "sym/buildid.h"

/* The cache's directory into *@ret, which the caller frees: @dir, or ~/.debug when it is NULL.
 * False when there is none to be kept: no home, or @dir is empty or /dev/null. */
bool pfx_keep_dir(const char *dir, char **ret);
/* Keep the file @from under the name and id; a hard link where that works. What is there already
 * stays. @what is "elf", or "kallsyms" for the kernel's symbols. */
int pfx_keep_file(const char *dir, const char *name, const struct pfx_build_id *id,
		  const char *from, const char *what, struct pfx_error *err);
/* The same from bytes in memory ("vdso"). */
int pfx_keep_bytes(const char *dir, const char *name, const struct pfx_build_id *id,
		   const void *data, size_t size, struct pfx_error *err);

#endif
