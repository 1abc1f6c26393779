/* SPDX-License-Identifier: MIT */
/*
 * `pfx export`: reads a recording as a profile, filters it, has a format of lib/export write it,
 * and says what is missing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/app/commands.h"
#include "cmd/app/output_open.h"
#include "cmd/app/progress.h"
#include "cmd/app/recording_notes.h"
#include "cmd/export/export_run_internal.h"
#include "export/page_tables.h"
#include "unwind/pointer_chain.h"
#include "view/narrow_profile.h"
#include "view/read_profile.h"

#define HOST_LEVELS ".kH" /* letters of pfx_place_level() */

/* --- reading --- */

static int on_item(void *context, const struct pfx_item *item, struct pfx_error *err)
{
	struct export_run *run = context;

	(void)err;
	pfx_progress_step(&run->progress, &item->rec);
	return 0;
}

static void ask_for_frames(struct export_run *run)
{
	const struct pfx_export_options *o = run->options;
	struct pfx_resolve_options resolving = {
		.sym = o->symbols.sym,
		.unwind = o->unwind,
		.max_stack = o->max_stack > UINT32_MAX ? 0 : (uint32_t)o->max_stack,
		.inlines = o->inlines,
		.full_source_path = true,
	};

	resolving.sym.buildid_dir = pfx_globals.buildid_dir;
	resolving.sym.fetch = pfx_fetch_watch(PFX_EXPORT_COMMAND, o->quiet, o->verbose > 0);
	resolving.sym.force = o->force;
	resolving.sym.no_modules = !o->modules;
	resolving.sym.demangle_full = o->verbose > 0;
	pfx_recording_resolve(run->recording, &resolving);
	if (run->format->needs & PFX_EXPORT_CODE && !run->is_old)
		run->costs = pfx_costs_new(pfx_recording_resolver(run->recording));
	if (!o->sources || run->is_old)
		return;
	run->sources = pfx_sources_new();
	pfx_sources_archived(run->sources, pfx_recording_sources(run->recording));
	pfx_sources_fetch(run->sources, resolving.sym.fetch);
}

/* Tables are made of all samples that are read: filters of views would not hold in them. */
static bool wants_tables(const struct export_run *run)
{
	const struct pfx_export_options *o = run->options;
	unsigned which;

	for (which = 0; which < PFX_VIEW_NR_PATTERNS; which++)
		if (o->patterns[which])
			return false;
	return run->format->needs & PFX_EXPORT_TABLES && !run->is_old && !o->hide_unresolved;
}

static void make_tables(struct export_run *run)
{
	const struct pfx_page_tables_setup setup = {
		.meta = pfx_recording_meta(run->recording),
		.session = pfx_recording_session(run->recording),
		.resolver = pfx_recording_resolver(run->recording),
		.filter = &run->options->filter,
		.guest = run->options->guest,
	};

	if (wants_tables(run))
		run->tables = pfx_page_tables_new(&setup);
}

static int read_profile(struct export_run *run, struct pfx_error *err)
{
	struct pfx_export_options *o = run->options;
	const struct pfx_profile_reading reading = {
		.recording = run->recording,
		.filter = &o->filter,
		.times = o->time ? &run->times : NULL,
		.event_switch = &run->event_switch,
		.counts = &run->counts,
		.self_costs = run->costs,
		.function_lines = run->format->needs & PFX_EXPORT_CODE,
		.frames_by = run->format->frames_by,
		.keep_times = run->format->needs & PFX_EXPORT_TIMES,
		.no_chains = o->no_chains || !(run->format->needs & PFX_EXPORT_CHAINS),
		.step = on_item,
		.step_context = run,
		.take = run->tables ? pfx_page_tables_take : NULL,
		.take_context = run->tables,
	};
	int rc;

	pfx_progress_begin(&run->progress, PFX_EXPORT_COMMAND, o->quiet,
			   pfx_recording_reader(run->recording));
	rc = pfx_profile_read(&reading, &run->profile, err);
	pfx_progress_end(&run->progress);
	return rc;
}

/* --- filters --- */

static int refuse_event(const struct export_run *run, const char *name, const char *const *names,
			uint32_t nr, struct pfx_error *err)
{
	const char *near = pfx_nearest(name, names, nr);
	char shown[128], path[256];

	pfx_escape(shown, sizeof(shown), name);
	if (run->is_old)
		pfx_error_set(err, EINVAL, "'%s' is not an event of '%s'", shown,
			      pfx_escape(path, sizeof(path), run->options->old));
	else
		pfx_error_set(err, EINVAL, "'%s' is not an event of the recording", shown);
	if (near)
		pfx_error_hint(err, "did you mean '%s'?", pfx_escape(shown, sizeof(shown), near));
	else
		pfx_error_hint(err, "'pfx evlist' lists them");
	return -EINVAL;
}

static int choose_event(struct export_run *run, const char *name, struct pfx_error *err)
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

