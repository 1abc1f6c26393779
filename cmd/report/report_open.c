/* SPDX-License-Identifier: MIT */
/*
 * `pfx report`: opens the recording and checks for call chains, branch stacks and tracepoints,
 * which determine the columns. Reads no records.
 */
#include <errno.h>
#include <string.h>

#include "base/alloc.h"

#include "cmd/app/commands.h"
#include "cmd/app/fetch.h"
#include "cmd/app/perf/forms.h"
#include "cmd/app/recording_notes.h"
#include "cmd/report/report_internal.h"

/* The contents of samples. */
static void look_at_events(struct pfx_report *report)
{
	const struct pfx_meta *meta = pfx_reader_meta(report->reader);
	const struct pfx_attr *attr;
	uint32_t i;

	report->only_tracepoints = meta->nr_events > 0 && meta->env.tracing_data.size;
	for (i = 0; i < meta->nr_events; i++) {
		attr = &meta->events[i]->attr;
		if (attr->sample_type &
		    (PFX_SAMPLE_CALLCHAIN |
		     (report->options->branch_history || report->options->graph.branch
			      ? PFX_SAMPLE_BRANCH_STACK
			      : 0)))
			report->has_chains = true;
		if (attr->sample_type & PFX_SAMPLE_BRANCH_STACK)
			report->has_branches = true;
		if (attr->sample_type & PFX_SAMPLE_DATA_SRC)
			report->has_accesses = true;
		if (attr->flags & PFX_ATTR_CONTEXT_SWITCH)
			report->has_switches = true;
		if (attr->type != PFX_TYPE_TRACEPOINT)
			report->only_tracepoints = false;
	}
}

static int choose_memory(struct pfx_report *report, struct pfx_error *err)
{
	report->mode = PFX_REPORT_MEM;
	if (report->has_accesses)
		return 0;
	pfx_error_set(err, EINVAL,
		      "--mem-mode has nothing to show: the samples do not say which "
		      "memory they are about");
	pfx_error_hint(err, "record events of memory accesses with 'pfx record -d'");
	return -EINVAL;
}

/* Branches are counted if the recording has branch stacks, unless options disable it. */
static int choose_mode(struct pfx_report *report, struct pfx_error *err)
{
	struct pfx_report_options *o = report->options;
	const struct pfx_meta *meta = pfx_reader_meta(report->reader);
	bool for_branches = pfx_env_has(&meta->env, PFX_FEAT_BRANCH_STACK);

	if (o->mem_mode)
		return choose_memory(report, err);
	if (!(o->branch_given ? o->branch
			      : for_branches && report->has_branches && !o->branch_history))
		return 0;
	if (!report->has_branches) {
		pfx_error_set(err, EINVAL,
			      "-b has nothing to show: the samples have no branch "
			      "stacks");
		pfx_error_hint(err, "record them with 'pfx record -b'");
		return -EINVAL;
	}
	report->mode = PFX_REPORT_BRANCH;
	/* Branch entries have no call chains. */
	report->has_chains = false;
	return 0;
}

/* The option or key that requires the number of running threads; NULL: none. */
static const char *about_parallelism(const struct pfx_report *report)
{
	static const enum pfx_key keys[] = {PFX_KEY_PARALLELISM, PFX_KEY_LATENCY,
					    PFX_KEY_LATENCY_CHILDREN};
	const struct pfx_report_options *o = report->options;
	size_t i;

	if (o->latency || o->parallelism)
		return o->latency ? "--latency" : "--parallelism";
	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (pfx_columns_shows(&report->columns, keys[i]))
			return pfx_key_info(keys[i])->name;
	return NULL;
}

/* They require context switches. */
static int check_latency(const struct pfx_report *report, struct pfx_error *err)
{
	const char *what = report->has_switches ? NULL : about_parallelism(report);

	if (!what)
		return 0;
	pfx_error_set(err, EINVAL, "'%s' needs to know which threads ran", what);
	pfx_error_hint(err, "record with --switch-events");
	return -EINVAL;
}

static int check_history(const struct pfx_report *report, struct pfx_error *err)
{
	const struct pfx_report_options *o = report->options;
	const struct pfx_key_info *info;
	size_t i;

	if (o->branch_history || o->graph.branch)
		return 0;
	for (i = 0; i < report->columns.order.nr; i++) {
		info = pfx_key_info(report->columns.order.at[i]);
		if (info->by_history)
			return pfx_error_set(err, EINVAL,
					     "'%s' is about the branches before samples: it needs "
					     "--branch-history",
					     info->name);
	}
	return 0;
}

