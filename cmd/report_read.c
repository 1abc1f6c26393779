/* SPDX-License-Identifier: MIT */
/* `pfx report`: columns, the loop over the records, and the tables in their frame of comments. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cmd/commands.h"
#include "cmd/recording.h"
#include "cmd/report_internal.h"

#define FLUSH_SIZE (64u << 10)

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

int pfx_report_build_columns(struct pfx_report *report, bool has_chains, struct pfx_error *err)
{
	struct pfx_report_options *o = report->options;
	struct pfx_columns_request request = {
		.sort = o->sort,
		.usual = report->only_tracepoints ? "trace" : NULL,
		.fields = o->fields,
		.widths = o->widths,
		.children = o->children && has_chains,
		.nr_samples = o->nr_samples,
		.total_period = o->total_period,
		.cpu_utilization = o->cpu_utilization,
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

static void count_event(struct pfx_report *report, uint32_t idx)
{
	uint32_t old = report->nr_events;

	if (idx >= old) {
		report->nr_events = idx + 16;
		report->nr_by_event =
			pfx_realloc(report->nr_by_event, report->nr_events * sizeof(uint64_t));
		memset(report->nr_by_event + old, 0, (report->nr_events - old) * sizeof(uint64_t));
	}
	report->nr_by_event[idx]++;
}

static void take_part(struct pfx_report *report, const struct pfx_event *event,
		      const struct pfx_sample *sample)
{
	struct pfx_thread *thread;

	count_event(report, event->idx);
	if (!report->hists)
		return;
	if (report->options->time && !pfx_time_ranges_have(&report->times, sample->time))
		return;
	thread = pfx_session_thread(report->session, sample->pid, sample->tid);
	pfx_hists_add(report->hists, event, sample, thread);
}

static void take_sample(struct pfx_report *report, const struct pfx_record *rec)
{
	struct pfx_sample_part *parts;
	struct pfx_sample sample;
	uint32_t nr, i;

	if (!rec->event || !pfx_sample_decode(rec, &rec->event->attr, &sample)) {
		report->nr_bad_samples++;
		return;
	}
	report->nr_samples++;
	nr = pfx_session_split_sample(report->session, rec->event, &sample, &parts);
	for (i = 0; i < nr; i++) {
		sample.id = parts[i].id;
		sample.period = parts[i].period;
		take_part(report, parts[i].event, &sample);
	}
}

int pfx_report_flush(struct pfx_report *report, size_t above, struct pfx_error *err)
{
	int rc;

	if (report->out.len <= above)
		return 0;
	rc = pfx_out_flush(&report->out);
	return rc < 0 ? pfx_error_sys(err, -rc, "cannot write to standard output") : 0;
}

int pfx_report_read(struct pfx_report *report, struct pfx_error *err)
{
	bool dump = report->options->dump;
	struct pfx_record rec;
	int rc;

	while ((rc = pfx_order_next(report->order, &rec, err)) > 0) {
		if (dump) {
			pfx_report_dump_record(report, &rec);
			if (pfx_report_flush(report, FLUSH_SIZE, err) < 0)
				return -EPIPE;
		}
		if (rec.type == PFX_RECORD_SAMPLE)
			take_sample(report, &rec);
		else
			pfx_session_apply(report->session, &rec);
	}
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
		pfx_str_add_escaped(&report->out, word, strlen(word));
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

/* What cannot be shown, said once on standard error. */
static void note_missing(struct pfx_report *report)
{
	char shown[256];

	pfx_print_note("report", "'%s' has no samples%s",
		       pfx_escape(shown, sizeof(shown), pfx_reader_info(report->reader)->path),
		       report->nr_samples ? " that the options let pass" : "");
}

static int print_hists(struct pfx_report *report)
{
	const struct pfx_report_options *o = report->options;
	struct pfx_hist_text how = {
		.separator = o->separator,
		.time = o->time,
		.colours = pfx_term_colours(o->colour),
		.quiet = o->quiet,
		.verbose = o->verbose > 0,
		.skip_first_frame = !o->fields && o->sort && !strncmp(o->sort, "sym", 3),
	};
	const struct pfx_hist *hist;
	uint32_t i;
	int rc = 0;

	for (i = 0; i < pfx_hists_nr(report->hists) && !rc; i++) {
		hist = pfx_hists_at(report->hists, i);
		if (!has_samples(hist))
			continue;
		if (!o->quiet)
			pfx_hist_text_event(&how, report->hists, hist, &report->out);
		rc = pfx_hist_text_rows(&how, report->hists, hist, &report->out);
		pfx_str_add(&report->out, "\n\n");
	}
	return rc;
}

static bool any_samples(struct pfx_report *report)
{
	uint32_t i;

	for (i = 0; i < pfx_hists_nr(report->hists); i++)
		if (has_samples(pfx_hists_at(report->hists, i)))
			return true;
	return false;
}

/* -v: which binaries have no symbols, and why. */
static void note_symbols(struct pfx_report *report)
{
	uint32_t i, nr = pfx_session_nr_dsos(report->session);
	const struct pfx_dso *dso;
	const char *why;
	char shown[512];

	for (i = 0; i < nr; i++) {
		dso = pfx_session_dso_at(report->session, i);
		why = pfx_resolver_symtab_error(report->resolver, dso);
		if (*why)
			pfx_print_note("report", "no symbols for '%s': %s",
				       pfx_escape(shown, sizeof(shown), dso->name), why);
	}
}

int pfx_report_print_tables(struct pfx_report *report, struct pfx_error *err)
{
	const struct pfx_report_options *o = report->options;
	const struct pfx_session_stats *stats = pfx_session_stats(report->session);
	int rc;

	if (o->graph_given && o->graph.mode != PFX_GRAPH_NONE && !report->has_chains && !o->quiet)
		pfx_print_note("report", "-g has nothing to show: the samples were recorded "
					 "without call chains (record -g)");
	pfx_hists_finish(report->hists);
	if (!o->quiet)
		pfx_recording_note_unwinding("report", report->resolver);
	if (o->verbose && !o->quiet)
		note_symbols(report);
	if (!any_samples(report)) {
		note_missing(report);
		return pfx_report_flush(report, 0, err);
	}
	if (!o->quiet) {
		add_only_words(report);
		pfx_str_addf(&report->out, "#\n# Total Lost Samples: %" PRIu64 "\n#\n",
			     stats->nr_lost_samples);
	}
	rc = print_hists(report);
	return rc < 0 ? pfx_error_sys(err, -rc, "cannot write to standard output") : 0;
}
