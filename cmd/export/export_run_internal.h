/* SPDX-License-Identifier: MIT */
/* What the files of `pfx export` share. */
#ifndef PFX_CMD_EXPORT_RUN_INTERNAL_H
#define PFX_CMD_EXPORT_RUN_INTERNAL_H

#include "base/alloc.h"
#include "cmd/app/progress.h"
#include "cmd/app/symbol_options.h"
#include "export/export.h"
#include "read/event_switch.h"
#include "read/filter.h"
#include "read/record_counts.h"
#include "unwind/resolve.h"

#define PFX_EXPORT_COMMAND "export"

struct pfx_export_options {
	const char *input, *output, *old, *cpus, *time;
	bool list, force, strict, sources, quiet, hide_unresolved, inlines, modules, guest,
		no_chains;
	int verbose;
	uint64_t max_stack, width;
	enum pfx_measure measure;
	bool measure_given;
	const char *patterns[PFX_VIEW_NR_PATTERNS];
	PFX_VEC(const char *) events;
	struct pfx_event_switch event_switch;
	struct pfx_filter filter;
	struct pfx_symbol_options symbols;
	enum pfx_unwind_style unwind;
};

/* One run, of the new recording or of the old one. */
struct export_run {
	struct pfx_export_options *options;
	const struct pfx_export *format;
	struct pfx_recording *recording;
	struct pfx_time_ranges times;
	struct pfx_record_counts counts;
	struct pfx_progress progress;
	struct pfx_costs *costs;        /* NULL: not needed */
	struct pfx_sources *sources;    /* NULL: not wanted */
	struct pfx_page_tables *tables; /* NULL: not needed */
	struct pfx_profile *profile;
	struct pfx_view_filter filter;
	struct pfx_selection selection;
	struct pfx_event_switch event_switch;
	bool is_old;
	struct export_run *old; /* the recording that this one is compared with; NULL: none */
	uint64_t nr_streamed;   /* samples, with PFX_EXPORT_STREAM */
};

/* Messages about a run that has written its output. */
void pfx_export_say_notes(const struct export_run *run);
/* Read, filter and write a recording, with messages. Returns the exit code. */
int pfx_export_run(struct pfx_export_options *options, const struct pfx_export *format);

#endif
