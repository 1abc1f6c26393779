/* SPDX-License-Identifier: MIT */
/*
 * `pfx inject`: a recording goes through and comes out with something added. Without an option that
 * adds something it comes out as it was, as a file or as a stream. What is added stands in
 * inject_*.c; here is the order of the steps.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/inject_internal.h"
#include "cmd/recording.h"

/* Known from perf, where it goes with --itrace. */
static int refuse_strip(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	if (unset)
		return 0;
	return pfx_error_set(err, EINVAL,
			     "--strip removes events that decoded trace data (--itrace) replaces, "
			     "and this pfx decodes none");
}

#define AT(field) offsetof(struct pfx_inject_options, field)
static const struct pfx_option inject_options[] = {
	{PFX_OPT_GROUP, .help = "Input and output:"},
	{PFX_OPT_STRING, 'i', "input", AT(input), "file",
	 "recording to read; - is standard input, which is also the default"},
	{PFX_OPT_STRING, 'o', "output", AT(output), "file",
	 "where to; - is a stream on standard output, which is also the default"},
	{PFX_OPT_BOOL, 'f', "force", AT(force), NULL,
	 "also read a file that belongs to somebody else"},
	PFX_OPT_STRICT(strict),
	{PFX_OPT_GROUP, .help = "Build ids:"},
	{PFX_OPT_BOOL, 'b', "build-ids", AT(build_ids), NULL,
	 "add build ids of the binaries that samples fell into"},
	{PFX_OPT_BOOL, 0, "buildid-all", AT(build_ids_all), NULL,
	 "add build ids of all mapped binaries"},
	{PFX_OPT_BOOL, 'B', "mmap2-buildids", AT(maps_hit), NULL,
	 "put build ids into the MMAP2 records, and keep only those of maps that samples fell "
	 "into"},
	{PFX_OPT_BOOL, 0, "mmap2-buildid-all", AT(maps_all), NULL,
	 "put build ids into the MMAP2 records of all maps"},
	{PFX_OPT_STRING, 0, "known-build-ids", AT(known), "list",
	 "build ids to use: 'id path,...', or file://FILE with one on each line"},
	{PFX_OPT_STRING, 'k', "vmlinux", AT(vmlinux), "file",
	 "image of the recorded kernel, to take its build id from"},
	{PFX_OPT_STRING, 0, "kallsyms", AT(kallsyms), "file",
	 "kernel symbols in the build-id cache, whose place there tells the kernel's build id"},
	{PFX_OPT_GROUP, .help = "Events:"},
	{PFX_OPT_BOOL, 'j', "jit", AT(jit), NULL,
	 "add the code that JIT compilers told in jit-PID.dump, with an ELF file for each "
	 "function"},
	{PFX_OPT_BOOL, 's', "sched-stat", AT(sched_stat), NULL,
	 "merge sched_stat_* into sched_switch: where tasks slept, and how long"},
	{PFX_OPT_CALL_NONE, 0, "strip", 0, NULL,
	 "not possible: it removes what decoded trace data replaces, and none is decoded",
	 refuse_strip},
	{PFX_OPT_GROUP, .help = "Messages:"},
	{PFX_OPT_COUNT, 'v', "verbose", AT(verbose), NULL, "say what is added"},
	{.kind = PFX_OPT_END},
};

static int open_input(struct pfx_inject *inject, struct pfx_error *err)
{
	const struct pfx_inject_options *o = inject->options;
	const char *path = o->input;

	if (!path && isatty(STDIN_FILENO)) {
		pfx_error_set(err, EINVAL, "there is no recording on standard input");
		pfx_error_hint(err, "name one with -i FILE");
		return -EINVAL;
	}
	return pfx_recording_open_all(&inject->reader, path ? path : "-",
				      pfx_open_how(o->force, o->strict) | PFX_OPEN_PAYLOAD, err);
}

static int open_output(struct pfx_inject *inject, struct pfx_error *err)
{
	const char *path = inject->options->output;

	if (!path)
		path = "-";
	if (!strcmp(path, "-") && isatty(STDOUT_FILENO)) {
		pfx_error_set(err, EINVAL, "a recording is not for a terminal");
		pfx_error_hint(err, "name a file with -o FILE, or send it through a pipe");
		return -EINVAL;
	}
	return pfx_writer_open(&inject->writer, path, err);
}

static bool wants_ids(const struct pfx_inject_options *o)
{
	return o->build_ids || o->build_ids_all || o->maps_hit || o->maps_all;
}

/* Words that do not go together. */
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
			"build ids go into records of their own (-b, --buildid-all) or "
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

/* What the options need: the state of each moment, and records in order of time. */
static int open_parts(struct pfx_inject *inject, struct pfx_error *err)
{
	const struct pfx_inject_options *o = inject->options;
	bool by_hits = (o->build_ids && !o->build_ids_all) || (o->maps_hit && !o->maps_all);

	if (wants_ids(o)) {
		inject->ids = pfx_inject_ids_new(inject, err);
		if (!inject->ids)
			return -err->code;
	}
	if (by_hits)
		inject->session = pfx_session_new(inject->meta);
	if (o->jit)
		inject->jit = pfx_inject_jit_new();
	if (o->sched_stat)
		inject->sched = pfx_inject_sched_new();
	if (by_hits || o->jit || o->sched_stat)
		inject->order = pfx_order_new(inject->reader, false);
	return 0;
}

