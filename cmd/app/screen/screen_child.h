/* SPDX-License-Identifier: MIT */
/* Another command of pfx, whose output the screen shows. */
#ifndef PFX_CMD_SCREEN_CHILD_H
#define PFX_CMD_SCREEN_CHILD_H

#include "base/error.h"
#include "base/str.h"

/* Run pfx with these words, "pfx" first and NULL last, and append what it prints. A failure is an
 * error with the first line of what it says. */
int pfx_screen_child(const char *const *words, struct pfx_str *ret, struct pfx_error *err);

#endif
