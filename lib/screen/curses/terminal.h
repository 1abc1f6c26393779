/* SPDX-License-Identifier: MIT */
/*
 * A terminal that shows a grid of cells and reads keys: the only part of pfx that uses ncurses. A
 * build without it has no terminal. There is one terminal in a process. A signal that ends the
 * process gives the terminal its settings back first.
 */
#ifndef PFX_SCREEN_TERMINAL_H
#define PFX_SCREEN_TERMINAL_H

#include "base/error.h"
#include "screen/cells/background.h"
#include "screen/cells/cell_grid.h"
#include "screen/cells/press.h"

struct pfx_terminal_options {
	bool no_colours; /* use bold and inverse text only */
	/* Unknown: the terminal is asked, if its type understands the question; it has a tenth of a
	 * second. What is typed meanwhile is read later. */
	enum pfx_background background;
	bool no_mouse; /* the terminal selects text with the mouse */
};

/* Whether this build has one. */
bool pfx_terminal_is_built(void);
/* Why standard input and output cannot be one, as a sentence; NULL: they can. */
const char *pfx_terminal_obstacle(void);
/* Use standard input and output: 0, or an error; then there is nothing to close. */
int pfx_terminal_open(const struct pfx_terminal_options *options, struct pfx_error *err);
void pfx_terminal_close(void);

/* Whether it shows characters beyond ASCII. */
bool pfx_terminal_has_utf8(void);
void pfx_terminal_size(unsigned *ret_width, unsigned *ret_height);
/* Show the grid. */
void pfx_terminal_draw(const struct pfx_grid *grid);
/* Use the mouse, or leave it to the terminal. */
void pfx_terminal_mouse(bool on);
/* Wait for a key or the mouse, at most @timeout_ms (-1: without limit): 1; 0 after that time;
 * -EIO: the terminal is gone. */
int pfx_terminal_read(int timeout_ms, struct pfx_press *ret);
/* Suspend the process as Ctrl-Z does; returns when it continues. */
void pfx_terminal_suspend(void);
/* Leave the terminal to another program, as it was before, until the next pfx_terminal_draw(). */
void pfx_terminal_leave(void);

#endif
