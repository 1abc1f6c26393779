/* SPDX-License-Identifier: MIT */
/*
 * `pfx evlist`: the events of a recording, one a line, with what was asked for behind the name.
 * Reads no samples; a stream is read to its end, because events may be described anywhere in it.
 */
#include <errno.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/recording.h"
#include "event/names.h"
#include "out/term.h"
#include "trace/format.h"

struct evlist_options {
	const char *input;
	bool force, strict, verbose, freq, group, trace_fields;
};

#define AT(field) offsetof(struct evlist_options, field)
static const struct pfx_option evlist_options[] = {
	{PFX_OPT_STRING, 'i', "input", AT(input), "file", "recording to read, - is standard input"},
	{PFX_OPT_BOOL, 'f', "force", AT(force), NULL,
	 "also read a file that belongs to somebody else"},
	PFX_OPT_STRICT(strict),
	{PFX_OPT_BOOL, 'v', "verbose", AT(verbose), NULL, "show all of each event's attributes"},
	{PFX_OPT_BOOL, 'F', "freq", AT(freq), NULL, "show sample frequencies and periods"},
	{PFX_OPT_BOOL, 'g', "group", AT(group), NULL, "show groups of events, in braces"},
	{PFX_OPT_BOOL, 0, "trace-fields", AT(trace_fields), NULL,
	 "show the names of the fields of tracepoints"},
	{.kind = PFX_OPT_END},
};

/* What one run needs; all of it borrowed but the text. */
struct evlist {
	const struct evlist_options *options;
	const struct pfx_meta *meta;
	struct pfx_trace *trace;
	struct pfx_str out;
};

static void add_name(struct evlist *list, const char *name)
{
	pfx_str_add_foreign(&list->out, name);
}

static void add_freq(struct evlist *list, const struct pfx_attr *attr)
{
	const char *key = attr->flags & PFX_ATTR_FREQ ? "freq" : "period";

	pfx_str_addf(&list->out, "sample_%s=%llu", key, (unsigned long long)attr->sample_period);
}

static void add_trace_fields(struct evlist *list, const struct pfx_attr *attr)
{
	if (attr->type != PFX_TYPE_TRACEPOINT) {
		pfx_str_add(&list->out, "(not a tracepoint)");
		return;
	}
	pfx_str_add(&list->out, "trace_fields: ");
	if (!list->trace || !pfx_trace_fields(list->trace, attr->config, &list->out))
		pfx_str_add(&list->out, "(not recorded)");
}

static void add_event(struct evlist *list, const struct pfx_event *event)
{
	const struct evlist_options *o = list->options;
	bool has_first = o->verbose || o->freq;

	add_name(list, event->name);
	if (has_first)
		pfx_str_add(&list->out, ": ");
	if (o->verbose)
		pfx_attr_text(&event->attr, &list->out);
	else if (o->freq)
		add_freq(list, &event->attr);
	if (o->trace_fields) {
		pfx_str_add(&list->out, has_first ? ", " : ": ");
		add_trace_fields(list, &event->attr);
	}
	pfx_str_addc(&list->out, '\n');
}

/* The name that the user gave to a group, or NULL. */
static const char *group_name(const struct pfx_env *env, uint32_t leader)
{
	uint32_t i;

	for (i = 0; i < env->nr_groups; i++)
		if (env->groups[i].leader_idx == leader)
			return strcmp(env->groups[i].name, "{anon_group}") ? env->groups[i].name
									   : NULL;
	return NULL;
}

/* "name{leader,member}" in the place of the leader; the members have no line of their own. */
static void add_group(struct evlist *list, const struct pfx_event *event)
{
	const char *name = group_name(&list->meta->env, event->idx);
	uint32_t i;

	if (event->leader != event->idx)
		return;
	if (name)
		add_name(list, name);
	if (event->nr_members > 1)
		pfx_str_addc(&list->out, '{');
	add_name(list, event->name);
	for (i = 1; i < event->nr_members; i++) {
		pfx_str_addc(&list->out, ',');
		add_name(list, list->meta->events[event->idx + i]->name);
	}
	pfx_str_add(&list->out, event->nr_members > 1 ? "}\n" : "\n");
}

static void add_events(struct evlist *list)
{
	const struct pfx_meta *meta = list->meta;
	bool has_tracepoint = false;
	uint32_t i;

	for (i = 0; i < meta->nr_events; i++) {
		if (list->options->group)
			add_group(list, meta->events[i]);
		else
			add_event(list, meta->events[i]);
		has_tracepoint |= meta->events[i]->attr.type == PFX_TYPE_TRACEPOINT;
	}
	if (has_tracepoint && !list->options->trace_fields)
		pfx_str_add(&list->out,
			    "# Tip: 'pfx evlist --trace-fields' names the fields of tracepoints\n");
}

/* A stream describes its events among the records, a file in its header: there the records are read
 * only to see that all of them are whole. */
static int read_records(const struct evlist_options *options, struct pfx_reader *reader,
			struct pfx_error *err)
{
	struct pfx_record rec;
	int rc;

	if (!pfx_reader_meta(reader)->is_pipe && !options->strict)
		return 0;
	while ((rc = pfx_reader_next(reader, &rec, err)) > 0)
		pfx_reader_release(reader, pfx_reader_mark(reader));
	return rc;
}

static int list_events(const struct evlist_options *options, struct pfx_reader *reader,
		       struct pfx_error *err)
{
	struct evlist list = {.options = options, .meta = pfx_reader_meta(reader)};
	const struct pfx_env_blob *blob = &list.meta->env.tracing_data;
	int rc = read_records(options, reader, err);

	if (rc < 0)
		return rc;
	if (options->trace_fields && blob->size)
		pfx_trace_open(&list.trace, blob->at, blob->size, NULL);
	add_events(&list);
	rc = pfx_out_write(&list.out, 0, err);
	pfx_trace_free(list.trace);
	pfx_str_fini(&list.out);
	return rc;
}

static int run_checked(const struct evlist_options *options)
{
	struct pfx_reader *reader = NULL;
	struct pfx_error err = {0};
	int code, rc = pfx_recording_open(&reader, options->input,
					  pfx_open_how(options->force, options->strict), &err);

	if (!rc) {
		pfx_pager_for("evlist");
		rc = list_events(options, reader, &err);
	}
	code = pfx_recording_exit_code("evlist", rc, &err);
	if (reader && !rc)
		pfx_recording_note("evlist",
				   &(struct pfx_recording_state){
					   .reader = reader,
					   .header_only = !pfx_reader_meta(reader)->is_pipe,
				   });
	pfx_reader_free(reader);
	return code;
}

static int check_words(const struct evlist_options *options, const char *word,
		       struct pfx_error *err)
{
	if (options->group && (options->verbose || options->freq))
		return pfx_error_set(err, EINVAL,
				     "-g shows names only and goes with neither -v nor -F");
	return pfx_recording_check_word("evlist", word, err);
}

static int run_evlist(int argc, char **argv)
{
	struct evlist_options options = {0};
	struct pfx_error err = {0};
	int code, at = pfx_options_or_exit(&pfx_cmd_evlist, argc, argv, &options, &code);

	if (at < 0)
		return code;
	if (check_words(&options, at < argc ? argv[at] : NULL, &err) < 0) {
		pfx_print_error("evlist", &err);
		return PFX_USAGE_ERROR;
	}
	return run_checked(&options);
}

const struct pfx_command pfx_cmd_evlist = {
	.name = "evlist",
	.args = "",
	.summary = "list the events of a recording",
	.options = evlist_options,
	.run = run_evlist,
};
