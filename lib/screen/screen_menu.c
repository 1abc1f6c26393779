/* SPDX-License-Identifier: MIT */
/* A list of choices in the middle of the screen. An entry is a function with two values. */
#include <stdio.h>

#include "screen/screen_internal.h"

void pfx_menu_open(struct pfx_screen *s, const char *title)
{
	s->menu.title = title;
	s->menu.entries.nr = s->menu.cursor = s->menu.top = 0;
	s->menu.is_open = true;
}

void pfx_menu_add(struct pfx_screen *s, const char *label,
		  void (*choose)(struct pfx_screen *, const struct pfx_menu_entry *))
{
	struct pfx_menu_entry *entry = pfx_vec_add(&s->menu.entries);

	*entry = (struct pfx_menu_entry){.label = pfx_screen_intern(s, label), .choose = choose};
}

struct pfx_menu_entry *pfx_menu_last(struct pfx_screen *s)
{
	return &s->menu.entries.at[s->menu.entries.nr - 1];
}

static void choose(struct pfx_screen *s, size_t index)
{
	struct pfx_menu_entry entry;

	if (index >= s->menu.entries.nr)
		return;
	entry = s->menu.entries.at[index];
	s->menu.is_open = false;
	entry.choose(s, &entry);
}

void pfx_menu_ready(struct pfx_screen *s, const char *if_empty)
{
	if (!s->menu.entries.nr) {
		s->menu.is_open = false;
		pfx_screen_say(s, if_empty);
	}
}

void pfx_menu_ask(struct pfx_screen *s, const char *if_empty)
{
	if (s->menu.entries.nr == 1)
		choose(s, 0);
	else
		pfx_menu_ready(s, if_empty);
}

static void move(struct pfx_menu *menu, long by)
{
	long at = (long)menu->cursor + by, last = (long)menu->entries.nr - 1;

	menu->cursor = (size_t)(at < 0 ? 0 : at > last ? last : at);
}

void pfx_menu_press(struct pfx_screen *s, const struct pfx_press *press)
{
	struct pfx_menu *menu = &s->menu;

	switch (press->code) {
	case PFX_PRESS_UP:
	case PFX_PRESS_WHEEL_UP:
		move(menu, -1);
		return;
	case PFX_PRESS_DOWN:
	case PFX_PRESS_WHEEL_DOWN:
	case PFX_PRESS_TAB:
		move(menu, 1);
		return;
	case PFX_PRESS_PAGE_UP:
		move(menu, -10);
		return;
	case PFX_PRESS_PAGE_DOWN:
		move(menu, 10);
		return;
	case PFX_PRESS_ENTER:
		choose(s, menu->cursor);
		return;
	case PFX_PRESS_ESC:
	case PFX_PRESS_BACKSPACE:
	case PFX_PRESS_MENU:
	case PFX_PRESS_CTRL('C'):
	case 'q':
		menu->is_open = false;
		return;
	default:
		/* The number of an entry. */
		if (press->code >= '1' && press->code <= '9')
			choose(s, press->code - '1');
	}
}

static unsigned width_of(const struct pfx_menu *menu)
{
	unsigned width = pfx_text_columns(menu->title) + 4, columns;
	size_t i;

	for (i = 0; i < menu->entries.nr; i++) {
		columns = pfx_text_columns(menu->entries.at[i].label) + 7;
		if (columns > width)
			width = columns;
	}
	return width;
}

static void draw_entry(struct pfx_screen *s, struct pfx_grid *grid, const unsigned box[3], size_t i)
{
	const struct pfx_menu *menu = &s->menu;
	char number[8] = "";

	if (i < 9)
		snprintf(number, sizeof(number), "%zu", i + 1);
	grid->pen = (struct pfx_pen){.selected = i == menu->cursor, .link = (uint32_t)i + 1};
	pfx_grid_fill(grid, box[0], box[1], ' ', box[2]);
	grid->pen.style = PFX_STYLE_KEY;
	pfx_grid_put(grid, box[0] + 2, box[1], number, 1);
	grid->pen.style = PFX_STYLE_NORMAL;
	pfx_grid_put(grid, box[0] + 4, box[1], menu->entries.at[i].label,
		     box[2] > 5 ? box[2] - 5 : 0);
}

void pfx_menu_draw(struct pfx_screen *s, struct pfx_grid *grid)
{
	struct pfx_menu *menu = &s->menu;
	unsigned width = width_of(menu), height, x, y, k;
	unsigned room = grid->height > 4 ? grid->height - 4 : 1;

	if (width > grid->width)
		width = grid->width;
	height = menu->entries.nr < room ? (unsigned)menu->entries.nr : room;
	menu->top = pfx_screen_scroll(menu->top, menu->cursor, menu->entries.nr, height);
	x = (grid->width - width) / 2;
	y = grid->height > height + 2 ? (grid->height - height - 2) / 2 : 0;
	grid->pen = (struct pfx_pen){.style = PFX_STYLE_TITLE};
	pfx_grid_fill(grid, x, y, ' ', width);
	pfx_grid_put(grid, x + 2, y, menu->title, width > 3 ? width - 3 : 0);
	for (k = 0; k < height; k++)
		draw_entry(s, grid, (const unsigned[]){x, y + 1 + k, width}, menu->top + k);
	grid->pen = (struct pfx_pen){.style = PFX_STYLE_TITLE};
	if (y + 1 + height < grid->height)
		pfx_grid_fill(grid, x, y + 1 + height, ' ', width);
	grid->pen = (struct pfx_pen){0};
}
