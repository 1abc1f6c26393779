/* SPDX-License-Identifier: MIT */
/* `pfx data merge`: words, messages, and the output for lib/rewrite. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/ns.h"
#include "cmd/app/commands.h"
#include "cmd/app/output_open.h"
#include "cmd/app/recording_notes.h"
#include "cmd/data/data_internal.h"
#include "out/notes_text.h"
#include "rewrite/merge.h"

#define DEFAULT_OUTPUT "perf.data"

static int check_words(const struct pfx_data_options *o, int nr, struct pfx_error *err)
{
	if (o->to_json || o->input) {
		pfx_error_set(err, EINVAL, "%s is for 'pfx data convert'",
			      o->to_json ? "--to-json" : "--input");
		pfx_error_hint(err, "pfx data merge -o OUTPUT FILE FILE...");
		return -EINVAL;
	}
	if (nr < 2) {
		pfx_error_set(err, EINVAL, "a merge needs two recordings or more");
		pfx_error_hint(err, "pfx data merge -o OUTPUT FILE FILE...");
		return -EINVAL;
	}
	if (nr > PFX_MERGE_MAX)
		return pfx_error_set(err, EINVAL, "at most %d recordings can be merged at once",
				     PFX_MERGE_MAX);
	return 0;
}

/* The output would replace an input, which is still read. */
static int check_output(const char *output, int nr, char *const *paths, struct pfx_error *err)
{
	struct stat in, out;
	char shown[256];
	int i;

	for (i = 0; i < nr && !stat(output, &out); i++)
		if (!stat(paths[i], &in) && in.st_dev == out.st_dev && in.st_ino == out.st_ino) {
			pfx_error_set(err, EINVAL, "'%s' is one of the recordings to be merged",
				      pfx_escape(shown, sizeof(shown), output));
			pfx_error_hint(err, "name another output with -o");
			return -EINVAL;
		}
	return 0;
}

/* --- notes --- */

static void add_note(void *context, const char *text)
{
	pfx_print_note("data merge", "'%s': %s", (const char *)context, text);
}

/* Losses and damage. */
static void note_recording(const struct pfx_merge *merge, size_t i)
{
	char path[256];
	const struct pfx_note_to to = {add_note, path};

	pfx_escape(path, sizeof(path), pfx_merge_input(merge, i)->path);
	pfx_recording_loss_note(&to, pfx_merge_recording(merge, i));
}

static void note_input(const struct pfx_merge_input *input)
{
	char path[256];

	pfx_escape(path, sizeof(path), input->path);
	if (input->pid_offset)
		pfx_print_note("data merge",
			       "'%s' has processes with numbers of another recording: they are "
			       "written as NUMBER + %" PRIu32,
			       path, input->pid_offset);
	if (input->kernel == PFX_MERGE_KERNEL_MOVED)
		pfx_print_note("data merge",
			       "the kernel of '%s' is at other addresses: they are changed to "
			       "those of the first recording",
			       path);
	if (input->kernel == PFX_MERGE_KERNEL_OTHER)
		pfx_print_note("data merge",
			       "'%s' has another kernel: its code is [other-kernel], without "
			       "symbols",
			       path);
	if (input->time_shift)
		pfx_print_note("data merge",
			       "times of '%s' are moved by %.6f s to the clock of the others", path,
			       (double)input->time_shift / PFX_NS_PER_SECOND);
	if (input->nr_dropped)
		pfx_print_note("data merge",
			       "%" PRIu64 " records of '%s' are damaged or of an unknown type, and "
			       "are left out",
			       input->nr_dropped, path);
}

static void say_done(const struct pfx_merge *merge, const char *output, int nr)
{
	uint64_t nr_samples = 0;
	bool has_clocks = true;
	char shown[256];
	struct stat st;
	int i;

	for (i = 0; i < nr; i++) {
		note_recording(merge, (size_t)i);
		note_input(pfx_merge_input(merge, i));
		nr_samples += pfx_merge_input(merge, i)->nr_samples;
		has_clocks &= pfx_merge_input(merge, i)->has_clock;
	}
	if (!has_clocks)
		pfx_print_note("data merge",
			       "times are those of each machine's clock: record with -k mono to "
			       "make them comparable");
	if (!strcmp(output, "-") || stat(output, &st))
		return;
	pfx_print_line("[ pfx data merge: wrote '%s' (%.3f MB, %" PRIu64
		       " samples of %d recordings, %" PRIu32 " event%s) ]",
		       pfx_escape(shown, sizeof(shown), output), (double)st.st_size / (1 << 20),
		       nr_samples, nr, pfx_merge_nr_events(merge),
		       pfx_merge_nr_events(merge) == 1 ? "" : "s");
}

/* --- a run --- */

static int write_merged(struct pfx_merge *merge, const char *output, struct pfx_error *err)
{
	struct pfx_writer *writer = NULL;
	int rc = pfx_output_open(&writer, output, "data merge", err);

	if (!rc)
		rc = pfx_merge_run(merge, writer, err);
	if (writer)
		pfx_writer_free(writer);
	return rc;
}

static int merge_paths(const struct pfx_data_options *o, const char *output, int nr,
		       char *const *paths, struct pfx_error *err)
{
	struct pfx_merge_options options = {
		.paths = (const char *const *)paths,
		.nr = (size_t)nr,
		.force = o->force,
		.strict = o->strict,
	};
	PFX_VEC(const char *) command = {0};
	struct pfx_merge *merge = NULL;
	int i, rc;

	pfx_vec_push(&command, "pfx");
	pfx_vec_push(&command, PFX_DATA_NAME);
	pfx_vec_push(&command, "merge");
	for (i = 0; i < nr; i++)
		pfx_vec_push(&command, paths[i]);
	options.command = command.at;
	options.nr_command = command.nr;
	rc = pfx_merge_new(&merge, &options, err);
	if (!rc)
		rc = write_merged(merge, output, err);
	if (!rc && !o->quiet)
		say_done(merge, output, nr);
	pfx_merge_free(merge);
	pfx_vec_free(&command);
	return rc;
}

int pfx_data_merge(const struct pfx_data_options *o, int nr, char *const *paths)
{
	const char *output = o->output ? o->output : DEFAULT_OUTPUT;
	struct pfx_error err = {0};

	if (check_words(o, nr, &err) < 0 || check_output(output, nr, paths, &err) < 0) {
		pfx_print_error("data merge", &err);
		return PFX_USAGE_ERROR;
	}
	return pfx_recording_exit_code("data merge", merge_paths(o, output, nr, paths, &err), &err);
}
