/* SPDX-License-Identifier: MIT */
/* What the files of `pfx report` share. */
#ifndef PFX_CMD_REPORT_INTERNAL_H
#define PFX_CMD_REPORT_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "cmd/sample_trace.h"
#include "cmd/time_ranges.h"
#include "file/order.h"
#include "file/reader.h"
#include "hist/hist.h"
#include "out/hist_text.h"
#include "out/term.h"

struct pfx_report_options {
	const char *input, *sort, *fields, *widths, *separator, *time, *cpus;
	bool force, strict, quiet, stdio;
	bool header, header_only, show_info, dump, stats, tasks, mmaps;
	bool nr_samples, total_period, cpu_utilization;
	bool children, graph_given, no_graph, inverted, group, relative, hide_unresolved;
	int verbose;
	uint64_t max_stack;
	double percent_limit;
	bool percent_limit_given;
	enum pfx_colour_when colour;
	struct pfx_callgraph graph;
	struct pfx_filter filter;
	struct pfx_sym_options sym;
};

struct pfx_report {
	struct pfx_report_options *options;
	struct pfx_reader *reader;
	struct pfx_order *order;
	struct pfx_session *session;
	struct pfx_resolver *resolver;
	struct pfx_columns columns;
	struct pfx_hists *hists;
	struct pfx_time_ranges times;
	uint64_t *nr_by_event; /* samples, by event idx */
	uint32_t nr_events;
	uint64_t nr_samples, nr_bad_samples;
	bool has_chains;
	bool only_tracepoints;
	struct pfx_sample_trace trace;
	struct pfx_str out;
};

/* Make the columns for what the recording has; called once before it is opened, to check words. */
int pfx_report_build_columns(struct pfx_report *report, bool has_chains, struct pfx_error *err);
/* Read all records; samples go into the hists where these are there. */
int pfx_report_read(struct pfx_report *report, struct pfx_error *err);
/* Everything between the header and the end of `report --stdio`. */
int pfx_report_print_tables(struct pfx_report *report, struct pfx_error *err);

/* --stats, --tasks, --mmaps. */
void pfx_report_add_stats(struct pfx_report *report);
int pfx_report_add_tasks(struct pfx_report *report, struct pfx_error *err);
/* -D: the record in hex and decoded, into report->out. */
void pfx_report_dump_record(struct pfx_report *report, const struct pfx_record *rec);
/* Write report->out when it holds more than @above bytes. */
int pfx_report_flush(struct pfx_report *report, size_t above, struct pfx_error *err);

#endif
