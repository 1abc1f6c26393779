/* SPDX-License-Identifier: MIT */
/*
 * The state of a screen on which a profile is looked at, without a terminal: views, selection,
 * expansion, filters, search, history. Keys change it, and it draws itself into a grid of cells
 * (screen/cells/cell_grid.h), which a terminal shows and tests read. `pfx report`, `pfx annotate`
 * and `pfx top` share it. Everything is remembered by name, so that a profile can be replaced by a
 * newer one while it is looked at. It never writes files or reads recordings itself: that is what
 * it asks its host for.
 *
 *	screen = pfx_screen_new(&options);
 *	pfx_screen_show(screen, profile);
 *	do
 *		pfx_screen_draw(screen, &grid);
 *	while (pfx_screen_press(screen, &press) == PFX_SCREEN_GO_ON);
 */
#ifndef PFX_SCREEN_STATE_H
#define PFX_SCREEN_STATE_H

#include "code/code.h"
#include "event/meta.h"
#include "hist/hist.h"
#include "read/filter.h"
#include "screen/cells/cell_grid.h"
#include "screen/cells/press.h"
#include "view/table.h"
#include "view/tree_change.h"

struct pfx_screen;
struct pfx_screen_key;

enum pfx_screen_view {
	PFX_SCREEN_TABLE,
	PFX_SCREEN_FLAME,
	PFX_SCREEN_TIMELINE,
	PFX_SCREEN_SANDWICH,
	PFX_SCREEN_CODE,
	PFX_SCREEN_PAIR, /* the code of a function in two recordings */
	PFX_SCREEN_HEADER,
	PFX_SCREEN_HELP,
	PFX_SCREEN_NR_VIEWS,
};

/* What the rows of the table are: of one kind, or for each combination of several keys. */
struct pfx_screen_rows {
	enum pfx_view_by by; /* with keys: functions if they are among them */
	struct pfx_table_keys keys;
};

/* What the code view shows; see pfx_code_new(). */
struct pfx_screen_code {
	struct pfx_resolver *resolver;
	struct pfx_costs *costs;
	const struct pfx_code_function *functions;
	uint32_t nr_functions;
	struct pfx_code_options options;
};

/* A row of a sheet: text that the host made, for tables that a profile cannot have. */
struct pfx_screen_line {
	uint64_t key; /* equal for the same row of a newer sheet; never 0 */
	const char *text;
	uint32_t depth; /* of a row above it with a smaller one */
	uint32_t mark;  /* the column for + or -: text has two blanks there */
	bool has_kids, is_open;
	double percent;             /* for its colour: text up to the first % has it */
	const char *function, *dso; /* whose code it is, with the short name; NULL: none */
	/* What all of its samples belong to, as numbers of the recording; PFX_NO_ID: it differs. */
	uint32_t pid, tid, cpu;
	/* Some of its samples, which can be looked at one by one; NULL: none. */
	const struct pfx_kept_sample *kept;
	uint32_t nr_kept;
};

/* A column of a sheet that rows can be sorted by: where it is in the heading. */
struct pfx_screen_sheet_column {
	unsigned x, width;
};

/* What is wanted of a sheet. */
struct pfx_screen_sheet_wish {
	uint32_t event; /* of the profile */
	unsigned width; /* of the terminal */
	double min_percent;
	/* Whether the row with a key is open. */
	bool (*is_open)(const void *context, uint64_t key);
	const void *context;
	const char *keys; /* of rows, as of -s, chosen on the screen; NULL: as the options say */
	unsigned order;   /* the column to sort by, from 1 on; 0: as the options say */
	uint32_t member;  /* of a group, to sort values by; PFX_NO_ID: as the options say */
	bool relative;    /* percentages of the samples that filters leave, not of all */
	bool whole_names; /* of functions, also where they do not fit into the width */
	bool paths;       /* of libraries, instead of their names */
	bool reversed;    /* call trees show the other direction than the options say */
	const char *dso;  /* only rows of the library with this short name; NULL: all */
	unsigned filters; /* a number that is another one with others; 0: none but @dso */
	/* What the filters leave of a profile of the same samples, besides that of the library; the
	 * caller frees it. NULL: everything. */
	void (*select)(void *context, const struct pfx_profile *profile, struct pfx_selection *ret);
	void *select_context;
};