static int make_selection(struct export_run *run, struct pfx_error *err)
{
	const struct pfx_export_options *o = run->options;
	unsigned which;
	size_t i;
	int rc = 0;

	pfx_view_filter_init(&run->filter, run->profile);
	choose_names(&run->filter, PFX_VIEW_DSO, &o->filter.dsos);
	choose_names(&run->filter, PFX_VIEW_FUNCTION, &o->filter.symbols);
	run->filter.drop_unresolved = o->hide_unresolved;
	if (!o->guest)
		strcpy(run->filter.levels, HOST_LEVELS);
	for (i = 0; i < o->events.nr && !rc; i++)
		rc = choose_event(run, o->events.at[i], err);
	for (which = 0; which < PFX_VIEW_NR_PATTERNS && !rc; which++)
		rc = pfx_view_filter_pattern(&run->filter, which, o->patterns[which], err);
	return rc ? rc : pfx_selection_make(&run->selection, &run->filter, err);
}

/* Leave out the names of what the filters dropped: the output is handed on. */
static int narrow_selection(struct export_run *run, struct pfx_error *err)
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
static int check_stream(const struct export_run *run, struct pfx_error *err)
{
	static const char *const words[] = {[PFX_VIEW_FOCUS] = "--focus",
					    [PFX_VIEW_IGNORE] = "--ignore",
					    [PFX_VIEW_HIDE] = "--hide",
					    [PFX_VIEW_SHOW] = "--show",
					    [PFX_VIEW_SHOW_FROM] = "--show-from"};
	unsigned which;

	for (which = 0; which < PFX_VIEW_NR_PATTERNS; which++) {
		if (!run->options->patterns[which])
			continue;
		pfx_error_set(err, EINVAL, "%s does not work with %s, which has whole call chains",
			      words[which], run->format->name);
		pfx_error_hint(err, "choose samples with --symbols, --dsos or --time");
		return -EINVAL;
	}
	return 0;
}

/* After reading: the events of a stream are known only then. */
static int check_events(const struct export_run *run, struct pfx_error *err)
{
	const struct pfx_meta *meta = pfx_recording_meta(run->recording);
	const struct pfx_export_options *o = run->options;
	const char **names = pfx_malloc((meta->nr_events + 1ul) * sizeof(*names));
	uint32_t i;
	size_t k;
	int rc = 0;

	for (i = 0; i < meta->nr_events; i++)
		names[i] = meta->events[i]->name;
	for (k = 0; k < o->events.nr && !rc; k++) {
		for (i = 0; i < meta->nr_events && strcmp(names[i], o->events.at[k]); i++)
			;
		if (i == meta->nr_events)
			rc = refuse_event(run, o->events.at[k], names, meta->nr_events, err);
	}
	free(names);
	return rc;
}

/* --- writing --- */

/* The output would replace the recording. */
static int check_output(const struct export_run *run, struct pfx_error *err)
{
	const char *input = pfx_reader_info(pfx_recording_reader(run->recording))->path;
	struct stat in, out;
	char shown[256];

	if (!strcmp(run->options->output, "-")) {
		if (!(run->format->needs & PFX_EXPORT_BINARY) || !isatty(STDOUT_FILENO))
			return 0;
		pfx_error_set(err, EINVAL, "refusing to write binary data to a terminal");
		pfx_error_hint(err, "use -o FILE or a pipe");
		return -EINVAL;
	}
	if (stat(input, &in) || stat(run->options->output, &out) || !S_ISREG(out.st_mode) ||
	    in.st_dev != out.st_dev || in.st_ino != out.st_ino)
		return 0;
	return pfx_error_set(err, EINVAL, "'%s' is the recording itself",
			     pfx_escape(shown, sizeof(shown), run->options->output));
}

static int write_input(struct export_run *run, const struct pfx_export_input *input,
		       struct pfx_error *err)
{
	const struct pfx_open_wait wait = pfx_output_wait(PFX_EXPORT_COMMAND);
	struct pfx_export_output out;
	int rc = pfx_export_open(&out, run->options->output, &wait, err);

	if (rc < 0)
		return rc;
	run->format->write(input, &out);
	if (input->stream)
		rc = check_events(run, err);
	return pfx_export_close(&out, rc, err);
}

static struct pfx_export_old describe_old(const struct export_run *old)
{
	const struct pfx_resolver *resolver = pfx_recording_resolver(old->recording);

	return (struct pfx_export_old){
		.selection = &old->selection,
		.meta = pfx_recording_meta(old->recording),
		.nr_chains = pfx_pointer_chain_stats(resolver)->nr_chains,
		.nr_chains_incomplete = pfx_pointer_chain_incomplete(resolver),
	};
}

