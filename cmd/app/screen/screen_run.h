/* SPDX-License-Identifier: MIT */
/*
 * A recording on the screen: reads it as a profile, and shows it on the terminal until the user
 * ends. Shared by the commands with a screen.
 */
#ifndef PFX_CMD_SCREEN_RUN_H
#define PFX_CMD_SCREEN_RUN_H

#include "browse/browse.h"

/* What the user asked for. */
struct pfx_screen_wish {
	const char *command;
	const char *text;  /* why only text shows it, as a sentence; NULL: nothing does */
	bool tui, quiet;   /* --tui, -q */
	const char *input; /* as given with -i; NULL: the default */
};

/* Whether to show a screen: 1 or 0; -EINVAL with a message if it was asked for (--tui), but cannot
 * be. If only the terminal is the reason, a note says so. */
int pfx_screen_wanted(const struct pfx_screen_wish *wish, struct pfx_error *err);

/* Open the terminal: 0, or an error. Its background is that of the key tui.background of the
 * configuration or of COLORFGBG, or the terminal is asked. */
int pfx_screen_open(bool no_colours, struct pfx_error *err);
/* Why the screen cannot show it, as a sentence; NULL: it can. Code is read when it is looked at,
 * from the same file. */
const char *pfx_screen_cannot_show(const struct pfx_reader *reader);

/* Everything is borrowed. */
struct pfx_screen_task {
	const char *command;
	struct pfx_browse_task browse; /* members that the run does not set: all but step, draw */
	bool quiet, no_colours;
	const char *symbol;                /* show its code first; NULL: the table */
	bool hottest;                      /* the same of the hottest function */
	struct pfx_screen_options options; /* members that the run does not set */
};

/* Returns 0, with the path of another recording that the user chose in *@ret_opened (the caller
 * frees it) or NULL; or an error. */
int pfx_screen_run(const struct pfx_screen_task *task, char **ret_opened, struct pfx_error *err);

#endif
