/* SPDX-License-Identifier: MIT */
/*
 * `pfx flamegraph`: records and writes a flame graph, or writes that of a recording. The recorder
 * is `pfx record` in a child; the page and the picture are formats of lib/export.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"
#include "cmd/app/commands.h"
#include "cmd/app/export/export_command.h"
#include "cmd/flamegraph/flamegraph_record.h"
#include "cmd/flamegraph/flamegraph_words.h"
#include "read/recording_words.h"
#include "read/temp_dir.h"
#include "sys/target/signals.h"

#define NAME           "flamegraph"
#define FAILED_CODE    255
#define DEFAULT_OUTPUT "flamegraph.html"

struct flamegraph_options {
	const char *input, *output, *title, *data;
	bool quiet;
	int verbose;
};

#define AT(field) offsetof(struct flamegraph_options, field)
static const struct pfx_option flamegraph_options[] = {
	{PFX_OPT_STRING, 'o', "output", AT(output), "file",
	 "the page, or with the suffix .svg a picture (flamegraph.html); - is standard output"},
	{PFX_OPT_STRING, 'i', "input", AT(input), "file",
	 "read this recording instead of recording; - is standard input"},
	{PFX_OPT_STRING, 0, "data", AT(data), "file", "keep the recording in this file"},
	{PFX_OPT_STRING, 0, "title", AT(title), "text", "the title, instead of the command"},
	{PFX_OPT_BOOL, 'q', "quiet", AT(quiet), NULL, "print only errors"},
	{PFX_OPT_COUNT, 'v', "verbose", AT(verbose), NULL,
	 "long names, and which binaries have no symbols"},
	{PFX_OPT_GROUP,
	 .help = "To record, the options of 'pfx record' (-a, -p, -F, --off-cpu, ...)."},
	{PFX_OPT_GROUP,
	 .help = "To choose what is shown, those of 'pfx export' (--focus, --time, ...)."},
	{.kind = PFX_OPT_END},
};

/* --- recording --- */

static int usage_error(const struct pfx_error *err)
{
	pfx_print_error(NAME, err);
	return PFX_USAGE_ERROR;
}