/* Owned by the host, valid until it is asked for the next one. */
struct pfx_screen_sheet {
	const char *heading, *about; /* about: for the title, after "Table" */
	const struct pfx_screen_line *lines;
	size_t nr;
	const struct pfx_screen_sheet_column *columns;
	unsigned nr_columns;
	unsigned sorted; /* the number of the column that it is sorted by, from 1 on; 0: of none */
	bool has_trees;  /* call trees */
	uint32_t nr_members; /* of the group that it shows; 0 or 1: it is of one event */
	/* Of the event, for the title; 0: those of the profile. */
	uint64_t nr_samples, period;
};

/* What the program around the screen does for it. Members may be NULL: then the screen says that it
 * cannot. Names in messages are escaped by the host. */
struct pfx_screen_host {
	void *context;
	/* Read the code of the recording: 0 and *@ret, which the host owns, or an error. Called
	 * once for each profile. */
	int (*code)(void *context, struct pfx_screen_code *ret, struct pfx_error *err);
	/* The code of a function of the profile in both recordings, as text; the caller frees it.
	 * NULL: there is one recording, and code(). */
	int (*code_pair)(void *context, uint32_t function, struct pfx_str *ret,
			 struct pfx_error *err);
	/* Write an export of the selection, a format of lib/export: 0 and the file's name in
	 * @ret_name. */
	int (*export)(void *context, const struct pfx_selection *selection, const char *format,
		      struct pfx_str *ret_name, struct pfx_error *err);
	/* Write text to a new file: 0 and its name. */
	int (*save)(void *context, const struct pfx_str *text, struct pfx_str *ret_name,
		    struct pfx_error *err);
	/* The n-th recording beside this one: its path, valid until the next call; NULL: there are
	 * no more. */
	const char *(*recording)(void *context, uint32_t n);
	/* Use the mouse, or leave it to the terminal. */
	void (*mouse)(void *context, bool on);
	/* Write the text of a function's code to a new file: 0 and its name. */
	int (*save_code)(void *context, const char *function, const struct pfx_str *text,
			 struct pfx_str *ret_name, struct pfx_error *err);
	/* The n-th script that can be run: its name, valid until the next call; NULL: there are
	 * no more. */
	const char *(*script)(void *context, uint32_t n);
	/* Read the recording again with other frames, and show it. NULL: there are only those of
	 * the profile. */
	int (*frames)(void *context, enum pfx_profile_frames by, struct pfx_error *err);
	/* Show a profile with times. NULL: profiles have them, or nothing does. */
	int (*times)(void *context, struct pfx_error *err);
	/* Run it with the recording and show its output, until the user ends that. */
	int (*run_script)(void *context, uint32_t n, struct pfx_error *err);
	/* Whether the change of a function's self cost is within noise. NULL: unknown. */
	bool (*is_noise)(void *context, uint32_t event, uint32_t function);
	/* The rows of the table as lines of a sheet: those of the options, if options.sheet, and
	 * those of keys that a profile has no rows of. Reading may be needed. NULL: all rows are
	 * made from the profile. */
	int (*sheet)(void *context, const struct pfx_screen_sheet_wish *wish,
		     struct pfx_screen_sheet *ret, struct pfx_error *err);
	/* Whether a sheet can have rows by these keys: 0, or an error. */
	int (*sheet_keys)(void *context, const char *keys, struct pfx_error *err);
	/* The same of the nodes of a tree of all samples, top down, with what they have in both
	 * recordings: sets @ret, by node, where it is. NULL: unknown. */
	void (*find_noise)(void *context, uint32_t event, enum pfx_measure measure,
			   const struct pfx_view_tree *tree, const struct pfx_tree_change *change,
			   bool *ret);
	/* A key of pfx_screen_options.keys was pressed. */
	void (*key)(void *context, uint32_t code);
};

