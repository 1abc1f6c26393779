/* SPDX-License-Identifier: MIT */
/*
 * Perl scripts: perl runs as another process, with scripts/perl/lib/driver.pl, which calls the
 * functions of the script. It reads tracepoints from its standard input, one a line, with tabs
 * between values:
 *
 *	E event cpu seconds nanoseconds pid comm preempt_count flags lock_depth NR {ip symbol
 *dso}... values...
 *	F event field delimiter, S event field		a field has names of flags, or of values
 *	f event field value text, s event field value text	one of these names
 *	P event attr sample raw		any sample, for a script with process_event(): bytes in hex
 *
 * Backslash, tab and line feed in texts are written as \\, \t and \n.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/io.h"
#include "base/ns.h"
#include "pfx_version.h"
#include "script/script_perl.h"
#include "trace/format.h"

#define DRIVER          "perl/lib/driver.pl"
#define FLUSH_SIZE      (64u << 10)
#define SCRIPT_SIZE_MAX (16u << 20)
#define NOT_FOUND       127
#define FAILED          255          /* exit code of the driver; the reason is on standard error */
#define NO_DATA_SRC     0x5080021ull /* "not available" in each part */

/* An event of the recording. */
struct perl_event {
	bool is_ready;
	char *name; /* "sched::sched_switch" */
	size_t nr_fields;
	struct pfx_trace_field *fields;
	struct pfx_trace_value *values;
};

struct perl {
	const struct pfx_script_view *view;
	struct pfx_trace *trace; /* NULL: none in the recording */
	PFX_VEC(struct perl_event) events;
	struct pfx_str out;
	bool has_left;    /* perl reads no more */
	bool wants_bytes; /* the script has process_event() */
	int fd;           /* perl's standard input */
	pid_t pid;
	void (*pipe_action)(int); /* of SIGPIPE before */
};

/* --- writing --- */

static void add_text(struct pfx_str *to, const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len && text[i]; i++) {
		switch (text[i]) {
		case '\\':
			pfx_str_add(to, "\\\\");
			break;
		case '\t':
			pfx_str_add(to, "\\t");
			break;
		case '\n':
			pfx_str_add(to, "\\n");
			break;
		default:
			pfx_str_addc(to, text[i]);
		}
	}
}

static void add_word(struct pfx_str *to, const char *text)
{
	pfx_str_addc(to, '\t');
	add_text(to, text, strlen(text));
}

static void add_number(struct pfx_str *to, long long number)
{
	pfx_str_addf(to, "\t%lld", number);
}

/* After a signal to pfx alone: the driver takes no further events, and calls trace_end(). */
static void pass_stop(const struct perl *perl)
{
	if (*perl->view->host->is_stopped && perl->pid > 0)
		kill(perl->pid, SIGINT);
}

static int write_events(const struct perl *perl)
{
	const char *at = perl->out.at;
	size_t left = perl->out.len;
	ssize_t n;

	while (left) {
		n = write(perl->fd, at, left);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n < 0) {
			pass_stop(perl);
			continue;
		}
		at += n;
		left -= (size_t)n;
	}
	return 0;
}

static int flush(struct perl *perl, size_t above, struct pfx_error *err)
{
	int rc = 0;

	if (perl->out.len > above && !perl->has_left) {
		rc = write_events(perl);
		pfx_str_clear(&perl->out);
	}
	if (rc == -EPIPE) { /* end_process() reports why */
		perl->has_left = true;
		rc = 0;
	}
	return rc < 0 ? pfx_error_sys(err, -rc, "cannot write to perl") : 0;
}

/* --- events --- */

static char *name_of(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon ? pfx_strfmt("%.*s::%s", (int)(colon - name), name, colon + 1)
		     : pfx_strdup(name);
}

struct telling {
	struct perl *perl;
	const char *event, *field; /* the last field whose kind was passed */
};

