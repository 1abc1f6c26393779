/* SPDX-License-Identifier: MIT */
/*
 * `pfx script`: a recording as text, one line a sample, in the form that people and programs know
 * from perf. Reads in order of time, applies sideband to the session, and prints samples through
 * one big buffer.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/reg_names.h"
#include "cmd/commands.h"
#include "cmd/recording.h"
#include "cmd/script_internal.h"
#include "event/dump.h"
#include "file/header_text.h"
#include "out/term.h"

#define FLUSH_SIZE (64u << 10)

struct script_options {
	const char *input, *time;
	bool force, strict, quiet, dump, header, header_only, show_info;
	bool hide_chains, ns, reltime, deltatime;
	int verbose;
	uint64_t max_stack;
	struct pfx_script_fields fields;
	struct pfx_script_filter filter;
	struct pfx_sym_options sym;
	bool show_task, show_mmap, show_switch, show_namespace, show_cgroup, show_lost, show_round,
		show_bpf, show_text_poke;
};

static int on_fields(void *options, const char *arg, bool unset, struct pfx_error *err)
{
	struct script_options *o = options;

	if (unset)
		pfx_script_fields_init(&o->fields);
	return unset ? 0 : pfx_script_fields_parse(&o->fields, arg, err);
}

#define AT(field) offsetof(struct script_options, field)
static const struct pfx_option script_options[] = {
	{PFX_OPT_GROUP, .help = "Input:"},
	{PFX_OPT_STRING, 'i', "input", AT(input), "file", "recording to read, - is standard input"},
	{PFX_OPT_BOOL, 'f', "force", AT(force), NULL,
	 "also read a file that belongs to somebody else"},
	PFX_OPT_STRICT(strict),
	{PFX_OPT_GROUP, .help = "What is shown:"},
	{PFX_OPT_CALL, 'F', "fields", 0, "fields",
	 "list of fields, [type:]a,b to print just these, +a,-b to change the usual ones; types: "
	 "hw sw "
	 "trace cache raw break other; fields: comm tid pid time cpu event trace ip sym symoff dso "
	 "dsoff addr period misc weight ins_lat phys_addr data_page_size code_page_size bpf-output "
	 "cgroup",
	 on_fields},
	{PFX_OPT_BOOL, 'G', "hide-call-graph", AT(hide_chains), NULL, "no call chains"},
	{PFX_OPT_U64, 0, "max-stack", AT(max_stack), "n", "frames of a call chain at most"},
	{PFX_OPT_BOOL, 0, "ns", AT(ns), NULL, "times with nine digits behind the point"},
	{PFX_OPT_BOOL, 0, "reltime", AT(reltime), NULL, "times since the first line"},
	{PFX_OPT_BOOL, 0, "deltatime", AT(deltatime), NULL, "times since the line before"},
	{PFX_OPT_BOOL, 0, "header", AT(header), NULL, "print the header of the recording first"},
	{PFX_OPT_BOOL, 0, "header-only", AT(header_only), NULL,
	 "print the header and nothing else"},
	{PFX_OPT_BOOL, 'I', "show-info", AT(show_info), NULL, "with --header: also its long parts"},
	{PFX_OPT_BOOL, 'D', "dump-raw-trace", AT(dump), NULL,
	 "show every record in hex and decoded"},
	{PFX_OPT_GROUP, .help = "Which samples:"},
	{PFX_OPT_STRING, 'c', "comms", AT(filter.comms), "list", "only these command names"},
	{PFX_OPT_STRING, 'S', "symbols", AT(filter.symbols), "list", "only these symbols"},
	{PFX_OPT_STRING, 0, "dsos", AT(filter.dsos), "list", "only these binaries"},
	{PFX_OPT_STRING, 0, "pid", AT(filter.pids), "list", "only these processes"},
	{PFX_OPT_STRING, 0, "tid", AT(filter.tids), "list", "only these threads"},
	{PFX_OPT_STRING, 'C', "cpu", AT(filter.cpus), "list", "only these CPUs"},
	{PFX_OPT_STRING, 0, "time", AT(time), "span",
	 "only from start,stop in seconds, or a part as 10%-20% or 10%/2"},
	{PFX_OPT_GROUP, .help = "Records between the samples:"},
	{PFX_OPT_BOOL, 0, "show-task-events", AT(show_task), NULL, "fork, exec and exit"},
	{PFX_OPT_BOOL, 0, "show-mmap-events", AT(show_mmap), NULL, "mappings"},
	{PFX_OPT_BOOL, 0, "show-switch-events", AT(show_switch), NULL, "context switches"},
	{PFX_OPT_BOOL, 0, "show-namespace-events", AT(show_namespace), NULL, "namespaces"},
	{PFX_OPT_BOOL, 0, "show-cgroup-events", AT(show_cgroup), NULL, "control groups"},
	{PFX_OPT_BOOL, 0, "show-lost-events", AT(show_lost), NULL, "losses"},
	{PFX_OPT_BOOL, 0, "show-round-events", AT(show_round), NULL, "ends of rounds"},
	{PFX_OPT_BOOL, 0, "show-bpf-events", AT(show_bpf), NULL, "BPF programs and kernel symbols"},
	{PFX_OPT_BOOL, 0, "show-text-poke-events", AT(show_text_poke), NULL,
	 "patches of kernel code"},
	{PFX_OPT_GROUP, .help = "Symbols:"},
	{PFX_OPT_STRING, 'k', "vmlinux", AT(sym.vmlinux), "file",
	 "kernel image to take symbols from"},
	{PFX_OPT_STRING, 0, "kallsyms", AT(sym.kallsyms), "file", "list of kernel symbols to use"},
	{PFX_OPT_STRING, 0, "symfs", AT(sym.symfs), "dir",
	 "look for binaries below this directory"},
	{PFX_OPT_BOOL, 0, "no-demangle", AT(sym.no_demangle), NULL,
	 "show C++ and Rust names as they are"},
	{PFX_OPT_GROUP, .help = "Messages:"},
	{PFX_OPT_COUNT, 'v', "verbose", AT(verbose), NULL, "say more about what is missing"},
	{PFX_OPT_BOOL, 'q', "quiet", AT(quiet), NULL, "no warnings"},
	{.kind = PFX_OPT_END},
};

static uint32_t shown_records(const struct script_options *o)
{
	return (o->show_task ? PFX_SCRIPT_SHOW_TASK : 0) |
	       (o->show_mmap ? PFX_SCRIPT_SHOW_MMAP : 0) |
	       (o->show_switch ? PFX_SCRIPT_SHOW_SWITCH : 0) |
	       (o->show_namespace ? PFX_SCRIPT_SHOW_NAMESPACE : 0) |
	       (o->show_cgroup ? PFX_SCRIPT_SHOW_CGROUP : 0) |
	       (o->show_lost ? PFX_SCRIPT_SHOW_LOST : 0) |
	       (o->show_round ? PFX_SCRIPT_SHOW_ROUND : 0) |
	       (o->show_bpf ? PFX_SCRIPT_SHOW_BPF : 0) |
	       (o->show_text_poke ? PFX_SCRIPT_SHOW_TEXT_POKE : 0);
}

/* Words that are checked before a file is touched. */
static int check_words(struct pfx_script *s, const struct script_options *o, const char *word,
		       struct pfx_error *err)
{
	if (pfx_recording_check_word("script", word, err) < 0)
		return -EINVAL;
	if (o->reltime && o->deltatime)
		return pfx_error_set(err, EINVAL, "--reltime and --deltatime exclude each other");
	return pfx_script_filters_init(&s->filters, &o->filter, err);
}

