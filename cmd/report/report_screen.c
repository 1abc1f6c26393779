/* SPDX-License-Identifier: MIT */
/*
 * `pfx report` on a terminal: whether it shows a screen or text, and its options for the screen.
 * Options that choose rows and columns which only text has ask for text.
 */
#include <string.h>

#include "cmd/app/screen/screen_run.h"
#include "cmd/report/report_internal.h"

static bool asks_for_form(const struct pfx_report_options *o)
{
	unsigned i;

	for (i = 0; i < PFX_NR_FORMS_OF_ROWS; i++)
		if (o->forms[i])
			return true;
	return o->header || o->header_only || o->dump || o->stats || o->tasks || o->mmaps ||
	       o->threads || o->separator || o->widths;
}

static bool asks_for_text(const struct pfx_report_options *o)
{
	struct pfx_screen_rows rows;

	return asks_for_form(o) || pfx_screen_rows_of(o->sort, &rows, NULL) < 0 || o->fields ||
	       o->hierarchy || o->mem_mode || o->total_cycles || o->branch_history ||
	       o->graph.branch || (o->branch_given && o->branch) || o->parent || o->exclude_other ||
	       o->ignore_callees || o->latency || o->parallelism || o->socket || o->nr_kept ||
	       o->graph.mode == PFX_GRAPH_FOLDED || o->graph.mode == PFX_GRAPH_FLAT ||
	       (o->group_given && o->group) || o->group_sort_idx || o->ref_chains;
}

const char *pfx_report_why_text(const struct pfx_report *report)
{
	if (asks_for_text(report->options))
		return "other options ask for text";
	if (report->mode != PFX_REPORT_NORMAL)
		return "branches are shown as text";
	if (report->only_tracepoints && !report->has_chains)
		return "tracepoints without call chains are shown as text";
	return pfx_screen_cannot_show(report->reader);
}

int pfx_report_show_screen(struct pfx_report *report, struct pfx_error *err)
{
	struct pfx_report_options *o = report->options;
	/* The events of a stream are known when they have been read. */
	const bool is_stream = pfx_reader_info(report->reader)->form == PFX_READER_PIPE;
	const struct pfx_recording_options how = pfx_report_recording_options(o);
	const struct pfx_resolve_options resolving = pfx_report_resolve_options(o);
	struct pfx_screen_task task = {
		.command = "report",
		.recording = report->recording,
		.how = &how,
		.resolving = &resolving,
		.filter = &o->filter,
		.times = o->time ? &report->times : NULL,
		.event_switch = &o->event_switch,
		.counts = &report->counts,
		.quiet = o->quiet,
		.no_colours = !pfx_term_colours(o->colour),
		.code = {.intel = o->intel},
		.options = {.min_percent = o->percent_limit_given ? o->percent_limit : 0,
			    .children = o->children && (report->has_chains || is_stream),
			    .filter = o->filter.symbol_part,
			    .only = &o->filter,
			    .levels = o->guest && o->host ? ""
				      : o->guest          ? "gu"
							  : ".kH",
			    .drop_unresolved = o->hide_unresolved},
	};

	pfx_screen_rows_of(o->sort, &task.options.rows, NULL);
	if (pfx_screen_rows_have_lines(&task.options.rows))
		task.frames_by = PFX_FRAMES_BY_LINE;
	return pfx_screen_run(&task, &report->opened, err);
}
