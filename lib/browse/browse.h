/* SPDX-License-Identifier: MIT */
/*
 * A recording behind a screen: reads it as a profile, and is what the screen asks for code, other
 * frames, files and other recordings. Without a terminal: the program draws, and passes keys on.
 *
 *	rc = pfx_browse_read(&browse, &task, &err);
 *	pfx_browse_host(&browse, &options.host);
 *	screen = pfx_screen_new(&options);
 *	pfx_browse_show(&browse, screen);
 *	...
 *	pfx_screen_free(screen);
 *	pfx_browse_fini(&browse);
 */
#ifndef PFX_BROWSE_BROWSE_H
#define PFX_BROWSE_BROWSE_H

#include "browse/screen_files.h"
#include "read/event_switch.h"
#include "read/time_ranges.h"
#include "screen/screen_state.h"
#include "view/profile/profile.h"

/* Everything is borrowed, for as long as the screen lives. */
struct pfx_browse_task {
	struct pfx_recording *recording;         /* after pfx_recording_resolve() */
	const struct pfx_recording_options *how; /* with which it and its code are opened */
	const struct pfx_resolve_options *resolving;
	const struct pfx_filter *filter;
	const struct pfx_time_ranges *times;   /* NULL: no limits */
	struct pfx_event_switch *event_switch; /* NULL: none */
	struct pfx_record_counts *counts;      /* NULL: not requested */
	enum pfx_profile_frames frames_by;
	struct pfx_code_options code; /* sources NULL: those of the recording */
	/* A table that profiles do not have: counted with the profile, and finished. NULL: none.
	 * And what numbers of running threads are from, for it; NULL: nothing. */
	struct pfx_hists *hists;
	struct pfx_running *running;
	/* The sheets of struct pfx_screen_host; @profile: the one that is shown. NULL: none. */
	int (*sheet)(void *context, const struct pfx_screen_sheet_wish *wish,
		     const struct pfx_profile *profile, struct pfx_screen_sheet *ret,
		     struct pfx_error *err);
	int (*sheet_keys)(void *context, const char *keys, struct pfx_error *err);
	void *sheet_context;
	/* Called for each record of the first reading; anything but 0 ends it. NULL: not. */
	int (*step)(void *context, const struct pfx_item *item, struct pfx_error *err);
	/* The screen says something before a reading that takes time: draw it. NULL: not. */
	void (*draw)(void *context);
	void *context; /* of both */
};

/* Zero-initialize. */
struct pfx_browse {
	struct pfx_screen_files files;
	struct pfx_profile *profile; /* what is shown */
	/* private */
	const struct pfx_browse_task *task;
	struct pfx_screen *screen;
	struct pfx_recording *recording; /* for code it is read once more */
	struct pfx_costs *costs;
	struct pfx_sources *sources;
};

/* Read the profile: 0 or an error. Whether the step ended the reading is the caller's to know. */
int pfx_browse_read(struct pfx_browse *browse, const struct pfx_browse_task *task,
		    struct pfx_error *err);
/* The path of the recording. */
const char *pfx_browse_path(const struct pfx_browse *browse);
/* Set the members of a screen's host that are answered here, with @browse as the context. */
void pfx_browse_host(struct pfx_browse *browse, struct pfx_screen_host *ret);
/* Show the profile on a screen that was made with this host. */
void pfx_browse_show(struct pfx_browse *browse, struct pfx_screen *screen);
/* Go to the code of a function, NULL: of the first row; if it is inlined only, to the function that
 * it is in. The screen says what cannot be shown. */
void pfx_browse_go(struct pfx_browse *browse, const char *symbol);
void pfx_browse_fini(struct pfx_browse *browse);

#endif
