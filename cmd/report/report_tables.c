/* SPDX-License-Identifier: MIT */
/* `pfx report`: columns, and the tables with the comments around them. Reads no records. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/app/commands.h"
#include "cmd/app/recording_notes.h"
#include "cmd/report/report_internal.h"
#include "sym/table/asked_name.h"

#define KEPT_MAX 100000 /* of --samples */

/* POWER has pipeline stage cycles. */
static bool has_stages(const struct pfx_meta *meta)
{
	return meta->env.arch && !strncmp(meta->env.arch, "ppc", 3);
}

/* -p adds the key parent to those of -s. */
static const char *sort_words(const struct pfx_report *report, char *words, size_t size)
{
	const struct pfx_report_options *o = report->options;

	if (!o->parent || o->fields)
		return o->sort;
	snprintf(words, size, "%s%sparent", o->sort ? o->sort : "+", o->sort ? "," : "");
	return words;
}

static const char *usual_keys(const struct pfx_report *report)
{
	if (!report->only_tracepoints)
		return NULL;
	return report->options->raw_trace ? "trace_fields" : "trace";
}

int pfx_report_build_columns(struct pfx_report *report, bool has_chains, struct pfx_error *err)
{
	struct pfx_report_options *o = report->options;
	char words[1024];
	struct pfx_columns_request request = {
		.sort = sort_words(report, words, sizeof(words)),
		.usual = usual_keys(report),
		.mode = report->session ? report->mode : PFX_REPORT_ANY,
		.find_fields = report->session ? pfx_sample_field_find : NULL,
		.near_field = report->session ? pfx_sample_field_near : NULL,
		.ctx = &report->trace,
		.stages = report->reader && has_stages(pfx_reader_meta(report->reader)),
		.fields = o->fields,
		.widths = o->widths,
		.children = o->children && has_chains && !o->hierarchy &&
			    report->mode == PFX_REPORT_NORMAL,
		.nr_samples = o->nr_samples,
		.total_period = o->total_period,
		.cpu_utilization = o->cpu_utilization,
		.guest = o->guest,
		.latency = o->latency,
	};
	int rc;

	if (o->inverted)
		o->graph.caller = true;
	else if (!o->graph.order_given)
		o->graph.caller = (o->children || o->keeps_order) && has_chains;
	pfx_columns_fini(&report->columns);
	rc = pfx_columns_build(&report->columns, &request, err);
	if (rc < 0 && o->sort && o->sort == pfx_config_get("report.sort_order") && !o->fields)
		pfx_config_check("report.sort_order", rc, err);
	if (!rc)
		pfx_columns_elide(&report->columns, &o->filter);
	return rc;
}

bool pfx_report_has_groups(const struct pfx_report *report)
{
	const struct pfx_meta *meta = pfx_reader_meta(report->reader);
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++)
		if (meta->events[i]->nr_members > 1)
			return true;
	return false;
}

void pfx_report_new_hists(struct pfx_report *report)
{
	struct pfx_report_options *o = report->options;
	struct pfx_hist_options options = {
		.meta = pfx_reader_meta(report->reader),
		.session = report->session,
		.resolver = report->resolver,
		.columns = &report->columns,
		.filter = &o->filter,
		.graph = &o->graph,
		.texts = {&report->trace, pfx_sample_trace_id, pfx_sample_trace_text,
			  pfx_sample_field_id, pfx_sample_field_text, pfx_sample_field_order,
			  pfx_sample_field_width},
		.mode = report->mode,
		.time_quantum = o->time_quantum,
		.guest = o->guest,
		.no_host = !o->host,
		.parent = report->parent.given ? &report->parent.regex : NULL,
		.ignore_callees = report->callees.given ? &report->callees.regex : NULL,
		.exclude_other = o->exclude_other,
		.branch_history = o->branch_history || o->graph.branch,
		.chains = report->has_chains,
		.children = report->mode == PFX_REPORT_NORMAL &&
			    pfx_columns_shows(&report->columns, PFX_KEY_OVERHEAD_CHILDREN) &&
			    o->children && report->has_chains,
		.ref_chains = o->ref_chains,
		.hide_unresolved = o->hide_unresolved,
		.relative = o->relative,
		.blocks = o->total_cycles && report->mode == PFX_REPORT_BRANCH,
		.hierarchy = o->hierarchy && report->columns.levels.nr,
		.join_groups = o->group,
		.join_all = o->group && o->group_given && !pfx_report_has_groups(report),
		.nr_kept = (uint32_t)(o->nr_kept > KEPT_MAX ? KEPT_MAX : o->nr_kept),
		.sort_member = (uint32_t)(o->group_sort_idx > UINT32_MAX ? 0 : o->group_sort_idx),
		.min_percent = o->percent_limit,
	};

	report->hists = pfx_hists_new(&options);
}

struct pfx_hist_text pfx_report_look(const struct pfx_report *report)
{
	const struct pfx_report_options *o = report->options;

	return (struct pfx_hist_text){
		.separator = o->separator,
		.time = o->time,
		.socket = o->filter.socket_given ? &o->filter.socket : NULL,
		.colours = pfx_term_colours(o->colour),
		.quiet = o->quiet,
		.verbose = o->verbose > 0,
		.ns = o->ns,
		.full_source_path = o->full_source_path,
		.screen = o->separator ? 0 : pfx_term_screen(),
		.skip_first_frame = !o->fields && o->sort && !strncmp(o->sort, "sym", 3),
	};
}

