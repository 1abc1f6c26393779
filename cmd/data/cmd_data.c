/* SPDX-License-Identifier: MIT */
/* `pfx data`: its options and verbs; convert, with the output file for lib/export. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "cmd/app/commands.h"
#include "cmd/app/output_open.h"
#include "cmd/app/recording_notes.h"
#include "cmd/data/data_internal.h"
#include "export/perf_json.h"

#define NAME      PFX_DATA_NAME
#define TO_STDOUT "-"
#define CONVERT   "convert"
#define MERGE     "merge"

#define AT(field) offsetof(struct pfx_data_options, field)
static const struct pfx_option data_options[] = {
	{PFX_OPT_STRING, 0, "to-json", AT(to_json), "file",
	 "convert: write JSON to this file, - is standard output"},
	{PFX_OPT_STRING, 'i', "input", AT(input), "file",
	 "convert: recording to read, - is standard input"},
	{PFX_OPT_BOOL, 'f', "force", AT(force), NULL,
	 "overwrite the output file; also read a file that belongs to another user"},
	{PFX_OPT_STRING, 'o', "output", AT(output), "file",
	 "merge: the recording to write (default: perf.data), - is standard output"},
	{PFX_OPT_ABSENT, 0, "to-ctf", .help = "pfx writes no CTF; 'pfx export' has many forms",
	 .hidden = true},
	{PFX_OPT_ABSENT, 0, "all", .help = "it is for CTF, which pfx does not write",
	 .hidden = true},
	{PFX_OPT_ABSENT, 0, "tod", .help = "the JSON has the times of the recording",
	 .hidden = true},
	PFX_OPT_STRICT(strict),
	{PFX_OPT_BOOL, 'q', "quiet", AT(quiet), NULL, "print only errors"},
	{PFX_OPT_COUNT, 'v', "verbose", AT(verbose), NULL, "print which binaries have no symbols"},
	{.kind = PFX_OPT_END},
};

struct output {
	const char *path;
	int fd;
	uint64_t size;
	bool is_file; /* a regular file, removed if it is incomplete */
};

static int open_output(struct output *out, bool force, struct pfx_error *err)
{
	struct stat st;

	if (!strcmp(out->path, TO_STDOUT)) {
		out->fd = STDOUT_FILENO;
		return 0;
	}
	out->fd = pfx_output_open_file(out->path, force ? PFX_OUTPUT_REPLACE : PFX_OUTPUT_NEW, NAME,
				       err);
	if (out->fd == -EEXIST)
		pfx_error_hint(err, "use --force to overwrite it");
	if (out->fd < 0)
		return out->fd;
	out->is_file = !lstat(out->path, &st) && S_ISREG(st.st_mode);
	return 0;
}

static int close_output(struct output *out, int rc, struct pfx_error *err)
{
	char shown[256];

	if (out->fd == STDOUT_FILENO)
		return rc;
	if (close(out->fd) && rc >= 0)
		rc = pfx_error_sys(err, errno, "cannot write '%s'",
				   pfx_escape(shown, sizeof(shown), out->path));
	if (rc < 0 && out->is_file)
		unlink(out->path);
	return rc;
}

static int write_text(void *context, const struct pfx_str *text, struct pfx_error *err)
{
	struct output *out = context;
	int rc = pfx_write_full(out->fd, text->at, text->len);
	char shown[256];

	out->size += text->len;
	return rc < 0 ? pfx_error_sys(err, -rc, "cannot write to '%s'",
				      pfx_escape(shown, sizeof(shown), out->path))
		      : 0;
}

static void say_success(const struct pfx_data_options *options,
			const struct pfx_recording *recording, const struct output *out,
			uint64_t nr_samples)
{
	pfx_print_line("[ pfx data convert: Converted '%s' into JSON data '%s' ]",
		       pfx_recording_path(options->input), out->path);
	pfx_print_line("[ pfx data convert: Converted and wrote %.3f MB (%" PRIu64 " samples) ]",
		       (double)out->size / (1 << 20), nr_samples);
	if (options->verbose)
		pfx_recording_note_symbols(NAME, pfx_recording_session(recording),
					   pfx_recording_resolver(recording));
}

