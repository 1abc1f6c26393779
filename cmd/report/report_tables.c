/* SPDX-License-Identifier: MIT */
/* `pfx report`: columns, and the tables in their frame of comments. Reads no records. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/app/commands.h"
#include "cmd/app/recording_notes.h"
#include "cmd/report/report_internal.h"
#include "out/report_json.h"

/* A column whose rows all show the one word that was asked for goes into a comment instead. */
static const char *only_word(const struct pfx_filter *filter, enum pfx_key key)
{
	switch (key) {
	case PFX_KEY_COMM:
		return pfx_names_only(&filter->comms);
	case PFX_KEY_DSO:
		return pfx_names_only(&filter->dsos);
	case PFX_KEY_SYM:
		return pfx_names_only(&filter->symbols);
	default:
		return NULL;
	}
}

static void elide(struct pfx_report *report)
{
	struct pfx_columns *columns = &report->columns;
	size_t i, nr_keys = 0, nr_elided = 0;

	for (i = 0; i < columns->shown.nr; i++) {
		struct pfx_column *column = &columns->shown.at[i];

		if (pfx_key_is_value(column->key))
			continue;
		nr_keys++;
		column->elided = only_word(&report->options->filter, column->key) != NULL;
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

static void add_only_words(struct pfx_report *report)
{
	const struct pfx_columns *columns = &report->columns;
	const char *word;
	size_t i;

	for (i = 0; i < columns->order.nr; i++) {
		word = only_word(&report->options->filter, columns->order.at[i]);
		if (!word)
			continue;
		pfx_str_addf(&report->out, "# %s: ",
			     columns->order.at[i] == PFX_KEY_SYM
				     ? "symbol"
				     : pfx_key_info(columns->order.at[i])->name);
		pfx_str_add_foreign(&report->out, word);
		pfx_str_addc(&report->out, '\n');
	}
}

static bool has_samples(const struct pfx_hist *hist)
{
	uint32_t m;

	for (m = 0; m < hist->nr_members; m++)
		if (hist->totals[m].nr_samples)
			return true;
	return false;
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

static int print_hists(struct pfx_report *report)
{
	const struct pfx_report_options *o = report->options;
	struct pfx_str sort = {0};
	struct pfx_hist_text how = {
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
		.skip_first_frame = !o->fields && o->sort && !strncmp(o->sort, "sym", 3),
	};
	bool blocks = pfx_hists_options(report->hists)->blocks;
	const struct pfx_hist *hist;
	uint32_t i;
	int rc = 0;

	for (i = 0; i < pfx_hists_nr(report->hists) && !rc; i++) {
		hist = pfx_hists_at(report->hists, i);
		if (!has_samples(hist) && !o->no_skip_empty)
			continue;
		if (!o->quiet)
			pfx_hist_text_event(&how, report->hists, hist, &report->out);
		if (blocks) {
			rc = pfx_block_text_rows(&how, report->hists, hist, &report->out);
			continue;
		}
		rc = pfx_hist_text_rows(&how, report->hists, hist, &report->out);
		pfx_str_add(&report->out, "\n\n");
	}
	if (o->threads)
		pfx_report_add_threads(report);
	if (!o->quiet && !blocks && report->mode == PFX_REPORT_BRANCH)
		pfx_branch_counts_text(pfx_hists_branches(report->hists), &report->out);
	pfx_str_fini(&sort);
	return rc;
}

/* Callers have rows of their own: which symbols are wanted is asked of the rows, not of samples. */
static bool lacks_symbol(const struct pfx_report *report, const struct pfx_hist *hist)
{
	return report->options->filter.symbol_part && pfx_hists_options(report->hists)->children &&
	       !hist->nr_rows;
}

static bool any_passed(const struct pfx_report *report)
{
	const struct pfx_hist *hist;
	uint32_t i, m;

	for (i = 0; i < pfx_hists_nr(report->hists); i++) {
		hist = pfx_hists_at(report->hists, i);
		if (lacks_symbol(report, hist))
			continue;
		for (m = 0; m < hist->nr_members; m++)
			if (hist->totals[m].nr_passed)
				return true;
	}
	return false;
}

static bool any_samples(struct pfx_report *report)
{
	uint32_t i;

	for (i = 0; i < pfx_hists_nr(report->hists); i++)
		if (has_samples(pfx_hists_at(report->hists, i)))
			return true;
	return false;
}

/* --json, --folded. */
static int print_data(struct pfx_report *report, struct pfx_error *err)
{
	const struct pfx_session_stats *stats = pfx_session_stats(report->session);
	const struct pfx_report_options *o = report->options;
	struct pfx_report_json how = {
		.text = {report->hists, o->verbose > 0, o->ns},
		.nr_lost_samples = stats->nr_lost_samples,
		.nr_lost_records = stats->nr_lost,
		.time = o->time,
		.full_source_path = o->full_source_path,
	};
	struct pfx_str threads = {0}, records = {0}, tasks = {0};
	int rc;

	if (o->threads) {
		pfx_report_threads_json(report, &threads);
		how.threads = pfx_str_get(&threads);
	}
	if (o->stats) {
		pfx_report_stats_json(report, &records);
		how.records = pfx_str_get(&records);
	}
	if (o->tasks || o->mmaps) {
		pfx_report_tasks_json(report, &tasks);
		how.tasks = pfx_str_get(&tasks);
	}
	if (o->json)
		rc = pfx_report_json(&how, &report->out);
	else
		rc = pfx_report_folded(report->hists, &report->out);
	pfx_str_fini(&threads);
	pfx_str_fini(&records);
	pfx_str_fini(&tasks);
	return rc < 0 ? pfx_error_sys(err, -rc, "cannot write to standard output")
		      : pfx_out_write(&report->out, 0, err);
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
static void note_unresolved(struct pfx_report *report)
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

int pfx_report_print_tables(struct pfx_report *report, struct pfx_error *err)
{
	const struct pfx_report_options *o = report->options;
	const struct pfx_session_stats *stats = pfx_session_stats(report->session);
	int rc;

	if (o->graph_given && o->graph.mode != PFX_GRAPH_NONE && !report->has_chains && !o->quiet &&
	    report->mode != PFX_REPORT_BRANCH)
		pfx_print_note("report", "-g has nothing to show: the samples were recorded "
					 "without call chains (record -g)");
	if ((o->branch_history || o->total_cycles) && !report->has_branches && !o->quiet)
		pfx_print_note("report",
			       "%s has nothing to show: the samples were recorded without branch "
			       "stacks (record -b)",
			       o->total_cycles ? "--total-cycles" : "--branch-history");
	pfx_hists_finish(report->hists);
	if (!o->quiet) {
		pfx_recording_note_unwinding("report", report->resolver);
		pfx_recording_note_pointers("report", report->session, report->resolver);
		pfx_recording_note_jit("report", report->resolver);
	}
	if (o->verbose && !o->quiet)
		pfx_recording_note_symbols("report", report->session, report->resolver);
	if (o->json || o->folded) {
		rc = print_data(report, err);
		if (!o->quiet && any_samples(report) && !any_passed(report))
			note_nothing(report);
		else if (!o->quiet)
			pfx_recording_note_lines("report", report->session, report->resolver);
		return rc;
	}
	if (!any_samples(report)) {
		pfx_recording_note_empty("report", report->reader, report->nr_samples);
		return pfx_out_write(&report->out, 0, err);
	}
	if (!o->quiet) {
		add_only_words(report);
		pfx_str_addf(&report->out, "#\n# Total Lost Samples: %" PRIu64 "\n#\n",
			     stats->nr_lost_samples);
	}
	rc = print_hists(report);
	if (!o->quiet && !any_passed(report)) {
		note_nothing(report);
	} else if (!o->quiet) {
		note_unresolved(report);
		pfx_recording_note_lines("report", report->session, report->resolver);
	}
	return rc < 0 ? pfx_error_sys(err, -rc, "cannot write to standard output") : 0;
}
