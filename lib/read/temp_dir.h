/* SPDX-License-Identifier: MIT */
/*
 * A directory for files that last as long as the program. The program removes it when it is freed;
 * a child process waits until the program ends, for any reason, and removes it if it still exists.
 */
#ifndef PFX_READ_TEMP_DIR_H
#define PFX_READ_TEMP_DIR_H

#include "base/error.h"

struct pfx_temp_dir;

/* Make "pfx-NAME-..." in $TMPDIR or /tmp, for this user only. The caller frees it. */
int pfx_temp_dir_new(struct pfx_temp_dir **ret, const char *name, struct pfx_error *err);
/* NULL is allowed. */
void pfx_temp_dir_free(struct pfx_temp_dir *dir);
const char *pfx_temp_dir_path(const struct pfx_temp_dir *dir);

#endif
