/* SPDX-License-Identifier: MIT */
/* Declarations shared by the files of the option engine and the program's own options. */
#ifndef PFX_CMD_OPTIONS_INTERNAL_H
#define PFX_CMD_OPTIONS_INTERNAL_H

#include "cmd/app/options.h"

/* Options that every command has. */
enum pfx_special { PFX_SPECIAL_NONE, PFX_SPECIAL_HELP, PFX_SPECIAL_LIST };

#define PFX_LIST_CODE 130 /* exit code of --list-opts, as perf's */

/* As pfx_options_parse(); stops after a special option. */
int pfx_options_take(const struct pfx_command *command, int argc, char **argv, void *options,
		     enum pfx_special *ret_special, struct pfx_error *err);

#endif