static void tell_name(void *ctx, const struct pfx_trace_name *name)
{
	struct telling *telling = ctx;
	struct pfx_str *out = &telling->perl->out;

	if (!telling->field || strcmp(telling->field, name->field) != 0) {
		pfx_str_addc(out, name->is_flag ? 'F' : 'S');
		add_word(out, telling->event);
		add_word(out, name->field);
		if (name->is_flag)
			add_word(out, name->separator ? name->separator : "");
		pfx_str_addc(out, '\n');
	}
	telling->field = name->field;
	pfx_str_addc(out, name->is_flag ? 'f' : 's');
	add_word(out, telling->event);
	add_word(out, name->field);
	pfx_str_addf(out, "\t%llu", (unsigned long long)name->value);
	add_word(out, name->text);
	pfx_str_addc(out, '\n');
}

static struct perl_event *event_of(struct perl *perl, const struct pfx_event *event)
{
	uint64_t id = event->attr.config;
	struct perl_event *entry;
	struct telling telling;
	size_t i;

	while (perl->events.nr <= event->idx)
		pfx_vec_push(&perl->events, ((struct perl_event){0}));
	entry = &perl->events.at[event->idx];
	if (entry->is_ready)
		return entry;
	entry->is_ready = true;
	entry->name = name_of(event->name);
	if (!perl->trace)
		return entry;
	entry->nr_fields = pfx_trace_nr_fields(perl->trace, id);
	entry->fields = pfx_calloc(entry->nr_fields + 1, sizeof(*entry->fields));
	entry->values = pfx_calloc(entry->nr_fields + 1, sizeof(*entry->values));
	for (i = 0; i < entry->nr_fields; i++)
		pfx_trace_field_at(perl->trace, id, i, &entry->fields[i]);
	telling = (struct telling){perl, entry->name, NULL};
	pfx_trace_each_name(perl->trace, id, tell_name, &telling);
	return entry;
}

/* --- samples --- */

static long long common_number(const struct perl *perl, const struct pfx_script_sample *now,
			       const char *field, uint64_t number)
{
	const struct pfx_trace_ask ask = {now->event->attr.config, field};

	if (perl->trace)
		pfx_trace_number(perl->trace, &ask, now->sample->raw.at, now->sample->raw.size,
				 &number);
	return (int)number;
}

static void add_value(struct pfx_str *to, const struct pfx_trace_field *is,
		      const struct pfx_trace_value *value)
{
	unsigned shift = is->size && is->size < 8 ? 64 - 8 * is->size : 0;

	if (is->is_array) {
		pfx_str_addc(to, '\t');
		add_text(to, (const char *)value->bytes, value->size);
	} else if (is->is_signed) {
		add_number(to, (int64_t)(value->number << shift) >> shift);
	} else {
		pfx_str_addf(to, "\t%llu", (unsigned long long)value->number);
	}
}

static void add_chain(struct perl *perl, const struct pfx_script_sample *now)
{
	struct pfx_place **frames;
	const struct pfx_symbol *sym;
	uint32_t i, nr = 0;

	if (perl->view->shows_chains)
		nr = pfx_chain_frames(perl->view->resolver,
				      pfx_script_chain_of(perl->view->script, now->event,
							  now->thread, now->sample),
				      &frames);
	add_number(&perl->out, nr);
	for (i = 0; i < nr; i++) {
		sym = frames[i]->sym;
		pfx_str_addf(&perl->out, "\t%llu", (unsigned long long)frames[i]->ip);
		add_word(&perl->out, sym && !sym->is_nameless ? sym->name : "");
		add_word(&perl->out, frames[i]->dso ? frames[i]->dso->name : "");
	}
}

static void add_sample(struct perl *perl, const struct pfx_script_sample *now)
{
	const struct pfx_trace_value raw = {.bytes = now->sample->raw.at,
					    .size = now->sample->raw.size};
	struct perl_event *event = event_of(perl, now->event);
	struct pfx_str *out = &perl->out;
	size_t i;

	pfx_str_addc(out, 'E');
	add_word(out, event->name);
	add_number(out, (int)now->sample->cpu);
	add_number(out, (long long)(now->sample->time / PFX_NS_PER_SECOND));
	add_number(out, (long long)(now->sample->time % PFX_NS_PER_SECOND));
	add_number(out, common_number(perl, now, "common_pid", now->sample->tid));
	add_word(out, now->thread->comm->text);
	add_number(out, common_number(perl, now, "common_preempt_count", 0));
	add_number(out, common_number(perl, now, "common_flags", 0));
	add_number(out, common_number(perl, now, "common_lock_depth", 0));
	add_chain(perl, now);
	if (event->nr_fields)
		pfx_trace_values(perl->trace, now->event->attr.config, &raw, event->values);
	for (i = 0; i < event->nr_fields; i++)
		add_value(out, &event->fields[i], &event->values[i]);
	pfx_str_addc(out, '\n');
}