static int open_recording(const struct pfx_data_options *options, struct pfx_recording **ret,
			  struct pfx_error *err)
{
	const struct pfx_resolve_options resolving = {
		.sym = {.buildid_dir = pfx_globals.buildid_dir, .force = options->force},
		.max_stack = UINT32_MAX,
	};
	const struct pfx_recording_options how = {
		.reader = {.force = options->force, .strict = options->strict},
	};
	int rc = pfx_recording_open(ret, options->input, &how, err);

	if (!rc)
		pfx_recording_resolve(*ret, &resolving);
	return rc;
}

static int run_checked(const struct pfx_data_options *options)
{
	struct output out = {.path = options->to_json, .fd = -1};
	struct pfx_export_stream stream = {0};
	struct pfx_recording *recording = NULL;
	struct pfx_error err = {0};
	uint64_t nr_samples = 0;
	int code, rc = open_recording(options, &recording, &err);

	stream.reading.recording = recording;
	if (!rc)
		rc = open_output(&out, options->force, &err);
	if (!rc)
		rc = close_output(
			&out, pfx_json_write(&stream, write_text, &out, &nr_samples, &err), &err);
	if (rc >= 0)
		say_success(options, recording, &out, nr_samples);
	code = pfx_recording_exit_code(NAME, rc, &err);
	if (recording)
		pfx_recording_note(NAME, recording);
	pfx_recording_free(recording);
	return code;
}

/* @verb: NULL if none was given. */
static int check_verb(const char *verb, struct pfx_error *err)
{
	char shown[128];

	if (verb && (!strcmp(verb, CONVERT) || !strcmp(verb, MERGE)))
		return 0;
	if (verb)
		pfx_error_set(err, EINVAL, "'%s' is nothing that data does",
			      pfx_escape(shown, sizeof(shown), verb));
	else
		pfx_error_set(err, EINVAL, "what to do is missing");
	pfx_error_hint(err, "pfx data convert --to-json file, or pfx data merge -o file file...");
	return -EINVAL;
}

static int convert(const struct pfx_data_options *options, const char *more)
{
	struct pfx_error err = {0};

	if (pfx_recording_check_word(NAME, more, &err) < 0) {
		pfx_print_error(NAME, &err);
		return PFX_USAGE_ERROR;
	}
	if (options->output) {
		pfx_error_set(&err, EINVAL, "--output is for 'pfx data merge'");
		pfx_error_hint(&err, "pfx data convert --to-json file");
		pfx_print_error(NAME, &err);
		return PFX_USAGE_ERROR;
	}
	if (!options->to_json) {
		pfx_error_set(&err, EINVAL, "the form to convert to is missing");
		pfx_error_hint(&err, "pfx data convert --to-json file");
		return pfx_print_error(NAME, &err);
	}
	return run_checked(options);
}

static int run_data(int argc, char **argv)
{
	struct pfx_data_options options = {0};
	struct pfx_error err = {0};
	int code, at = pfx_options_or_exit(&pfx_cmd_data, argc, argv, &options, &code);
	const char *verb;

	if (at < 0)
		return code;
	verb = at < argc ? argv[at] : NULL;
	if (check_verb(verb, &err) < 0) {
		pfx_print_error(NAME, &err);
		return PFX_USAGE_ERROR;
	}
	if (!strcmp(verb, MERGE))
		return pfx_data_merge(&options, argc - at - 1, argv + at + 1);
	return convert(&options, at + 1 < argc ? argv[at + 1] : NULL);
}

const struct pfx_command pfx_cmd_data = {
	.name = NAME,
	.args = "convert|merge",
	.summary = "convert a recording to JSON, or merge several recordings into one",
	.options = data_options,
	.run = run_data,
	.permute = true,
};
