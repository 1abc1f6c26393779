/* SPDX-License-Identifier: MIT */
/* `pfx diff`: reads one recording as a profile, or dumps its records. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "cmd/app/commands.h"
#include "cmd/app/progress.h"
#include "cmd/app/recording_notes.h"
#include "cmd/diff/diff_command.h"
#include "out/term/term.h"
#include "read/record_dump.h"
#include "view/read_profile.h"

#define FLUSH_SIZE (64u << 10)

struct reading {
	struct pfx_diff_command *command;
	struct pfx_recording *recording;
	struct pfx_time_ranges times;
	struct pfx_progress progress;
	struct pfx_branch_runs *runs; /* of -c cycles; NULL: not requested */
	bool is_new;                  /* not of side 0 */
	bool has_branches;            /* a sample has some */
	bool dumps;
};

static void add_blocks(struct reading *reading, const struct pfx_item *item)
{
	reading->has_branches |= item->sample->branch.nr != 0;
	if (item->rec.event)
		pfx_branch_runs_add(reading->runs, item->rec.event->idx,
				    pfx_recording_thread(reading->recording, item->sample),
				    &item->sample->branch);
}

static void add_stream(struct reading *reading, const struct pfx_item *item)
{
	const struct pfx_stream_sample sample = {
		.resolver = pfx_recording_resolver(reading->recording),
		.thread = pfx_recording_thread(reading->recording, item->sample),
		.event = item->rec.event ? item->rec.event->name : NULL,
		.sample = item->sample,
	};

	if (sample.event)
		reading->has_branches |=
			pfx_diff_streams_add(reading->command->streams, reading->is_new, &sample);
}

/* The blocks of a recording, once all samples were read. */
static void compare_blocks(struct reading *reading, const struct pfx_compared_file *file)
{
	const struct pfx_meta *meta = pfx_recording_meta(reading->recording);
	const char **names = pfx_calloc(meta->nr_events + 1ul, sizeof(*names));
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++)
		names[i] = meta->events[i]->name;
	pfx_diff_cycles_add(reading->command->cycles, file->side != 0, reading->runs,
			    pfx_recording_resolver(reading->recording), names);
	free(names);
}

static int on_item(void *context, const struct pfx_item *item, struct pfx_error *err)
{
	struct reading *reading = context;
	struct pfx_str *out = &reading->command->out;

	pfx_progress_step(&reading->progress, &item->rec);
	if (reading->runs && item->sample)
		add_blocks(reading, item);
	if (reading->command->streams && item->sample)
		add_stream(reading, item);
	if (!reading->dumps)
		return 0;
	pfx_record_dump(&item->rec, pfx_recording_reader(reading->recording),
			pfx_recording_session(reading->recording),
			pfx_recording_resolver(reading->recording), out);
	return pfx_out_write(out, FLUSH_SIZE, err);
}

static bool has_key(const struct pfx_diff_options *model, enum pfx_diff_key key)
{
	uint32_t i;

	for (i = 0; i < model->nr_keys; i++)
		if (model->keys[i] == key)
			return true;
	return false;
}

/* Whether rows, rules or other options need call chains. */
static bool wants_chains(const struct pfx_diff_command *command)
{
	const struct pfx_cmd_diff_options *o = command->options;

	return has_key(&command->comparison.model, PFX_DIFF_CHAIN) || o->tui || o->tree ||
	       o->folded || o->keep || pfx_comparison_has_total(&command->comparison);
}

static void ask_for_symbols(const struct reading *reading)
{
	const struct pfx_cmd_diff_options *o = reading->command->options;
	struct pfx_resolve_options resolving = {
		.sym = o->symbols.sym,
		/* As in the page and in pictures. Rows by function are the same with them. */
		.inlines =
			o->inlines_given ? o->inlines : wants_chains(reading->command) && !o->tui,
	};

	resolving.sym.buildid_dir = pfx_globals.buildid_dir;
	resolving.sym.fetch = pfx_fetch_watch(PFX_DIFF_COMMAND, o->quiet, o->verbose > 0);
	resolving.sym.force = o->force;
	resolving.sym.no_modules = !o->modules;
	resolving.branch_history = o->stream;
	pfx_recording_resolve(reading->recording, &resolving);
}

/* The n-th of the spans that colons separate; one span is for all files. */
static int parse_time(struct reading *reading, size_t nth, struct pfx_error *err)
{
	const struct pfx_meta *meta = pfx_recording_meta(reading->recording);
	const char *text = reading->command->options->time;
	char *own;
	int rc;

	if (!text)
		return 0;
	if (strchr(text, ':'))
		for (; nth; nth--)
			text = strchr(text, ':') + 1;
	own = pfx_strndup(text, strcspn(text, ":"));
	rc = pfx_time_ranges_parse(&reading->times, own, meta->env.first_sample_ns,
				   meta->env.last_sample_ns, err);
	free(own);
	return rc;
}

static int check_branches(const struct reading *reading, const struct pfx_compared_file *file,
			  struct pfx_error *err)
{
	char shown[256];

	if (reading->has_branches)
		return 0;
	pfx_error_set(err, EINVAL, "'%s' has no branch stacks, which %s compares",
		      pfx_escape(shown, sizeof(shown), file->path),
		      reading->command->streams ? "--stream" : "-c cycles");
	pfx_error_hint(err, "pfx record -b records them, on CPUs that have them");
	return -EINVAL;
}

