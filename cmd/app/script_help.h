/* SPDX-License-Identifier: MIT */
/* The help text of a script: of `pfx script NAME -h` and of `pfx help NAME`. */
#ifndef PFX_CMD_SCRIPT_HELP_H
#define PFX_CMD_SCRIPT_HELP_H

#include <stdbool.h>

#include "base/str.h"

/* Description and usage of the script; false if there is no such script. @name may also be a script
 * file. */
bool pfx_script_help(const char *name, struct pfx_str *to);

#endif
