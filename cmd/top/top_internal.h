/* SPDX-License-Identifier: MIT */
/* What the files of `pfx top` share. */
#ifndef PFX_CMD_TOP_INTERNAL_H
#define PFX_CMD_TOP_INTERNAL_H

#include <regex.h>

#include "cmd/app/sampling/record_options.h"
#include "cmd/app/symbol_options.h"
#include "hist/callgraph.h"
#include "live/live.h"
#include "live/live_hists.h"
#include "live/live_text.h"
#include "out/sample_trace.h"
#include "read/event_switch.h"
#include "screen/screen_state.h"

#define PFX_TOP_DELAY      2 /* seconds between refreshes */
#define PFX_TOP_JSON_DELAY 1
#define PFX_TOP_DELAY_MAX  86400
/* Begins a screenful of text: the cursor at home, all else cleared. */
#define PFX_TOP_CLEAR "\033[H\033[2J"

struct pfx_top_options {
	struct pfx_record_options record; /* first: its parsers are used */
	uint64_t delay;                   /* seconds; 0: not given */
	uint64_t entries, count_filter;
	uint64_t max_stack;
	const char *sort, *fields, *widths, *ignore_callees, *sym_annotate;
	struct pfx_event_switch event_switch;
	bool stdio, tui, json;
	bool nr_samples, total_period, children, hierarchy, zero, hide_kernel, hide_user;
	bool intel, relative, raw_trace, stitch_lbr, inlines, group_given, idle, force,
		dump_symbols;
	uint64_t group_sort_idx;
	double percent_limit;
	struct pfx_callgraph graph;
	struct pfx_filter filter;
	struct pfx_symbol_options symbols;
	enum pfx_unwind_style unwind;
};

struct pfx_top {
	struct pfx_top_options *options;
	struct pfx_live *live;
	struct pfx_recorder_observer observer;
	struct pfx_columns columns;
	struct pfx_sample_trace trace;
	regex_t ignore_callees;
	bool has_ignore_callees;
	bool bad_words; /* the error is a usage error */
	bool has_chains, has_branches;
	struct pfx_live_hists *hists;
	struct pfx_top_screen *screen; /* NULL: text */
	bool on_screen;
	struct pfx_top_keys *keys; /* NULL: no keys, or those of the screen */
	bool has_said;             /* the text ends with a message, without a line break */
	struct pfx_live_rates rates;
	struct pfx_str out;
};

/* top_words.c: options with parsers of their own */

int pfx_top_on_graph(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_top_on_percent_limit(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_top_on_percentage(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_top_on_delay(void *options, const char *arg, bool unset, struct pfx_error *err);
void pfx_top_add_graph_words(struct pfx_str *to);
int pfx_top_take_config(struct pfx_top_options *o, struct pfx_error *err);
/* Options that exclude each other, and values that are not possible. */
int pfx_top_check(struct pfx_top *top, struct pfx_error *err);
/* Whether a profile cannot have the rows and columns that were asked for: the table of the screen
 * is a sheet then. */
bool pfx_top_needs_sheet(const struct pfx_top *top);

/* top_tables.c: what is counted, and columns */

/* After the start: the hists for the events as they are opened. */
int pfx_top_make_hists(struct pfx_top *top, struct pfx_error *err);
/* How samples are counted, but for what belongs to the world; the order of call trees is settled.
 */
struct pfx_hist_options pfx_top_hist_options(struct pfx_top *top);
/* The texts of tracepoints are of one world; @context: the top. */
void pfx_top_renew_trace(void *context, const struct pfx_live_world *world);
/* The columns for options alone: errors in words are found before counters are opened. */
int pfx_top_build_columns(struct pfx_top *top, bool is_known, struct pfx_error *err);

/* After the start: what kind of samples are taken. */
void pfx_top_look_at_events(struct pfx_top *top);

/* top_snapshot.c */

/* Write the newest records to a new file, perf.top.data or perf.top.1.data and so on; add what is
 * to be said about it. */
int pfx_top_snapshot(struct pfx_top *top, struct pfx_str *said, struct pfx_error *err);

/* top_keys.c: keys of text on a terminal */

#define PFX_TOP_HELP_KERNEL "drop samples of the kernel from now on, or take them"
#define PFX_TOP_HELP_USER   "drop samples of user space from now on, or take them"
#define PFX_TOP_HELP_ZERO   "forget all samples at each refresh, or let them count less"
#define PFX_TOP_HELP_WRITE  "write the newest records to perf.top.data"

enum pfx_top_answer { PFX_TOP_GO_ON, PFX_TOP_REFRESH, PFX_TOP_END };

/* What K, U, z and W do, on the screen, too: add what is to be said. False: another key. */
bool pfx_top_press(struct pfx_top *top, uint32_t key, struct pfx_str *said);
/* Text is shown: take keys from standard input, if it and standard output are terminals. */
void pfx_top_keys_begin(struct pfx_top *top);
/* At each refresh: the process may have been moved to the background, or back. */
void pfx_top_keys_settle(struct pfx_top *top);
/* Whether a question or the list of keys is shown, which no table should replace. */
bool pfx_top_keys_hold(const struct pfx_top *top);
/* There is input. */
enum pfx_top_answer pfx_top_keys_take(struct pfx_top *top);
/* Give the terminal its settings back. */
void pfx_top_keys_end(struct pfx_top *top);

/* top_screen.c */

/* Whether to show a screen: 1 or 0; an error if it was asked for, but cannot be. */
int pfx_top_screen_wanted(struct pfx_top *top, struct pfx_error *err);
int pfx_top_screen_begin(struct pfx_top *top, struct pfx_error *err);
/* After a refresh. */
void pfx_top_screen_show(struct pfx_top *top);
/* Take the keys that were pressed; false: the user ends. */
bool pfx_top_screen_keys(struct pfx_top *top);
void pfx_top_screen_end(struct pfx_top *top);

/* top_sheet.c: tables of the screen that a profile does not have */

struct pfx_top_sheet;
struct pfx_top_sheet *pfx_top_sheet_new(struct pfx_top *top);
void pfx_top_sheet_free(struct pfx_top_sheet *sheet);
/* What was counted may be shown no longer: after a refresh. */
void pfx_top_sheet_stale(struct pfx_top_sheet *sheet);
/* See struct pfx_screen_host. */
int pfx_top_sheet_make(struct pfx_top_sheet *sheet, const struct pfx_screen_sheet_wish *wish,
		       struct pfx_screen_sheet *ret, struct pfx_error *err);
int pfx_top_sheet_check(struct pfx_top_sheet *sheet, const char *keys, struct pfx_error *err);

/* top_run.c */

/* Run until the user, a signal or the end of all targets stops it: the exit code. */
int pfx_top_run(struct pfx_top *top);

#endif
