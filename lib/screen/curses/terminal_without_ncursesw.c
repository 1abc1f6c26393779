/* SPDX-License-Identifier: MIT */
/* A build without ncurses has no screen; see terminal_with_ncursesw.c. */
#include <errno.h>

#include "screen/curses/terminal.h"

bool pfx_terminal_is_built(void)
{
	return false;
}

const char *pfx_terminal_obstacle(void)
{
	return "this build of pfx has no screen: it was made without ncurses";
}

int pfx_terminal_open(const struct pfx_terminal_options *options, struct pfx_error *err)
{
	return pfx_error_set(err, ENOTSUP, "%s", pfx_terminal_obstacle());
}

void pfx_terminal_close(void)
{
}

bool pfx_terminal_has_utf8(void)
{
	return false;
}

void pfx_terminal_size(unsigned *ret_width, unsigned *ret_height)
{
	*ret_width = 80;
	*ret_height = 24;
}

void pfx_terminal_draw(const struct pfx_grid *grid)
{
}

void pfx_terminal_mouse(bool on)
{
}

int pfx_terminal_read(int timeout_ms, struct pfx_press *ret)
{
	return -EIO;
}

void pfx_terminal_suspend(void)
{
}

void pfx_terminal_leave(void)
{
}
