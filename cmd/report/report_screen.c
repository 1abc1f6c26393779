/* SPDX-License-Identifier: MIT */
/*
 * `pfx report` on a terminal: whether it shows a screen or text, and its options for the screen.
 * Rows and columns that a profile does not have are a sheet.
 */
#include <stdlib.h>
#include <string.h>

#include "browse/screen_sheets.h"
#include "cmd/app/screen/screen_run.h"
#include "cmd/report/report_internal.h"
#include "view/table_keys.h"

static bool asks_for_text(const struct pfx_report_options *o)
{
	unsigned i;

	for (i = 0; i < PFX_NR_FORMS_OF_ROWS; i++)
		if (o->forms[i])
			return true;
	return o->header || o->header_only || o->dump || o->stats || o->tasks || o->mmaps ||
	       o->threads || o->separator;
}

/* Profiles have call trees of functions and threads; perf has those of libraries and lines, too. */
static bool lack_trees(const struct pfx_report *report, const struct pfx_screen_rows *rows)
{
	bool of_function = pfx_table_keys_find(&rows->keys, PFX_TABLE_BY_FUNCTION, NULL);
	bool of_code = pfx_table_keys_find(&rows->keys, PFX_TABLE_BY_DSO, NULL) ||
		       pfx_table_keys_find(&rows->keys, PFX_TABLE_BY_LINE, NULL) ||
		       pfx_table_keys_find(&rows->keys, PFX_TABLE_BY_FILE, NULL);

	if (!report->has_chains || report->options->graph.mode == PFX_GRAPH_NONE)
		return false;
	return rows->keys.nr ? of_code && !of_function
			     : rows->by == PFX_VIEW_DSO || rows->by == PFX_VIEW_LINE;
}

/* Whether a profile cannot have the rows and columns that were asked for. */
static bool needs_sheet(const struct pfx_report *report)
{
	const struct pfx_report_options *o = report->options;
	struct pfx_screen_rows rows;

	return pfx_screen_rows_of(o->sort, &rows, NULL) < 0 || lack_trees(report, &rows) ||
	       o->fields || o->nr_kept || o->hierarchy || o->widths || o->total_period ||
	       o->cpu_utilization || o->mem_mode || o->branch_history ||
	       (report->has_chains && !pfx_callgraph_is_plain(&o->graph)) || o->parent ||
	       o->exclude_other || o->ignore_callees || o->latency || o->parallelism || o->socket ||
	       (o->group_given && o->group) || o->group_sort_idx || o->ref_chains ||
	       report->mode != PFX_REPORT_NORMAL ||
	       (report->only_tracepoints && !report->has_chains);
}

const char *pfx_report_why_text(const struct pfx_report *report)
{
	if (asks_for_text(report->options))
		return "other options ask for text";
	return pfx_screen_cannot_show(report->reader);
}

/* --- tables of lib/hist on the screen --- */

/* A report whose samples were counted again: with other keys, filters or call trees. */
struct recount {
	struct pfx_report report;
	struct pfx_report_options options;
	struct pfx_names dso; /* instead of those of the options */
	struct pfx_screen_sheets_count counted;
};

struct report_sheet {
	struct pfx_report *report;
	struct pfx_screen_sheets sheets;
	struct pfx_event_switch event_switch; /* as it was given */
	struct recount again;
};

static void end_recount(struct recount *again)
{
	pfx_report_close(&again->report);
	pfx_columns_fini(&again->report.columns);
	pfx_names_fini(&again->dso);
	pfx_screen_sheets_forget(&again->counted);
	*again = (struct recount){0};
}

/* Opens the recording again, with other options. */
static int begin_recount(struct report_sheet *sheet, const char *keys, bool reversed,
			 struct pfx_error *err)
{
	struct recount *again = &sheet->again;
	struct pfx_report_options *o = &again->options;

