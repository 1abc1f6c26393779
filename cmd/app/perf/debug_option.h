/* SPDX-License-Identifier: MIT */
/* `--debug NAME[=N]` before the command: perf's switches for more messages. */
#ifndef PFX_CMD_DEBUG_OPTION_H
#define PFX_CMD_DEBUG_OPTION_H

#include "base/error.h"
#include "cli/options.h"

#define PFX_DEBUG_MAX 9 /* highest level; more is not louder */

/* Set *@level, the number of -v for the command, by "verbose=2" and similar words. -EINVAL for
 * unknown names. */
int pfx_debug_level(const char *word, int *level, struct pfx_error *err);
/* @argv with -v @level times after the command's name, if the command has -v; *@argc is changed.
 * NULL: nothing to add. On the heap, one block. */
char **pfx_debug_words(const struct pfx_command *command, int level, int *argc, char **argv);

#endif
