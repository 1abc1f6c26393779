/* SPDX-License-Identifier: MIT */
/* Exit codes of perf 6.1 for errors that pfx by its own name ends with 129 or 255 for. */
#ifndef PFX_CMD_EXIT_CODES_H
#define PFX_CMD_EXIT_CODES_H

#include <stdbool.h>

#include "base/error.h"

/* Remember the error of @command (NULL: the program itself) that was printed last. */
void pfx_exit_code_note(const char *command, const struct pfx_error *err);
/* The exit code in place of @code: started as perf, that of perf for the last error, if the table
 * has a row for it. 0 stays 0. */
int pfx_exit_code(int code);
/* The exit code of `stat` for a workload that this signal ended: 0 in perf. */
int pfx_exit_code_killed(int signal);
/* Whether `script NAME -- COMMAND` ends with the script's exit code whatever the command's is. */
bool pfx_exit_code_is_scripts(void);

#endif