static int open_input(struct pfx_script *s, const struct script_options *o, struct pfx_error *err)
{
	struct pfx_resolve_options resolving = {.sym = o->sym};
	unsigned how = pfx_open_how(o->force, o->strict);
	int rc;

	if (o->dump)
		rc = pfx_recording_open_all(&s->reader, o->input, how, err);
	else
		rc = pfx_recording_open(&s->reader, o->input, how, err);
	if (rc < 0)
		return rc;
	resolving.sym.buildid_dir = pfx_globals.buildid_dir;
	resolving.sym.force = o->force;
	resolving.max_stack = o->max_stack > UINT32_MAX ? 0 : (uint32_t)o->max_stack;
	s->order = pfx_order_new(s->reader, false);
	s->session = pfx_session_new(pfx_reader_meta(s->reader));
	s->resolver = pfx_resolver_new(s->session, &resolving);
	s->trace.reader = s->reader;
	s->trace.session = s->session;
	s->trace.resolver = s->resolver;
	return 0;
}

static int parse_time(struct pfx_script *s, const char *words, struct pfx_error *err)
{
	const struct pfx_env *env = &pfx_reader_meta(s->reader)->env;

	if (!words)
		return 0;
	return pfx_time_ranges_parse(&s->filters.times, words, env->first_sample_ns,
				     env->last_sample_ns, err);
}

