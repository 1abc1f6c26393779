/* SPDX-License-Identifier: MIT */
/* Opening an output that may have to wait for its reader. */
#ifndef PFX_FILE_OPEN_WAIT_H
#define PFX_FILE_OPEN_WAIT_H

#include <stdbool.h>

#include "base/error.h"
#include "file/writer/writer.h"

/* Who hears of a wait that has taken a second. */
struct pfx_open_wait {
	void (*tell)(void *context, const char *path);
	void *context;
};

/* As pfx_writer_open(), or _open_dir() with @is_dir. Where nobody reads a named pipe it waits;
 * SIGINT, SIGTERM and SIGHUP end the program then. From here on a write over the limit of file
 * sizes is an error, not a signal. */
int pfx_writer_open_wait(struct pfx_writer **ret, const char *path, bool is_dir,
			 const struct pfx_open_wait *wait, struct pfx_error *err);
/* As pfx_output_file_open(), with the same wait: a descriptor or a negative errno. */
int pfx_output_file_open_wait(const char *path, enum pfx_output_how how,
			      const struct pfx_open_wait *wait, struct pfx_error *err);

#endif
