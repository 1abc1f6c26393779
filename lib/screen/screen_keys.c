/* SPDX-License-Identifier: MIT */
/* The table of keys. A row is a key, what it does, the views in which it does so, and its help. */
#include "screen/screen_keys.h"

#include <stddef.h>

#define IN(view) (1u << PFX_SCREEN_##view)
#define ALL      ((1u << PFX_SCREEN_NR_VIEWS) - 1)
#define TREES    (IN(TABLE) | IN(SANDWICH))
#define PICTURES (IN(FLAME) | IN(TIMELINE))
#define PROFILE  (TREES | PICTURES)
#define TEXT     (IN(CODE) | IN(PAIR) | IN(HEADER) | IN(HELP))

/* flat table */
const struct pfx_screen_key pfx_screen_keys[] = {
	{PFX_PRESS_UP, PFX_ACT_UP, ALL & ~IN(FLAME), "one row up"},
	{PFX_PRESS_UP, PFX_ACT_UP, IN(FLAME), "to the caller"},
	{PFX_PRESS_DOWN, PFX_ACT_DOWN, ALL & ~IN(FLAME), "one row down"},
	{PFX_PRESS_DOWN, PFX_ACT_DOWN, IN(FLAME), "to a callee"},
	{PFX_PRESS_PAGE_UP, PFX_ACT_PAGE_UP, ALL, "one page up"},
	{PFX_PRESS_PAGE_DOWN, PFX_ACT_PAGE_DOWN, ALL, "one page down"},
	{' ', PFX_ACT_PAGE_DOWN, ALL & ~IN(TIMELINE), NULL},
	{PFX_PRESS_HOME, PFX_ACT_FIRST, ALL, "to the first row"},
	{PFX_PRESS_END, PFX_ACT_LAST, ALL, "to the last row"},
	{PFX_PRESS_LEFT, PFX_ACT_LEFT, ALL & ~PICTURES,
	 "scroll to the left; at the left end: back"},
	{PFX_PRESS_LEFT, PFX_ACT_LEFT, PICTURES, "to the neighbour on the left"},
	{PFX_PRESS_RIGHT, PFX_ACT_RIGHT, ALL & ~PICTURES, "scroll to the right"},
	{PFX_PRESS_RIGHT, PFX_ACT_RIGHT, PICTURES, "to the neighbour on the right"},

	{PFX_PRESS_ENTER, PFX_ACT_ENTER, TREES,
	 "open or close the row, or show what can be done with it"},
	{PFX_PRESS_ENTER, PFX_ACT_ENTER, IN(FLAME), "show only this frame"},
	{PFX_PRESS_ENTER, PFX_ACT_ENTER, IN(TIMELINE), "only the marked range, in all views"},
	{PFX_PRESS_ENTER, PFX_ACT_ENTER, IN(CODE),
	 "go to the called function or the target of the jump; at a return: back"},
	{'+', PFX_ACT_TOGGLE, TREES, "open or close one level of the call tree"},
	{'e', PFX_ACT_OPEN_ENTRY, TREES, "open or close the whole call tree of the row"},
	{'E', PFX_ACT_OPEN_ALL, TREES, "open the call trees of all rows"},
	{'c', PFX_ACT_CLOSE_ENTRY, TREES, "close the whole call tree of the row"},
	{'C', PFX_ACT_CLOSE_ALL, TREES, "close all call trees"},
	{'o', PFX_ACT_DIRECTION, IN(TABLE), "call trees show callers, or callees"},
	{'m', PFX_ACT_MENU, PROFILE, "show what can be done with the row"},

	{'d', PFX_ACT_ZOOM_DSO, PROFILE, "only the library of the row"},
	{'t', PFX_ACT_ZOOM_THREAD, PROFILE, "only a thread of the row"},
	{'p', PFX_ACT_ZOOM_PROCESS, PROFILE, "only a process of the row"},
	{'u', PFX_ACT_ZOOM_CPU, PROFILE, "only a CPU of the row"},
	{'k', PFX_ACT_ZOOM_KERNEL, PROFILE, "only the kernel, without its modules"},
	{'S', PFX_ACT_ZOOM_SOCKET, PROFILE, "only the CPUs of a socket"},
	{'x', PFX_ACT_ZOOM_THROUGH, PROFILE, "only samples with the function in their stack"},
	{'R', PFX_ACT_ALL, PROFILE, "remove all filters"},

	{'b', PFX_ACT_ROWS_BY, IN(TABLE),
	 "what rows are: functions, libraries, threads, and so on, or any sort keys"},
	{'>', PFX_ACT_SORT_NEXT, IN(TABLE), "sort by the next column; a click on its heading, too"},
	{'<', PFX_ACT_SORT_PREVIOUS, IN(TABLE), "sort by the column before"},
	{'0', PFX_ACT_SORT_EVENT, IN(TABLE), "0 to 9: sort by this event of the group"},
	{'1', PFX_ACT_SORT_EVENT, IN(TABLE), NULL},
	{'2', PFX_ACT_SORT_EVENT, IN(TABLE), NULL},
	{'3', PFX_ACT_SORT_EVENT, IN(TABLE), NULL},
	{'4', PFX_ACT_SORT_EVENT, IN(TABLE), NULL},
	{'5', PFX_ACT_SORT_EVENT, IN(TABLE), NULL},
	{'6', PFX_ACT_SORT_EVENT, IN(TABLE), NULL},
	{'7', PFX_ACT_SORT_EVENT, IN(TABLE), NULL},
	{'8', PFX_ACT_SORT_EVENT, IN(TABLE), NULL},
	{'9', PFX_ACT_SORT_EVENT, IN(TABLE), NULL},
	{'L', PFX_ACT_LIMIT, TREES, "hide rows and branches below a percentage"},
	{'F', PFX_ACT_RELATIVE, TREES,
	 "percentages of all samples, or of those that filters leave"},
	{'H', PFX_ACT_HEADINGS, TREES, "headings of columns on or off"},
	{'V', PFX_ACT_VERBOSE, TREES,
	 "paths of libraries and source files, addresses of functions, where symbols are from"},
	{PFX_PRESS_TAB, PFX_ACT_EVENT_NEXT, PROFILE, "the next event"},
	{PFX_PRESS_BACK_TAB, PFX_ACT_EVENT_PREVIOUS, PROFILE, "the event before"},
	{'v', PFX_ACT_EVENTS, PROFILE, "list the events"},

	{'a', PFX_ACT_CODE, PROFILE, "the code of the function"},
	{'a', PFX_ACT_TABLE, IN(CODE), "the table"},
	{'g', PFX_ACT_FLAME, PROFILE | IN(CODE), "the flame graph"},
	{'T', PFX_ACT_TIMELINE, PROFILE | IN(CODE), "samples over time, by thread"},
	{'w', PFX_ACT_SANDWICH, PROFILE | IN(CODE), "callers and callees of the function"},
	{'i', PFX_ACT_HEADER, PROFILE | IN(CODE), "the header of the recording"},
	{'I', PFX_ACT_INVERT, IN(FLAME), "the flame graph from the ends of stacks to callers"},
	{' ', PFX_ACT_MARK, IN(TIMELINE), "begin a range; the mouse marks one, too"},

	{'H', PFX_ACT_HOTTEST, IN(CODE), "to the most expensive instruction"},
	{PFX_PRESS_TAB, PFX_ACT_HOT_NEXT, IN(CODE), "to the next most expensive instruction"},
	{PFX_PRESS_BACK_TAB, PFX_ACT_HOT_PREVIOUS, IN(CODE), "to the one before"},
	{'s', PFX_ACT_SOURCE, IN(CODE), "source lines on or off"},
	{'t', PFX_ACT_VALUES, IN(CODE), "percentages, periods or numbers of samples"},
	{'p', PFX_ACT_GLOBAL, IN(CODE),
	 "percentages of the function, or of all samples of the event"},
	{'b', PFX_ACT_HITS, IN(CODE), "percentages of periods, or of numbers of samples"},
	{'c', PFX_ACT_CYCLES, IN(CODE), "instructions per cycle and cycles of branches on or off"},
	{'j', PFX_ACT_JUMPS, IN(CODE), "arrows of jumps on or off"},
	{'J', PFX_ACT_JUMP_COUNTS, IN(CODE), "numbers of jumps to an instruction on or off"},
	{'k', PFX_ACT_LINES, IN(CODE), "numbers of source lines on or off"},
	{'l', PFX_ACT_LOCATION, IN(CODE), "show the source file and line of the row"},
	{'o', PFX_ACT_RAW, IN(CODE), "instructions as disassembled, or simplified"},
	{'O', PFX_ACT_OFFSETS, IN(CODE), "offsets at targets of jumps; also at calls; everywhere"},
	{'f', PFX_ACT_ADDRESSES, IN(CODE), "addresses instead of offsets"},

	{'/', PFX_ACT_FILTER, PROFILE & ~IN(FLAME), "only rows with this text"},
	{'/', PFX_ACT_FILTER, IN(FLAME), "mark frames with this text and show their share"},
	{'/', PFX_ACT_SEARCH, TEXT, "search text"},
	{'?', PFX_ACT_SEARCH_BACK, IN(CODE), "search text backwards"},
	{'n', PFX_ACT_FIND_NEXT, ALL, "to the next row with the text of the search"},
	{'N', PFX_ACT_FIND_PREVIOUS, ALL, "to the one before"},
	{'s', PFX_ACT_RECORDINGS, PROFILE, "another recording of the same folder"},
	{'r', PFX_ACT_SCRIPTS, PROFILE | IN(CODE), "run a script with the recording"},
	{'P', PFX_ACT_SAVE, ALL & ~IN(CODE), "write the rows of the view to a file, perf.hist.N"},
	{'P', PFX_ACT_SAVE, IN(CODE), "write the code to a file, FUNCTION.annotation"},
	{'X', PFX_ACT_EXPORT, PROFILE, "export what is shown: html, folded, pprof"},
	{'M', PFX_ACT_MOUSE, ALL, "leave the mouse to the terminal, so that it selects text"},
	{'h', PFX_ACT_HELP, ALL, "this help"},
	{'?', PFX_ACT_HELP, ALL & ~IN(CODE), NULL},
	{PFX_PRESS_F1, PFX_ACT_HELP, ALL, NULL},
	{PFX_PRESS_ESC, PFX_ACT_BACK, ALL, "back: to the view and the filters before"},
	{PFX_PRESS_BACKSPACE, PFX_ACT_BACK, ALL, NULL},
	{']', PFX_ACT_FORWARD, ALL, "forward again"},
	{PFX_PRESS_CTRL('L'), PFX_ACT_REDRAW, ALL, "draw the screen again"},
	{PFX_PRESS_CTRL('Z'), PFX_ACT_SUSPEND, ALL, "suspend pfx"},
	{'q', PFX_ACT_QUIT, ALL, "leave the view; in the first view: end"},
	{PFX_PRESS_CTRL('C'), PFX_ACT_QUIT, ALL, NULL},
	{0},
};

