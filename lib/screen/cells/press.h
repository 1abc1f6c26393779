/* SPDX-License-Identifier: MIT */
/* Keys and the mouse, as numbers that no terminal library defines. A character is its code point;
 * Ctrl and a letter are 1 to 26, as terminals send them. */
#ifndef PFX_SCREEN_PRESS_H
#define PFX_SCREEN_PRESS_H

#include <stdint.h>

enum pfx_press_code {
	PFX_PRESS_NONE = 0,
	PFX_PRESS_TAB = '\t',
	PFX_PRESS_ENTER = '\r',
	PFX_PRESS_ESC = 27,
	PFX_PRESS_UP = 0x110000, /* above all code points */
	PFX_PRESS_DOWN,
	PFX_PRESS_LEFT,
	PFX_PRESS_RIGHT,
	PFX_PRESS_PAGE_UP,
	PFX_PRESS_PAGE_DOWN,
	PFX_PRESS_HOME,
	PFX_PRESS_END,
	PFX_PRESS_BACK_TAB, /* Shift and Tab */
	PFX_PRESS_BACKSPACE,
	PFX_PRESS_DELETE,
	PFX_PRESS_F1,
	PFX_PRESS_CLICK, /* the first button is pressed, at x, y; */
	PFX_PRESS_DOUBLE,
	PFX_PRESS_RELEASE, /* and released */
	PFX_PRESS_MENU,    /* the right button */
	PFX_PRESS_WHEEL_UP,
	PFX_PRESS_WHEEL_DOWN,
	PFX_PRESS_RESIZE, /* the terminal has another size: draw again */
	PFX_PRESS_LAST,
};

#define PFX_PRESS_CTRL(letter) ((letter)&0x1f)

struct pfx_press {
	uint32_t code; /* enum pfx_press_code, or a character */
	unsigned x, y; /* of the mouse: column and row, from 0 */
};

#endif
