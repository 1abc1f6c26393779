/* SPDX-License-Identifier: MIT */
/* Opening the output of a command, which may have to wait for its reader. */
#ifndef PFX_CMD_OUTPUT_OPEN_H
#define PFX_CMD_OUTPUT_OPEN_H

#include <signal.h>
#include <stdbool.h>

#include "base/error.h"
#include "file/writer/writer.h"

/* As pfx_writer_open(), or _open_dir() with @is_dir, for @command. Where nobody reads a named pipe
 * it waits, and says so after a second unless @is_quiet; SIGINT, SIGTERM and SIGHUP end the program
 * then. From here on a write over the limit of file sizes is an error, not a signal. */
int pfx_output_open(struct pfx_writer **ret, const char *path, bool is_dir, const char *command,
		    bool is_quiet, struct pfx_error *err);
/* As pfx_output_file_open(), for @command, with the same wait: a descriptor or a negative errno. */
int pfx_output_open_file(const char *path, enum pfx_output_how how, const char *command,
			 bool is_quiet, struct pfx_error *err);
/* Let SIGINT, SIGTERM and SIGHUP end the program, for a wait that nothing else would end;
 * sigprocmask() with *@ret_old takes it back. */
void pfx_let_signals_end(sigset_t *ret_old);

#endif
