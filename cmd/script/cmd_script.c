/* SPDX-License-Identifier: MIT */
/*
 * `pfx script`: a recording as text, one line a sample, in the form that people and programs know
 * from perf. Checks what was asked for against what was recorded, and prints what is wrong.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/app/commands.h"
#include "cmd/app/fetch.h"
#include "cmd/app/recording_notes.h"
#include "cmd/app/unwind_style.h"
#include "cmd/script/script_internal.h"
#include "cmd/script/script_options.h"
#include "cmd/script/script_run.h"
#include "file/reader/header_text.h"
#include "out/term.h"

/* Words that are checked before a file is touched. */
static int check_words(struct pfx_script *s, const struct pfx_script_options *o, const char *word,
		       struct pfx_error *err)
{
	if (pfx_recording_check_word("script", word, err) < 0)
		return -EINVAL;
	if (o->reltime && o->deltatime)
		return pfx_error_set(err, EINVAL, "--reltime and --deltatime exclude each other");
	if (o->per_event && (s->dump || o->header || o->json || o->run.script))
		return pfx_error_set(
			err, EINVAL,
			"--per-event-dump does not go with -D, --header, --json and -s");
	if (o->json && (o->reltime || o->deltatime || s->dump || o->header || o->header_only ||
			o->latency || !o->merge_chains || o->run.script || o->run.generate))
		return pfx_error_set(err, EINVAL,
				     "--json does not go with --reltime, --deltatime, -D, "
				     "--header, --header-only, -L, -s, -g and "
				     "--no-merge-callchains");
	if (o->json && pfx_script_fields_for_json(&s->fields, err) < 0)
		return -EINVAL;
	if (pfx_time_ranges_check(o->time, err) < 0)
		return -EINVAL;
	if (o->filter.addr_range && !o->filter.symbols)
		return pfx_error_set(err, EINVAL,
				     "--addr-range is about addresses: it needs -S 0xADDRESS");
	return pfx_script_filters_init(&s->filters, &o->filter, err);
}

static int open_input(struct pfx_script *s, const struct pfx_script_options *o,
		      struct pfx_error *err)
{
	struct pfx_resolve_options resolving = {.sym = o->symbols.sym, .unwind = o->unwind};
	const struct pfx_recording_options how = {
		.reader = {.force = o->force, .strict = o->strict, .keep_meta_records = s->dump},
		.unsorted = o->is_unsorted,
		.late_frames_apart = o->dump || !o->merge_chains,
		.guest_code = o->symbols.guest_code,
	};
	int rc = pfx_symbol_options_check(&o->symbols, err);

	if (rc < 0)
		return rc;
	rc = pfx_recording_open(&s->recording, o->input, &how, err);
	if (rc < 0)
		return rc;
	s->late_frames_apart = how.late_frames_apart;
	s->reader = pfx_recording_reader(s->recording);
	s->session = pfx_recording_session(s->recording);
	resolving.sym.buildid_dir = pfx_globals.buildid_dir;
	resolving.sym.fetch = pfx_fetch_watch("script", o->quiet, o->verbose > 0);
	resolving.inlines = o->inlines;
	resolving.stitch_lbr = o->stitch_lbr;
	resolving.full_source_path = o->full_source_path;
	resolving.sym.force = o->force;
	resolving.max_stack = o->max_stack > UINT32_MAX ? 0 : (uint32_t)o->max_stack;
	pfx_recording_resolve(s->recording, &resolving);
	s->resolver = pfx_recording_resolver(s->recording);
	s->trace.meta = pfx_reader_meta(s->reader);
	s->trace.session = s->session;
	s->trace.resolver = s->resolver;
	return pfx_resolver_check_unwind(s->resolver, err);
}

/* Seconds of --time count as those of the lines do: with --reltime from the first sample on. */
static int parse_time(struct pfx_script *s, const char *words, struct pfx_error *err)
{
	const struct pfx_env *env = &pfx_reader_meta(s->reader)->env;
	bool relative = words && s->reltime && !strchr(words, '%');
	int rc;

	if (!words)
		return 0;
	if (relative && (!env->first_sample_ns || env->first_sample_ns == UINT64_MAX))
		return pfx_error_set(err, EINVAL,
				     "--time with --reltime: the recording does not say when it "
				     "began");
	rc = pfx_time_ranges_parse(&s->filters.times, words, env->first_sample_ns,
				   env->last_sample_ns, err);
	if (!rc && relative)
		pfx_time_ranges_shift(&s->filters.times, env->first_sample_ns);
	return rc;
}

