/* SPDX-License-Identifier: MIT */
/* The background of a terminal, by what the terminal answers when it is asked for it. */
#ifndef PFX_SCREEN_BACKGROUND_H
#define PFX_SCREEN_BACKGROUND_H

#include <stdbool.h>

enum pfx_background {
	PFX_BACKGROUND_UNKNOWN,
	PFX_BACKGROUND_DARK,
	PFX_BACKGROUND_LIGHT,
};

/* Ask for the background, then for the kind of the terminal: all terminals answer the latter, so
 * that its answer ends the wait for the former. */
#define PFX_BACKGROUND_QUESTION "\033]11;?\033\\\033[c"

/* Whether terminals of this type (TERM; NULL: unknown) understand the question. Others would show
 * it. */
bool pfx_background_can_ask(const char *term);
/* From the answer "11;rgb:1c1c/1c1c/1c1c", without what begins and ends it. */
enum pfx_background pfx_background_of_answer(const char *answer);
/* From the environment variable COLORFGBG, "15;0"; NULL: not set. */
enum pfx_background pfx_background_of_colours(const char *colours);

#endif
