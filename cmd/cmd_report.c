/* SPDX-License-Identifier: MIT */
/*
 * `pfx report`: where the time went, as a table. Options and the steps of a run; reading and
 * printing are in report_read.c and report_show.c, counting in lib/hist.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/recording.h"
#include "cmd/report_internal.h"
#include "file/header_text.h"

static int on_graph(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_report_options *o = options;

	o->graph_given = !unset;
	o->no_graph = unset;
	if (unset || !arg)
		return 0;
	return pfx_callgraph_parse(&o->graph, arg, err);
}

static int set_percent_limit(struct pfx_report_options *o, const char *arg, struct pfx_error *err)
{
	char shown[64];
	char *end;

	o->percent_limit = strtod(arg, &end);
	end += *end == '%';
	if (end == arg || *end || !isfinite(o->percent_limit) || o->percent_limit < 0)
		return pfx_error_set(err, EINVAL, "'%s' is not a percentage",
				     pfx_escape(shown, sizeof(shown), arg));
	o->percent_limit_given = true;
	o->graph.min_percent = o->percent_limit;
	return 0;
}

static int on_percent_limit(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	return set_percent_limit(options, unset ? "0" : arg, err);
}

static int on_percentage(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_report_options *o = options;
	char shown[64];

	o->relative = !unset && !strcmp(arg, "relative");
	if (unset || o->relative || !strcmp(arg, "absolute"))
		return 0;
	pfx_error_set(err, EINVAL, "'%s' is neither relative nor absolute",
		      pfx_escape(shown, sizeof(shown), arg));
	return -EINVAL;
}

static int on_colour(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_report_options *o = options;
	char shown[64];

	if (unset || !strcmp(arg, "never"))
		o->colour = PFX_COLOUR_NEVER;
	else if (!strcmp(arg, "always"))
		o->colour = PFX_COLOUR_ALWAYS;
	else if (!strcmp(arg, "auto"))
		o->colour = PFX_COLOUR_AUTO;
	else
		return pfx_error_set(err, EINVAL, "'%s' is none of always, never, auto",
				     pfx_escape(shown, sizeof(shown), arg));
	return 0;
}

static int on_comms(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_report_options *o = options;

	return unset ? 0 : pfx_names_parse(&o->filter.comms, arg, err);
}

static int on_dsos(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_report_options *o = options;

	return unset ? 0 : pfx_names_parse(&o->filter.dsos, arg, err);
}

static int on_symbols(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_report_options *o = options;

	return unset ? 0 : pfx_names_parse(&o->filter.symbols, arg, err);
}

static int on_pids(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_report_options *o = options;

	return unset ? 0 : pfx_ids_parse(&o->filter.pids, arg, err);
}

static int on_tids(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct pfx_report_options *o = options;

	return unset ? 0 : pfx_ids_parse(&o->filter.tids, arg, err);
}

#define AT(field) offsetof(struct pfx_report_options, field)
static const struct pfx_option report_options[] = {
	{PFX_OPT_GROUP, .help = "Input:"},
	{PFX_OPT_STRING, 'i', "input", AT(input), "file", "recording to read, - is standard input"},
	{PFX_OPT_BOOL, 'f', "force", AT(force), NULL,
	 "also read a file that belongs to somebody else"},
	PFX_OPT_STRICT(strict),
	{PFX_OPT_GROUP, .help = "Rows and columns:"},
	{PFX_OPT_STRING, 's', "sort", AT(sort), "keys",
	 "what a row is: comm, dso, sym, pid (by thread), tid, tgid, cpu, trace (fields of a "
	 "tracepoint), separated by commas; "
	 "+key adds to comm,dso,sym"},
	{PFX_OPT_STRING, 'F', "fields", AT(fields), "fields",
	 "columns to show: keys and overhead, overhead_children, overhead_sys, overhead_us, "
	 "overhead_guest_sys, overhead_guest_us, sample, period; +field adds to the usual ones"},
	{PFX_OPT_BOOL, 'n', "show-nr-samples", AT(nr_samples), NULL, "show the number of samples"},
	{PFX_OPT_BOOL, 0, "show-total-period", AT(total_period), NULL, "show the sum of periods"},
	{PFX_OPT_BOOL, 0, "show-cpu-utilization", AT(cpu_utilization), NULL,
	 "show kernel and user parts of the overhead"},
	{PFX_OPT_BOOL, 0, "children", AT(children), NULL,
	 "add what callees cost to their callers (the default where there are call chains)"},
	{PFX_OPT_CALL, 0, "percent-limit", 0, "percent", "leave out rows and branches below",
	 on_percent_limit},
	{PFX_OPT_CALL, 0, "percentage", 0, "how",
	 "of what the filters let pass (relative) or of all (absolute)", on_percentage},
	{PFX_OPT_BOOL, 0, "group", AT(group), NULL,
	 "members of an event group side by side (the default)"},
	{PFX_OPT_GROUP, .help = "Call graphs:"},
	{PFX_OPT_CALL_NEXT, 'g', "call-graph", 0, "how",
	 "graph, flat, fractal, folded or none; threshold in percent; number of entries; caller or "
	 "callee; function or address; percent, period or count; separated by commas",
	 on_graph},
	{PFX_OPT_BOOL, 'G', "inverted", AT(inverted), NULL, "as -g caller"},
	{PFX_OPT_U64, 0, "max-stack", AT(max_stack), "n", "frames of a call chain at most"},
	{PFX_OPT_GROUP, .help = "Which samples:"},
	{PFX_OPT_CALL, 'c', "comms", 0, "list", "only these command names", on_comms},
	{PFX_OPT_CALL, 'd', "dsos", 0, "list", "only these binaries", on_dsos},
	{PFX_OPT_CALL, 'S', "symbols", 0, "list", "only these symbols", on_symbols},
	{PFX_OPT_CALL, 0, "pid", 0, "list", "only these processes", on_pids},
	{PFX_OPT_CALL, 0, "tid", 0, "list", "only these threads", on_tids},
	{PFX_OPT_STRING, 'C', "cpu", AT(cpus), "list", "only these CPUs"},
	{PFX_OPT_STRING, 0, "time", AT(time), "span",
	 "only from start,stop in seconds, or a part as 10%-20% or 10%/2"},
	{PFX_OPT_BOOL, 'U', "hide-unresolved", AT(hide_unresolved), NULL,
	 "leave out samples and frames without a symbol"},
	{PFX_OPT_GROUP, .help = "Form:"},
	{PFX_OPT_BOOL, 0, "stdio", AT(stdio), NULL, "print text (the default)"},
	{PFX_OPT_CALL, 0, "stdio-color", 0, "when", "always, never or auto", on_colour},
	{PFX_OPT_STRING, 't', "field-separator", AT(separator), "text",
	 "put this between columns instead of blanks"},
	{PFX_OPT_STRING, 'w', "column-widths", AT(widths), "list", "widths of the columns"},
	{PFX_OPT_BOOL, 0, "header", AT(header), NULL, "print the header of the recording first"},
	{PFX_OPT_BOOL, 0, "header-only", AT(header_only), NULL,
	 "print the header and nothing else"},
	{PFX_OPT_BOOL, 'I', "show-info", AT(show_info), NULL, "all of the header, with --header"},
	{PFX_OPT_BOOL, 'q', "quiet", AT(quiet), NULL, "rows only, no warnings"},
	{PFX_OPT_COUNT, 'v', "verbose", AT(verbose), NULL,
	 "long names, addresses of symbols, and what is missing"},
	{PFX_OPT_GROUP, .help = "Instead of the table:"},
	{PFX_OPT_BOOL, 'D', "dump-raw-trace", AT(dump), NULL,
	 "show every record in hex and decoded"},
	{PFX_OPT_BOOL, 0, "stats", AT(stats), NULL, "count the records by type"},
	{PFX_OPT_BOOL, 0, "tasks", AT(tasks), NULL, "show the processes and threads"},
	{PFX_OPT_BOOL, 0, "mmaps", AT(mmaps), NULL, "the same with their mappings"},
	{PFX_OPT_GROUP, .help = "Symbols:"},
	{PFX_OPT_STRING, 'k', "vmlinux", AT(sym.vmlinux), "file",
	 "kernel image to take symbols from"},
	{PFX_OPT_BOOL, 0, "ignore-vmlinux", AT(sym.ignore_vmlinux), NULL,
	 "do not look for kernel images"},
	{PFX_OPT_STRING, 0, "kallsyms", AT(sym.kallsyms), "file", "list of kernel symbols to use"},
	{PFX_OPT_STRING, 0, "symfs", AT(sym.symfs), "dir",
	 "look for binaries below this directory"},
	{PFX_OPT_BOOL, 0, "no-demangle", AT(sym.no_demangle), NULL,
	 "show C++ and Rust names as they are"},
	{.kind = PFX_OPT_END},
};

/* Settings of the configuration; the command line comes after them. */
static int take_config(struct pfx_report_options *o, struct pfx_error *err)
{
	const char *value;
	int rc = 0;

	pfx_config_get_bool("report.children", &o->children);
	o->sort = pfx_config_get("report.sort_order");
	if ((value = pfx_config_get("report.percent-limit")))
		rc = set_percent_limit(o, value, err);
	if (!rc && (value = pfx_config_get("call-graph.print-type")))
		rc = pfx_callgraph_set_mode(&o->graph, value, err);
	if (!rc && (value = pfx_config_get("call-graph.order")))
		rc = pfx_callgraph_set_order(&o->graph, value, err);
	if (!rc && (value = pfx_config_get("call-graph.sort-key")))
		rc = pfx_callgraph_set_key(&o->graph, value, err);
	if ((value = pfx_config_get("call-graph.threshold")))
		o->graph.min_percent = strtod(value, NULL);
	if ((value = pfx_config_get("call-graph.print-limit")))
		o->graph.print_limit = strtoul(value, NULL, 10);
	return rc;
}

