/* SPDX-License-Identifier: MIT */
/*
 * An output that gets its name when it is complete (base/late_file.h). The rules for paths are
 *those of pfx_output_file_open(): links are followed. Pipes, devices and /dev/stdout are written to
 *directly.
 *
 *	rc = pfx_part_open(&part, path, &wait, &err);
 *	rc = pfx_part_close(&part, pfx_write_full(part.fd, data, size), &err);
 */
#ifndef PFX_FILE_PART_H
#define PFX_FILE_PART_H

#include "base/late_file.h"
#include "file/writer/open_wait.h"

struct pfx_part {
	int fd;
	/* private */
	char *path;
	struct pfx_late_file late; /* without one, the output is written to directly */
};

/* 0, or a negative errno; then there is nothing to close. @wait as of
 * pfx_output_file_open_wait(). After this call, a write over the file size limit is an error, not a
 * signal. */
int pfx_part_open(struct pfx_part *ret, const char *path, const struct pfx_open_wait *wait,
		  struct pfx_error *err);
/* With @rc 0 the file gets its name, else it is removed: @rc, or the error of renaming. */
int pfx_part_close(struct pfx_part *part, int rc, struct pfx_error *err);

#endif
