/* SPDX-License-Identifier: MIT */
/* Opening the output of a command; opening a named pipe waits for its reader. */
#ifndef PFX_CMD_OUTPUT_OPEN_H
#define PFX_CMD_OUTPUT_OPEN_H

#include "file/writer/open_wait.h"

/* As pfx_writer_open_wait(): after a second @command (NULL: without a note) reports on standard
 * error what it waits for. */
int pfx_output_open(struct pfx_writer **ret, const char *path, const char *command,
		    struct pfx_error *err);
/* As pfx_output_file_open_wait(), with the same note. */
int pfx_output_open_file(const char *path, enum pfx_output_how how, const char *command,
			 struct pfx_error *err);
/* For others that open outputs: what prints this note. */
struct pfx_open_wait pfx_output_wait(const char *command);
/* The note itself. */
void pfx_output_say_waiting(const char *command, const char *path);

#endif
