/* SPDX-License-Identifier: MIT */
/* Commands of perf that pfx lacks. */
#ifndef PFX_CMD_MISSING_H
#define PFX_CMD_MISSING_H

#include <stdbool.h>

#include "base/error.h"

/* Whether perf has this command and pfx does not; @err says so, with pfx's replacement. */
bool pfx_program_is_missing(const char *word, struct pfx_error *err);
/* The command @word with its words @argv: started as perf, another perf is run in place of this
 * program, which is said on standard error; else an error is printed. Returns the exit code, or -1
 * if perf has no such command. */
int pfx_run_missing(const char *word, int argc, char **argv);

/* Print " bench kmem ...": the commands that pfx_run_missing() hands over; nothing unless started
 * as perf with another perf installed. */
void pfx_list_handed_over(void);

#endif
