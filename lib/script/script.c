/* SPDX-License-Identifier: MIT */
/*
 * A script from parsing its options to its end. Samples are printed elsewhere.
 */
#include "script/script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "file/reader/header_text.h"
#include "script/script_internal.h"

int pfx_script_new(struct pfx_script **ret, const struct pfx_script_options *options,
		   const struct pfx_script_host *host, struct pfx_error *err)
{
	struct pfx_script *s = pfx_calloc(1, sizeof(*s));
	int rc = 0;

	s->how = *options;
	s->host = *host;
	s->rounds.by = PFX_STAT_BY_ALL;
	s->put = options->form->write.record;
	if (options->form->needs & PFX_FORM_OBJECTS)
		rc = pfx_script_fields_for_json(&s->how.fields, err);
	if (!rc)
		rc = pfx_time_ranges_check(options->time, err);
	if (!rc)
		rc = pfx_script_filters_init(&s->filters, &options->filter, err);
	if (rc < 0) {
		pfx_script_free(s);
		s = NULL;
	}
	*ret = s;
	return rc;
}

/* --time refers to the printed times: with --reltime, seconds from the first sample on. */
static int parse_time(struct pfx_script *s, struct pfx_error *err)
{
	const struct pfx_env *env = &s->view.meta->env;
	const char *words = s->how.time;
	bool relative = words && s->how.reltime && !strchr(words, '%');
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

/* The parts of the recording. */
static void take_recording(struct pfx_script *s, struct pfx_recording *recording)
{
	s->recording = recording;
	s->reader = pfx_recording_reader(recording);
	s->view = (struct pfx_script_view){
		.script = s,
		.meta = pfx_recording_meta(recording),
		.session = pfx_recording_session(recording),
		.resolver = pfx_recording_resolver(recording),
		.host = &s->host,
		.shows_chains = !s->how.hide_chains && s->how.max_stack,
		.shows_lines = s->how.inlines,
	};
	s->trace.meta = s->view.meta;
	s->trace.session = s->view.session;
	s->trace.resolver = s->view.resolver;
}

/* Write the buffered output before the program prints. */
static int start_program(struct pfx_script *s, const struct pfx_script_program *program,
			 struct pfx_error *err)
{
	int rc = pfx_script_flush(s, 0, err);

	if (rc < 0)
		return rc;
	s->engine_ops = program->ops;
	rc = s->engine_ops->new (&s->engine, &s->view, program, err);
	return rc < 0 && s->engine ? pfx_script_end(s, rc, err) : rc;
}

int pfx_script_begin(struct pfx_script *s, struct pfx_recording *recording,
		     const struct pfx_script_program *program, struct pfx_error *err)
{
	int rc;

	take_recording(s, recording);
	if (s->how.header)
		pfx_header_text(s->reader, s->how.show_info, &s->out);
	rc = parse_time(s, err);
	if (!rc)
		rc = pfx_filter_check_cpus(&s->filters.of, s->view.meta, err);
	if (!rc)
		rc = pfx_event_switch_check(&s->how.event_switch, s->view.meta, err);
	if (!rc)
		rc = program ? start_program(s, program, err) : pfx_script_check_events(s, err);
	if (!rc)
		rc = pfx_script_start_filter(s, err);
	if (!rc && !program)
		rc = pfx_script_put(
			&(struct pfx_form_record){.kind = PFX_FORM_RECORD_HEADER, .script = s});
	return rc;
}

int pfx_script_end(struct pfx_script *s, int rc, struct pfx_error *err)
{
	struct pfx_error other = {0};
	int end = pfx_script_stop_filter(s, rc < 0 ? &other : err);

	rc = rc < 0 ? rc : end;
	if (!s->engine)
		return rc;
	if (rc >= 0)
		rc = s->engine_ops->finish(s->engine, err);
	end = s->engine_ops->free(s->engine, rc < 0 ? &other : err);
	s->engine = NULL;
	return rc < 0 ? rc : end;
}

struct pfx_script_counts pfx_script_counts(const struct pfx_script *s)
{
	return (struct pfx_script_counts){
		.nr_samples = s->nr_samples,
		.nr_shown = s->nr_shown,
		.nr_misordered = s->nr_misordered,
		.has_only_samples = !s->how.show && !s->how.dump && !s->how.checks_order &&
				    !pfx_env_has(&s->view.meta->env, PFX_FEAT_STAT),
	};
}

static void free_events(struct pfx_script *s)
{
	size_t i;

	for (i = 0; i < s->events.nr; i++) {
		free(s->events.at[i].title);
		pfx_str_fini(&s->events.at[i].title_text);
	}
	pfx_vec_free(&s->events);
}

static void free_texts(struct pfx_script *s)
{
	size_t i;

	for (i = 0; i < PFX_SCRIPT_FRAME_STYLES; i++) {
		pfx_vec_free(&s->frames[i]);
		pfx_vec_free(&s->lines[i]);
		pfx_vec_free(&s->chains[i]);
	}
	for (i = 0; i < PFX_SCRIPT_STARTS; i++)
		pfx_str_fini(&s->starts[i].text);
	pfx_vec_free(&s->comms);
	pfx_str_fini(&s->chain_texts);
	pfx_str_fini(&s->texts);
	pfx_str_fini(&s->second);
	pfx_str_fini(&s->out);
}

void pfx_script_free(struct pfx_script *s)
{
	if (!s)
		return;
	free_events(s);
	free_texts(s);
	pfx_script_filters_fini(&s->filters);
	pfx_script_files_fini(s);
	pfx_script_insn_fini(s);
	pfx_script_source_fini(s);
	pfx_script_metrics_fini(s);
	pfx_sample_trace_fini(&s->trace);
	pfx_stat_rounds_fini(&s->rounds);
	free(s);
}
