/* SPDX-License-Identifier: MIT */
/*
 * perf's JSON: `pfx export perf-json` and `pfx data convert --to-json`. Text is collected in one
 * buffer that is passed to the sink as it grows; each distinct frame is formatted once.
 */
#include "export/perf_json.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "export/export_internal.h"
#include "export/samples/redact.h"

#define FLUSH_SIZE   (64u << 10)
#define JSON_VERSION 1 /* of the output format, as in perf */

/* A formatted frame, as a range of the cached texts; len 0: not formatted yet. */
struct frame {
	uint32_t offset, len;
};

struct json {
	struct pfx_recording *recording;
	struct pfx_resolver *resolver;
	bool no_chains;
	struct pfx_redact *redact; /* NULL: names stay */
	const struct pfx_meta *meta;
	struct pfx_str name;          /* the one that is redacted */
	PFX_VEC(struct frame) frames; /* by place id */
	struct pfx_str texts;
	struct pfx_str text; /* not passed to the sink yet */
	pfx_json_sink_fn sink;
	void *context;
	struct pfx_error *err; /* of the sink */
	bool has_cpus;         /* at least one event records the CPU: then all samples show it */
	uint64_t nr_samples;
};

/* --- writing --- */

static int flush(struct json *c, size_t above)
{
	int rc;

	if (c->text.len <= above)
		return 0;
	rc = c->sink(c->context, &c->text, c->err);
	pfx_str_clear(&c->text);
	return rc;
}

/* Begins a new line with this indentation. */
static void add_line(struct json *c, unsigned depth)
{
	pfx_str_addc(&c->text, '\n');
	pfx_str_pad(&c->text, '\t', depth);
}

/* Adds `"key": `, after a comma unless it is the first key of its object. */
static void add_key(struct json *c, unsigned depth, bool is_first, const char *key)
{
	if (!is_first)
		pfx_str_addc(&c->text, ',');
	add_line(c, depth);
	pfx_str_addc(&c->text, '"');
	pfx_str_add(&c->text, key);
	pfx_str_add(&c->text, "\": ");
}

static void add_string(struct pfx_str *to, const char *text)
{
	pfx_str_addc(to, '"');
	pfx_str_add_json(to, text, strlen(text));
	pfx_str_addc(to, '"');
}

/* Names of commands, binaries and functions, or what --redact leaves of them; valid until the next
 * one. */
static const char *command_name(struct json *c, const char *name)
{
	if (!c->redact)
		return name;
	pfx_str_clear(&c->name);
	pfx_redact_command(c->redact, name, &c->name);
	return pfx_str_get(&c->name);
}

static const char *binary_name(struct json *c, const struct pfx_dso *dso)
{
	if (!c->redact)
		return dso->short_name;
	pfx_str_clear(&c->name);
	pfx_redact_binary(c->redact, dso->kind, dso->short_name, &c->name);
	return pfx_str_get(&c->name);
}

static const char *function_name(struct json *c, const char *name)
{
	if (!c->redact)
		return name;
	pfx_str_clear(&c->name);
	pfx_redact_function(c->redact, name, &c->name);
	return pfx_str_get(&c->name);
}

/* --- the header --- */

static void add_header_number(struct json *c, const char *key, uint64_t value)
{
	add_key(c, 2, false, key);
	pfx_str_u64(&c->text, value, 0);
}

/* Adds nothing for a feature that was not recorded. */
static void add_header_string(struct json *c, const char *key, const char *value)
{
	if (!value)
		return;
	add_key(c, 2, false, key);
	add_string(&c->text, value);
}

/* Offsets and sizes of the file's sections; a stream has none. */
static void add_file_facts(struct json *c)
{
	const struct pfx_file_info *info = pfx_reader_info(pfx_recording_reader(c->recording));
	time_t mtime = (time_t)info->mtime;
	char when[64];
	struct tm tm;

	add_key(c, 2, true, "header-version");
	pfx_str_u64(&c->text, info->version == 1 ? 0 : 1, 0);
	if (info->form == PFX_READER_PIPE)
		return;
	if (gmtime_r(&mtime, &tm) && strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm))
		add_header_string(c, "captured-on", when);
	add_header_number(c, "data-offset", info->data_offset);
	add_header_number(c, "data-size", info->data_size);
	add_header_number(c, "feat-offset", info->feature_offset);
}