/* Before anything is recorded: whether the output can be written. */
static int check_output(const char *path, struct pfx_error *err)
{
	const struct pfx_open_wait wait = {0};
	struct pfx_export_output out;
	struct stat st;
	int rc;

	if (!strcmp(path, "-") ||
	    (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return 0;
	rc = pfx_export_open(&out, path, &wait, err);
	if (!rc)
		pfx_export_close(&out, -ECANCELED, &(struct pfx_error){0});
	return rc;
}

static int check_record(const struct pfx_flamegraph_words *words,
			const struct pfx_export_options *o, struct pfx_error *err)
{
	char **record = words->record.at;
	int rc;

	if (words->program && pfx_recording_refuse_as_word(words->program, err) < 0)
		return -EINVAL;
	if (words->refused) {
		pfx_error_set(err, EINVAL, "--%s does not go with a flame graph", words->refused);
		pfx_error_hint(err, "use 'pfx record', then 'pfx flamegraph -i FILE'");
		return -EINVAL;
	}
	if (!pfx_record_has_target((int)words->record.nr, record)) {
		pfx_error_set(err, EINVAL, "nothing to record");
		pfx_error_hint(err, "give a command, -a, -p PID, or -i FILE for a recording");
		return -EINVAL;
	}
	rc = pfx_export_check_old(o, err);
	return rc ? rc : check_output(o->output, err);
}

/* The words of `pfx record`: its own, before those of the user, which override them. */
static void complete_words(struct pfx_flamegraph_words *words, char *data)
{
	struct pfx_word_list all = {0};
	size_t i;

	pfx_vec_push(&all, words->record.at[0]);
	pfx_vec_push(&all, (char *)"-q");
	pfx_vec_push(&all, (char *)"-o");
	pfx_vec_push(&all, data);
	if (!words->has_chains)
		pfx_vec_push(&all, (char *)"-g");
	for (i = 1; i < words->record.nr; i++)
		pfx_vec_push(&all, words->record.at[i]);
	pfx_vec_push(&all, NULL);
	all.nr--;
	pfx_vec_free(&words->record);
	words->record = all;
}

/* @ret_nr: samples; without them no file is written. */
static int write_graph(const struct pfx_export_options *o, const struct pfx_export *format,
		       uint64_t *ret_nr)
{
	int code = pfx_export_command(NAME, o, format, ret_nr);

	if (!code && !o->quiet && *ret_nr)
		pfx_export_say_done(NAME, o->output, *ret_nr);
	return code;
}

static int read_recording(const struct pfx_export_options *o, const struct pfx_export *format)
{
	uint64_t nr = 0;
	int code = write_graph(o, format, &nr);

	return !code && !nr ? FAILED_CODE : code;
}

/* @end: how the recorder ended. */
static int record_into(struct pfx_flamegraph_words *words, char *data, struct pfx_export_options *o,
		       const struct pfx_export *format, struct pfx_flamegraph_end *end)
{
	struct pfx_flamegraph_recorder what = {
		.data = data,
		.stdout_is_ours = !strcmp(o->output, "-"),
	};
	struct pfx_error err = {0};
	uint64_t nr = 0;
	int code;

	if (!o->quiet)
		pfx_record_say_waiting(NAME, (int)words->record.nr, words->record.at);
	complete_words(words, data);
	what.argc = (int)words->record.nr;
	what.argv = words->record.at;
	if (pfx_flamegraph_record(&what, end, &err) < 0)
		return pfx_print_error(NAME, &err);
	if (!end->has_file)
		return end->code;
	o->input = data;
	code = write_graph(o, format, &nr);
	return code ? code : end->code;
}

static int record(struct pfx_flamegraph_words *words, const char *data,
		  struct pfx_export_options *o, const struct pfx_export *format)
{
	struct pfx_flamegraph_end end = {0};
	struct pfx_temp_dir *dir = NULL;
	struct pfx_error err = {0};
	char *path;
	int code;

	if (check_record(words, o, &err) < 0)
		return usage_error(&err);
	if (!data && pfx_temp_dir_new(&dir, NAME, &err) < 0)
		return pfx_print_error(NAME, &err);
	path = data ? pfx_strdup(data) : pfx_strfmt("%s/perf.data", pfx_temp_dir_path(dir));
	o->is_unnamed = !data;
	code = record_into(words, path, o, format, &end);
	pfx_temp_dir_free(dir);
	free(path);
	if (end.signal && code == end.code)
		pfx_signals_raise(end.signal);
	return code;
}

/* --- words --- */

/* The options of `pfx export`, under the name of this command. */
static const struct pfx_command as_export = {
	.name = NAME,
	.args = "",
	.options = pfx_export_option_table,
	.permute = true,
};

static void merge_options(const struct flamegraph_options *own, struct pfx_export_options *o)
{
	o->input = own->input;
	o->output = own->output ? own->output : DEFAULT_OUTPUT;
	o->title = own->title;
	o->skip_empty = true;
	o->quiet = own->quiet;
	o->verbose = own->verbose;
}

static int check_words(const struct flamegraph_options *own, struct pfx_export_options *o,
		       const char *word, const struct pfx_export **ret, struct pfx_error *err)
{
	int rc;

	merge_options(own, o);
	if (o->list) {
		pfx_error_set(err, EINVAL, "--list lists the formats of 'pfx export'");
		pfx_error_hint(err, "pfx export --list");
		return -EINVAL;
	}
	if (own->data && own->input)
		return pfx_error_set(err, EINVAL, "--data is for recording, not for -i");
	rc = pfx_export_options_check(NAME, o, word, err);
	if (!rc)
		rc = pfx_export_find_picture(o->output, ret, err);
	return rc ? rc : pfx_export_options_suit(o, *ret, err);
}

static int run_divided(struct pfx_flamegraph_words *words, struct pfx_export_options *o)
{
	struct flamegraph_options own = {0};
	const struct pfx_export *format;
	struct pfx_error err = {0};
	int code, at = pfx_options_or_exit(&pfx_cmd_flamegraph, (int)words->own.nr, words->own.at,
					   &own, &code);

	if (at >= 0)
		at = pfx_options_or_exit(&as_export, (int)words->export.nr, words->export.at, o,
					 &code);
	if (at < 0)
		return code;
	if (check_words(&own, o, (size_t)at < words->export.nr ? words->export.at[at] : NULL,
			&format, &err) < 0)
		return usage_error(&err);
	return own.input ? read_recording(o, format) : record(words, own.data, o, format);
}

static int run_flamegraph(int argc, char **argv)
{
	struct pfx_export_options options = PFX_EXPORT_OPTIONS_DEFAULT;
	struct pfx_flamegraph_words words;
	int code;

	pfx_flamegraph_divide(flamegraph_options, argc, argv, &words);
	code = run_divided(&words, &options);
	pfx_flamegraph_words_fini(&words);
	pfx_export_options_fini(&options);
	return code;
}

static const struct pfx_command *const also[] = {&pfx_cmd_record, &pfx_cmd_export, NULL};

const struct pfx_command pfx_cmd_flamegraph = {
	.name = NAME,
	.args = "[record's options] [--] [command [arguments]]",
	.summary = "record and write a flame graph, or that of a recording",
	.options = flamegraph_options,
	.run = run_flamegraph,
	.also = also,
	.keeps_all = true,
};
