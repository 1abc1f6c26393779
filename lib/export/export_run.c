/* SPDX-License-Identifier: MIT */
/* The steps of an export: read, filter, leave out what no filter let through, write. */
#include "export/export_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export/page_tables.h"
#include "export/samples/redact.h"
#include "unwind/pointer_chain.h"
#include "view/narrow_profile.h"
#include "view/read_profile.h"

#define HOST_LEVELS ".kH" /* letters of pfx_place_level() */

struct run {
	const struct pfx_export_request *request;
	const struct pfx_export *format;
	struct pfx_recording *recording;
	struct pfx_time_ranges times;
	struct pfx_record_counts counts;
	struct pfx_costs *costs;        /* NULL: not needed */
	struct pfx_sources *sources;    /* NULL: not wanted */
	struct pfx_page_tables *tables; /* NULL: not needed */
	struct pfx_profile *profile;
	struct pfx_view_filter filter;
	struct pfx_selection selection;
	struct pfx_event_switch event_switch;
	struct pfx_meta redacted; /* the header, with request->redact */
	bool is_old;
	struct run *old;      /* the recording that this one is compared with; NULL: none */
	uint64_t nr_streamed; /* samples, with PFX_EXPORT_STREAM */
	uint64_t nr_left_out;
	const char *left_out_why;
};

/* --- reading --- */

struct pfx_resolve_options pfx_export_resolving(void)
{
	return (struct pfx_resolve_options){
		.max_stack = UINT32_MAX,
		.inlines = true,
		.full_source_path = true,
	};
}

static void prepare_code(struct run *run)
{
	if (run->format->needs & PFX_EXPORT_CODE && !run->is_old && !run->request->redact)
		run->costs = pfx_costs_new(pfx_recording_resolver(run->recording));
	if (!run->request->sources || run->is_old)
		return;
	run->sources = pfx_sources_new();
	pfx_sources_archived(run->sources, pfx_recording_sources(run->recording));
	pfx_sources_fetch(run->sources, run->request->fetch);
}

/* Tables are made of all samples that are read: filters of views would not hold in them. */
static bool wants_tables(const struct run *run)
{
	const struct pfx_export_request *o = run->request;
	unsigned which;

	for (which = 0; which < PFX_VIEW_NR_PATTERNS; which++)
		if (o->patterns[which])
			return false;
	return run->format->needs & PFX_EXPORT_TABLES && !run->is_old && !o->hide_unresolved &&
	       !o->redact;
}

static void make_tables(struct run *run)
{
	const struct pfx_page_tables_setup setup = {
		.meta = pfx_recording_meta(run->recording),
		.session = pfx_recording_session(run->recording),
		.resolver = pfx_recording_resolver(run->recording),
		.filter = run->request->filter,
		.guest = run->request->guest,
	};

	if (wants_tables(run))
		run->tables = pfx_page_tables_new(&setup);
}

static bool wants_times(const struct run *run)
{
	uint64_t wall;

	/* Noise shows over the time. */
	if (run->format->needs & PFX_EXPORT_TIMES || run->request->old)
		return true;
	return run->format->needs & PFX_EXPORT_WALL_TIMES &&
	       pfx_export_wall_time(pfx_recording_meta(run->recording), 1, &wall);
}

static int read_profile(struct run *run, struct pfx_error *err)
{
	const struct pfx_export_request *o = run->request;
	const struct pfx_profile_reading reading = {
		.recording = run->recording,
		.filter = o->filter,
		.times = o->time ? &run->times : NULL,
		.event_switch = &run->event_switch,
		.counts = &run->counts,
		.self_costs = run->costs,
		.function_lines = run->format->needs & PFX_EXPORT_CODE,
		.frames_by = run->format->frames_by,
		.join_broken = run->format->needs & PFX_EXPORT_JOINS,
		.keep_times = wants_times(run),
		.page = wants_times(run),
		.no_chains = o->no_chains || !(run->format->needs & PFX_EXPORT_CHAINS),
		.step = o->step,
		.step_context = o->step_context,
		.take = run->tables ? pfx_page_tables_take : NULL,
		.take_context = run->tables,
	};

	return pfx_profile_read(&reading, &run->profile, err);
}

/* --- filters --- */

static int refuse_event(const struct run *run, const char *name, const char *const *names,
			uint32_t nr, struct pfx_error *err)
{
	const char *near = pfx_nearest(name, names, nr);
	char shown[128], path[256];

	pfx_escape(shown, sizeof(shown), name);
	if (run->is_old)
		pfx_error_set(err, EINVAL, "'%s' is not an event of '%s'", shown,
			      pfx_escape(path, sizeof(path), run->request->old_path));
	else
		pfx_error_set(err, EINVAL, "'%s' is not an event of the recording", shown);
	if (near)
		pfx_error_hint(err, "did you mean '%s'?", pfx_escape(shown, sizeof(shown), near));
	else
		pfx_error_hint(err, "'pfx evlist' lists them");
	return -EINVAL;
}