static int write_profile(struct export_run *run, struct pfx_error *err)
{
	const struct pfx_resolver *resolver = pfx_recording_resolver(run->recording);
	const struct pfx_export_options *o = run->options;
	const struct pfx_export_old old =
		run->old ? describe_old(run->old) : (struct pfx_export_old){0};
	const struct pfx_export_input input = {
		.old = run->old ? &old : NULL,
		.nr_chains = pfx_pointer_chain_stats(resolver)->nr_chains,
		.nr_chains_incomplete = pfx_pointer_chain_incomplete(resolver),
		.selection = &run->selection,
		.meta = pfx_recording_meta(run->recording),
		.costs = run->costs,
		.resolver = pfx_recording_resolver(run->recording),
		.sources = run->sources,
		.tables = run->tables,
		.measure = o->measure_given ? o->measure : run->format->measure,
		.width = (uint32_t)o->width,
	};

	return write_input(run, &input, err);
}

static int write_stream(struct export_run *run, struct pfx_error *err)
{
	struct pfx_export_options *o = run->options;
	const struct pfx_export_stream stream = {
		.reading = {.recording = run->recording,
			    .filter = &o->filter,
			    .times = o->time ? &run->times : NULL,
			    .event_switch = &run->event_switch,
			    .counts = &run->counts,
			    .step = on_item,
			    .step_context = run},
		.events = o->events.at,
		.nr_events = o->events.nr,
		.levels = o->guest ? NULL : HOST_LEVELS,
		.drop_unresolved = o->hide_unresolved,
		.no_chains = o->no_chains,
		.nr_samples = &run->nr_streamed,
	};
	const struct pfx_export_input input = {
		.stream = &stream,
		.meta = pfx_recording_meta(run->recording),
	};
	int rc = check_stream(run, err);

	if (rc)
		return rc;
	pfx_progress_begin(&run->progress, PFX_EXPORT_COMMAND, o->quiet,
			   pfx_recording_reader(run->recording));
	rc = write_input(run, &input, err);
	pfx_progress_end(&run->progress);
	return rc;
}

/* --- a run --- */

static int open_run(struct export_run *run, const char *path, struct pfx_error *err)
{
	const struct pfx_export_options *o = run->options;
	const struct pfx_recording_options how = {
		.reader = {.force = o->force, .strict = o->strict},
		.guest_code = o->symbols.guest_code,
	};

	run->event_switch = o->event_switch;
	return pfx_recording_open(&run->recording, path, &how, err);
}

/* What the filters leave of the recording, as a profile, or ready to be streamed. */
static int read_opened(struct export_run *run, struct pfx_error *err)
{
	struct pfx_export_options *o = run->options;
	const struct pfx_meta *meta = pfx_recording_meta(run->recording);
	int rc = check_output(run, err);

	if (!rc)
		rc = pfx_filter_check_cpus(&o->filter, meta, err);
	if (!rc)
		rc = pfx_event_switch_check(&run->event_switch, meta, err);
	if (!rc && o->time)
		rc = pfx_time_ranges_parse(&run->times, o->time, meta->env.first_sample_ns,
					   meta->env.last_sample_ns, err);
	ask_for_frames(run);
	if (!rc)
		rc = pfx_resolver_check_unwind(pfx_recording_resolver(run->recording), err);
	if (rc || run->format->needs & PFX_EXPORT_STREAM)
		return rc;
	make_tables(run);
	rc = read_profile(run, err);
	if (!rc)
		rc = make_selection(run, err);
	return rc ? rc : narrow_selection(run, err);
}

static int run_opened(struct export_run *run, struct pfx_error *err)
{
	int rc = read_opened(run, err);

	if (!rc && run->old)
		rc = open_run(run->old, run->options->old, err);
	if (!rc && run->old)
		rc = read_opened(run->old, err);
	if (rc)
		return rc;
	return run->format->needs & PFX_EXPORT_STREAM ? write_stream(run, err)
						      : write_profile(run, err);
}

static void run_fini(struct export_run *run)
{
	pfx_selection_fini(&run->selection);
	pfx_view_filter_fini(&run->filter);
	pfx_profile_free(run->profile);
	pfx_costs_free(run->costs);
	pfx_sources_free(run->sources);
	pfx_page_tables_free(run->tables);
	pfx_record_counts_fini(&run->counts);
	pfx_time_ranges_fini(&run->times);
	pfx_recording_free(run->recording);
}

int pfx_export_run(struct pfx_export_options *o, const struct pfx_export *format)
{
	struct export_run old = {.options = o, .format = format, .is_old = true};
	struct export_run run = {.options = o, .format = format, .old = o->old ? &old : NULL};
	struct pfx_error err = {0};
	int code, rc = pfx_symbol_options_check(&o->symbols, &err);

	if (!rc)
		rc = open_run(&run, o->input, &err);
	if (!rc)
		rc = run_opened(&run, &err);
	code = pfx_recording_exit_code(PFX_EXPORT_COMMAND, rc, &err);
	if (run.recording && !o->quiet)
		pfx_recording_note(PFX_EXPORT_COMMAND, run.recording);
	if (!rc && !o->quiet)
		pfx_export_say_notes(&run);
	run_fini(&run);
	run_fini(&old);
	return code;
}
