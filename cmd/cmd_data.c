/* SPDX-License-Identifier: MIT */
/*
 * `pfx data convert --to-json`: a recording as one JSON object, its header and its samples, in the
 * shape that perf gives it. The text is made in one buffer and written as it grows; every distinct
 * frame is rendered once.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/io.h"
#include "cmd/commands.h"
#include "cmd/recording.h"
#include "cmd/text_file.h"

#define FLUSH_SIZE   (64u << 10)
#define JSON_VERSION 1 /* of the shape, as perf counts it */
#define TO_STDOUT    "-"
#define VERB         "convert"

struct data_options {
	const char *input, *to_json;
	bool force, strict;
	int verbose;
};

#define AT(field) offsetof(struct data_options, field)
static const struct pfx_option data_options[] = {
	{PFX_OPT_STRING, 0, "to-json", AT(to_json), "file",
	 "write JSON to this file, - is standard output"},
	{PFX_OPT_STRING, 'i', "input", AT(input), "file", "recording to read, - is standard input"},
	{PFX_OPT_BOOL, 'f', "force", AT(force), NULL,
	 "overwrite the output file; also read a file that belongs to somebody else"},
	PFX_OPT_STRICT(strict),
	{PFX_OPT_COUNT, 'v', "verbose", AT(verbose), NULL, "say which binaries have no symbols"},
	{.kind = PFX_OPT_END},
};

/* A place as a frame, in struct converter's texts; len 0: not rendered yet. */
struct frame {
	uint32_t offset, len;
};

struct converter {
	const struct data_options *options;
	struct pfx_reader *reader;
	struct pfx_order *order;
	struct pfx_session *session;
	struct pfx_resolver *resolver;
	PFX_VEC(struct frame) frames; /* by the place's id */
	struct pfx_str texts;
	struct pfx_text_file to;
	bool has_cpus; /* some event records the CPU: then all samples show it */
	bool is_file;  /* a regular one, to be removed when it stays incomplete */
	uint64_t nr_samples, nr_bad_samples;
};

/* --- writing --- */

static int flush(struct converter *c, size_t above, struct pfx_error *err)
{
	return pfx_text_file_flush(&c->to, above, c->options->to_json, err);
}

/* A new line at that depth. */
static void add_line(struct converter *c, unsigned depth)
{
	pfx_str_addc(&c->to.text, '\n');
	pfx_str_pad(&c->to.text, '\t', depth);
}

/* `"key": `, behind a comma unless it is the first of its object. */
static void add_key(struct converter *c, unsigned depth, bool is_first, const char *key)
{
	if (!is_first)
		pfx_str_addc(&c->to.text, ',');
	add_line(c, depth);
	pfx_str_addc(&c->to.text, '"');
	pfx_str_add(&c->to.text, key);
	pfx_str_add(&c->to.text, "\": ");
}

static void add_string(struct pfx_str *to, const char *text)
{
	pfx_str_addc(to, '"');
	pfx_str_add_json(to, text, strlen(text));
	pfx_str_addc(to, '"');
}

/* --- the header --- */

static void add_header_number(struct converter *c, const char *key, uint64_t value)
{
	add_key(c, 2, false, key);
	pfx_str_u64(&c->to.text, value, 0);
}

/* What was not recorded is left out. */
static void add_header_string(struct converter *c, const char *key, const char *value)
{
	if (!value)
		return;
	add_key(c, 2, false, key);
	add_string(&c->to.text, value);
}

/* Where the parts of the file are; a stream has no such things. */
static void add_file_facts(struct converter *c)
{
	const struct pfx_file_info *info = pfx_reader_info(c->reader);
	time_t mtime = (time_t)info->mtime;
	char when[64];
	struct tm tm;

	add_key(c, 2, true, "header-version");
	pfx_str_u64(&c->to.text, info->version == 1 ? 0 : 1, 0);
	if (info->form == PFX_FORM_PIPE)
		return;
	if (gmtime_r(&mtime, &tm) && strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm))
		add_header_string(c, "captured-on", when);
	add_header_number(c, "data-offset", info->data_offset);
	add_header_number(c, "data-size", info->data_size);
	add_header_number(c, "feat-offset", info->feature_offset);
}

static void add_clocks(struct converter *c, const struct pfx_env *env)
{
	if (!pfx_env_has(env, PFX_FEAT_CLOCK_DATA))
		return;
	add_header_number(c, "clockid", env->clockid);
	add_header_number(c, "clock-time", env->clockid_ns);
	add_header_number(c, "real-time", env->wall_clock_ns);
}

static void add_command_line(struct converter *c, const struct pfx_env_strings *words)
{
	uint32_t i;

	if (!words->nr)
		return;
	add_key(c, 2, false, "cmdline");
	pfx_str_addc(&c->to.text, '[');
	for (i = 0; i < words->nr; i++) {
		if (i)
			pfx_str_addc(&c->to.text, ',');
		add_line(c, 3);
		add_string(&c->to.text, words->at[i]);
	}
	add_line(c, 2);
	pfx_str_addc(&c->to.text, ']');
}