static int choose_event(struct run *run, const char *name, struct pfx_error *err)
{
	const char **names;
	uint32_t i;
	int rc;

	if (pfx_view_filter_add_name(&run->filter, PFX_VIEW_EVENT, name))
		return 0;
	names = pfx_malloc((run->profile->nr_events + 1ul) * sizeof(*names));
	for (i = 0; i < run->profile->nr_events; i++)
		names[i] = run->profile->events[i].name;
	rc = refuse_event(run, name, names, run->profile->nr_events, err);
	free(names);
	return rc;
}

static void choose_names(struct pfx_view_filter *filter, enum pfx_view_by by,
			 const struct pfx_names *names)
{
	uint32_t i;

	for (i = 0; names->given && i < names->words.nr; i++)
		pfx_view_filter_add_name(filter, by, pfx_intern_get(&names->words, i));
}

static int make_selection(struct run *run, struct pfx_error *err)
{
	const struct pfx_export_request *o = run->request;
	unsigned which;
	size_t i;
	int rc = 0;

	pfx_view_filter_init(&run->filter, run->profile);
	choose_names(&run->filter, PFX_VIEW_DSO, &o->filter->dsos);
	choose_names(&run->filter, PFX_VIEW_FUNCTION, &o->filter->symbols);
	run->filter.drop_unresolved = o->hide_unresolved;
	if (!o->guest)
		strcpy(run->filter.levels, HOST_LEVELS);
	for (i = 0; i < o->nr_events && !rc; i++)
		rc = choose_event(run, o->events[i], err);
	for (which = 0; which < PFX_VIEW_NR_PATTERNS && !rc; which++)
		rc = pfx_view_filter_pattern(&run->filter, which, o->patterns[which], err);
	return rc ? rc : pfx_selection_make(&run->selection, &run->filter, err);
}

/* Leave out the names of what the filters dropped: the output is handed on. */
static int narrow_selection(struct run *run, struct pfx_error *err)
{
	struct pfx_profile *narrow = pfx_profile_narrow(&run->selection);
	struct pfx_view_filter events;
	uint32_t i;

	if (!narrow)
		return 0;
	pfx_view_filter_init(&events, narrow);
	for (i = 0; i < run->selection.nr_events; i++)
		pfx_view_filter_add(&events, PFX_VIEW_EVENT, run->selection.events[i]);
	pfx_selection_fini(&run->selection);
	pfx_view_filter_fini(&run->filter);
	pfx_profile_free(run->profile);
	run->profile = narrow;
	run->filter = events;
	return pfx_selection_make(&run->selection, &run->filter, err);
}

/* --- formats that take samples one by one --- */

/* What they cannot do, because they have whole stacks. */
static int check_stream(const struct run *run, struct pfx_error *err)
{
	static const char *const words[] = {[PFX_VIEW_FOCUS] = "--focus",
					    [PFX_VIEW_IGNORE] = "--ignore",
					    [PFX_VIEW_HIDE] = "--hide",
					    [PFX_VIEW_SHOW] = "--show",
					    [PFX_VIEW_SHOW_FROM] = "--show-from"};
	unsigned which;

	for (which = 0; which < PFX_VIEW_NR_PATTERNS; which++) {
		if (!run->request->patterns[which])
			continue;
		pfx_error_set(err, EINVAL, "%s does not work with %s, which has whole call chains",
			      words[which], run->format->name);
		pfx_error_hint(err, "choose samples with --symbols, --dsos or --time");
		return -EINVAL;
	}
	return 0;
}

/* After reading: the events of a stream are known only then. */
static int check_events(const struct run *run, struct pfx_error *err)
{
	const struct pfx_meta *meta = pfx_recording_meta(run->recording);
	const struct pfx_export_request *o = run->request;
	const char **names = pfx_malloc((meta->nr_events + 1ul) * sizeof(*names));
	uint32_t i;
	size_t k;
	int rc = 0;

	for (i = 0; i < meta->nr_events; i++)
		names[i] = meta->events[i]->name;
	for (k = 0; k < o->nr_events && !rc; k++) {
		for (i = 0; i < meta->nr_events && strcmp(names[i], o->events[k]); i++)
			;
		if (i == meta->nr_events)
			rc = refuse_event(run, o->events[k], names, meta->nr_events, err);
	}
	free(names);
	return rc;
}

/* --- writing --- */