/* The usual fields that an event does not print, for -v. */
static void note_lacking(const struct pfx_event *event, uint32_t lacking)
{
	struct pfx_str names = {0};
	uint32_t bit;

	for (bit = 1; bit; bit <<= 1)
		if (lacking & bit)
			pfx_str_addf(&names, " %s", pfx_script_field_name(bit));
	pfx_print_note("script", "event '%s' was recorded without:%s", event->name, names.at);
	pfx_str_fini(&names);
}

static int check_cpus(const struct pfx_script *s, const struct pfx_event *event,
		      struct pfx_error *err)
{
	char shown[128];

	if (!s->filters.has_cpus || (event->attr.sample_type & PFX_SAMPLE_CPU))
		return 0;
	return pfx_error_set(err, EINVAL,
			     "-C cannot choose: the samples of event '%s' were recorded "
			     "without their CPU",
			     pfx_escape(shown, sizeof(shown), event->name));
}

/* Every event of the recording can print what was asked for. */
static int check_events(struct pfx_script *s, const struct script_options *o, struct pfx_error *err)
{
	const struct pfx_meta *meta = pfx_reader_meta(s->reader);
	struct pfx_script_event *event;
	uint32_t i;
	int rc;

	for (i = 0; i < meta->nr_events; i++) {
		rc = pfx_script_event_of(s, meta->events[i], &event, err);
		if (!rc)
			rc = check_cpus(s, meta->events[i], err);
		if (rc < 0)
			return rc;
		if (o->verbose && event->lacking)
			note_lacking(meta->events[i], event->lacking);
	}
	return 0;
}

static int flush(struct pfx_script *s, size_t above, struct pfx_error *err)
{
	int rc;

	if (s->out.len <= above)
		return 0;
	rc = pfx_out_flush(&s->out);
	return rc < 0 ? pfx_error_sys(err, -rc, "cannot write to standard output") : 0;
}

/* The thread and dso of a sample, below its dump. */
static void dump_place(struct pfx_script *s, const struct pfx_record *rec)
{
	struct pfx_sample sample;
	struct pfx_thread *thread;
	struct pfx_place *place;

	if (!rec->event || !pfx_sample_decode(rec, &rec->event->attr, &sample))
		return;
	thread = pfx_session_thread(s->session, sample.pid, sample.tid);
	place = pfx_resolve(s->resolver, thread, sample.cpumode, sample.ip);
	pfx_str_add(&s->out, " ... thread: ");
	pfx_str_add_escaped(&s->out, thread->comm->text, strlen(thread->comm->text));
	pfx_str_addf(&s->out, ":%d\n ...... dso: ", (int)thread->tid);
	if (place->dso)
		pfx_str_add_escaped(&s->out, place->dso->name, strlen(place->dso->name));
	else
		pfx_str_add(&s->out, "<not found>");
	pfx_str_addc(&s->out, '\n');
}

static void dump_record(struct pfx_script *s, const struct pfx_record *rec)
{
	const struct pfx_meta *meta = pfx_reader_meta(s->reader);
	const struct pfx_dump_context context = {
		.path = meta->is_pipe ? "pipe" : pfx_reader_info(s->reader)->path,
		.attr = meta->nr_events ? &meta->events[0]->attr : NULL,
		.reg_name = pfx_arch_reg_name,
		.machine = meta->env.arch,
	};

	pfx_dump_record(rec, &context, &s->out);
	if (rec->type == PFX_RECORD_SAMPLE)
		dump_place(s, rec);
}

