/* SPDX-License-Identifier: MIT */
/* A screen without a terminal on the small profile of view_world.h: keys are pressed as text, and
 * what it shows is read as lines. */
#ifndef PFX_TESTS_SCREEN_WORLD_H
#define PFX_TESTS_SCREEN_WORLD_H

#include "../view/view_world.h"
#include "screen/screen_state.h"

static struct pfx_screen *screen;
static struct pfx_grid grid;
static struct pfx_str shown;

/* The screen as lines. */
static inline const char *show(void)
{
	pfx_str_clear(&shown);
	pfx_screen_draw(screen, &grid);
	pfx_grid_text(&grid, &shown);
	return shown.at;
}

static inline enum pfx_screen_answer press(uint32_t code)
{
	return pfx_screen_press(screen, &(struct pfx_press){.code = code});
}

/* Each character is a key; "\n" is Enter, "^" Esc, "<" and so on are themselves. */
static inline void type(const char *keys)
{
	for (; *keys; keys++) {
		press(*keys == '\n'   ? PFX_PRESS_ENTER
		      : *keys == '^'  ? PFX_PRESS_ESC
		      : *keys == '\v' ? PFX_PRESS_DOWN
				      : (uint32_t)(unsigned char)*keys);
		show();
	}
}

static inline void expect_text(const char *part)
{
	if (!strstr(show(), part))
		fail_msg("'%s' is not on the screen:\n%s", part, shown.at);
}

static inline void expect_no_text(const char *part)
{
	if (strstr(show(), part))
		fail_msg("'%s' is on the screen:\n%s", part, shown.at);
}

/* The line with the cursor, without blanks at its ends. */
static inline const char *selected_line(void)
{
	static char line[1000];
	unsigned x, y, len = 0;

	show();
	for (y = 1; y + 1 < grid.height; y++) {
		if (!pfx_grid_at(&grid, 0, y)->pen.selected)
			continue;
		for (x = 0; x < grid.width; x++)
			line[len++] = (char)pfx_grid_at(&grid, x, y)->ch;
		break;
	}
	while (len && line[len - 1] == ' ')
		len--;
	line[len] = '\0';
	return line + strspn(line, " ");
}

/* After world_begin() and samples. */
static inline void screen_begin(const struct pfx_screen_options *options)
{
	struct pfx_screen_options own = options ? *options : (struct pfx_screen_options){0};

	world_ready();
	if (!own.levels)
		own.levels = "";
	if (!options)
		own.children = true;
	own.ascii = true;
	own.title = "test.data";
	screen = pfx_screen_new(&own);
	pfx_screen_show(screen, world.profile);
	pfx_grid_resize(&grid, 120, 20);
}

static inline void screen_end(void)
{
	pfx_screen_free(screen);
	pfx_grid_fini(&grid);
	pfx_str_fini(&shown);
	world_end();
}

#endif
