/* SPDX-License-Identifier: MIT */
/*
 * The keys of all views: one table from which key presses, the help and the manual page come. A key
 * that perf has in the same place means what it means there; tests/unit/screen holds the list.
 */
#ifndef PFX_SCREEN_KEYS_H
#define PFX_SCREEN_KEYS_H

#include "screen/cells/press.h"
#include "screen/screen_state.h"

enum pfx_screen_action {
	PFX_ACT_NONE,
	PFX_ACT_UP,
	PFX_ACT_DOWN,
	PFX_ACT_PAGE_UP,
	PFX_ACT_PAGE_DOWN,
	PFX_ACT_FIRST,
	PFX_ACT_LAST,
	PFX_ACT_LEFT,
	PFX_ACT_RIGHT,
	PFX_ACT_ENTER,
	PFX_ACT_TOGGLE,
	PFX_ACT_OPEN_ENTRY,
	PFX_ACT_OPEN_ALL,
	PFX_ACT_CLOSE_ENTRY,
	PFX_ACT_CLOSE_ALL,
	PFX_ACT_DIRECTION,
	PFX_ACT_MENU,
	PFX_ACT_ZOOM_DSO,
	PFX_ACT_ZOOM_THREAD,
	PFX_ACT_ZOOM_PROCESS,
	PFX_ACT_ZOOM_KERNEL,
	PFX_ACT_ZOOM_SOCKET,
	PFX_ACT_ZOOM_CPU,
	PFX_ACT_ZOOM_THROUGH,
	PFX_ACT_ALL,
	PFX_ACT_ROWS_BY,
	PFX_ACT_SORT_NEXT,
	PFX_ACT_SORT_PREVIOUS,
	PFX_ACT_SORT_EVENT,
	PFX_ACT_LIMIT,
	PFX_ACT_RELATIVE,
	PFX_ACT_HEADINGS,
	PFX_ACT_EVENT_NEXT,
	PFX_ACT_EVENT_PREVIOUS,
	PFX_ACT_EVENTS,
	PFX_ACT_CODE,
	PFX_ACT_TABLE,
	PFX_ACT_FLAME,
	PFX_ACT_TIMELINE,
	PFX_ACT_SANDWICH,
	PFX_ACT_HEADER,
	PFX_ACT_HELP,
	PFX_ACT_INVERT,
	PFX_ACT_MARK,
	PFX_ACT_HOTTEST,
	PFX_ACT_HOT_NEXT,
	PFX_ACT_HOT_PREVIOUS,
	PFX_ACT_SOURCE,
	PFX_ACT_VALUES,
	PFX_ACT_JUMPS,
	PFX_ACT_LINES,
	PFX_ACT_CYCLES,
	PFX_ACT_GLOBAL,
	PFX_ACT_HITS,
	PFX_ACT_JUMP_COUNTS,
	PFX_ACT_RAW,
	PFX_ACT_OFFSETS,
	PFX_ACT_ADDRESSES,
	PFX_ACT_LOCATION,
	PFX_ACT_FILTER,
	PFX_ACT_SEARCH,
	PFX_ACT_SEARCH_BACK,
	PFX_ACT_FIND_NEXT,
	PFX_ACT_FIND_PREVIOUS,
	PFX_ACT_SCRIPTS,
	PFX_ACT_VERBOSE,
	PFX_ACT_RECORDINGS,
	PFX_ACT_SAVE,
	PFX_ACT_EXPORT,
	PFX_ACT_MOUSE,
	PFX_ACT_BACK,
	PFX_ACT_FORWARD,
	PFX_ACT_SUSPEND,
	PFX_ACT_REDRAW,
	PFX_ACT_QUIT,
};

struct pfx_screen_key {
	uint32_t code; /* enum pfx_press_code, or a character */
	enum pfx_screen_action action;
	unsigned views;   /* 1 << enum pfx_screen_view */
	const char *help; /* NULL: as the key before it */
};

/* The rows, in the order of the help; the last has code 0. */
extern const struct pfx_screen_key pfx_screen_keys[];

/* What a key does in a view; PFX_ACT_NONE: nothing. */
enum pfx_screen_action pfx_screen_action_of(uint32_t code, enum pfx_screen_view view);
/* Append the name of a key: "Tab", "Ctrl-C", "+". */
void pfx_screen_key_name(uint32_t code, struct pfx_str *to);
/* The name of a view: "table", "flame graph", ... */
const char *pfx_screen_view_name(enum pfx_screen_view view);

#endif
