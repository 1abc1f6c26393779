/* SPDX-License-Identifier: MIT */
/* `pfx inject`: options, and messages about the run of inject in lib/rewrite. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cmd/app/commands.h"
#include "cmd/app/output_open.h"
#include "cmd/app/perf/itrace_words.h"
#include "cmd/app/recording_notes.h"
#include "rewrite/inject.h"

#define NAME "inject"

struct inject_words {
	struct pfx_inject_options what;
	const char *output;
	int verbose;
};

static int on_itrace(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	((struct inject_words *)options)->what.itrace = !unset;
	return pfx_itrace_check(arg, err);
}

/* options of perf that only apply with --itrace */
static int refuse_strip(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	if (unset)
		return 0;
	return pfx_error_set(err, EINVAL,
			     "--strip removes events that decoded trace data (--itrace) replaces, "
			     "and this pfx decodes none");
}

#define NO_TRACES  "it is for decoded traces, and pfx decodes none"
#define NO_GUESTS  "pfx inject does not join recordings of guests"
#define NO_VMLINUX "pfx inject reads no vmlinux but that of -k"

#define AT(field) offsetof(struct inject_words, field)
static const struct pfx_option inject_options[] = {
	{PFX_OPT_GROUP, .help = "Input and output:"},
	{PFX_OPT_STRING, 'i', "input", AT(what.input), "file",
	 "recording to read; -: standard input (the default)"},
	{PFX_OPT_STRING, 'o', "output", AT(output), "file",
	 "output file; -: a stream on standard output (the default)"},
	PFX_OPT_FORCE(what.force),
	PFX_OPT_STRICT(what.strict),
	{PFX_OPT_GROUP, .help = "Build IDs:"},
	{PFX_OPT_BOOL, 'b', "build-ids", AT(what.build_ids), NULL,
	 "add build IDs of binaries with samples"},
	{PFX_OPT_BOOL, 0, "buildid-all", AT(what.build_ids_all), NULL,
	 "add build IDs of all mapped binaries"},
	{PFX_OPT_BOOL, 'B', "mmap2-buildids", AT(what.maps_hit), NULL,
	 "put build IDs into the MMAP2 records, and keep only those of maps that samples fell "
	 "into"},
	{PFX_OPT_BOOL, 0, "mmap2-buildid-all", AT(what.maps_all), NULL,
	 "put build IDs into the MMAP2 records of all maps"},
	{PFX_OPT_STRING, 0, "known-build-ids", AT(what.known), "list",
	 "build IDs to use: 'id path,...', or file://FILE with one on each line"},
	{PFX_OPT_STRING, 'k', "vmlinux", AT(what.vmlinux), "file",
	 "image of the recorded kernel, to take its build ID from"},
	{PFX_OPT_STRING, 0, "kallsyms", AT(what.kallsyms), "file",
	 "kernel symbols in the build-id cache; their path there contains the kernel's build ID"},
	{PFX_OPT_GROUP, .help = "Events:"},
	{PFX_OPT_BOOL, 'j', "jit", AT(what.jit), NULL,
	 "add the JIT code that jit-PID.dump files describe, with an ELF file for each "
	 "function"},
	{PFX_OPT_BOOL, 's', "sched-stat", AT(what.sched_stat), NULL,
	 "merge sched_stat_* into sched_switch: where tasks slept, and how long"},
	{PFX_OPT_CALL_NONE, 0, "strip", 0, NULL,
	 "not supported: it removes events that decoded trace data replaces, and pfx decodes none",
	 refuse_strip},
	{PFX_OPT_CALL_OPTIONAL, 0, "itrace", 0, "how",
	 "no effect on a recording without traces; one with traces is refused, since pfx decodes "
	 "none",
	 on_itrace},
	{PFX_OPT_ABSENT, 0, "vm-time-correlation", .help = NO_TRACES, .hidden = true},
	{PFX_OPT_ABSENT, 0, "guest-data", .help = NO_GUESTS, .hidden = true},
	{PFX_OPT_ABSENT, 0, "guestmount", .help = NO_GUESTS, .hidden = true, .is_moot = true,
	 .arg = "dir"},
	{PFX_OPT_ABSENT, 0, "ignore-vmlinux", .help = NO_VMLINUX, .hidden = true, .is_moot = true},
	{PFX_OPT_GROUP, .help = "Messages:"},
	{PFX_OPT_COUNT, 'v', "verbose", AT(verbose), NULL, "print what is added"},
	{.kind = PFX_OPT_END},
};

static int open_output(struct pfx_writer **ret, const char *path, struct pfx_error *err)
{
	if (!path)
		path = "-";
	if (!strcmp(path, "-") && isatty(STDOUT_FILENO)) {
		pfx_error_set(err, EINVAL, "a recording is not for a terminal");
		pfx_error_hint(err, "name a file with -o FILE, or send it through a pipe");
		return -EINVAL;
	}
	return pfx_output_open(ret, path, NAME, err);
}

static bool wants_ids(const struct pfx_inject_options *o)
{
	return o->build_ids || o->build_ids_all || o->maps_hit || o->maps_all;
}

