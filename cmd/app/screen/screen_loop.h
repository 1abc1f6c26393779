/* SPDX-License-Identifier: MIT */
/* The loop between the state of a screen and the terminal, which is open. */
#ifndef PFX_CMD_SCREEN_LOOP_H
#define PFX_CMD_SCREEN_LOOP_H

#include "screen/screen_state.h"

/* Draw the screen for the size of the terminal. */
void pfx_screen_loop_draw(struct pfx_screen *screen, struct pfx_grid *grid);
/* Keys, until the user ends or wants another recording. */
enum pfx_screen_answer pfx_screen_loop(struct pfx_screen *screen, struct pfx_grid *grid);

#endif
