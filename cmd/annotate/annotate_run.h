/* SPDX-License-Identifier: MIT */
/* The options and the state of `pfx annotate`, for the files of the command. */
#ifndef PFX_CMD_ANNOTATE_RUN_H
#define PFX_CMD_ANNOTATE_RUN_H

#include "cmd/app/progress.h"
#include "cmd/app/recording_notes.h"
#include "cmd/app/symbol_options.h"
#include "out/annotate/annotate.h"
#include "out/term/term.h"
#include "read/filter.h"

struct pfx_annotate_options {
	const char *input, *diff, *symbol, *syntax, *prefix, *cpus;
	uint64_t prefix_strip, top, context;
	double percent_limit;
	bool force, strict, group, group_given, skip_missing, modules, json, quiet, stdio,
		has_context;
	bool source, skip_empty, nr_samples, total_period, with_types;
	struct pfx_annotate_data data;
	bool lines, whole_files, has_percent_type, dump, tui;
	bool hides_source; /* in the configuration */
	int verbose;
	enum pfx_colour_when colour;
	struct pfx_code_style style;
	struct pfx_filter filter;
	struct pfx_symbol_options symbols;
	struct pfx_sources *sources;
};

struct pfx_annotate_run {
	struct pfx_annotate_options *options;
	struct pfx_recording *recording;
	struct pfx_costs *costs;
	struct pfx_missing_code missing;
	struct pfx_progress progress;
	struct pfx_str out;
	bool on_screen;
};

/* Apply the configuration: the first before options are read, which override it, the second before
 * they are checked. -EINVAL: a mapping of sources is not FROM=TO. */
int pfx_annotate_take_config(struct pfx_annotate_options *o, struct pfx_error *err);
void pfx_annotate_settle_config(struct pfx_annotate_options *o);
/* Count the samples, once the recording is open and resolves addresses. */
int pfx_annotate_read_costs(struct pfx_annotate_run *a, struct pfx_error *err);
/* What to write, according to the options; borrows from the run. */
struct pfx_annotate pfx_annotate_request(const struct pfx_annotate_run *a);
/* -EINVAL: an option does not go with --diff. */
int pfx_annotate_check_diff(const struct pfx_annotate_options *o, struct pfx_error *err);
/* Read the recording of --diff, too, and write both side by side. */
int pfx_annotate_diff(struct pfx_annotate_run *a, const struct pfx_recording_options *how,
		      const struct pfx_resolve_options *resolving, struct pfx_error *err);
/* Print all records, and how many there are of each type, instead of code. */
int pfx_annotate_dump(struct pfx_annotate_run *a, struct pfx_error *err);
/* Print what was not shown, and why; after a run without error. */
void pfx_annotate_say_notes(const struct pfx_annotate_run *a);
/* Print the functions whose code is not available, with the reason. */
void pfx_annotate_say_missing(const struct pfx_annotate_run *a);
/* Print the binaries without symbols, whose functions are missing; @rc is the result of the run.
 * With a symbol, only if that was not found. */
void pfx_annotate_say_no_symbols(const struct pfx_annotate_run *a, int rc);

/* Whether the code is shown on a screen: 1, 0, or -EINVAL if it was asked for, but cannot be. */
int pfx_annotate_choose_screen(const struct pfx_annotate_run *a, struct pfx_error *err);
/* Read the recording and show it until the user ends. */
int pfx_annotate_show_screen(struct pfx_annotate_run *a, const struct pfx_recording_options *how,
			     const struct pfx_resolve_options *resolving, struct pfx_error *err);

#endif