static int parse_cpus(struct pfx_report_options *o, struct pfx_error *err)
{
	char shown[64];

	if (!o->cpus)
		return 0;
	o->filter.cpus_given = true;
	if (pfx_list_parse(o->cpus, &o->filter.cpus))
		return 0;
	pfx_error_set(err, EINVAL, "'%s' is not a list of CPUs",
		      pfx_escape(shown, sizeof(shown), o->cpus));
	pfx_error_hint(err, "for example: -C 0,4-7");
	return -EINVAL;
}

/* Words that are checked before a file is touched. */
static int check_words(struct pfx_report *report, const char *word, struct pfx_error *err)
{
	struct pfx_report_options *o = report->options;
	char shown[128];

	if (word) {
		pfx_error_set(err, EINVAL, "'%s' is not expected here",
			      pfx_escape(shown, sizeof(shown), word));
		pfx_error_hint(err, "the recording is named with -i; see 'pfx report -h'");
		return -EINVAL;
	}
	if (o->separator && !strcmp(o->separator, "\\t"))
		o->separator = "\t";
	if (o->separator && (!*o->separator || *o->separator == '.'))
		return pfx_error_set(err, EINVAL, "'%s' cannot separate columns: %s", o->separator,
				     *o->separator ? "numbers have points" : "it is empty");
	if (parse_cpus(o, err) < 0)
		return -EINVAL;
	return pfx_report_build_columns(report, true, err);
}

