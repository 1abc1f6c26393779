/* SPDX-License-Identifier: MIT */
/*
 * `pfx script`: a recording as text, one line per sample, in perf's format. Checks the options,
 * opens the recording, and prints errors and notes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/app/commands.h"
#include "cmd/app/fetch.h"
#include "cmd/app/output_open.h"
#include "cmd/app/perf/forms.h"
#include "cmd/app/recording_notes.h"
#include "cmd/app/unwind_style.h"
#include "cmd/script/script_options.h"
#include "cmd/script/script_run.h"
#include "file/reader/header_text.h"
#include "out/term/term.h"
#include "script/script.h"
#include "script/script_catalog.h"
#include "script/script_dlfilter.h"

/* --- the host of the script --- */

static void note(void *ctx, const char *text)
{
	pfx_print_note("script", "%s", text);
}

static int write_out(void *ctx, struct pfx_str *text, struct pfx_error *err)
{
	return pfx_out_write(text, 0, err);
}

static int open_output(void *ctx, const char *path, struct pfx_error *err)
{
	return pfx_output_open_file(path, PFX_OUTPUT_REPLACE, "script", err);
}

static const char *config(void *ctx, const char *name)
{
	return pfx_config_get(name);
}

static const struct pfx_script_host host = {
	.note = note,
	.write = write_out,
	.open_output = open_output,
	.config = config,
	.is_stopped = &pfx_script_is_stopped,
};

/* --- steps --- */

/* Options that exclude each other; checked before a file is opened. */
static int check_words(struct pfx_script_command *o, struct pfx_error *err)
{
	const struct pfx_script_options *how = &o->how;
	bool is_form;
	int rc = pfx_form_choose(pfx_forms_of_records, o->forms, PFX_NR_FORMS_OF_RECORDS,
				 &o->how.form, err);

	if (rc < 0)
		return rc;
	is_form = how->form != pfx_forms_of_records;
	if (pfx_recording_check_word("script", o->run.word, err) < 0)
		return -EINVAL;
	if (how->reltime && how->deltatime)
		return pfx_error_set(err, EINVAL, "--reltime and --deltatime exclude each other");
	if (how->per_event && (how->dump || how->header || is_form || o->run.script))
		return pfx_error_set(
			err, EINVAL,
			"--per-event-dump does not go with -D, --header, --json and -s");
	if (is_form &&
	    (how->reltime || how->deltatime || how->dump || how->header || o->header_only ||
	     how->latency || !o->merge_chains || o->run.script || o->run.generate))
		return pfx_error_set(err, EINVAL,
				     "--%s does not go with --reltime, --deltatime, -D, "
				     "--header, --header-only, -L, -s, -g and "
				     "--no-merge-callchains",
				     how->form->name);
	if (how->filter.addr_range && !how->filter.symbols)
		return pfx_error_set(err, EINVAL,
				     "--addr-range is about addresses: it needs -S 0xADDRESS");
	return pfx_symbol_options_parse(&o->symbols, err);
}

static int open_input(struct pfx_recording **ret, const struct pfx_script_command *o,
		      struct pfx_error *err)
{
	struct pfx_resolve_options resolving = {.sym = o->symbols.sym, .unwind = o->unwind};
	const struct pfx_recording_options how = {
		.reader = {.force = o->force,
			   .strict = o->strict,
			   .keep_meta_records = o->how.dump},
		.unsorted = o->is_unsorted,
		.late_frames_apart = o->how.late_frames_apart,
		.guest_code = o->symbols.guest_code,
	};
	uint64_t max_stack = o->how.max_stack;
	int rc = pfx_symbol_options_check(&o->symbols, err);

	if (rc < 0)
		return rc;
	rc = pfx_recording_open(ret, o->input, &how, err);
	if (rc < 0)
		return rc;
	resolving.sym.buildid_dir = pfx_globals.buildid_dir;
	resolving.sym.fetch = pfx_fetch_watch("script", o->how.quiet, o->verbose > 0);
	resolving.sym.force = o->force;
	resolving.inlines =
		pfx_form_inlines(pfx_recording_meta(*ret), o->how.inlines, o->inlines_given);
	resolving.stitch_lbr = o->stitch_lbr;
	resolving.full_source_path = o->full_source_path;
	resolving.max_stack = max_stack > UINT32_MAX ? 0 : (uint32_t)max_stack;
	pfx_recording_resolve(*ret, &resolving);
	return pfx_resolver_check_unwind(pfx_recording_resolver(*ret), err);
}

static int print_header(struct pfx_recording *recording, bool has_long_parts, struct pfx_error *err)
{
	struct pfx_str text = {0};
	int rc;

	pfx_header_text(pfx_recording_reader(recording), has_long_parts, &text);
	rc = pfx_out_write(&text, 0, err);
	pfx_str_fini(&text);
	return rc;
}

static int generate(struct pfx_recording *recording, const char *language, struct pfx_error *err)
{
	const char *what;
	int rc = pfx_script_skeleton(recording, language, &what, err);

	if (!rc)
		printf("generated %s\n", what);
	return rc;
}

/* A script that has nothing to say about the recording says nothing: why. */
static void note_events(const struct pfx_script_command *o, const struct pfx_meta *meta)
{
	struct pfx_str wanted = {0};

	if (pfx_script_lacks_events(o->run.script, meta, &wanted))
		pfx_print_note("script",
			       "the script is for events that the recording does not have: %s",
			       pfx_str_get(&wanted));
	pfx_str_fini(&wanted);
}

/* Notes and errors found while reading the recording. */
static void print_notes(const struct pfx_script_command *o, struct pfx_script_counts counts,
			struct pfx_recording *recording)
{
	struct pfx_session *session = pfx_recording_session(recording);
	struct pfx_resolver *resolver = pfx_recording_resolver(recording);

