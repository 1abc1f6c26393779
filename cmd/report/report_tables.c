/* SPDX-License-Identifier: MIT */
/* `pfx report`: columns, and the tables in their frame of comments. Reads no records. */
#include <stdio.h>
#include <string.h>

#include "cmd/app/commands.h"
#include "cmd/app/recording_notes.h"
#include "cmd/report/report_internal.h"

/* A column whose rows all show the one word that was asked for goes into a comment instead. */
static void elide(struct pfx_report *report)
{
	struct pfx_columns *columns = &report->columns;
	size_t i, nr_keys = 0, nr_elided = 0;

	for (i = 0; i < columns->shown.nr; i++) {
		struct pfx_column *column = &columns->shown.at[i];

		if (pfx_key_is_value(column->key))
			continue;
		nr_keys++;
		column->elided = pfx_filter_only(&report->options->filter, column->key) != NULL;
		nr_elided += column->elided;
	}
	for (i = 0; i < columns->shown.nr && nr_elided == nr_keys; i++)
		columns->shown.at[i].elided = false;
}

/* POWER counts cycles of pipeline stages. */
static bool has_stages(const struct pfx_meta *meta)
{
	return meta->env.arch && !strncmp(meta->env.arch, "ppc", 3);
}

/* -p adds the key parent to those that -s names. */
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
		o->graph.caller = o->children && has_chains;
	pfx_columns_fini(&report->columns);
	rc = pfx_columns_build(&report->columns, &request, err);
	if (!rc)
		elide(report);
	return rc;
}

/* The keys as they are told above a table of memory accesses; NULL elsewhere. */
static const char *sort_order(const struct pfx_report *report, struct pfx_str *to)
{
	const char *sort = report->options->sort;

	if (report->mode != PFX_REPORT_MEM)
		return NULL;
	if (!sort || *sort == '+')
		pfx_str_add(to, pfx_columns_usual(report->mode));
	if (sort && *sort == '+')
		pfx_str_addc(to, ',');
	if (sort)
		pfx_str_add(to, sort + (*sort == '+'));
	if (sort && strstr(sort, "symbol"))
		pfx_str_add(to, ",ipc_null");
	return pfx_str_get(to);
}

static int write_form(struct pfx_report *report, struct pfx_error *err)
{
	const struct pfx_report_options *o = report->options;
	struct pfx_str sort = {0};
	const struct pfx_form_rows from = {
		.hists = report->hists,
		.look =
			{
				.separator = o->separator,
				.time = o->time,
				.socket = o->filter.socket_given ? &o->filter.socket : NULL,
				.colours = pfx_term_colours(o->colour),
				.quiet = o->quiet,
				.verbose = o->verbose > 0,
				.ns = o->ns,
				.full_source_path = o->full_source_path,
				.screen = o->separator ? 0 : pfx_term_screen(),
				.sort = sort_order(report, &sort),
				.skip_first_frame =
					!o->fields && o->sort && !strncmp(o->sort, "sym", 3),
			},
		.empty_events = o->no_skip_empty,
		.raw_threads = o->raw_threads,
		.tasks = o->tasks,
		.mmaps = o->mmaps,
		.threads = o->threads ? &report->reads : NULL,
		.counts = o->stats ? &report->counts : NULL,
	};
	int rc = report->form->write.rows(&from, &report->out);

	pfx_str_fini(&sort);
	if (rc < 0)
		return pfx_error_sys(err, -rc, "cannot write to standard output");
	/* Notes precede what is left of a table. */
	return report->form->needs & PFX_FORM_COMMENTS ? 0 : pfx_out_write(&report->out, 0, err);
}

/* Binaries named in the line at the end. */
#define NAMED_MAX 3

/* The binary without symbols that has the most samples, besides those of @named. */
static const struct pfx_dso *next_missing(const struct pfx_report *report,
					  const struct pfx_dso **named, unsigned nr)
{
	const struct pfx_dso *dso, *best = NULL;
	uint64_t samples, most = 0;
	uint32_t i;
	unsigned n;

	for (i = 0; i < pfx_session_nr_dsos(report->session); i++) {
		dso = pfx_session_dso_at(report->session, i);
		samples = pfx_hists_unresolved(report->hists, dso);
		for (n = 0; n < nr && named[n] != dso; n++)
			;
		if (n == nr && samples > most) {
			most = samples;
			best = dso;
		}
	}
	return best;
}

static uint64_t nr_missing(const struct pfx_report *report)
{
	uint64_t nr = pfx_hists_unresolved(report->hists, NULL);
	uint32_t i;

	for (i = 0; i < pfx_session_nr_dsos(report->session); i++)
		nr += pfx_hists_unresolved(report->hists, pfx_session_dso_at(report->session, i));
	return nr;
}

/* Why the binary has no symbols, and the remedy, below the line about all of them. */
static void print_reason(const struct pfx_report *report, const struct pfx_dso *dso)
{
	const char *why = pfx_resolver_no_symbols(report->resolver, dso);
	const char *remedy = pfx_recording_symbols_remedy(report->resolver, dso);

	if (*why)
		pfx_print_line("%s: %s%s%s", dso->short_name, why,
			       remedy ? ";" PFX_MESSAGE_BREAK : "", remedy ? remedy : "");
}

/* The line at the end: how many samples have no symbol, and in which binaries most of them are. Not
 * where they are less than one of a hundred. The binary with the most says why; -v names all. */
static void note_unresolved(const struct pfx_report *report)
{
	uint64_t all = pfx_hists_counted(report->hists), nr = nr_missing(report), samples;
	const struct pfx_dso *named[NAMED_MAX], *dso;
	struct pfx_str text = {0};
	unsigned i;

	if (!all || nr * 100 < all)
		return;
	pfx_str_addf(&text, "%.1f%% of the samples have no symbol:", 100.0 * nr / all);
	for (i = 0; i < NAMED_MAX && (dso = next_missing(report, named, i)); i++) {
		named[i] = dso;
		samples = pfx_hists_unresolved(report->hists, dso);
		pfx_str_add(&text, i ? ", " : " ");
		pfx_str_add_foreign(&text, dso->short_name);
		pfx_str_addf(&text, " %.1f%%", 100.0 * samples / all);
	}
	samples = pfx_hists_unresolved(report->hists, NULL);
	if (samples)
		pfx_str_addf(&text, "%s outside of all binaries %.1f%%", i ? "," : "",
			     100.0 * samples / all);
	if (i > 1 && !report->options->verbose)
		pfx_str_add(&text, " (-v says why of each)");
	pfx_print_note("report", "%s", pfx_str_get(&text));
	if (i && !report->options->verbose)
		print_reason(report, named[0]);
	pfx_str_fini(&text);
}

static void note_nothing(const struct pfx_report *report)
{
	const struct pfx_filter *filter = &report->options->filter;
	const char *word =
		report->options->word ? report->options->word : pfx_names_only(&filter->symbols);

	pfx_recording_note_empty("report", report->reader, true);
	if (word)
		pfx_print_line("'%s' was searched for in the names of symbols; a recording is "
			       "named with -i",
			       word);
}

/* What was asked for, and was not recorded. */
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

/* What frames and symbols lack. */
static void note_frames(const struct pfx_report *report)
{
	pfx_recording_note_unwinding("report", report->resolver);
	pfx_recording_note_pointers("report", report->session, report->resolver);
	pfx_recording_note_jit("report", report->resolver);
	if (report->options->verbose)
		pfx_recording_note_symbols("report", report->session, report->resolver);
}

/* What the tables lack; forms without comments say it in their own way. */
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
	if (notes)
		note_rows(report);
	return rc;
}
