/* SPDX-License-Identifier: MIT */
#include "cmd/app/screen/screen_loop.h"

#include "screen/curses/terminal.h"

void pfx_screen_loop_draw(struct pfx_screen *screen, struct pfx_grid *grid)
{
	unsigned width, height;

	pfx_terminal_size(&width, &height);
	pfx_grid_resize(grid, width, height);
	pfx_screen_draw(screen, grid);
	pfx_terminal_draw(grid);
}

/* Keys that arrive together are drawn once. */
static enum pfx_screen_answer press_keys(struct pfx_screen *screen)
{
	enum pfx_screen_answer answer = PFX_SCREEN_GO_ON;
	struct pfx_press press;
	int rc = pfx_terminal_read(-1, &press);

	for (; rc > 0 && answer == PFX_SCREEN_GO_ON; rc = pfx_terminal_read(0, &press)) {
		answer = pfx_screen_press(screen, &press);
		if (answer != PFX_SCREEN_GO_ON)
			return answer;
	}
	return rc < 0 ? PFX_SCREEN_QUIT : answer;
}

enum pfx_screen_answer pfx_screen_loop(struct pfx_screen *screen, struct pfx_grid *grid)
{
	enum pfx_screen_answer answer;

	do {
		pfx_screen_loop_draw(screen, grid);
		answer = press_keys(screen);
		if (answer == PFX_SCREEN_SUSPEND)
			pfx_terminal_suspend();
	} while (answer == PFX_SCREEN_GO_ON || answer == PFX_SCREEN_SUSPEND);
	return answer;
}
