/* SPDX-License-Identifier: MIT */
/* The finished files of a recording in several files: they are named after the time, and a limited
 * number of them is kept. */
#ifndef PFX_RECORD_NAMED_FILES_H
#define PFX_RECORD_NAMED_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/error.h"

/* Zero has none. Owns the names, not the files. */
struct pfx_named_files {
	PFX_VEC(char *) names;
	size_t oldest; /* the first that was not removed */
};

/* Rename the finished file or directory @path after the time; *@ret_name is borrowed. Waits a
 * hundredth of a second where there is such a file already. */
int pfx_named_files_add(struct pfx_named_files *files, const char *path, const char **ret_name,
			struct pfx_error *err);
/* Remove the oldest one when there are more than @most (0: any number), with *@ret_name. 1 when it
 * was done or the file was gone already, 0 when nothing is to be removed, a negative errno when it
 * stays; it is not tried again. */
int pfx_named_files_trim(struct pfx_named_files *files, uint64_t most, const char **ret_name);
void pfx_named_files_fini(struct pfx_named_files *files);

#endif