/* -C can only choose among samples that say where they ran. */
static int check_cpus(const struct pfx_report *report, struct pfx_error *err)
{
	const struct pfx_meta *meta = pfx_reader_meta(report->reader);
	char shown[128];
	uint32_t i;

	for (i = 0; report->options->cpus && i < meta->nr_events; i++)
		if (!(meta->events[i]->attr.sample_type & PFX_SAMPLE_CPU))
			return pfx_error_set(
				err, EINVAL,
				"-C cannot choose: the samples of event '%s' were "
				"recorded without their CPU",
				pfx_escape(shown, sizeof(shown), meta->events[i]->name));
	return 0;
}

static int open_input(struct pfx_report *report, struct pfx_error *err)
{
	struct pfx_report_options *o = report->options;
	struct pfx_resolve_options resolving = {.sym = o->sym};
	const struct pfx_meta *meta;
	unsigned how = pfx_open_how(o->force, o->strict);
	uint32_t i;
	int rc;

	if (o->stats || o->dump)
		rc = pfx_recording_open_all(&report->reader, o->input, how, err);
	else
		rc = pfx_recording_open(&report->reader, o->input, how, err);
	if (rc < 0)
		return rc;
	meta = pfx_reader_meta(report->reader);
	report->only_tracepoints = meta->nr_events > 0 && meta->env.tracing_data.size;
	for (i = 0; i < meta->nr_events; i++) {
		if (meta->events[i]->attr.sample_type & PFX_SAMPLE_CALLCHAIN)
			report->has_chains = true;
		if (meta->events[i]->attr.type != PFX_TYPE_TRACEPOINT)
			report->only_tracepoints = false;
	}
	report->session = pfx_session_new(pfx_reader_meta(report->reader));
	report->order = pfx_order_new(report->reader, false);
	rc = check_cpus(report, err);
	if (!rc)
		rc = pfx_report_build_columns(report, report->has_chains, err);
	resolving.sym.buildid_dir = pfx_globals.buildid_dir;
	resolving.sym.force = o->force;
	resolving.max_stack = o->max_stack > UINT32_MAX ? 0 : (uint32_t)o->max_stack;
	resolving.keep_root = o->graph.caller;
	report->resolver = pfx_resolver_new(report->session, &resolving);
	report->trace.reader = report->reader;
	report->trace.session = report->session;
	report->trace.resolver = report->resolver;
	if (rc || !o->time)
		return rc;
	return pfx_time_ranges_parse(&report->times, o->time, meta->env.first_sample_ns,
				     meta->env.last_sample_ns, err);
}

