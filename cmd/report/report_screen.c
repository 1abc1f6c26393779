/* SPDX-License-Identifier: MIT */
/*
 * `pfx report` on a terminal: whether it shows a screen or text, and its options for the screen.
 * Rows and columns that a profile does not have are a sheet.
 */
#include <string.h>

#include "browse/screen_sheets.h"
#include "cmd/app/screen/screen_run.h"
#include "cmd/report/report_internal.h"

static bool asks_for_text(const struct pfx_report_options *o)
{
	unsigned i;

	for (i = 0; i < PFX_NR_FORMS_OF_ROWS; i++)
		if (o->forms[i])
			return true;
	return o->header || o->header_only || o->dump || o->stats || o->tasks || o->mmaps ||
	       o->threads || o->separator || o->total_cycles || o->nr_kept;
}

/* Whether a profile cannot have the rows and columns that were asked for. */
static bool needs_sheet(const struct pfx_report *report)
{
	const struct pfx_report_options *o = report->options;
	struct pfx_screen_rows rows;

	return pfx_screen_rows_of(o->sort, &rows, NULL) < 0 || o->fields || o->hierarchy ||
	       o->widths || o->total_period || o->cpu_utilization || o->mem_mode ||
	       o->branch_history || o->graph.branch || o->parent || o->exclude_other ||
	       o->ignore_callees || o->latency || o->parallelism || o->socket ||
	       o->graph.mode == PFX_GRAPH_FOLDED || o->graph.mode == PFX_GRAPH_FLAT ||
	       (o->group_given && o->group) || o->group_sort_idx || o->ref_chains ||
	       report->mode != PFX_REPORT_NORMAL ||
	       (report->only_tracepoints && !report->has_chains);
}

const char *pfx_report_why_text(const struct pfx_report *report)
{
	if (asks_for_text(report->options))
		return "other options ask for text";
	if (needs_sheet(report) && !pfx_screen_can_read_again(report->reader))
		return "the recording can be read only once, and these rows need it twice";
	return pfx_screen_cannot_show(report->reader);
}

/* --- a table of lib/hist on the screen --- */

struct report_sheet {
	struct pfx_report *report;
	struct pfx_screen_sheets sheets;
};

static int read_sheet(void *context, struct pfx_error *err)
{
	struct pfx_report *report = ((struct report_sheet *)context)->report;
	int rc;

	pfx_report_new_hists(report);
	rc = pfx_report_read(report, err);
	if (!rc)
		pfx_hists_finish(report->hists);
	return rc;
}

static void make_sheet(void *context, const struct pfx_screen_sheet_wish *wish,
		       struct pfx_screen_sheet *ret)
{
	struct report_sheet *sheet = context;
	const struct pfx_hist_text how = pfx_report_look(sheet->report);

	pfx_screen_sheets_make(&sheet->sheets, &how, sheet->report->hists, wish, ret);
}

/* The profile is read from the same file once more. */
static int show_sheet(struct pfx_report *report, struct pfx_screen_task *task,
		      struct pfx_error *err)
{
	struct report_sheet sheet = {.report = report};
	struct pfx_event_switch again = report->options->event_switch;
	struct pfx_recording *recording;
	int rc = pfx_recording_open(&recording, report->options->input, task->browse.how, err);

	if (rc < 0)
		return rc;
	pfx_recording_resolve(recording, task->browse.resolving);
	task->browse.recording = recording;
	task->browse.event_switch = &again;
	task->browse.counts = NULL;
	task->read_sheet = read_sheet;
	task->sheet = make_sheet;
	task->sheet_context = &sheet;
	rc = pfx_screen_run(task, &report->opened, err);
	pfx_screen_sheets_fini(&sheet.sheets);
	pfx_recording_free(recording);
	return rc;
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
		.browse = {.recording = report->recording,
			   .how = &how,
			   .resolving = &resolving,
			   .filter = &o->filter,
			   .times = o->time ? &report->times : NULL,
			   .event_switch = &o->event_switch,
			   .counts = &report->counts,
			   .code = {.intel = o->intel}},
		.quiet = o->quiet,
		.no_colours = !pfx_term_colours(o->colour),
		.options = {.min_percent = o->percent_limit_given ? o->percent_limit : 0,
			    .samples = o->nr_samples,
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
		task.browse.frames_by = PFX_FRAMES_BY_LINE;
	return needs_sheet(report) ? show_sheet(report, &task, err)
				   : pfx_screen_run(&task, &report->opened, err);
}