static void add_clocks(struct json *c, const struct pfx_env *env)
{
	if (!pfx_env_has(env, PFX_FEAT_CLOCK_DATA))
		return;
	add_header_number(c, "clockid", env->clockid);
	add_header_number(c, "clock-time", env->clockid_ns);
	add_header_number(c, "real-time", env->wall_clock_ns);
}

static void add_command_line(struct json *c, const struct pfx_env_strings *words)
{
	uint32_t i;

	if (!words->nr)
		return;
	add_key(c, 2, false, "cmdline");
	pfx_str_addc(&c->text, '[');
	for (i = 0; i < words->nr; i++) {
		if (i)
			pfx_str_addc(&c->text, ',');
		add_line(c, 3);
		add_string(&c->text, words->at[i]);
	}
	add_line(c, 2);
	pfx_str_addc(&c->text, ']');
}

static void add_header(struct json *c)
{
	const struct pfx_env *env = &c->meta->env;

	pfx_str_addc(&c->text, '{');
	add_file_facts(c);
	add_header_string(c, "hostname", env->hostname);
	add_header_string(c, "os-release", env->osrelease);
	add_header_string(c, "arch", env->arch);
	add_header_string(c, "cpu-desc", env->cpudesc);
	add_header_string(c, "cpuid", env->cpuid);
	if (pfx_env_has(env, PFX_FEAT_NRCPUS)) {
		add_header_number(c, "nrcpus-online", env->nr_cpus_online);
		add_header_number(c, "nrcpus-avail", env->nr_cpus_avail);
	}
	add_clocks(c, env);
	add_header_string(c, "perf-version", env->version);
	add_command_line(c, &env->cmdline);
	add_line(c, 1);
	pfx_str_addc(&c->text, '}');
}

/* --- samples --- */

static void render_frame(struct json *c, struct pfx_place *place)
{
	static const char indent[] = "\n\t\t\t\t\t";
	const struct pfx_symbol *sym = pfx_place_symbol(c->resolver, place);
	struct pfx_str *to = &c->texts;

	pfx_str_addf(to, "\n\t\t\t\t{%s\"ip\": \"0x%" PRIx64 "\"", indent, place->ip);
	if (sym && *sym->name) {
		pfx_str_addf(to, ",%s\"symbol\": ", indent);
		add_string(to, function_name(c, sym->name));
		if (place->dso) {
			pfx_str_addf(to, ",%s\"dso\": ", indent);
			add_string(to, binary_name(c, place->dso));
		}
	}
	pfx_str_add(to, "\n\t\t\t\t}");
}

static void add_frame(struct json *c, struct pfx_place *place)
{
	struct frame *frame;

	while (c->frames.nr <= place->id)
		pfx_vec_push(&c->frames, ((struct frame){0}));
	frame = &c->frames.at[place->id];
	if (!frame->len) {
		frame->offset = (uint32_t)c->texts.len;
		render_frame(c, place);
		frame->len = (uint32_t)(c->texts.len - frame->offset);
	}
	pfx_str_addn(&c->text, c->texts.at + frame->offset, frame->len);
}

static void add_frames(struct json *c, struct pfx_thread *thread, const struct pfx_sample *sample)
{
	struct pfx_place *place, **places = &place;
	uint32_t i, nr = 1;

	if (sample->type & PFX_SAMPLE_CALLCHAIN && !c->no_chains)
		nr = pfx_resolve_chain(c->resolver, thread, sample, &places);
	else
		place = pfx_resolve(c->resolver, thread, sample->cpumode, sample->ip);
	for (i = 0; i < nr; i++) {
		if (i)
			pfx_str_addc(&c->text, ',');
		add_frame(c, places[i]);
	}
}

