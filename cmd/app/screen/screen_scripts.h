/* SPDX-License-Identifier: MIT */
/* What the screen can run with a recording: `pfx script`, for its samples as text or for a script
 * that it lists. Zero-initialize. */
#ifndef PFX_CMD_SCREEN_SCRIPTS_H
#define PFX_CMD_SCREEN_SCRIPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

struct pfx_screen_scripts {
	/* private */
	struct pfx_str catalog; /* as text; with a NUL after each line */
	bool is_listed;
};

/* A line about the n-th of them, valid until the next call; NULL: no more. */
const char *pfx_screen_scripts_line(struct pfx_screen_scripts *scripts, uint32_t n);
/* Run it in the terminal, which the screen has left, and wait until the user has read its output:
 * 0 or an error. */
int pfx_screen_scripts_run(struct pfx_screen_scripts *scripts, uint32_t n, const char *recording,
			   struct pfx_error *err);
void pfx_screen_scripts_fini(struct pfx_screen_scripts *scripts);

#endif