/* The fields that an event does not print: those asked for, and with -v the usual ones. */
static void note_lacking(const struct pfx_script *s, const struct pfx_script_event *event)
{
	uint64_t asked = s->fields.asked[pfx_script_type_of(&event->event->attr)], bit;
	uint64_t lacking = s->verbose ? event->lacking : event->lacking & asked;
	struct pfx_str names = {0};
	char shown[128];

	for (bit = 1; bit; bit <<= 1)
		if (lacking & bit)
			pfx_str_addf(&names, " %s", pfx_script_field_name(bit));
	if (names.len)
		pfx_print_note("script", "event '%s' was recorded without:%s",
			       pfx_escape(shown, sizeof(shown), event->event->name), names.at);
	pfx_str_fini(&names);
}

/* Kinds that -F names and that no event is of. */
static void note_missing_kinds(const struct pfx_script *s)
{
	const struct pfx_meta *meta = pfx_reader_meta(s->reader);
	bool is_there[PFX_SCRIPT_NR_TYPES] = {false};
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++)
		is_there[pfx_script_type_of(&meta->events[i]->attr)] = true;
	for (i = 0; i < PFX_SCRIPT_NR_TYPES; i++)
		if (s->fields.is_named[i] && !is_there[i] && meta->nr_events)
			pfx_print_note("script", "-F %s: no event of the recording is of that kind",
				       pfx_script_type_name(i));
}

/* Every event of the recording can print what was asked for. Counts have no samples: their table
 * is always the same. */
static int check_events(struct pfx_script *s, const struct pfx_script_options *o,
			struct pfx_error *err)
{
	const struct pfx_meta *meta = pfx_reader_meta(s->reader);
	struct pfx_script_event *event;
	uint32_t i;
	int rc;

	if (pfx_env_has(&meta->env, PFX_FEAT_STAT))
		return 0;
	for (i = 0; i < meta->nr_events; i++) {
		rc = pfx_script_event_of(s, meta->events[i], &event, err);
		if (rc < 0)
			return rc;
		if (!o->quiet)
			note_lacking(s, event);
	}
	if (!o->quiet)
		note_missing_kinds(s);
	return 0;
}

static int start_script(struct pfx_script *s, const struct pfx_script_options *o,
			struct pfx_error *err)
{
	int rc = pfx_out_write(&s->out, 0, err);

	return rc < 0 ? rc : pfx_script_run_begin(s, &o->run, err);
}

/* Whether samples are all that the output is about. */
static bool shows_samples(const struct pfx_script *s)
{
	return !s->show && !s->dump && !s->checks_order &&
	       !pfx_env_has(&pfx_reader_meta(s->reader)->env, PFX_FEAT_STAT);
}

static int run_opened(struct pfx_script *s, const struct pfx_script_options *o,
		      struct pfx_error *err)
{
	int rc;

	if (o->itrace && pfx_env_has(&pfx_reader_meta(s->reader)->env, PFX_FEAT_AUXTRACE))
		pfx_print_note("script", "AUX area data is not decoded");
	if (o->header || o->header_only)
		pfx_header_text(s->reader, o->show_info, &s->out);
	if (o->header_only)
		return pfx_out_write(&s->out, 0, err);
	rc = parse_time(s, o->time, err);
	if (!rc && s->filters.of.cpus_given)
		rc = pfx_recording_check_cpus(pfx_reader_meta(s->reader), &s->filters.of.cpus, err);
	if (!rc)
		rc = pfx_event_switch_check(&s->event_switch, pfx_reader_meta(s->reader), err);
	if (!rc && o->run.generate)
		return pfx_script_skeleton(s, o->run.generate, err);
	if (!rc)
		rc = o->run.script ? start_script(s, o, err) : check_events(s, o, err);
	if (!rc && s->json)
		pfx_script_json_header(s);
	if (!rc)
		rc = pfx_script_read(s, err);
	if (s->engine)
		rc = pfx_script_run_end(s, rc, err);
	if (!rc && !o->quiet && !s->nr_shown && shows_samples(s))
		pfx_recording_note_empty("script", s->reader, s->nr_samples);
	if (!rc && !o->quiet) {
		pfx_recording_note_jit("script", s->resolver);
		pfx_recording_note_lines("script", s->session, s->resolver);
	}
	if (!rc && o->verbose)
		pfx_recording_note_symbols("script", s->session, s->resolver);
	if (!rc && s->counts_chains) {
		pfx_recording_note_unwinding("script", s->resolver);
		pfx_recording_note_pointers("script", s->session, s->resolver);
	}
	return rc;
}

