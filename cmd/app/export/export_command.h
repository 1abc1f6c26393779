/* SPDX-License-Identifier: MIT */
/* An export with its messages, for the commands that write one. */
#ifndef PFX_CMD_EXPORT_COMMAND_H
#define PFX_CMD_EXPORT_COMMAND_H

#include "cmd/app/export/export_options.h"
#include "export/export_run.h"
#include "read/recording.h"

/* Read, filter and write a recording, with messages in the name of @command. Returns the exit code;
 * *@ret_nr (may be NULL) is how many samples the output has, 0 after an error. */
int pfx_export_command(const char *command, const struct pfx_export_options *options,
		       const struct pfx_export *format, uint64_t *ret_nr);
/* Before something takes long: whether the recording of --diff, if there is one, can be read. */
int pfx_export_check_old(const struct pfx_export_options *options, struct pfx_error *err);
/* "[ pfx flamegraph: wrote FILE (2.1 MB, 1234 samples) ]", if it is a file. */
void pfx_export_say_done(const char *command, const char *output, uint64_t nr);

#endif