/* What is compared of branch stacks, once all samples were read. */
static int take_branches(struct reading *reading, const struct pfx_compared_file *file,
			 struct pfx_error *err)
{
	struct pfx_diff_command *command = reading->command;
	int rc = command->cycles || command->streams ? check_branches(reading, file, err) : 0;

	if (!rc && command->cycles)
		compare_blocks(reading, file);
	if (!rc && command->streams)
		pfx_diff_streams_name(command->streams, reading->is_new,
				      pfx_recording_resolver(reading->recording));
	return rc;
}

static int read_opened(struct reading *reading, struct pfx_compared_file *file,
		       struct pfx_error *err)
{
	struct pfx_diff_command *command = reading->command;
	struct pfx_cmd_diff_options *o = command->options;
	const struct pfx_filter cpus = {.cpus = o->filter.cpus, .cpus_given = o->filter.cpus_given};
	bool lines = has_key(&command->comparison.model, PFX_DIFF_LINE) ||
		     has_key(&command->comparison.model, PFX_DIFF_FILE);
	const struct pfx_profile_reading how = {
		.recording = reading->recording,
		.filter = &cpus,
		.times = o->time ? &reading->times : NULL,
		.frames_by = lines ? PFX_FRAMES_BY_LINE : PFX_FRAMES_BY_FUNCTION,
		.no_chains = !wants_chains(command),
		.keep_times = command->comparison.model.noise,
		.step = on_item,
		.step_context = reading,
	};
	const struct pfx_meta *meta = pfx_recording_meta(reading->recording);
	int rc = pfx_filter_check_cpus(&cpus, meta, err);

	if (!rc)
		rc = parse_time(reading, (size_t)(file - command->comparison.files.at), err);
	if (rc)
		return rc;
	pfx_compared_file_describe(file, meta);
	ask_for_symbols(reading);
	pfx_progress_begin(&reading->progress, PFX_DIFF_COMMAND, o->quiet || o->dump,
			   pfx_recording_reader(reading->recording));
	if (command->cycles)
		reading->runs =
			pfx_branch_runs_new(pfx_recording_resolver(reading->recording), false);
	rc = pfx_profile_read(&how, &file->profile, err);
	if (!rc)
		rc = take_branches(reading, file, err);
	pfx_branch_runs_free(reading->runs);
	reading->runs = NULL;
	pfx_progress_end(&reading->progress);
	return rc;
}

/* Opens the file again, because counts are read in the order of the file. */
static int read_counts(struct reading *reading, struct pfx_compared_file *file,
		       struct pfx_error *err)
{
	const struct pfx_cmd_diff_options *o = reading->command->options;
	const struct pfx_recording_options how = {
		.reader = {.force = o->force, .strict = o->strict}, .as_it_lies = true};
	int rc;

	if (!strcmp(file->path, "-")) {
		pfx_error_set(err, EINVAL, "counts cannot be read from standard input");
		pfx_error_hint(err, "write the output of 'pfx stat record' to a file");
		return -EINVAL;
	}
	pfx_recording_free(reading->recording);
	reading->recording = NULL;
	rc = pfx_recording_open(&reading->recording, file->path, &how, err);
	pfx_compared_file_describe(file, rc ? NULL : pfx_recording_meta(reading->recording));
	return rc ? rc
		  : pfx_comparison_add_counts(&reading->command->comparison, file,
					      reading->recording, err);
}

static bool has_counts(const struct reading *reading)
{
	return !reading->dumps &&
	       pfx_env_has(&pfx_recording_meta(reading->recording)->env, PFX_FEAT_STAT);
}

static void say_notes(const struct reading *reading, const struct pfx_compared_file *file)
{
	const struct pfx_resolver *resolver = pfx_recording_resolver(reading->recording);
	struct pfx_session *session = pfx_recording_session(reading->recording);

	pfx_recording_note(PFX_DIFF_COMMAND, reading->recording);
	if (file->profile && !file->profile->nr_rows)
		pfx_print_note(PFX_DIFF_COMMAND, "'%s' has no samples%s", file->path,
			       pfx_recording_stats(reading->recording)->nr_samples
				       ? " that pass the filters"
				       : "");
	else if (file->profile && reading->command->options->verbose)
		pfx_recording_note_symbols(PFX_DIFF_COMMAND, session, resolver);
}

int pfx_diff_read_file(struct pfx_diff_command *command, struct pfx_compared_file *file,
		       struct pfx_error *err)
{
	const struct pfx_cmd_diff_options *o = command->options;
	const struct pfx_recording_options how = {
		.reader = {.force = o->force, .strict = o->strict, .keep_meta_records = o->dump},
		.late_frames_apart = o->dump,
		.guest_code = o->symbols.guest_code,
	};
	struct reading reading = {.command = command, .dumps = o->dump, .is_new = file->side != 0};
	int rc = pfx_recording_open(&reading.recording, file->path, &how, err);

	/* This command has no -i. */
	if (rc == -ENOENT)
		pfx_error_hint(err, "'pfx record' makes one, and renames the one before to "
				    "perf.data.old; or name two: pfx diff OLD NEW");
	if (!rc)
		rc = has_counts(&reading) ? read_counts(&reading, file, err)
					  : read_opened(&reading, file, err);
	if (reading.recording && !o->quiet)
		say_notes(&reading, file);
	pfx_time_ranges_fini(&reading.times);
	pfx_recording_free(reading.recording);
	return rc;
}