/* Everything is borrowed for as long as the screen lives. */
struct pfx_screen_options {
	const char *title;           /* of the recording: its file */
	const char *alert;           /* at the right end of the first line, whatever else is on it;
				      * NULL: nothing. It may change, like the title */
	const char *header;          /* text of the view of the header; NULL: none */
	const struct pfx_meta *meta; /* for sockets of CPUs; NULL: unknown */
	struct pfx_screen_host host;
	double min_percent;   /* rows below are not shown */
	double min_branch;    /* the same of branches of call trees, in percent of everything */
	uint64_t min_samples; /* the same */
	uint32_t max_rows;    /* of the table; 0: all */
	bool samples;         /* also on a narrow screen, their number is shown */
	/* Keys that the program itself handles, like the table in screen_keys.h; NULL: none. */
	const struct pfx_screen_key *keys;
	/* Of a profile of two recordings: by event, the event of the old one that it is compared
	 * with, PFX_NO_ID: none. NULL: there is one recording. */
	const uint32_t *old_of;
	bool relative; /* percentages of the samples that filters leave, not of all */
	bool children; /* sort by total, else by self */
	bool callers;  /* call trees show callers, also where rows are sorted by total */
	bool ascii;    /* the terminal shows no other characters */
	bool sheet;    /* the first table is a sheet */
	struct pfx_screen_rows rows;
	enum pfx_screen_view view; /* the first */
	bool code_first;           /* the code that pfx_screen_go() shows is: leaving it ends */
	const char *filter;        /* only rows with this text; NULL: all */
	/* What no key changes: libraries and symbols, NULL for all; levels as in view_filter.h. */
	const struct pfx_filter *only;
	const char *levels;
	bool drop_unresolved;
};

enum pfx_screen_answer {
	PFX_SCREEN_GO_ON,
	PFX_SCREEN_QUIT,
	PFX_SCREEN_OPEN,    /* another recording: pfx_screen_opened() */
	PFX_SCREEN_SUSPEND, /* the process, as Ctrl-Z does */
};

/* What rows are for the sort keys of `pfx report -s`; NULL: functions. -EINVAL if one is not a key;
 * -ENOTSUP if the screen has no rows by it: functions, then. */
int pfx_screen_rows_of(const char *sort, struct pfx_screen_rows *ret, struct pfx_error *err);
/* Whether a profile needs frames by line for them. */
bool pfx_screen_rows_have_lines(const struct pfx_screen_rows *rows);

/* It shows nothing before pfx_screen_show(). */
struct pfx_screen *pfx_screen_new(const struct pfx_screen_options *options);
void pfx_screen_free(struct pfx_screen *screen);
/* Show a profile, the first one or a newer one. It must live until the next one is shown. */
void pfx_screen_show(struct pfx_screen *screen, const struct pfx_profile *profile);
/* Go to the function with this name (NULL: of the first row), to its code if @code. False: there
 * is none. */
bool pfx_screen_go(struct pfx_screen *screen, const char *function, bool code);
/* A sentence for the last line, until the next key. */
void pfx_screen_say(struct pfx_screen *screen, const char *text);

/* A key or the mouse. */
enum pfx_screen_answer pfx_screen_press(struct pfx_screen *screen, const struct pfx_press *press);
/* The path of the recording to be opened. */
const char *pfx_screen_opened(const struct pfx_screen *screen);
/* Draw everything for the size of the grid. */
void pfx_screen_draw(struct pfx_screen *screen, struct pfx_grid *grid);
/* Append all rows of the view as text. */
void pfx_screen_text(struct pfx_screen *screen, struct pfx_str *to);
/* Whether nothing of the profile is shown: only a sheet of all samples, as the options say. Until
 * the next key, no newer profile is needed then, but a newer sheet. */
bool pfx_screen_shows_sheet(const struct pfx_screen *screen);
/* Ask the host for a newer sheet. */
void pfx_screen_renew_sheet(struct pfx_screen *screen);
/* Whether what is shown, or a filter, needs a profile with times. */
bool pfx_screen_needs_times(const struct pfx_screen *screen);
/* Whether a menu or a question is open, which is about what is shown: no newer profile is due then.
 */
bool pfx_screen_asks(const struct pfx_screen *screen);
/* The view that is shown, and what is selected of the profile. */
enum pfx_screen_view pfx_screen_view(const struct pfx_screen *screen);
const struct pfx_selection *pfx_screen_selection(const struct pfx_screen *screen);

#endif
