/* SPDX-License-Identifier: MIT */
/*
 * A file that gets its name when it is complete. Until then it has none, so that nothing is left of
 * it if a signal ends the program, and an earlier file of that name stays as it is. On file systems
 * without such files (NFS) it is called PATH.PID.part.
 */
#ifndef PFX_BASE_LATE_FILE_H
#define PFX_BASE_LATE_FILE_H

#include <stdbool.h>
#include <sys/types.h>

struct pfx_late_file {
	int fd; /* for writing and reading; -1: none */
	/* private */
	char *path, *beside;
	bool is_beside; /* it is called so */
};

/* @mode: permissions, as of open(). 0, or a negative errno; then there is nothing to close. */
int pfx_late_file_open(struct pfx_late_file *ret, const char *path, mode_t mode);
/* With @rc 0 the file gets its name and replaces an earlier one, else it is removed: @rc, or the
 * negative errno of closing or renaming. Without effect if there is none. */
int pfx_late_file_close(struct pfx_late_file *file, int rc);

#endif
