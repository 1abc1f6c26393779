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

#define PFX_TOP_DELAY     2 /* seconds between refreshes */
#define PFX_TOP_DELAY_MAX 86400

struct pfx_top_options {
	struct pfx_record_options record; /* first: its parsers are used */
	uint64_t delay;                   /* seconds */
	uint64_t entries, count_filter;
	uint64_t max_stack;
	const char *sort, *fields, *widths, *ignore_callees, *sym_annotate;
	struct pfx_event_switch event_switch;
	bool stdio, tui, json;
	bool nr_samples, total_period, children, hierarchy, zero, hide_kernel, hide_user;
	bool dump_symbols, relative, raw_trace, stitch_lbr, inlines, group_given, idle, force;
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
	struct pfx_live_rates rates;
	struct pfx_str out;
};

/* top_words.c: options with parsers of their own */

int pfx_top_on_graph(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_top_on_percent_limit(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_top_on_percentage(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_top_on_delay(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_top_on_switch_words(void *options, const char *arg, bool unset, struct pfx_error *err);
void pfx_top_add_graph_words(struct pfx_str *to);
int pfx_top_take_config(struct pfx_top_options *o, struct pfx_error *err);
/* Options that exclude each other, and values that are not possible. */
int pfx_top_check(struct pfx_top *top, struct pfx_error *err);

/* top_tables.c: what is counted, and columns */

/* After the start: the hists for the events as they are opened. */
int pfx_top_make_hists(struct pfx_top *top, struct pfx_error *err);
/* The columns for options alone: errors in words are found before counters are opened. */
int pfx_top_build_columns(struct pfx_top *top, bool is_known, struct pfx_error *err);

/* top_run.c */

/* Run until the user, a signal or the end of all targets stops it: the exit code. */
int pfx_top_run(struct pfx_top *top);

#endif