/* Options that exclude each other. */
static int check_words(const struct pfx_inject_options *o, const char *word, struct pfx_error *err)
{
	char shown[128];

	if (word) {
		pfx_error_set(err, EINVAL, "'%s' is not expected here",
			      pfx_escape(shown, sizeof(shown), word));
		pfx_error_hint(err, "the recording is named with -i; see 'pfx inject -h'");
		return -EINVAL;
	}
	if ((o->build_ids || o->build_ids_all) && (o->maps_hit || o->maps_all))
		return pfx_error_set(
			err, EINVAL,
			"build IDs go into records of their own (-b, --buildid-all) or "
			"into MMAP2 records (-B, --mmap2-buildid-all), not into both");
	if ((o->known || o->vmlinux || o->kallsyms) && !wants_ids(o))
		return pfx_error_set(
			err, EINVAL,
			"%s says which build ids to add: it needs -b, --buildid-all, -B "
			"or --mmap2-buildid-all",
			o->known     ? "--known-build-ids"
			: o->vmlinux ? "-k"
				     : "--kallsyms");
	return 0;
}

static void note_dump(const struct pfx_inject_dump *dump, bool verbose)
{
	unsigned long long nr_functions = dump->nr_functions, nr_bad = dump->nr_bad;
	char shown[256];

	if (dump->refused.code) {
		pfx_print_error(NAME, &dump->refused);
		return;
	}
	pfx_escape(shown, sizeof(shown), dump->path);
	if (dump->cut_short)
		pfx_print_note(NAME,
			       "'%s' is cut short: it ends inside a record after %llu functions",
			       shown, nr_functions);
	if (nr_bad)
		pfx_print_note(NAME, "'%s' has %llu record%s that make%s no sense", shown, nr_bad,
			       nr_bad == 1 ? "" : "s", nr_bad == 1 ? "s" : "");
	if (verbose)
		pfx_print_note(NAME, "'%s': %llu functions", shown, nr_functions);
}

static void note_asked(const struct pfx_inject_result *result)
{
	char shown[256], text[2 * PFX_BUILD_ID_SIZE + 1];
	const struct pfx_inject_asked *asked;
	size_t i;

	for (i = 0; i < result->asked.nr; i++) {
		asked = &result->asked.at[i];
		pfx_print_note(NAME, "%s: build id %s",
			       pfx_escape(shown, sizeof(shown), asked->name),
			       asked->id.size ? pfx_build_id_text(&asked->id, text) : "not found");
	}
}

static void note_sleeps(const struct pfx_inject_result *result, bool verbose)
{
	if (result->no_formats.code)
		pfx_print_note(NAME, "%s", result->no_formats.text);
	if (!result->nr_sleeps)
		pfx_print_note(NAME,
			       "nothing was merged: -s needs call chains of sched:sched_switch "
			       "and events sched:sched_stat_*");
	else if (verbose)
		pfx_print_note(NAME, "%llu times of sleep merged",
			       (unsigned long long)result->nr_sleeps);
}

static void note_added(const struct inject_words *words, const struct pfx_inject_result *result)
{
	size_t i;

	if (words->verbose)
		note_asked(result);
	for (i = 0; i < result->dumps.nr; i++)
		note_dump(&result->dumps.at[i], words->verbose);
	if (words->what.sched_stat)
		note_sleeps(result, words->verbose);
}

/* Reports damage and records that could not be copied. */
static void note_losses(const struct pfx_inject *inject)
{
	const struct pfx_inject_result *result = pfx_inject_result(inject);
	uint32_t nr = result->nr_left_out;

	pfx_recording_note(NAME, pfx_inject_recording(inject));
	if (nr)
		pfx_print_note(NAME, "%u feature%s of the header too long for a stream %s left out",
			       nr, nr == 1 ? "" : "s", nr == 1 ? "is" : "are");
	if (result->nr_cut)
		pfx_print_note(NAME, "the last trace data is left out: its end is missing");
}

static int run_checked(const struct inject_words *words)
{
	struct pfx_inject *inject = NULL;
	struct pfx_writer *writer = NULL;
	struct pfx_error err = {0};
	int code, rc = pfx_inject_new(&inject, &words->what, &err);

	if (!rc)
		rc = open_output(&writer, words->output, &err);
	if (!rc) {
		rc = pfx_inject_run(inject, writer, &err);
		note_added(words, pfx_inject_result(inject));
	}
	code = pfx_recording_exit_code(NAME, rc, &err);
	if (writer)
		note_losses(inject);
	pfx_writer_free(writer);
	pfx_inject_free(inject);
	return code;
}

static int run_inject(int argc, char **argv)
{
	struct inject_words words = {0};
	struct pfx_error err = {0};
	int code, at = pfx_options_or_exit(&pfx_cmd_inject, argc, argv, &words, &code);

	if (at < 0)
		return code;
	if (check_words(&words.what, at < argc ? argv[at] : NULL, &err) < 0) {
		pfx_print_error(NAME, &err);
		return PFX_USAGE_ERROR;
	}
	if (!words.what.input && isatty(STDIN_FILENO)) {
		pfx_error_set(&err, EINVAL, "there is no recording on standard input");
		pfx_error_hint(&err, "name one with -i FILE");
		return pfx_print_error(NAME, &err);
	}
	if (!words.what.input)
		words.what.input = "-";
	return run_checked(&words);
}

const struct pfx_command pfx_cmd_inject = {
	.name = "inject",
	.args = "",
	.summary = "copy a recording and add build IDs, JIT code, sleeps",
	.options = inject_options,
	.run = run_inject,
	.keeps_all = true,
};