static void add_hex(struct pfx_str *to, const void *bytes, size_t nr)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *at = bytes;
	size_t i;

	pfx_str_addc(to, '\t');
	for (i = 0; i < nr; i++) {
		pfx_str_addc(to, digits[at[i] >> 4]);
		pfx_str_addc(to, digits[at[i] & 15]);
	}
}

/* The beginning of perf's struct perf_sample, which scripts unpack by "QLLQQQQQ...". */
struct perl_sample {
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time, addr, id, stream_id, period, weight, transaction, insn_cnt, cyc_cnt;
	uint32_t cpu, raw_size;
	uint64_t data_src, phys_addr, data_page_size, code_page_size, cgroup;
};

static void add_bytes(struct perl *perl, const struct pfx_script_sample *now)
{
	const struct pfx_sample *sample = now->sample;
	struct pfx_buffer event = {0}, attr = {0};
	const struct perl_sample packed = {
		.ip = sample->ip,
		.pid = sample->pid,
		.tid = sample->tid,
		.time = sample->time,
		.addr = sample->addr,
		.id = sample->id,
		.stream_id = sample->type & PFX_SAMPLE_STREAM_ID ? sample->stream_id : UINT64_MAX,
		.period = sample->period,
		.weight = sample->weight,
		.transaction = sample->transaction,
		.cpu = sample->cpu,
		.raw_size = (uint32_t)sample->raw.size,
		.data_src = sample->type & PFX_SAMPLE_DATA_SRC ? sample->data_src : NO_DATA_SRC,
		.phys_addr = sample->phys_addr,
		.data_page_size = sample->data_page_size,
		.code_page_size = sample->code_page_size,
		.cgroup = sample->cgroup,
	};

	pfx_sample_encode(sample, &now->event->attr, &event);
	pfx_attr_encode(&now->event->attr, &attr);
	pfx_str_addc(&perl->out, 'P');
	add_hex(&perl->out, event.at, event.len);
	add_hex(&perl->out, attr.at, attr.len);
	add_hex(&perl->out, &packed, sizeof(packed));
	add_hex(&perl->out, sample->raw.at, sample->raw.size);
	pfx_str_addc(&perl->out, '\n');
	pfx_buffer_fini(&event);
	pfx_buffer_fini(&attr);
}

static int sample(struct pfx_script_engine *engine, const struct pfx_script_sample *now,
		  struct pfx_error *err)
{
	struct perl *perl = (struct perl *)engine;

	if (now->event->attr.type == PFX_TYPE_TRACEPOINT)
		add_sample(perl, now);
	if (perl->wants_bytes)
		add_bytes(perl, now);
	return flush(perl, FLUSH_SIZE, err);
}

static int record(struct pfx_script_engine *engine, const struct pfx_record *rec,
		  struct pfx_error *err)
{
	return 0; /* Perl scripts get samples only */
}

static int count(struct pfx_script_engine *engine, const struct pfx_script_count *row,
		 struct pfx_error *err)
{
	return 0;
}

static int end_round(struct pfx_script_engine *engine, uint64_t time, struct pfx_error *err)
{
	return 0;
}

/* --- the process --- */

static char *find_driver(const char *const *folders)
{
	char *path;

	for (; *folders; folders++) {
		path = pfx_strfmt("%s/" DRIVER, *folders);
		if (!access(path, R_OK))
			return path;
		free(path);
	}
	return NULL;
}