static int next_record(struct pfx_inject *inject, struct pfx_record *ret, struct pfx_error *err)
{
	if (inject->order)
		return pfx_order_next(inject->order, ret, err);
	if (!(++inject->nr_records & 255))
		pfx_reader_release(inject->reader, pfx_reader_mark(inject->reader));
	return pfx_reader_next(inject->reader, ret, err);
}

int pfx_inject_take(struct pfx_inject *inject, const struct pfx_record *rec, struct pfx_error *err)
{
	int verdict = PFX_INJECT_KEEP;

	if (inject->ids)
		verdict = pfx_inject_maps_take(inject, rec, err);
	if (inject->session && rec->type != PFX_RECORD_SAMPLE)
		pfx_session_apply(inject->session, rec);
	return verdict == PFX_INJECT_KEEP ? pfx_inject_put(inject, rec, err) : verdict;
}

/* What happened before the record comes first. */
static int take_record(struct pfx_inject *inject, const struct pfx_record *rec,
		       struct pfx_error *err)
{
	int verdict = PFX_INJECT_KEEP, rc = 0;

	if (inject->jit && rec->time != PFX_NO_TIME)
		rc = pfx_inject_jit_until(inject, rec->time, err);
	if (rc < 0)
		return rc;
	if (inject->jit)
		verdict = pfx_inject_jit_take(inject, rec, err);
	if (inject->sched && verdict == PFX_INJECT_KEEP)
		verdict = pfx_inject_sched_take(inject, rec, err);
	return verdict == PFX_INJECT_KEEP ? pfx_inject_take(inject, rec, err) : verdict;
}

static int copy_records(struct pfx_inject *inject, struct pfx_error *err)
{
	struct pfx_record rec;
	int rc;

	while ((rc = next_record(inject, &rec, err)) > 0) {
		rc = take_record(inject, &rec, err);
		if (rc < 0)
			break;
	}
	if (!rc && inject->jit)
		rc = pfx_inject_jit_until(inject, UINT64_MAX, err);
	return rc;
}

static int inject_all(struct pfx_inject *inject, struct pfx_error *err)
{
	int rc = open_input(inject, err);

	if (rc < 0)
		return rc;
	inject->meta = pfx_reader_meta(inject->reader);
	rc = open_parts(inject, err);
	if (!rc)
		rc = open_output(inject, err);
	if (!rc)
		rc = pfx_inject_begin(inject, err);
	if (!rc)
		rc = copy_records(inject, err);
	if (!rc && inject->sched)
		pfx_inject_sched_note(inject);
	if (!rc && inject->ids)
		pfx_inject_ids_finish(inject);
	if (!rc)
		rc = pfx_inject_end(inject, err);
	if (rc < 0 && inject->writer)
		pfx_writer_discard(inject->writer);
	return rc;
}

/* Damage and what could not be carried over, on standard error. */
static void note(const struct pfx_inject *inject)
{
	uint32_t left_out;

	if (!inject->writer)
		return;
	pfx_recording_note("inject",
			   &(struct pfx_recording_state){inject->reader, inject->session,
							 inject->order, inject->nr_bad_samples});
	left_out = pfx_writer_nr_left_out(inject->writer);
	if (left_out)
		pfx_print_note("inject",
			       "%u feature%s of the header too long for a stream %s left out",
			       left_out, left_out == 1 ? "" : "s", left_out == 1 ? "is" : "are");
	if (inject->nr_cut)
		pfx_print_note("inject", "the last trace data is left out: its end is missing");
}

static void finish(struct pfx_inject *inject)
{
	pfx_writer_free(inject->writer);
	pfx_buffer_fini(&inject->pending);
	pfx_buffer_fini(&inject->scratch);
	pfx_inject_ids_free(inject->ids);
	pfx_inject_jit_free(inject->jit);
	pfx_inject_sched_free(inject->sched);
	pfx_hash_fini(&inject->maps_told);
	pfx_session_free(inject->session);
	pfx_order_free(inject->order);
	pfx_reader_free(inject->reader);
	pfx_vec_free(&inject->aux);
}

static int run_inject(int argc, char **argv)
{
	struct pfx_inject_options options = {0};
	struct pfx_inject inject = {.options = &options};
	struct pfx_error err = {0};
	int at, code = 0, rc;

	at = pfx_options_or_exit(&pfx_cmd_inject, argc, argv, &options, &code);
	if (at < 0)
		return code;
	if (check_words(&options, at < argc ? argv[at] : NULL, &err) < 0) {
		pfx_print_error("inject", &err);
		return PFX_USAGE_ERROR;
	}
	rc = inject_all(&inject, &err);
	if (rc < 0)
		code = rc == -EPIPE ? 141 : pfx_print_error("inject", &err);
	note(&inject);
	finish(&inject);
	return code;
}

const struct pfx_command pfx_cmd_inject = {
	.name = "inject",
	.args = "",
	.summary = "pass a recording through and add build ids, code of JIT compilers, sleeps",
	.options = inject_options,
	.run = run_inject,
};