enum pfx_screen_action pfx_screen_action_of(uint32_t code, enum pfx_screen_view view)
{
	const struct pfx_screen_key *key;

	for (key = pfx_screen_keys; key->code; key++)
		if (key->code == code && key->views & 1u << view)
			return key->action;
	return PFX_ACT_NONE;
}

void pfx_screen_key_name(uint32_t code, struct pfx_str *to)
{
	static const struct {
		uint32_t code;
		const char *name;
	} names[] = {
		{PFX_PRESS_TAB, "Tab"},
		{PFX_PRESS_ENTER, "Enter"},
		{PFX_PRESS_ESC, "Esc"},
		{PFX_PRESS_UP, "Up"},
		{PFX_PRESS_DOWN, "Down"},
		{PFX_PRESS_LEFT, "Left"},
		{PFX_PRESS_RIGHT, "Right"},
		{PFX_PRESS_PAGE_UP, "PgUp"},
		{PFX_PRESS_PAGE_DOWN, "PgDn"},
		{PFX_PRESS_HOME, "Home"},
		{PFX_PRESS_END, "End"},
		{PFX_PRESS_BACK_TAB, "Shift-Tab"},
		{PFX_PRESS_BACKSPACE, "Backspace"},
		{PFX_PRESS_F1, "F1"},
		{' ', "Space"},
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (names[i].code == code) {
			pfx_str_add(to, names[i].name);
			return;
		}
	}
	if (code < ' ')
		pfx_str_addf(to, "Ctrl-%c", (int)code | 0x40);
	else
		pfx_str_add_utf8(to, code);
}

const char *pfx_screen_view_name(enum pfx_screen_view view)
{
	static const char *const names[PFX_SCREEN_NR_VIEWS] = {
		[PFX_SCREEN_TABLE] = "Table",       [PFX_SCREEN_FLAME] = "Flame graph",
		[PFX_SCREEN_TIMELINE] = "Timeline", [PFX_SCREEN_SANDWICH] = "Callers and callees",
		[PFX_SCREEN_CODE] = "Code",         [PFX_SCREEN_PAIR] = "Code of both builds",
		[PFX_SCREEN_HEADER] = "Header",     [PFX_SCREEN_HELP] = "Help",
	};

	return names[view];
}
