/* SPDX-License-Identifier: MIT */
/* The finished files of a recording in several files: they are named after the time, and a limited
 * number of them is kept. */
#ifndef PFX_RECORD_NAMED_FILES_H
#define PFX_RECORD_NAMED_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"

/* Zero-initialize. Owns the names, not the files. */
struct pfx_named_files {
	PFX_VEC(char *) names;
	size_t oldest; /* the first that was not removed */
};

/* Rename the finished file or directory @path after the time; *@ret_name is borrowed. Waits a
 * hundredth of a second if that file already exists. */
int pfx_named_files_add(struct pfx_named_files *files, const char *path, const char **ret_name,
			struct pfx_error *err);
/* Remove the oldest one if there are more than @most (0: unlimited), whose name is *@ret_name. 1 if
 * it is removed or was already gone, 0 if there is nothing to remove, a negative errno if it cannot
 * be removed; it is not tried again. */
int pfx_named_files_trim(struct pfx_named_files *files, uint64_t most, const char **ret_name);
void pfx_named_files_fini(struct pfx_named_files *files);

#endif