/* Times and ids are signed: -1 means none. */
static void add_sample_number(struct json *c, const char *key, int64_t value, bool is_first)
{
	add_key(c, 3, is_first, key);
	pfx_str_addf(&c->text, "%" PRId64, value);
}

static void add_sample(struct json *c, const struct pfx_sample *sample, struct pfx_thread *thread)
{
	if (c->nr_samples++)
		pfx_str_addc(&c->text, ',');
	add_line(c, 2);
	pfx_str_addc(&c->text, '{');
	add_sample_number(c, "timestamp", (int64_t)sample->time, true);
	add_sample_number(c, "pid", (int32_t)sample->pid, false);
	add_sample_number(c, "tid", (int32_t)sample->tid, false);
	if (c->has_cpus)
		add_sample_number(c, "cpu", (int32_t)sample->cpu, false);
	add_key(c, 3, false, "comm");
	add_string(&c->text, command_name(c, thread->comm->text));
	add_key(c, 3, false, "callchain");
	pfx_str_addc(&c->text, '[');
	add_frames(c, thread, sample);
	add_line(c, 3);
	pfx_str_addc(&c->text, ']');
	add_line(c, 2);
	pfx_str_addc(&c->text, '}');
}

static int take_sample(void *context, const struct pfx_event *event,
		       const struct pfx_sample *sample, struct pfx_thread *thread)
{
	struct json *c = context;

	add_sample(c, sample, thread);
	return flush(c, FLUSH_SIZE);
}

static int write_all(struct json *c, const struct pfx_export_stream *stream, struct pfx_error *err)
{
	const struct pfx_meta *meta = pfx_recording_meta(c->recording);
	uint32_t i;
	int rc;

	for (i = 0; i < meta->nr_events; i++)
		c->has_cpus |= (meta->events[i]->attr.sample_type & PFX_SAMPLE_CPU) != 0;
	pfx_str_addf(&c->text,
		     "{\n\t\"linux-perf-json-version\": %d,\n\t\"headers\": ", JSON_VERSION);
	add_header(c);
	pfx_str_add(&c->text, ",\n\t\"samples\": [");
	rc = pfx_export_stream_read(stream, take_sample, NULL, c, err);
	pfx_str_add(&c->text, "\n\t]\n}\n");
	return rc < 0 ? rc : flush(c, 0);
}

static struct json new_json(const struct pfx_export_stream *stream, struct pfx_error *err)
{
	return (struct json){
		.recording = stream->reading.recording,
		.resolver = pfx_recording_resolver(stream->reading.recording),
		.no_chains = stream->no_chains,
		.redact = stream->redact,
		.meta = pfx_recording_meta(stream->reading.recording),
		.err = err,
	};
}

static void json_fini(struct json *c)
{
	pfx_vec_free(&c->frames);
	pfx_str_fini(&c->texts);
	pfx_str_fini(&c->text);
	pfx_str_fini(&c->name);
}

int pfx_json_write(const struct pfx_export_stream *stream, pfx_json_sink_fn sink, void *context,
		   uint64_t *ret_nr, struct pfx_error *err)
{
	struct json c = new_json(stream, err);
	int rc;

	c.sink = sink;
	c.context = context;
	rc = write_all(&c, stream, err);
	*ret_nr = c.nr_samples;
	json_fini(&c);
	return rc;
}

/* --- pfx export --- */

/* The output keeps its failures itself. */
static int add_to_output(void *context, const struct pfx_str *text, struct pfx_error *err)
{
	struct pfx_export_output *out = context;

	pfx_str_addn(&out->text, text->at, text->len);
	return pfx_export_flush(out);
}

void pfx_export_perf_json(const struct pfx_export_input *in, struct pfx_export_output *out)
{
	struct pfx_error err = {0};
	struct json c = new_json(in->stream, &err);
	int rc;

	c.meta = in->meta;
	c.sink = add_to_output;
	c.context = out;
	rc = write_all(&c, in->stream, &err);
	if (rc)
		pfx_export_fail(out, rc, &err);
	json_fini(&c);
}