	if (!o->how.quiet && !counts.nr_shown && counts.has_only_samples)
		pfx_recording_note_empty("script", pfx_recording_reader(recording),
					 counts.nr_samples);
	if (!o->how.quiet && o->run.script)
		note_events(o, pfx_recording_meta(recording));
	if (!o->how.quiet) {
		pfx_recording_note_jit("script", resolver);
		pfx_recording_note_lines("script", session, resolver);
	}
	if (o->verbose)
		pfx_recording_note_symbols("script", session, resolver);
	if (o->how.counts_chains) {
		pfx_recording_note_unwinding("script", resolver);
		pfx_recording_note_pointers("script", session, resolver);
	}
	if (o->how.checks_order)
		pfx_print_note("script", "samples older than the one before: %llu",
			       (unsigned long long)counts.nr_misordered);
}

static int run_opened(const struct pfx_script_command *o, struct pfx_script *script,
		      struct pfx_recording *recording, struct pfx_error *err)
{
	const struct pfx_meta *meta = pfx_recording_meta(recording);
	int rc;

	if (o->itrace && pfx_env_has(&meta->env, PFX_FEAT_AUXTRACE))
		pfx_print_note("script", "AUX area data is not decoded");
	if (o->header_only)
		return print_header(recording, o->how.show_info, err);
	if (o->run.generate)
		return generate(recording, o->run.generate, err);
	rc = pfx_script_run_begin(script, &o->run, recording, err);
	if (!rc)
		rc = pfx_script_read(script, err);
	rc = pfx_script_run_end(script, rc, err);
	if (!rc)
		print_notes(o, pfx_script_counts(script), recording);
	return rc;
}

static int run_checked(const struct pfx_script_command *o, struct pfx_script *script)
{
	struct pfx_recording *recording = NULL;
	struct pfx_error err = {0};
	int code, rc = open_input(&recording, o, &err);

	if (!rc) {
		if (!o->run.script)
			pfx_pager_for("script");
		rc = run_opened(o, script, recording, &err);
	}
	code = rc > 0 ? rc : pfx_recording_exit_code("script", rc, &err);
	if (recording && !o->how.quiet)
		pfx_recording_note("script", recording);
	pfx_script_free(script);
	pfx_recording_free(recording);
	return code;
}

static int list_filters(bool is_long)
{
	struct pfx_str text = {0};
	int rc;

	pfx_str_add(&text, "List of available dlfilters:\n");
	pfx_dlfilter_list(is_long, &text);
	rc = pfx_out_flush(&text);
	pfx_str_fini(&text);
	return rc < 0 ? 255 : 0;
}

static int usage_error(const struct pfx_error *err)
{
	pfx_print_error("script", err);
	return PFX_USAGE_ERROR;
}

static int load_filter(struct pfx_script_command *o, struct pfx_error *err)
{
	if (o->dlfilter)
		return pfx_dlfilter_load(&o->how.dlfilter, o->dlfilter, o->dlargs.at,
					 (int)o->dlargs.nr, err);
	if (!o->dlargs.nr)
		return 0;
	return pfx_error_set(err, EINVAL, "--dlarg is for a filter: it needs --dlfilter");
}

/* Parse the command line: 0, or 1 if the command must return *@ret_code. */
static int take_words(int argc, char **argv, struct pfx_script_command *o, int *ret_code)
{
	struct pfx_script_run *run = &o->run;
	int at = pfx_options_or_exit(&pfx_cmd_script, argc, argv, o, ret_code);

	if (at < 0)
		return 1;
	run->input = o->input;
	if (pfx_script_run_words(run, argc - at, argv + at, ret_code))
		return 1;
	if (run->nr_options &&
	    pfx_options_or_exit(&pfx_cmd_script, run->nr_options, run->options, o, ret_code) < 0)
		return 1;
	if (o->lists_dlfilters) {
		*ret_code = list_filters(o->verbose > 0);
		return 1;
	}
	if (run->is_live || !o->input)
		o->input = run->is_live ? "-" : run->input;
	else
		run->input = o->input; /* given after the script's name */
	pfx_script_options_apply(o);
	return 0;
}

static int run_script(int argc, char **argv)
{
	struct pfx_script_command options = {.how = {.max_stack = UINT64_MAX, .inlines = true},
					     .merge_chains = true};
	const char *style = pfx_config_get("unwind.style");
	struct pfx_script *script = NULL;
	struct pfx_error err = {0};
	int code;

	pfx_script_fields_init(&options.how.fields);
	if (style &&
	    pfx_config_check("unwind.style", pfx_unwind_style_parse(&options.unwind, style, &err),
			     &err) < 0)
		return pfx_print_error("script", &err);
	if (take_words(argc, argv, &options, &code)) {
		pfx_vec_free(&options.dlargs);
		return code;
	}
	if (pfx_script_run_is_picture(&options.run))
		code = pfx_script_picture(&options);
	else if (load_filter(&options, &err) < 0)
		code = pfx_print_error("script", &err);
	else if (check_words(&options, &err) < 0 ||
		 pfx_script_new(&script, &options.how, &host, &err) < 0)
		code = usage_error(&err);
	else
		code = run_checked(&options, script);
	if (options.run.is_live)
		code = pfx_script_live_end(code);
	pfx_dlfilter_free(options.how.dlfilter);
	pfx_vec_free(&options.dlargs);
	return code;
}

const struct pfx_command pfx_cmd_script = {
	.name = "script",
	.args = "",
	.summary = "print the samples of a recording as text",
	.options = pfx_script_option_table,
	.run = run_script,
	.keeps_all = true,
};
