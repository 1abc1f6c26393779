/* SPDX-License-Identifier: MIT */
/*
 * `pfx report`: samples as a table of rows by comm, DSO, symbol and other keys. Options and the
 * steps of a run; reading is in report_read.c, printing in report_tables.c, counting in lib/hist.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/app/colour_words.h"
#include "cmd/app/commands.h"
#include "cmd/app/filter_options.h"
#include "cmd/app/recording_notes.h"
#include "cmd/app/screen/screen_run.h"
#include "cmd/app/screen/screen_syntax.h"
#include "cmd/app/unwind_style.h"
#include "cmd/report/report_internal.h"
#include "file/reader/header_text.h"
#include "out/recording_text.h"

/* Reasons why pfx lacks an option of perf. */
#define NO_GTK      "pfx has a screen of text only"
#define NO_CODE     "it is about annotated code, which 'perf report' shows on its screen only"
#define MOOT(value) .hidden = true, .is_moot = true, .arg = value
#define OWN_LINES   "pfx reads source lines itself, without addr2line"

#define AT(field) offsetof(struct pfx_report_options, field)
#define FORM_OPTION(name, help, ...) \
	{PFX_OPT_BOOL, 0, #name, AT(forms[PFX_FORM_##name]), NULL, help, .is_new = true},
static const struct pfx_option report_options[] = {
	{PFX_OPT_GROUP, .help = "Input:"},
	PFX_OPT_INPUT(input),
	PFX_OPT_FORCE(force),
	PFX_OPT_STRICT(strict),
	{PFX_OPT_BOOL, 0, "disable-order", AT(disable_order), NULL,
	 "read the records in file order, not in order of time"},
	{PFX_OPT_CALL_OPTIONAL, 0, "itrace", 0, "how",
	 "decode AUX area data; not supported: prints a warning when a recording has some",
	 pfx_report_on_itrace},
	{PFX_OPT_GROUP, .help = "Rows and columns:"},
	{PFX_OPT_STRING, 's', "sort", AT(sort), "keys",
	 "what a row is: comm, dso, sym, pid (by thread), tgid, cpu, srcline, time, trace, ... or "
	 "fields of tracepoints, separated by commas; +key adds to the usual keys; the manual "
	 "has the whole list",
	 .add_words = pfx_words_add_keys},
	{PFX_OPT_STRING, 'F', "fields", AT(fields), "fields",
	 "columns to show: keys and overhead, overhead_children, overhead_sys, overhead_us, "
	 "overhead_guest_sys, overhead_guest_us, sample, period; +field adds to the usual ones",
	 .add_words = pfx_words_add_fields},
	{PFX_OPT_BOOL, 'n', "show-nr-samples", AT(nr_samples), NULL, "show the number of samples"},
	{PFX_OPT_BOOL, 0, "show-total-period", AT(total_period), NULL, "show the sum of periods"},
	{PFX_OPT_BOOL, 0, "showcpuutilization", AT(cpu_utilization), NULL,
	 "show-cpu-utilization, as perf spells it", .hidden = true},
	{PFX_OPT_BOOL, 0, "show-cpu-utilization", AT(cpu_utilization), NULL,
	 "show kernel and user parts of the overhead"},
	{PFX_OPT_BOOL, 0, "latency", AT(latency), NULL,
	 "columns with wall-clock time, divided among the threads that ran; sort by it"},
	{PFX_OPT_BOOL, 0, "raw-trace", AT(raw_trace), NULL,
	 "show the fields of tracepoints one by one, not as formatted text"},
	{PFX_OPT_BOOL, 0, "guest", AT(guest), NULL, "count the samples of guests as well"},
	{PFX_OPT_BOOL, 0, "host", AT(host), NULL,
	 "count the samples of the host (the default); --no-host with --guest: of guests only"},
	{PFX_OPT_BOOL, 'H', "hierarchy", AT(hierarchy), NULL,
	 "a tree with a level for each key, with sums"},
	{PFX_OPT_BOOL, 0, "children", AT(children), NULL,
	 "add the cost of callees to their callers (the default with call chains)",
	 .set_offset = AT(children_given)},
	{PFX_OPT_CALL, 0, "percent-limit", 0, "percent",
	 "hide rows and branches below this percentage", pfx_report_on_percent_limit},
	{PFX_OPT_CALL, 0, "percentage", 0, "how",
	 "percentages of the filtered samples (relative) or of all samples (absolute)",
	 pfx_report_on_percentage, .words = "relative absolute"},
	{PFX_OPT_STRING, 0, "time-quantum", AT(quantum), "time",
	 "interval of the key time, like 100ms (the default), 1s, 500us"},
	{PFX_OPT_BOOL, 0, "ns", AT(ns), NULL, "show times in nanoseconds"},
	{PFX_OPT_BOOL, 'b', "branch-stack", AT(branch), NULL,
	 "count the branches of branch stacks (the default where they were recorded)",
	 .set_offset = AT(branch_given)},
	{PFX_OPT_BOOL, 0, "total-cycles", AT(total_cycles), NULL,
	 "show the basic blocks between branches and their cycles"},
	{PFX_OPT_BOOL, 0, "mem-mode", AT(mem_mode), NULL,
	 "count accesses to memory by their weight"},
	{PFX_OPT_BOOL, 0, "group", AT(group), NULL,
	 "members of an event group side by side (the default); --group without any group: all "
	 "events side by side",
	 .set_offset = AT(group_given)},
	{PFX_OPT_U64, 0, "group-sort-idx", AT(group_sort_idx), "n",
	 "order the rows of a group by its member n, counted from 0"},
	{PFX_OPT_BOOL, 'T', "threads", AT(threads), NULL,
	 "show the counts of each thread (record -s)"},
	{PFX_OPT_CALL, 0, "pretty", 0, "form",
	 "form of the table of -T: normal, or raw with a line for each number",
	 pfx_report_on_pretty, .words = "normal raw"},
	{PFX_OPT_GROUP, .help = "Call graphs:"},
	{PFX_OPT_CALL_NEXT, 'g', "call-graph", 0, "how",
	 "graph, flat, fractal, folded or none; threshold in percent; number of entries; caller or "
	 "callee; function, address (symoff) or srcline; percent, period or count; branch; "
	 "separated by "
	 "commas",
	 pfx_report_on_graph, .add_words = pfx_words_add_graph_words},
	{PFX_OPT_BOOL, 0, "inline", AT(inlines), NULL,
	 "show functions inlined in others as frames of their own (the default)",
	 .set_offset = AT(inlines_given)},
	{PFX_OPT_BOOL, 'G', "inverted", AT(inverted), NULL, "as -g caller"},
	PFX_OPT_MAX_STACK(AT(max_stack)),
	PFX_OPT_UNWIND_STYLE(AT(unwind)),
	PFX_OPT_STITCH_LBR(AT(stitch_lbr)),
	{PFX_OPT_BOOL, 0, "show-ref-call-graph", AT(ref_chains), NULL,
	 "show call graphs of the first event that has chains for events without"},
	{PFX_OPT_BOOL, 0, "branch-history", AT(branch_history), NULL,
	 "show the branches before a sample as its innermost callers"},
	{PFX_OPT_GROUP, .help = "Which samples:"},
	PFX_OPT_FILTER_NAMES(filter, 'c'),
	{PFX_OPT_STRING, 0, "symbol-filter", AT(symbol_filter), "text",
	 "only symbols whose name contains this; an argument that is not an option does the same"},
	{PFX_OPT_STRING, 'p', "parent", AT(parent), "pattern",
	 "add a column with the nearest caller whose name matches"},
	{PFX_OPT_BOOL, 'x', "exclude-other", AT(exclude_other), NULL,
	 "with -p, leave out samples without such a caller"},
	{PFX_OPT_STRING, 0, "ignore-callees", AT(ignore_callees), "pattern",
	 "add what these functions call to the functions themselves"},
	{PFX_OPT_STRING, 0, "socket-filter", AT(socket), "n", "only CPUs of this socket"},
	PFX_OPT_EVENT_SWITCH(event_switch),
	{PFX_OPT_STRING, 0, "parallelism", AT(parallelism), "list",
	 "only samples taken while this many threads ran, like 1,4-8", .is_new = true},
	{PFX_OPT_STRING, 'C', "cpu", AT(cpus), "list", "only these CPUs"},
	PFX_OPT_TIME_SPAN(time),
	{PFX_OPT_BOOL, 'U', "hide-unresolved", AT(hide_unresolved), NULL,
	 "leave out samples and frames without a symbol"},
	{PFX_OPT_GROUP, .help = "Form:"},
	{PFX_OPT_BOOL, 0, "tui", AT(tui), NULL,
	 "show a screen to move about in (the default on a terminal)"},
	PFX_FORMS_OF_ROWS(FORM_OPTION){
		PFX_OPT_U64, 0, "samples", AT(nr_kept), "n",
		"with --json and on the screen, up to n samples of each row: time, thread, CPU"},
	{PFX_OPT_VALUE, 0, "stdio-color", AT(colour), "when", "always, never or auto",
	 pfx_colour_option, .words = "always never auto"},
	{PFX_OPT_STRING, 't', "field-separator", AT(separator), "text",
	 "separate columns by this text instead of blanks"},
	{PFX_OPT_STRING, 'w', "column-widths", AT(widths), "list", "widths of the columns"},
	{PFX_OPT_BOOL, 0, "header", AT(header), NULL, "print the header of the recording first"},
	{PFX_OPT_BOOL, 0, "header-only", AT(header_only), NULL,
	 "print the header and nothing else"},
	{PFX_OPT_BOOL, 'I', "show-info", AT(show_info), NULL, "all of the header, with --header"},
	{PFX_OPT_BOOL, 'q', "quiet", AT(quiet), NULL, "rows only, no warnings"},
	{PFX_OPT_COUNT, 'v', "verbose", AT(verbose), NULL,
	 "long names, addresses of symbols, and what is missing"},
	{PFX_OPT_GROUP, .help = "Instead of the table:"},
	PFX_OPT_DUMP(dump),
	{PFX_OPT_BOOL, 0, "stats", AT(stats), NULL, "count the records by type"},
	{PFX_OPT_BOOL, 0, "no-skip-empty", AT(no_skip_empty), NULL,
	 "also show events without samples, and with --stats record types that do not occur"},
	{PFX_OPT_BOOL, 0, "tasks", AT(tasks), NULL, "show the processes and threads"},
	{PFX_OPT_BOOL, 0, "mmaps", AT(mmaps), NULL, "the same with their mappings"},
	{PFX_OPT_GROUP, .help = "Symbols:"},
	PFX_OPT_SCREEN_SYNTAX(AT(intel)),
	PFX_OPT_SYMBOL_FILES(AT(symbols)),
	PFX_OPT_IGNORE_VMLINUX(AT(symbols)),
	{PFX_OPT_BOOL, 0, "full-source-path", AT(full_source_path), NULL,
	 "show source files with their folders"},
	PFX_OPT_MODULES(AT(modules)),
	{PFX_OPT_ABSENT, 0, "gtk", .help = NO_GTK, .hidden = true},
	{PFX_OPT_ABSENT, 0, "objdump", .help = NO_CODE, MOOT("file")},
	{PFX_OPT_ABSENT, 0, "source", .help = NO_CODE, MOOT(NULL)},
	{PFX_OPT_ABSENT, 0, "asm-raw", .help = NO_CODE, MOOT(NULL)},
	{PFX_OPT_ABSENT, 0, "prefix", .help = NO_CODE, MOOT("dir")},
	{PFX_OPT_ABSENT, 0, "prefix-strip", .help = NO_CODE, MOOT("n")},
	{PFX_OPT_ABSENT, 0, "percent-type", .help = NO_CODE, MOOT("type"), .words = PERCENT_TYPES},
	{PFX_OPT_ABSENT, 0, "addr2line", .help = OWN_LINES, .hidden = true},
	{PFX_OPT_ABSENT, 0, "addr2line-style", .help = OWN_LINES, .hidden = true},
	{.kind = PFX_OPT_END},
};

/* The output form of the tables; some cannot be combined with other options. */
static int check_form(struct pfx_report *report, struct pfx_error *err)
{
	const struct pfx_report_options *o = report->options;
	const char *instead = o->header_only ? "--header-only" : o->dump ? "-D" : NULL;
	int rc = pfx_form_choose(pfx_forms_of_rows, o->forms, PFX_NR_FORMS_OF_ROWS, &report->form,
				 err);
	bool more = report->form->needs & PFX_FORM_MORE;

	if (!instead && !more)
		instead = o->stats ? "--stats" : o->tasks ? "--tasks" : o->mmaps ? "--mmaps" : NULL;
	if (rc || !instead || (report->form->needs & PFX_FORM_COMMENTS))
		return rc;
	return pfx_error_set(err, EINVAL, "--%s is a form of the table: it does not go with %s",
			     report->form->name, instead);
}

/* Checks of option values before a file is opened. */
static int check_words(struct pfx_report *report, struct pfx_error *err)
{
	struct pfx_report_options *o = report->options;
	int rc;

	rc = pfx_parse_separator(&o->separator, err);
	if (rc < 0)
		return rc;
	if (o->separator && (!*o->separator || *o->separator == '.'))
		return pfx_error_set(err, EINVAL, "'%s' cannot separate columns: %s", o->separator,
				     *o->separator ? "numbers have points" : "it is empty");
	if (o->branch_given && o->branch && o->mem_mode)
		return pfx_error_set(err, EINVAL, "-b and --mem-mode do not go together");
	if (o->hierarchy && o->fields)
		return pfx_error_set(err, EINVAL,
				     "--hierarchy makes a level of each key: it "
				     "does not go with -F");
	rc = check_form(report, err);
	if (!rc)
		rc = pfx_report_parse_cpus(o, err);
	if (!rc)
		rc = pfx_report_parse_quantum(o, err);
	if (!rc)
		rc = pfx_report_parse_patterns(report, err);
	if (!rc)
		rc = pfx_symbol_options_parse(&o->symbols, err);
	if (!rc)
		rc = pfx_time_ranges_check(o->time, err);
	return rc ? rc : pfx_report_build_columns(report, true, err);
}

/* --group-sort-idx requires groups of events. */
static int check_sort_member(struct pfx_report *report, struct pfx_error *err)
{
	const struct pfx_report_options *o = report->options;

	if (!o->group_sort_idx || (o->group && o->group_given) || pfx_report_has_groups(report))
		return 0;
	report->bad_words = true;
	pfx_error_set(err, EINVAL, "--group-sort-idx has no groups of events to order");
	pfx_error_hint(err, "--group puts all events side by side");
	return -EINVAL;
}

/* The header, or a hint how to print it, before text with comments. */
static void add_header(struct pfx_report *report)
{
	const struct pfx_report_options *o = report->options;
	bool comments = report->form->needs & PFX_FORM_COMMENTS;

	if (o->header_only || (o->header && comments))
		pfx_header_text(report->reader, o->show_info, &report->out);
	else if (comments && !o->quiet && !o->stats && !o->tasks && !o->mmaps)
		pfx_str_add(&report->out, "# To display the perf.data header info, please use "
					  "--header/--header-only options.\n#\n");
}

static int print_instead(struct pfx_report *report, struct pfx_error *err)
{
	const struct pfx_report_options *o = report->options;

	if (o->tasks || o->mmaps)
		return pfx_tasks_text(report->session, o->mmaps, &report->out, err);
	pfx_record_counts_text(&report->counts, report->session, pfx_reader_meta(report->reader),
			       o->no_skip_empty, &report->out);
	return 0;
}

static int run_opened(struct pfx_report *report, struct pfx_error *err)
{
	struct pfx_report_options *o = report->options;
	bool more = report->form->needs & PFX_FORM_MORE;
	bool instead = o->dump || (!more && (o->stats || o->tasks || o->mmaps));
	int rc;

	/* Reads the records; a progress line is shown on standard error. */
	if (o->header_only || o->dump)
		pfx_pager_for("report");
	add_header(report);
	if (o->header_only)
		return pfx_out_write(&report->out, 0, err);
	if (report->on_screen)
		return pfx_report_show_screen(report, err);
	if (!instead)
		pfx_report_new_hists(report);
	rc = pfx_report_read(report, err);
	if (rc < 0)
		return rc;
	pfx_pager_for("report");
	rc = instead ? print_instead(report, err) : pfx_report_print_tables(report, err);
	return rc < 0 ? rc : pfx_out_write(&report->out, 0, err);
}

static void finish(struct pfx_report *report)
{
	pfx_report_close(report);
	pfx_columns_fini(&report->columns);
	pfx_filter_fini(&report->options->filter);
	pfx_report_free_patterns(report);
}

/* Whether this recording is shown on the screen. */
static int choose_screen(struct pfx_report *report, struct pfx_error *err)
{
	const struct pfx_report_options *o = report->options;
	const struct pfx_screen_wish wish = {
		.command = "report",
		.tui = o->tui,
		.text = pfx_report_why_text(report),
		.quiet = o->quiet,
		.input = o->input,
	};
	int rc = pfx_screen_wanted(&wish, err);

	report->on_screen = rc > 0;
	if (o->nr_kept && !rc && !(report->form->needs & PFX_FORM_MORE) && !o->quiet)
		pfx_print_note("report", "--samples is shown by --json and on the screen only");
	report->bad_words |= rc < 0;
	return rc < 0 ? rc : 0;
}

static int run_once(struct pfx_report *report)
{
	struct pfx_error err = {0};
	int code = 0, rc = pfx_report_open(report, &err);

	if (!rc)
		rc = check_sort_member(report, &err);
	if (!rc)
		rc = choose_screen(report, &err);
	if (!rc)
		rc = run_opened(report, &err);
	if (rc < 0)
		code = rc == -EPIPE ? 141 : pfx_print_error("report", &err);
	if (rc < 0 && report->bad_words)
		code = PFX_USAGE_ERROR;
	if (report->recording && !report->options->quiet)
		pfx_recording_note("report", report->recording);
	return code;
}

/* The user may choose another recording on the screen. */
static int run_checked(struct pfx_report *report)
{
	char *opened = NULL;
	int code;

	for (;;) {
		code = run_once(report);
		free(opened);
		opened = report->opened;
		if (!opened)
			return code;
		pfx_report_close(report);
		*report = (struct pfx_report){
			.options = report->options,
			.columns = report->columns,
			.form = report->form,
			.parent = report->parent,
			.callees = report->callees,
		};
		report->options->input = opened;
	}
}

/* Branches are distinguished by address. */
static void take_history(struct pfx_report_options *o)
{
	if (!o->branch_history)
		return;
	o->graph.key = PFX_GRAPH_ADDRESS;
	if (!o->sort)
		o->sort = "srcline,symbol,dso";
}

static int run_report(int argc, char **argv)
{
	struct pfx_report_options options = {
		.graph = pfx_callgraph_default,
		.children = true,
		.group = true,
		.inlines = true,
		.host = true,
		.modules = true,
		.max_stack = UINT64_MAX,
		.time_quantum = 100000000,
	};
	struct pfx_report report = {.options = &options};
	struct pfx_error err = {0};
	int at, code, rc;

	rc = pfx_report_take_config(&options, &err);
	if (rc < 0)
		return pfx_print_error("report", &err);
	at = pfx_options_or_exit(&pfx_cmd_report, argc, argv, &options, &code);
	if (at < 0) {
		finish(&report);
		return code;
	}
	if (options.no_graph)
		options.graph.mode = PFX_GRAPH_NONE;
	take_history(&options);
	options.guest |= options.symbols.guest_code || options.symbols.sym.guest_kallsyms ||
			 options.symbols.sym.guest_vmlinux || options.symbols.sym.guest_mount;
	if (pfx_report_take_words(&options, argc - at, argv + at, &err) < 0 ||
	    check_words(&report, &err) < 0) {
		pfx_print_error("report", &err);
		code = PFX_USAGE_ERROR;
	} else {
		code = run_checked(&report);
	}
	finish(&report);
	return code;
}

const struct pfx_command pfx_cmd_report = {
	.name = "report",
	.args = "[symbol]",
	.summary = "show where the time went, as a table",
	.options = report_options,
	.run = run_report,
	.permute = true,
	.keeps_all = true,
};