static void new_hists(struct pfx_report *report)
{
	struct pfx_report_options *o = report->options;
	struct pfx_hist_options options = {
		.meta = pfx_reader_meta(report->reader),
		.session = report->session,
		.resolver = report->resolver,
		.columns = &report->columns,
		.filter = &o->filter,
		.graph = &o->graph,
		.texts = {&report->trace, pfx_sample_trace_id, pfx_sample_trace_text},
		.chains = report->has_chains,
		.children = pfx_columns_shows(&report->columns, PFX_KEY_OVERHEAD_CHILDREN) &&
			    o->children && report->has_chains,
		.hide_unresolved = o->hide_unresolved,
		.relative = o->relative,
		.join_groups = o->group,
		.min_percent = o->percent_limit,
	};

	report->hists = pfx_hists_new(&options);
}

static int run_opened(struct pfx_report *report, struct pfx_error *err)
{
	struct pfx_report_options *o = report->options;
	bool instead = o->dump || o->stats || o->tasks || o->mmaps;
	int rc;

	if (o->header_only || o->header)
		pfx_header_text(report->reader, o->show_info, &report->out);
	else if (!o->quiet && !o->stats && !o->tasks && !o->mmaps)
		pfx_str_add(&report->out, "# To display the perf.data header info, please use "
					  "--header/--header-only options.\n#\n");
	if (o->header_only)
		return pfx_report_flush(report, 0, err);
	if (!instead)
		new_hists(report);
	rc = pfx_report_read(report, err);
	if (rc < 0)
		return rc;
	if (o->tasks || o->mmaps)
		rc = pfx_report_add_tasks(report, err);
	else if (o->stats || o->dump)
		pfx_report_add_stats(report);
	else
		rc = pfx_report_print_tables(report, err);
	return rc < 0 ? rc : pfx_report_flush(report, 0, err);
}

static void finish(struct pfx_report *report)
{
	pfx_hists_free(report->hists);
	pfx_sample_trace_fini(&report->trace);
	pfx_columns_fini(&report->columns);
	pfx_time_ranges_fini(&report->times);
	pfx_resolver_free(report->resolver);
	pfx_session_free(report->session);
	pfx_order_free(report->order);
	pfx_reader_free(report->reader);
	pfx_filter_fini(&report->options->filter);
	pfx_str_fini(&report->out);
	free(report->nr_by_event);
}

static int run_checked(struct pfx_report *report)
{
	struct pfx_error err = {0};
	int code = 0, rc = open_input(report, &err);

	if (!rc) {
		pfx_pager_for("report");
		rc = run_opened(report, &err);
	}
	if (rc < 0)
		code = rc == -EPIPE ? 141 : pfx_print_error("report", &err);
	if (report->reader && !report->options->quiet)
		pfx_recording_note("report", &(struct pfx_recording_state){
						     report->reader, report->session, report->order,
						     report->nr_bad_samples});
	return code;
}

static int run_report(int argc, char **argv)
{
	struct pfx_report_options options = {
		.graph = pfx_callgraph_default,
		.children = true,
		.group = true,
		.max_stack = UINT64_MAX,
	};
	struct pfx_report report = {.options = &options};
	struct pfx_error err = {0};
	int at, code, rc;

	rc = take_config(&options, &err);
	if (rc < 0)
		return pfx_print_error("report", &err);
	at = pfx_options_or_exit(&pfx_cmd_report, argc, argv, &options, &code);
	if (at < 0)
		return code;
	if (options.no_graph)
		options.graph.mode = PFX_GRAPH_NONE;
	if (check_words(&report, at < argc ? argv[at] : NULL, &err) < 0) {
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
	.args = "",
	.summary = "show where the time went, as a table",
	.options = report_options,
	.run = run_report,
	.permute = true,
};
