/* SPDX-License-Identifier: MIT */
/*
 * The screen: is it a terminal, may there be colours, the pager. Data goes to standard output
 * through one big buffer; a closed pipe ends the program quietly.
 */
#ifndef PFX_OUT_TERM_H
#define PFX_OUT_TERM_H

#include <stdbool.h>

#include "base/error.h"
#include "base/str.h"

/* In a message: what follows begins a line on a terminal, elsewhere it is a blank. */
#define PFX_MESSAGE_BREAK "\x1f"

enum pfx_colour_when { PFX_COLOUR_AUTO, PFX_COLOUR_ALWAYS, PFX_COLOUR_NEVER };

/* Decide about colours: `always`/`never`, else CLICOLOR_FORCE, NO_COLOR, and whether stdout is a
 * terminal (asked before a pager takes its place). */
bool pfx_term_colours(enum pfx_colour_when when);
/* What AUTO means from now on, where the user's configuration says so; it outranks NO_COLOR. */
void pfx_term_set_colours(enum pfx_colour_when when);
/* Columns of the terminal (COLUMNS, then the terminal, then 80). */
unsigned pfx_term_width(void);
/* The same where standard output is a terminal, also behind a pager; 0 where it is not. */
unsigned pfx_term_screen(void);
/* The same where standard error is a terminal, also through a pager; 0 where it is not. */
unsigned pfx_term_message_width(void);
/* Start the pager of @command (NULL: PFX_PAGER, PERF_PAGER, PAGER, less) when stdout is a terminal.
 * @chops: less does not wrap long lines, unless $LESS says otherwise. */
void pfx_pager_start(const char *command, bool chops);
/* Close stdout and wait for the pager, if one was started. */
void pfx_pager_finish(void);
/* Write what is in @s to standard output and empty it: 0 or a negative errno (-EPIPE included). */
int pfx_out_flush(struct pfx_str *s);
/* The same when it holds more than @above bytes, with an error that says so. */
int pfx_out_write(struct pfx_str *s, size_t above, struct pfx_error *err);
/* The first failure of pfx_out_flush(), or that of what stdio still held: 0 or a negative errno. */
int pfx_out_failure(void);

#endif