	end_recount(again);
	again->report.form = sheet->report->form;
	again->report.parent = sheet->report->parent;
	again->report.callees = sheet->report->callees;
	again->report.options = o;
	*o = *sheet->report->options;
	o->event_switch = sheet->event_switch;
	o->quiet = true;
	o->itrace = false;
	if (keys) {
		o->sort = again->counted.keys = pfx_strdup(keys);
		o->fields = o->widths = NULL;
	}
	if (reversed) {
		o->graph.order_given = true;
		o->graph.caller = !o->graph.caller;
		o->inverted = false;
	}
	return pfx_report_open(&again->report, err);
}

/* Only samples that the filters leave. */
static int count(struct report_sheet *sheet, const struct pfx_screen_sheet_wish *wish,
		 const struct pfx_profile *profile, struct pfx_error *err)
{
	struct recount *again = &sheet->again;
	int rc;

	again->report.chosen = pfx_screen_sheets_choose(wish, profile, NULL, 0);
	again->report.nr_chosen = profile->nr_rows;
	pfx_report_new_hists(&again->report);
	if (wish->dso && !pfx_screen_sheets_zoom_rows(pfx_hists_options(again->report.hists))) {
		pfx_names_of(&again->dso, wish->dso);
		again->options.filter.dsos = again->dso;
	}
	rc = pfx_report_read(&again->report, err);
	if (!rc)
		pfx_hists_finish(again->report.hists);
	free(again->report.chosen);
	again->report.chosen = NULL;
	return rc;
}

static int make_sheet(void *context, const struct pfx_screen_sheet_wish *wish,
		      const struct pfx_profile *profile, struct pfx_screen_sheet *ret,
		      struct pfx_error *err)
{
	struct report_sheet *sheet = context;
	struct recount *again = &sheet->again;
	struct pfx_report *report = sheet->report;
	struct pfx_screen_sheets_look look;
	int rc = 0;

	if (pfx_screen_sheets_need_count(wish, report->hists)) {
		if (!pfx_screen_sheets_counted(&again->counted, wish)) {
			rc = begin_recount(sheet, wish->keys, wish->reversed, err);
			if (!rc)
				rc = count(sheet, wish, profile, err);
			if (!rc)
				pfx_screen_sheets_note(&again->counted, wish,
						       pfx_hists_options(again->report.hists));
		}
		report = &again->report;
	}
	if (rc < 0)
		return rc;
	look = (struct pfx_screen_sheets_look){
		.text = pfx_report_look(report),
		.member = (uint32_t)report->options->group_sort_idx,
	};
	pfx_screen_sheets_make(&sheet->sheets, &look, report->hists, wish, ret);
	return 0;
}

/* Opening checks the keys; the report is counted when it is drawn. */
static int check_keys(void *context, const char *keys, struct pfx_error *err)
{
	int rc = begin_recount(context, keys, false, err);

	end_recount(&((struct report_sheet *)context)->again);
	return rc;
}

static int show(struct pfx_report *report, struct pfx_screen_task *task, struct pfx_error *err)
{
	struct report_sheet sheet = {.report = report,
				     .event_switch = report->options->event_switch};
	int rc;

	task->browse.sheet = make_sheet;
	task->browse.sheet_keys = check_keys;
	task->browse.sheet_context = &sheet;
	if (needs_sheet(report)) {
		pfx_report_new_hists(report);
		task->browse.hists = report->hists;
		task->browse.running = report->has_switches ? &report->running : NULL;
		task->options.sheet = true;
	}
	rc = pfx_screen_run(task, &report->opened, err);
	pfx_screen_sheets_fini(&sheet.sheets);
	end_recount(&sheet.again);
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
			    .min_branch = o->graph.min_given ? o->graph.min_percent : 0,
			    .samples = o->nr_samples,
			    .relative = o->relative,
			    .children = o->children && (report->has_chains || is_stream),
			    .callers = o->graph.order_given && !o->graph.caller,
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
	return show(report, &task, err);
}