/* The output would replace the recording. */
static int check_output(const struct run *run, struct pfx_error *err)
{
	const char *input = pfx_reader_info(pfx_recording_reader(run->recording))->path;
	struct stat in, out;
	char shown[256];

	if (!strcmp(run->request->output, "-")) {
		if (!(run->format->needs & PFX_EXPORT_BINARY) || !isatty(STDOUT_FILENO))
			return 0;
		pfx_error_set(err, EINVAL, "refusing to write binary data to a terminal");
		pfx_error_hint(err, "use -o FILE or a pipe");
		return -EINVAL;
	}
	if (stat(input, &in) || stat(run->request->output, &out) || !S_ISREG(out.st_mode) ||
	    in.st_dev != out.st_dev || in.st_ino != out.st_ino)
		return 0;
	return pfx_error_set(err, EINVAL, "'%s' is the recording itself",
			     pfx_escape(shown, sizeof(shown), run->request->output));
}

static int write_input(struct run *run, const struct pfx_export_input *input, struct pfx_error *err)
{
	struct pfx_export_output out;
	int rc = pfx_export_open(&out, run->request->output, &run->request->wait, err);

	if (rc < 0)
		return rc;
	run->format->write(input, &out);
	run->nr_left_out = out.nr_left_out;
	run->left_out_why = out.left_out_why;
	if (input->stream)
		rc = check_events(run, err);
	return pfx_export_close(&out, rc, err);
}

static const struct pfx_meta *meta_of(const struct run *run)
{
	return run->request->redact ? &run->redacted : pfx_recording_meta(run->recording);
}

static struct pfx_export_old describe_old(const struct run *old)
{
	const struct pfx_resolver *resolver = pfx_recording_resolver(old->recording);

	return (struct pfx_export_old){
		.selection = &old->selection,
		.meta = meta_of(old),
		.nr_chains = pfx_pointer_chain_stats(resolver)->nr_chains,
		.nr_chains_incomplete = pfx_pointer_chain_incomplete(resolver),
		.recording = old->recording,
		.resolver = resolver,
		.binaries = old->request->redact ? NULL : old->request->binaries,
	};
}

static int write_profile(struct run *run, struct pfx_error *err)
{
	const struct pfx_resolver *resolver = pfx_recording_resolver(run->recording);
	const struct pfx_export_request *o = run->request;
	const struct pfx_export_old old =
		run->old ? describe_old(run->old) : (struct pfx_export_old){0};
	const struct pfx_export_input input = {
		.old = run->old ? &old : NULL,
		.recording = run->recording,
		.nr_chains = pfx_pointer_chain_stats(resolver)->nr_chains,
		.nr_chains_incomplete = pfx_pointer_chain_incomplete(resolver),
		.selection = &run->selection,
		.meta = meta_of(run),
		.is_redacted = o->redact,
		.costs = run->costs,
		.resolver = o->redact ? NULL : pfx_recording_resolver(run->recording),
		.sources = run->sources,
		.tables = run->tables,
		.measure = o->measure_given ? o->measure : run->format->measure,
		.width = o->width,
		.title = o->title,
	};

	return write_input(run, &input, err);
}

static int write_stream(struct run *run, struct pfx_error *err)
{
	const struct pfx_export_request *o = run->request;
	struct pfx_arena texts = {0};
	struct pfx_redact words = {0};
	const struct pfx_export_stream stream = {
		.reading = {.recording = run->recording,
			    .filter = o->filter,
			    .times = o->time ? &run->times : NULL,
			    .event_switch = &run->event_switch,
			    .counts = &run->counts,
			    .step = o->step,
			    .step_context = o->step_context},
		.events = o->events,
		.nr_events = o->nr_events,
		.levels = o->guest ? NULL : HOST_LEVELS,
		.drop_unresolved = o->hide_unresolved,
		.no_chains = o->no_chains,
		.redact = o->redact ? &words : NULL,
		.nr_samples = &run->nr_streamed,
	};
	const struct pfx_export_input input = {
		.stream = &stream,
		.meta = meta_of(run),
		.is_redacted = o->redact,
	};
	int rc = check_stream(run, err);

	if (o->redact)
		run->redacted = pfx_redact_meta(&words, pfx_recording_meta(run->recording), &texts);
	if (!rc)
		rc = write_input(run, &input, err);
	pfx_redact_fini(&words);
	pfx_arena_clear(&texts);
	return rc;
}

/* --- the result --- */

static bool has_chains(const struct pfx_meta *meta)
{
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++)
		if (meta->events[i]->attr.sample_type &
		    (PFX_SAMPLE_CALLCHAIN | PFX_SAMPLE_STACK_USER))
			return true;
	return false;
}

static bool streams_several(const struct run *run)
{
	uint32_t nr = 0;
	size_t i;

	for (i = 0; i < run->counts.nr_by_event.nr; i++)
		nr += run->counts.nr_by_event.at[i] != 0;
	return nr > 1 && run->request->nr_events != 1;
}