static void add_header(struct converter *c)
{
	const struct pfx_env *env = &pfx_reader_meta(c->reader)->env;

	pfx_str_addc(&c->to.text, '{');
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
	pfx_str_addc(&c->to.text, '}');
}

/* --- samples --- */

static void render_frame(struct converter *c, struct pfx_place *place)
{
	static const char indent[] = "\n\t\t\t\t\t";
	const struct pfx_symbol *sym = pfx_place_symbol(c->resolver, place);
	struct pfx_str *to = &c->texts;

	pfx_str_addf(to, "\n\t\t\t\t{%s\"ip\": \"0x%" PRIx64 "\"", indent, place->ip);
	if (sym && *sym->name) {
		pfx_str_addf(to, ",%s\"symbol\": ", indent);
		add_string(to, sym->name);
		if (place->dso) {
			pfx_str_addf(to, ",%s\"dso\": ", indent);
			add_string(to, place->dso->short_name);
		}
	}
	pfx_str_add(to, "\n\t\t\t\t}");
}

static void add_frame(struct converter *c, struct pfx_place *place)
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
	pfx_str_addn(&c->to.text, c->texts.at + frame->offset, frame->len);
}

static void add_frames(struct converter *c, struct pfx_thread *thread,
		       const struct pfx_sample *sample)
{
	struct pfx_place *place, **places = &place;
	uint32_t i, nr = 1;

	if (sample->type & PFX_SAMPLE_CALLCHAIN)
		nr = pfx_resolve_chain(c->resolver, thread, sample, &places);
	else
		place = pfx_resolve(c->resolver, thread, sample->cpumode, sample->ip);
	for (i = 0; i < nr; i++) {
		if (i)
			pfx_str_addc(&c->to.text, ',');
		add_frame(c, places[i]);
	}
}

/* Times and ids are signed: -1 is none. */
static void add_sample_number(struct converter *c, const char *key, int64_t value, bool is_first)
{
	add_key(c, 3, is_first, key);
	pfx_str_addf(&c->to.text, "%" PRId64, value);
}

static void add_sample(struct converter *c, const struct pfx_sample *sample)
{
	struct pfx_thread *thread = pfx_session_thread(c->session, sample->pid, sample->tid);

	if (c->nr_samples++)
		pfx_str_addc(&c->to.text, ',');
	add_line(c, 2);
	pfx_str_addc(&c->to.text, '{');
	add_sample_number(c, "timestamp", (int64_t)sample->time, true);
	add_sample_number(c, "pid", (int32_t)sample->pid, false);
	add_sample_number(c, "tid", (int32_t)sample->tid, false);
	if (c->has_cpus)
		add_sample_number(c, "cpu", (int32_t)sample->cpu, false);
	add_key(c, 3, false, "comm");
	add_string(&c->to.text, thread->comm->text);
	add_key(c, 3, false, "callchain");
	pfx_str_addc(&c->to.text, '[');
	add_frames(c, thread, sample);
	add_line(c, 3);
	pfx_str_addc(&c->to.text, ']');
	add_line(c, 2);
	pfx_str_addc(&c->to.text, '}');
}

static void take_record(struct converter *c, const struct pfx_record *rec)
{
	struct pfx_sample_part *parts;
	struct pfx_sample sample;
	uint32_t nr;

	pfx_resolver_follow(c->resolver, rec);
	if (rec->type != PFX_RECORD_SAMPLE) {
		pfx_session_apply(c->session, rec);
		return;
	}
	if (!rec->event || !pfx_sample_decode(rec, &rec->event->attr, &sample)) {
		c->nr_bad_samples++;
		return;
	}
	for (nr = pfx_session_split_sample(c->session, rec->event, &sample, &parts); nr; nr--)
		add_sample(c, &sample);
}

static int write_all(struct converter *c, struct pfx_error *err)
{
	const struct pfx_meta *meta = pfx_reader_meta(c->reader);
	struct pfx_record rec;
	uint32_t i;
	int rc = 0;

	for (i = 0; i < meta->nr_events; i++)
		c->has_cpus |= (meta->events[i]->attr.sample_type & PFX_SAMPLE_CPU) != 0;
	pfx_str_addf(&c->to.text,
		     "{\n\t\"linux-perf-json-version\": %d,\n\t\"headers\": ", JSON_VERSION);
	add_header(c);
	pfx_str_add(&c->to.text, ",\n\t\"samples\": [");
	while (rc >= 0 && (rc = pfx_order_next(c->order, &rec, err)) > 0) {
		take_record(c, &rec);
		rc = flush(c, FLUSH_SIZE, err);
	}
	pfx_str_add(&c->to.text, "\n\t]\n}\n");
	return rc < 0 ? rc : flush(c, 0, err);
}

/* --- the run --- */

