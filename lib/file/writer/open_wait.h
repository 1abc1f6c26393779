/* SPDX-License-Identifier: MIT */
/* Opening an output that may have to wait for the reader of a named pipe. */
#ifndef PFX_FILE_OPEN_WAIT_H
#define PFX_FILE_OPEN_WAIT_H

#include <stdbool.h>

#include "base/error.h"
#include "file/writer/writer.h"

/* Called when a wait has taken a second. */
struct pfx_open_wait {
	void (*tell)(void *context, const char *path);
	void *context;
};

/* As pfx_writer_open(), or _open_dir() with @is_dir. Waits until a named pipe has a reader; SIGINT,
 * SIGTERM and SIGHUP end the program during the wait. After this call, a write over the file size
 * limit is an error, not a signal. */
int pfx_writer_open_wait(struct pfx_writer **ret, const char *path, bool is_dir,
			 const struct pfx_open_wait *wait, struct pfx_error *err);
/* As pfx_output_file_open(), with the same wait: a descriptor or a negative errno. */
int pfx_output_file_open_wait(const char *path, enum pfx_output_how how,
			      const struct pfx_open_wait *wait, struct pfx_error *err);

#endif