static int check_parent(const struct pfx_report *report, struct pfx_error *err)
{
	if (!pfx_columns_has(&report->columns, PFX_KEY_PARENT) || report->has_chains)
		return 0;
	if (report->mode == PFX_REPORT_BRANCH) {
		pfx_error_set(err, EINVAL,
			      "there are no parents to show: branches have no callers");
		pfx_error_hint(err, "--no-branch-stack counts samples");
		return -EINVAL;
	}
	pfx_error_set(err, EINVAL, "there are no parents to show: the samples have no call chains");
	pfx_error_hint(err, "record them with 'pfx record -g'");
	return -EINVAL;
}

static int check_types(const struct pfx_report *report, struct pfx_error *err)
{
	const struct pfx_columns *columns = &report->columns;
	size_t i;

	for (i = 0; i < columns->order.nr; i++)
		if (pfx_key_info(columns->order.at[i])->by_type)
			return pfx_resolver_check_types(report->resolver, err);
	return 0;
}

struct pfx_resolve_options pfx_report_resolve_options(const struct pfx_report_options *o)
{
	struct pfx_resolve_options resolving = {.sym = o->symbols.sym, .unwind = o->unwind};

	resolving.sym.buildid_dir = pfx_globals.buildid_dir;
	resolving.sym.fetch = pfx_fetch_watch("report", o->quiet, o->verbose > 0);
	resolving.sym.force = o->force;
	resolving.sym.no_modules = !o->modules;
	resolving.sym.demangle_full = o->verbose > 0;
	resolving.max_stack = o->max_stack > UINT32_MAX ? 0 : (uint32_t)o->max_stack;
	resolving.keep_root = o->graph.caller;
	resolving.inlines = o->inlines;
	resolving.full_source_path = o->full_source_path;
	resolving.stitch_lbr = o->stitch_lbr;
	resolving.branch_history = o->branch_history || o->graph.branch;
	return resolving;
}

static void new_resolver(struct pfx_report *report)
{
	const struct pfx_resolve_options resolving = pfx_report_resolve_options(report->options);

	pfx_recording_resolve(report->recording, &resolving);
	report->resolver = pfx_recording_resolver(report->recording);
	report->trace.resolver = report->resolver;
}

struct pfx_recording_options pfx_report_recording_options(const struct pfx_report_options *o)
{
	return (struct pfx_recording_options){
		.reader = {.force = o->force,
			   .strict = o->strict,
			   .keep_meta_records = o->stats || o->dump},
		.unsorted = o->disable_order,
		.late_frames_apart = o->dump,
		.guest_code = o->symbols.guest_code,
	};
}

int pfx_report_open(struct pfx_report *report, struct pfx_error *err)
{
	struct pfx_report_options *o = report->options;
	const struct pfx_recording_options how = pfx_report_recording_options(o);
	const struct pfx_meta *meta;
	int rc;

	rc = pfx_symbol_options_check(&o->symbols, err);
	if (rc < 0)
		return rc;
	rc = pfx_recording_open(&report->recording, o->input, &how, err);
	if (rc < 0)
		return rc;
	report->reader = pfx_recording_reader(report->recording);
	report->session = pfx_recording_session(report->recording);
	meta = pfx_recording_meta(report->recording);
	look_at_events(report);
	o->keeps_order = o->children; /* of chains, also without the column */
	o->children = pfx_form_children(meta, o->children, o->children_given);
	o->inlines = pfx_form_inlines(meta, o->inlines, o->inlines_given);
	if (o->itrace && pfx_env_has(&meta->env, PFX_FEAT_AUXTRACE))
		pfx_print_note("report", "--itrace has no effect: AUX area data is not decoded");
	report->trace.meta = meta;
	report->trace.session = report->session;
	report->trace.raw = o->raw_trace;
	rc = pfx_filter_check_cpus(&o->filter, meta, err);
	if (!rc)
		rc = pfx_event_switch_check(&o->event_switch, meta, err);
	if (!rc)
		rc = choose_mode(report, err);
	if (!rc) {
		rc = pfx_report_build_columns(report, report->has_chains, err);
		report->bad_words = rc < 0;
	}
	if (!rc)
		rc = check_latency(report, err);
	if (!rc)
		rc = check_parent(report, err);
	if (!rc)
		rc = check_history(report, err);
	new_resolver(report);
	if (!rc)
		rc = pfx_resolver_check_unwind(report->resolver, err);
	if (!rc)
		rc = check_types(report, err);
	if (rc || !o->time)
		return rc;
	return pfx_time_ranges_parse(&report->times, o->time, meta->env.first_sample_ns,
				     meta->env.last_sample_ns, err);
}

void pfx_report_close(struct pfx_report *report)
{
	pfx_hists_free(report->hists);
	pfx_sample_trace_fini(&report->trace);
	pfx_time_ranges_fini(&report->times);
	pfx_recording_free(report->recording);
	pfx_thread_reads_fini(&report->reads);
	pfx_record_counts_fini(&report->counts);
	pfx_running_fini(&report->running);
	pfx_str_fini(&report->out);
}