static int take_record(struct pfx_script *s, const struct pfx_record *rec, struct pfx_error *err)
{
	int rc;

	if (s->dump)
		dump_record(s, rec);
	if (rec->type == PFX_RECORD_SAMPLE)
		return pfx_script_print_sample(s, rec, err);
	rc = s->show ? pfx_script_print_sideband(s, rec, false, err) : 0;
	pfx_session_apply(s->session, rec);
	if (!rc && s->show)
		rc = pfx_script_print_sideband(s, rec, true, err);
	return rc;
}

static int print_records(struct pfx_script *s, struct pfx_error *err)
{
	struct pfx_record rec;
	int rc, flushed;

	while ((rc = pfx_order_next(s->order, &rec, err)) > 0) {
		rc = take_record(s, &rec, err);
		if (!rc)
			rc = flush(s, FLUSH_SIZE, err);
		if (rc < 0)
			break;
	}
	flushed = flush(s, 0, err);
	return rc < 0 ? rc : flushed;
}

static int run_opened(struct pfx_script *s, const struct script_options *o, struct pfx_error *err)
{
	int rc;

	if (o->header || o->header_only)
		pfx_header_text(s->reader, o->show_info, &s->out);
	if (o->header_only)
		return flush(s, 0, err);
	rc = parse_time(s, o->time, err);
	if (!rc)
		rc = check_events(s, o, err);
	if (!rc)
		rc = print_records(s, err);
	if (!rc && o->verbose) {
		pfx_recording_note_symbols("script", s->session, s->resolver);
		pfx_recording_note_unwinding("script", s->resolver);
	}
	return rc;
}

static void finish(struct pfx_script *s)
{
	size_t i;

	for (i = 0; i < s->events.nr; i++)
		free(s->events.at[i].title);
	pfx_vec_free(&s->events);
	for (i = 0; i < PFX_SCRIPT_FRAME_STYLES; i++)
		pfx_vec_free(&s->frames[i]);
	pfx_vec_free(&s->comms);
	pfx_str_fini(&s->texts);
	pfx_str_fini(&s->out);
	pfx_script_filters_fini(&s->filters);
	pfx_sample_trace_fini(&s->trace);
	pfx_resolver_free(s->resolver);
	pfx_session_free(s->session);
	pfx_order_free(s->order);
	pfx_reader_free(s->reader);
}

static void take_options(struct pfx_script *s, const struct script_options *o)
{
	s->fields = o->fields;
	s->show = shown_records(o);
	s->hide_chains = o->hide_chains;
	s->ns = o->ns;
	s->reltime = o->reltime;
	s->deltatime = o->deltatime;
	s->dump = o->dump;
	s->max_stack = o->max_stack;
}

static int run_checked(struct pfx_script *s, const struct script_options *o)
{
	struct pfx_error err = {0};
	int code, rc = open_input(s, o, &err);

	if (!rc) {
		pfx_pager_for("script");
		rc = run_opened(s, o, &err);
	}
	code = pfx_recording_exit_code("script", rc, &err);
	if (s->reader && !o->quiet)
		pfx_recording_note("script",
				   &(struct pfx_recording_state){s->reader, s->session, s->order,
								 s->nr_bad_samples});
	return code;
}

static int run_script(int argc, char **argv)
{
	struct script_options options = {.max_stack = UINT64_MAX};
	struct pfx_error err = {0};
	struct pfx_script s = {0};
	int at, code;

	pfx_script_fields_init(&options.fields);
	at = pfx_options_or_exit(&pfx_cmd_script, argc, argv, &options, &code);
	if (at < 0)
		return code;
	take_options(&s, &options);
	if (check_words(&s, &options, at < argc ? argv[at] : NULL, &err) < 0) {
		pfx_print_error("script", &err);
		code = PFX_USAGE_ERROR;
	} else {
		code = run_checked(&s, &options);
	}
	finish(&s);
	return code;
}

const struct pfx_command pfx_cmd_script = {
	.name = "script",
	.args = "",
	.summary = "print the samples of a recording as text",
	.options = script_options,
	.run = run_script,
};