static int write_form(struct pfx_report *report, struct pfx_error *err)
{
	const struct pfx_report_options *o = report->options;
	struct pfx_str sort = {0};
	struct pfx_form_rows from = {
		.hists = report->hists,
		.look = pfx_report_look(report),
		.empty_events = o->no_skip_empty,
		.raw_threads = o->raw_threads,
		.tasks = o->tasks,
		.mmaps = o->mmaps,
		.threads = o->threads ? &report->reads : NULL,
		.counts = o->stats ? &report->counts : NULL,
	};
	int rc;

	if (report->mode == PFX_REPORT_MEM) {
		pfx_columns_sort_words(report->mode, o->sort, &sort);
		from.look.sort = pfx_str_get(&sort);
	}
	rc = report->form->write.rows(&from, &report->out);
	pfx_str_fini(&sort);
	if (rc < 0)
		return pfx_error_sys(err, -rc, "cannot write to standard output");
	/* Print the notes before the rest of the table. */
	return report->form->needs & PFX_FORM_COMMENTS ? 0 : pfx_out_write(&report->out, 0, err);
}

/* Why the binary has no symbols, and the remedy, below the summary line. */
static void print_reason(const struct pfx_report *report, const struct pfx_dso *dso)
{
	const char *why = pfx_resolver_no_symbols(report->resolver, dso);
	const char *remedy = pfx_recording_symbols_remedy(report->resolver, dso);

	if (*why)
		pfx_print_line("%s: %s%s%s", dso->short_name, why,
			       remedy ? ";" PFX_MESSAGE_BREAK : "", remedy ? remedy : "");
}

/* The last line: the reason for the binary with the most samples without a symbol; for all binaries
 * with -v. */
static void note_unresolved(const struct pfx_report *report)
{
	bool verbose = report->options->verbose;
	const struct pfx_dso *most;
	struct pfx_str text = {0};
	unsigned nr = pfx_missing_text(report->hists, &text, &most);

	if (nr > 1 && !verbose)
		pfx_str_add(&text, " (-v says why of each)");
	if (text.len)
		pfx_print_note("report", "%s", pfx_str_get(&text));
	if (nr && !verbose)
		print_reason(report, most);
	pfx_str_fini(&text);
}

/* The name of a symbol that samples have, whether they passed or not; NULL: none is similar. */
static const char *similar_symbol(const struct pfx_report *report, const char *word)
{
	uint32_t i, nr = pfx_resolver_nr_places(report->resolver);
	const char **names = pfx_calloc(nr + 1ul, sizeof(*names)), *near;
	const struct pfx_place *place;
	size_t nr_names = 0;

	for (i = 0; i < nr; i++) {
		place = pfx_resolver_place_at(report->resolver, i);
		if (place->sym)
			names[nr_names++] = place->sym->name;
	}
	near = pfx_similar_name(word, names, nr_names);
	free(names);
	return near;
}

static void note_nothing(const struct pfx_report *report)
{
	const struct pfx_filter *filter = &report->options->filter;
	const char *word =
		report->options->word ? report->options->word : pfx_names_only(&filter->symbols);
	const char *near;

	pfx_recording_note_empty("report", report->reader, true);
	if (!word)
		return;
	near = similar_symbol(report, word);
	if (near)
		pfx_print_line("'%s' was searched for in the names of symbols; did you mean '%s'?",
			       word, near);
	else
		pfx_print_line("'%s' was searched for in the names of symbols; a recording is "
			       "named with -i",
			       word);
}

/* Notes about requested data that were not recorded. */
static void note_absent(const struct pfx_report *report)
{
	const struct pfx_report_options *o = report->options;

	if (o->graph_given && o->graph.mode != PFX_GRAPH_NONE && !report->has_chains &&
	    report->mode != PFX_REPORT_BRANCH)
		pfx_print_note("report", "-g has nothing to show: the samples were recorded "
					 "without call chains (record -g)");
	if ((o->branch_history || o->total_cycles) && !report->has_branches)
		pfx_print_note("report",
			       "%s has nothing to show: the samples were recorded without branch "
			       "stacks (record -b)",
			       o->total_cycles ? "--total-cycles" : "--branch-history");
}

/* Notes about incomplete call chains and missing symbols. */
static void note_frames(const struct pfx_report *report)
{
	pfx_recording_note_unwinding("report", report->resolver);
	pfx_recording_note_pointers("report", report->session, report->resolver);
	pfx_recording_note_jit("report", report->resolver);
	if (report->options->verbose)
		pfx_recording_note_symbols("report", report->session, report->resolver);
}

/* Notes about empty tables and unresolved samples; other forms contain these themselves. */
static void note_rows(const struct pfx_report *report)
{
	bool comments = report->form->needs & PFX_FORM_COMMENTS;

	if ((comments || pfx_hists_have_samples(report->hists)) &&
	    !pfx_hists_have_passed(report->hists)) {
		note_nothing(report);
		return;
	}
	if (comments)
		note_unresolved(report);
	pfx_recording_note_lines("report", report->session, report->resolver);
}

int pfx_report_print_tables(struct pfx_report *report, struct pfx_error *err)
{
	bool notes = !report->options->quiet;
	int rc;

	if (notes)
		note_absent(report);
	pfx_hists_finish(report->hists);
	if (notes)
		note_frames(report);
	if ((report->form->needs & PFX_FORM_COMMENTS) && !pfx_hists_have_samples(report->hists)) {
		pfx_recording_note_empty("report", report->reader, report->counts.nr_samples);
		return pfx_out_write(&report->out, 0, err);
	}
	rc = write_form(report, err);
	if (!rc)
		pfx_report_add_hint(report);
	if (notes)
		note_rows(report);
	return rc;
}