static int open_input(struct converter *c, struct pfx_error *err)
{
	const struct pfx_resolve_options resolving = {
		.sym = {.buildid_dir = pfx_globals.buildid_dir, .force = c->options->force},
		.max_stack = UINT32_MAX,
	};
	int rc = pfx_recording_open(&c->reader, c->options->input,
				    pfx_open_how(c->options->force, c->options->strict), err);

	if (rc < 0)
		return rc;
	c->order = pfx_order_new(c->reader, false);
	c->session = pfx_session_new(pfx_reader_meta(c->reader));
	c->resolver = pfx_resolver_new(c->session, &resolving);
	return 0;
}

static int open_output(struct converter *c, struct pfx_error *err)
{
	const char *path = c->options->to_json;
	char shown[256];
	struct stat st;

	if (!strcmp(path, TO_STDOUT)) {
		c->to.fd = STDOUT_FILENO;
		return 0;
	}
	c->to.fd =
		open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (c->options->force ? O_TRUNC : O_EXCL),
		     0666);
	if (c->to.fd >= 0) {
		c->is_file = !fstat(c->to.fd, &st) && S_ISREG(st.st_mode);
		return 0;
	}
	pfx_error_sys(err, errno, "cannot write '%s'", pfx_escape(shown, sizeof(shown), path));
	if (err->code == EEXIST)
		pfx_error_hint(err, "use --force to overwrite it");
	return -err->code;
}

static int close_output(struct converter *c, int rc, struct pfx_error *err)
{
	char shown[256];

	if (c->to.fd == STDOUT_FILENO)
		return rc;
	if (close(c->to.fd) && rc >= 0)
		rc = pfx_error_sys(err, errno, "cannot write '%s'",
				   pfx_escape(shown, sizeof(shown), c->options->to_json));
	if (rc < 0 && c->is_file)
		unlink(c->options->to_json);
	return rc;
}

static void tell_success(const struct converter *c)
{
	char from[256], to[256];

	fprintf(stderr, "[ pfx data convert: Converted '%s' into JSON data '%s' ]\n",
		pfx_escape(from, sizeof(from), pfx_recording_path(c->options->input)),
		pfx_escape(to, sizeof(to), c->options->to_json));
	fprintf(stderr, "[ pfx data convert: Converted and wrote %.3f MB (%" PRIu64 " samples) ]\n",
		(double)c->to.size / (1 << 20), c->nr_samples);
	if (c->options->verbose)
		pfx_recording_note_symbols("data", c->session, c->resolver);
}

static int run_checked(const struct data_options *options)
{
	struct converter c = {.options = options, .to.fd = -1};
	struct pfx_error err = {0};
	int code, rc = open_input(&c, &err);

	if (!rc)
		rc = open_output(&c, &err);
	if (!rc)
		rc = close_output(&c, write_all(&c, &err), &err);
	if (rc >= 0)
		tell_success(&c);
	code = pfx_recording_exit_code("data", rc, &err);
	pfx_recording_note("data", &(struct pfx_recording_state){c.reader, c.session, c.order,
								 c.nr_bad_samples});
	pfx_vec_free(&c.frames);
	pfx_str_fini(&c.texts);
	pfx_text_file_fini(&c.to);
	pfx_resolver_free(c.resolver);
	pfx_session_free(c.session);
	pfx_order_free(c.order);
	pfx_reader_free(c.reader);
	return code;
}

/* @verb: what to do, NULL when it was not said. */
static int check_words(const char *verb, const char *more, struct pfx_error *err)
{
	char shown[128];

	if (verb && !strcmp(verb, VERB))
		return pfx_recording_check_word("data", more, err);
	if (verb)
		pfx_error_set(err, EINVAL, "'%s' is nothing that data does",
			      pfx_escape(shown, sizeof(shown), verb));
	else
		pfx_error_set(err, EINVAL, "what to do is missing");
	pfx_error_hint(err, "pfx data convert --to-json file");
	return -EINVAL;
}

static int run_data(int argc, char **argv)
{
	struct data_options options = {0};
	struct pfx_error err = {0};
	bool in_front = argc > 1 && !strcmp(argv[1], VERB);
	int code, at, rc;

	argc -= in_front;
	argv += in_front;
	at = pfx_options_or_exit(&pfx_cmd_data, argc, argv, &options, &code);
	if (at < 0)
		return code;
	if (in_front)
		rc = check_words(VERB, argv[at], &err);
	else
		rc = check_words(argv[at], at < argc ? argv[at + 1] : NULL, &err);
	if (rc < 0) {
		pfx_print_error("data", &err);
		return PFX_USAGE_ERROR;
	}
	if (!options.to_json) {
		pfx_error_set(&err, EINVAL, "the form to convert to is missing");
		pfx_error_hint(&err, "pfx data convert --to-json file");
		return pfx_print_error("data", &err);
	}
	return run_checked(&options);
}

const struct pfx_command pfx_cmd_data = {
	.name = "data",
	.args = VERB,
	.summary = "convert a recording to JSON",
	.options = data_options,
	.run = run_data,
	.permute = true,
};
