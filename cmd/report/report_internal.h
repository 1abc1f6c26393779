/* SPDX-License-Identifier: MIT */
/* What the files of `pfx report` share. */
#ifndef PFX_CMD_REPORT_INTERNAL_H
#define PFX_CMD_REPORT_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "cmd/app/sampling/key_words.h"
#include "cmd/app/symbol_options.h"
#include "hist/hist.h"
#include "out/form.h"
#include "out/sample_trace.h"
#include "out/term/term.h"
#include "read/event_switch.h"
#include "read/recording.h"
#include "read/running.h"
#include "read/time_ranges.h"

/* Words of --percent-type, which chooses percentages of annotated code. */
#define PERCENT_TYPES                                                                              \
	"local-period global-period local-hits global-hits period-local hits-local period-global " \
	"hits-global"

struct pfx_pattern {
	regex_t regex;
	bool given;
};

struct pfx_report_options {
	const char *input, *sort, *fields, *widths, *separator, *time, *cpus, *quantum;
	const char *parent, *ignore_callees, *symbol_filter, *socket;
	const char *parallelism;
	struct pfx_event_switch event_switch;
	bool ref_chains, itrace, total_cycles, raw_trace, raw_threads, disable_order, no_skip_empty,
		modules;
	bool threads, hierarchy, group_given;
	uint64_t group_sort_idx, nr_kept;
	const char *word; /* an argument that is not an option: like --symbol-filter */
	bool branch_given, branch, mem_mode, exclude_other, ns, latency, guest, host;
	uint64_t time_quantum;            /* ns */
	bool forms[PFX_NR_FORMS_OF_ROWS]; /* the given ones */
	bool force, strict, quiet, tui;
	bool header, header_only, show_info, dump, stats, tasks, mmaps;
	bool nr_samples, total_period, cpu_utilization;
	bool children, children_given, keeps_order, inlines_given, graph_given, no_graph, inverted,
		group, inlines, full_source_path, relative, hide_unresolved, stitch_lbr,
		branch_history;
	int verbose;
	uint64_t max_stack;
	double percent_limit;
	bool percent_limit_given;
	enum pfx_colour_when colour;
	struct pfx_callgraph graph;
	struct pfx_filter filter;
	struct pfx_symbol_options symbols;
	bool intel; /* syntax of instructions on the screen */
	enum pfx_unwind_style unwind;
};

struct pfx_report {
	struct pfx_report_options *options;
	struct pfx_recording *recording;
	struct pfx_reader *reader; /* parts of the recording: this and the next two */
	struct pfx_session *session;
	struct pfx_resolver *resolver;
	struct pfx_columns columns;
	struct pfx_hists *hists;
	struct pfx_time_ranges times;
	const struct pfx_form *form; /* of the tables */
	struct pfx_record_counts counts;
	bool has_chains, has_branches, has_accesses;
	struct pfx_thread_reads reads; /* -T */
	struct pfx_running running; /* tids that are running, if context switches were recorded */
	bool has_switches;
	bool bad_words; /* the error is a usage error */
	bool only_tracepoints;
	enum pfx_report_mode mode;
	struct pfx_pattern parent, callees;
	struct pfx_sample_trace trace;
	bool on_screen;
	uint8_t *chosen; /* samples that count, see struct pfx_hists_reading; NULL: all */
	uint32_t nr_chosen;
	char *opened; /* another recording, chosen on the screen; NULL: none */
	struct pfx_str out;
};

/* Options with parsers of their own. */
int pfx_report_on_graph(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_report_on_percent_limit(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_report_on_percentage(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_report_on_pretty(void *options, const char *arg, bool unset, struct pfx_error *err);
int pfx_report_on_itrace(void *options, const char *arg, bool unset, struct pfx_error *err);
/* Arguments that are not options: a filter for symbol names. */
int pfx_report_take_words(struct pfx_report_options *o, int nr, char **words,
			  struct pfx_error *err);
/* Parse option values that are stored as text: -C, --time-quantum, patterns. */
int pfx_report_parse_cpus(struct pfx_report_options *o, struct pfx_error *err);
int pfx_report_parse_quantum(struct pfx_report_options *o, struct pfx_error *err);
int pfx_report_parse_patterns(struct pfx_report *report, struct pfx_error *err);
void pfx_report_free_patterns(struct pfx_report *report);
/* Applies the configuration; the command line overrides it. */
int pfx_report_take_config(struct pfx_report_options *o, struct pfx_error *err);
/* How the recording and its symbols are opened. */
struct pfx_recording_options pfx_report_recording_options(const struct pfx_report_options *o);
struct pfx_resolve_options pfx_report_resolve_options(const struct pfx_report_options *o);
/* Open the recording, with session and resolver. */
int pfx_report_open(struct pfx_report *report, struct pfx_error *err);

/* Free what belongs to the recording, except the columns. */
void pfx_report_close(struct pfx_report *report);

/* Why only text can show what was asked for, as a sentence; NULL: the screen can. */
const char *pfx_report_why_text(const struct pfx_report *report);
/* Read the recording and show it until the user ends. */
int pfx_report_show_screen(struct pfx_report *report, struct pfx_error *err);

/* Make the columns for the contents of the recording; also called once before it is opened, to
 * check option values. */
int pfx_report_build_columns(struct pfx_report *report, bool has_chains, struct pfx_error *err);
/* Whether the recording has events in groups. */
bool pfx_report_has_groups(const struct pfx_report *report);
/* Make the hists that samples are counted in. */
void pfx_report_new_hists(struct pfx_report *report);
/* How rows are shown as text. */
struct pfx_hist_text pfx_report_look(const struct pfx_report *report);
/* Read all records; samples are added to the hists, if there are any. */
int pfx_report_read(struct pfx_report *report, struct pfx_error *err);
/* Print the tables in the selected form, and the notes about missing data. */
int pfx_report_print_tables(struct pfx_report *report, struct pfx_error *err);
/* Add a line that names the command for the code of the hottest function; only on a terminal. */
void pfx_report_add_hint(struct pfx_report *report);

#endif
