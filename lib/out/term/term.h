/* SPDX-License-Identifier: MIT */
/*
 * Terminal output: detection, colours, the pager. Data goes to standard output through one big
 * buffer; a closed pipe ends the program quietly.
 */
#ifndef PFX_OUT_TERM_H
#define PFX_OUT_TERM_H

#include <stdbool.h>

#include "base/error.h"
#include "base/str.h"

/* In a message: a line break on a terminal, otherwise a blank. */
#define PFX_MESSAGE_BREAK "\x1f"

enum pfx_colour_when { PFX_COLOUR_AUTO, PFX_COLOUR_ALWAYS, PFX_COLOUR_NEVER };

/* Decide about colours: `always`/`never`, else CLICOLOR_FORCE, NO_COLOR, and whether stdout is a
 * terminal (checked before a pager is started). */
bool pfx_term_colours(enum pfx_colour_when when);
/* Set the meaning of AUTO from the user's configuration; it overrides NO_COLOR. */
void pfx_term_set_colours(enum pfx_colour_when when);
/* Columns of the terminal (COLUMNS, then the terminal, then 80). */
unsigned pfx_term_width(void);
/* The same if standard output is a terminal, also through a pager; otherwise 0. */
unsigned pfx_term_screen(void);
/* The same if standard error is a terminal, also through a pager; otherwise 0. */
unsigned pfx_term_message_width(void);
/* Start the pager of @command (NULL: PFX_PAGER, PERF_PAGER, PAGER, less) if stdout is a terminal.
 * @chops: less does not wrap long lines, unless $LESS is set. */
void pfx_pager_start(const char *command, bool chops);
/* Close stdout and wait for the pager, if one was started. */
void pfx_pager_finish(void);
/* Write @s to standard output and clear it: 0 or a negative errno (-EPIPE included). */
int pfx_out_flush(struct pfx_str *s);
/* The same if it has more than @above bytes, with an error message. */
int pfx_out_write(struct pfx_str *s, size_t above, struct pfx_error *err);
/* The first failure of pfx_out_flush(), or of flushing stdio: 0 or a negative errno. */
int pfx_out_failure(void);

#endif