static void finish(struct pfx_script *s)
{
	size_t i;

	for (i = 0; i < s->events.nr; i++) {
		free(s->events.at[i].title);
		pfx_str_fini(&s->events.at[i].title_text);
	}
	pfx_vec_free(&s->events);
	for (i = 0; i < PFX_SCRIPT_FRAME_STYLES; i++) {
		pfx_vec_free(&s->frames[i]);
		pfx_vec_free(&s->lines[i]);
		pfx_vec_free(&s->chains[i]);
	}
	pfx_str_fini(&s->chain_texts);
	pfx_vec_free(&s->comms);
	pfx_str_fini(&s->texts);
	pfx_str_fini(&s->second);
	for (i = 0; i < PFX_SCRIPT_STARTS; i++)
		pfx_str_fini(&s->starts[i].text);
	pfx_str_fini(&s->out);
	pfx_script_filters_fini(&s->filters);
	pfx_script_files_fini(s);
	pfx_script_insn_fini(s);
	pfx_script_source_fini(s);
	pfx_script_metrics_fini(s);
	pfx_sample_trace_fini(&s->trace);
	pfx_stat_rounds_fini(&s->rounds);
	pfx_recording_free(s->recording);
}

static int run_checked(struct pfx_script *s, const struct pfx_script_options *o)
{
	struct pfx_error err = {0};
	int code, rc = open_input(s, o, &err);

	if (!rc) {
		if (!o->run.script)
			pfx_pager_for("script");
		rc = run_opened(s, o, &err);
	}
	if (!rc && o->checks_order)
		pfx_print_note("script", "samples older than the one before: %llu",
			       (unsigned long long)s->nr_misordered);
	code = pfx_recording_exit_code("script", rc, &err);
	if (s->recording && !o->quiet)
		pfx_recording_note("script", s->recording);
	return code;
}

static int run_script(int argc, char **argv)
{
	struct pfx_script_options options = {
		.max_stack = UINT64_MAX, .inlines = true, .merge_chains = true};
	struct pfx_error err = {0};
	struct pfx_script s = {.rounds.by = PFX_STAT_BY_ALL};
	const char *style;
	int at, code;

	pfx_script_fields_init(&options.fields);
	style = pfx_config_get("unwind.style");
	if (style && pfx_unwind_style_parse(&options.unwind, style, &err) < 0)
		return pfx_print_error("script", &err);
	at = pfx_options_or_exit(&pfx_cmd_script, argc, argv, &options, &code);
	if (at < 0)
		return code;
	options.run.input = options.input;
	if (pfx_script_run_words(&options.run, argc - at, argv + at, &code))
		return code;
	if (options.run.nr_options && pfx_options_or_exit(&pfx_cmd_script, options.run.nr_options,
							  options.run.options, &options, &code) < 0)
		return code;
	if (options.run.is_live || !options.input)
		options.input = options.run.is_live ? "-" : options.run.input;
	pfx_script_options_apply(&options, &s);
	if (check_words(&s, &options, options.run.word, &err) < 0 ||
	    pfx_symbol_options_parse(&options.symbols, &err) < 0) {
		pfx_print_error("script", &err);
		code = PFX_USAGE_ERROR;
	} else {
		code = run_checked(&s, &options);
	}
	finish(&s);
	if (options.run.is_live)
		pfx_script_live_end();
	return code;
}

const struct pfx_command pfx_cmd_script = {
	.name = "script",
	.args = "",
	.summary = "print the samples of a recording as text",
	.options = pfx_script_option_table,
	.run = run_script,
};