static void run_perl(const char *driver, const struct pfx_script_program *program)
{
	const char **words = pfx_calloc((size_t)program->nr_args + 4, sizeof(*words));
	int i;

	words[0] = "perl";
	words[1] = driver;
	words[2] = program->path;
	for (i = 0; i < program->nr_args; i++)
		words[3 + i] = program->args[i];
	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_IGN); /* until the driver stops reading events at it */
	execvp("perl", (char *const *)words);
	_exit(NOT_FOUND);
}

static int start(struct perl *perl, const char *driver, const struct pfx_script_program *program,
		 struct pfx_error *err)
{
	const pid_t parent = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return pfx_error_sys(err, errno, "cannot make a pipe");
	perl->pid = fork();
	if (perl->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(EXIT_FAILURE);
		dup2(ends[0], STDIN_FILENO);
		run_perl(driver, program);
	}
	close(ends[0]);
	perl->fd = ends[1];
	if (perl->pid < 0)
		return pfx_error_sys(err, errno, "cannot start perl");
	perl->pipe_action = signal(SIGPIPE, SIG_IGN);
	return 0;
}

/* Hex of all samples takes time: it is written for scripts that mention the function. */
static bool mentions_bytes(const char *path)
{
	char *text;
	bool found;

	if (pfx_read_file(path, SCRIPT_SIZE_MAX, &text, NULL, NULL) < 0)
		return false;
	found = strstr(text, "process_event") != NULL;
	free(text);
	return found;
}

static int new (struct pfx_script_engine **ret, const struct pfx_script_view *view,
		const struct pfx_script_program *program, struct pfx_error *err)
{
	const struct pfx_env_blob *blob = &view->meta->env.tracing_data;
	struct perl *perl = pfx_calloc(1, sizeof(*perl));
	char *driver = find_driver(program->folders);
	int rc;

	perl->fd = -1;
	perl->view = view;
	perl->wants_bytes = mentions_bytes(program->path);
	*ret = (struct pfx_script_engine *)perl;
	if (!driver)
		return pfx_error_set(err, ENOENT, "'" DRIVER "' is missing: install all of pfx");
	if (blob->size && pfx_trace_open(&perl->trace, blob->at, blob->size, NULL) < 0)
		perl->trace = NULL;
	rc = start(perl, driver, program, err);
	free(driver);
	return rc;
}

/* The end of its input lets perl call trace_end(). */
static int finish(struct pfx_script_engine *engine, struct pfx_error *err)
{
	return flush((struct perl *)engine, 0, err);
}

/* 0, an error, or the exit code that the script chose. */
static int end_process(struct perl *perl, struct pfx_error *err)
{
	int status = 0;

	if (perl->fd >= 0)
		close(perl->fd);
	if (perl->pid <= 0)
		return 0;
	pass_stop(perl);
	while (waitpid(perl->pid, &status, 0) < 0 && errno == EINTR)
		pass_stop(perl);
	signal(SIGPIPE, perl->pipe_action);
	if (!WIFEXITED(status) || WEXITSTATUS(status) == FAILED)
		return pfx_error_set(err, ECANCELED, "the script failed in perl");
	if (WEXITSTATUS(status) == NOT_FOUND)
		return pfx_error_set(err, ENOENT, "perl is not installed");
	return WEXITSTATUS(status);
}

static int free_engine(struct pfx_script_engine *engine, struct pfx_error *err)
{
	struct perl *perl = (struct perl *)engine;
	int rc = end_process(perl, err);
	size_t i;

	for (i = 0; i < perl->events.nr; i++) {
		free(perl->events.at[i].name);
		free(perl->events.at[i].fields);
		free(perl->events.at[i].values);
	}
	pfx_vec_free(&perl->events);
	pfx_trace_free(perl->trace);
	pfx_str_fini(&perl->out);
	free(perl);
	return rc;
}

const struct pfx_script_engine_ops pfx_script_engine_perl = {
	.version = PFX_VERSION,
	.view_size = sizeof(struct pfx_script_view),
	.new = new,
	.finish = finish,
	.free = free_engine,
	.sample = sample,
	.record = record,
	.count = count,
	.round = end_round,
};