static void fill_result(const struct run *run, struct pfx_export_result *ret)
{
	unsigned needs = run->format->needs;
	bool is_stream = needs & PFX_EXPORT_STREAM;
	uint32_t i;

	ret->nr_samples = run->nr_streamed;
	ret->nr_left_out = run->nr_left_out;
	ret->left_out_why = run->left_out_why;
	for (i = 0; i < run->selection.nr_events; i++)
		ret->nr_samples += run->selection.total_samples[i];
	ret->has_several =
		is_stream ? streams_several(run) : pfx_export_has_several(&run->selection);
	ret->lacks_chains = needs & PFX_EXPORT_CHAINS && !run->request->no_chains &&
			    !has_chains(pfx_recording_meta(run->recording));
}

/* --- a run --- */

int pfx_export_check_recording(const struct pfx_recording *recording, struct pfx_error *err)
{
	char shown[256];

	if (!pfx_env_has(&pfx_recording_meta(recording)->env, PFX_FEAT_STAT))
		return 0;
	pfx_escape(shown, sizeof(shown), pfx_reader_info(pfx_recording_reader(recording))->path);
	pfx_error_set(err, EINVAL, "'%s' has counts of 'pfx stat record', no samples", shown);
	pfx_error_hint(err, "'pfx stat report -i %s' prints them", shown);
	return -EINVAL;
}

static int check_recording(struct run *run, struct pfx_error *err)
{
	const struct pfx_export_request *o = run->request;
	const struct pfx_meta *meta = pfx_recording_meta(run->recording);
	int rc = check_output(run, err);

	if (!rc)
		rc = pfx_export_check_recording(run->recording, err);
	if (!rc)
		rc = pfx_filter_check_cpus(o->filter, meta, err);
	if (!rc)
		rc = pfx_event_switch_check(&run->event_switch, meta, err);
	if (!rc && o->time)
		rc = pfx_time_ranges_parse(&run->times, o->time, meta->env.first_sample_ns,
					   meta->env.last_sample_ns, err);
	if (!rc)
		rc = pfx_resolver_check_unwind(pfx_recording_resolver(run->recording), err);
	return rc;
}

/* What the filters leave of the recording, as a profile, or ready to be streamed. */
static int read_filtered(struct run *run, struct pfx_error *err)
{
	int rc = check_recording(run, err);

	if (rc || run->format->needs & PFX_EXPORT_STREAM)
		return rc;
	prepare_code(run);
	make_tables(run);
	rc = read_profile(run, err);
	if (!rc)
		rc = make_selection(run, err);
	return rc ? rc : narrow_selection(run, err);
}

static void redact(struct run *run, struct pfx_redact *words)
{
	pfx_redact_profile(words, run->profile);
	run->redacted =
		pfx_redact_meta(words, pfx_recording_meta(run->recording), &run->profile->texts);
}

/* Both recordings get the same words. */
static void redact_all(struct run *run)
{
	struct pfx_redact words = {0};

	if (!run->request->redact)
		return;
	redact(run, &words);
	if (run->old)
		redact(run->old, &words);
	pfx_redact_fini(&words);
}

static int run_steps(struct run *run, struct pfx_error *err)
{
	int rc = read_filtered(run, err);

	if (!rc && run->old)
		rc = read_filtered(run->old, err);
	if (rc)
		return rc;
	if (run->format->needs & PFX_EXPORT_STREAM)
		return write_stream(run, err);
	if (run->request->skip_empty && !run->selection.nr_rows)
		return 0;
	redact_all(run);
	return write_profile(run, err);
}

static struct run new_run(const struct pfx_export_request *request, struct pfx_recording *recording)
{
	return (struct run){
		.request = request,
		.format = request->format,
		.recording = recording,
		.event_switch = *request->event_switch,
	};
}

static void run_fini(struct run *run)
{
	pfx_selection_fini(&run->selection);
	pfx_view_filter_fini(&run->filter);
	pfx_profile_free(run->profile);
	pfx_costs_free(run->costs);
	pfx_sources_free(run->sources);
	pfx_page_tables_free(run->tables);
	pfx_record_counts_fini(&run->counts);
	pfx_time_ranges_fini(&run->times);
}

int pfx_export_run(const struct pfx_export_request *request, struct pfx_recording *recording,
		   struct pfx_export_result *ret, struct pfx_error *err)
{
	struct run run = new_run(request, recording), old = new_run(request, request->old);
	int rc;

	old.is_old = true;
	run.old = request->old ? &old : NULL;
	rc = run_steps(&run, err);
	*ret = (struct pfx_export_result){0};
	if (!rc)
		fill_result(&run, ret);
	run_fini(&run);
	run_fini(&old);
	return rc;
}
