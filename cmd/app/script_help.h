/* SPDX-License-Identifier: MIT */
/* The help text of a script: of `pfx script NAME -h` and of `pfx help NAME`. */
#ifndef PFX_CMD_SCRIPT_HELP_H
#define PFX_CMD_SCRIPT_HELP_H

#include <stdbool.h>

#include "base/str.h"

/* What the script is for and how it is run; false when there is no such script. A file of a script
 * will do for its name. */
bool pfx_script_help(const char *name, struct pfx_str *to);

#endif
