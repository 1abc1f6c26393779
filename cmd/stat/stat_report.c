/* SPDX-License-Identifier: MIT */
/*
 * `pfx stat report`: the counts of a file, shown as when they were counted, or by other rows.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ns.h"
#include "base/str.h"
#include "cmd/app/commands.h"
#include "cmd/app/recording_notes.h"
#include "cmd/stat/stat_internal.h"
#include "out/term.h"
#include "stat/rounds.h"

#define AT(member) offsetof(struct pfx_stat_report_options, member)

struct pfx_stat_report_options {
	struct pfx_stat_options how; /* first: the options of rows write there */
	const char *input;
	bool force, strict;
};

static const struct pfx_option options[] = {
	{PFX_OPT_STRING, 'i', "input", AT(input), "file", "the recording (perf.data)"},
	{PFX_OPT_CALL_NONE, 'A', "no-aggr", 0, NULL, "a row for each CPU", pfx_stat_opt_by_cpu},
	{PFX_OPT_CALL_NONE, 0, "per-core", 0, NULL, "a row for each core", pfx_stat_opt_by_core},
	{PFX_OPT_CALL_OPTIONAL, 0, "per-cache", 0, "LEVEL",
	 "a row for each cache, of the last level (LLC) or L1 to L4", pfx_stat_opt_by_cache},
	{PFX_OPT_CALL_NONE, 0, "per-die", 0, NULL, "a row for each die", pfx_stat_opt_by_die},
	{PFX_OPT_CALL_NONE, 0, "per-socket", 0, NULL, "a row for each socket",
	 pfx_stat_opt_by_socket},
	{PFX_OPT_CALL_NONE, 0, "per-node", 0, NULL, "a row for each node of memory",
	 pfx_stat_opt_by_node},
	{PFX_OPT_STRING, 'x', "field-separator", AT(how.separator), "text",
	 "print fields separated by this text"},
	{PFX_OPT_BOOL, 'j', "json-output", AT(how.json), .help = "print one JSON object per line"},
	{PFX_OPT_BOOL, 0, "metric-only", AT(how.metric_only),
	 .help = "print only the metrics, not the counts"},
	{PFX_OPT_BOOL, 'B', "big-num", AT(how.big_num),
	 .help = "group digits as the locale does (the default)"},
	{PFX_OPT_BOOL, 'f', "force", AT(force), .help = "read files of others, too"},
	PFX_OPT_STRICT(strict),
	{PFX_OPT_END},
};

struct reporting {
	struct pfx_stat_report_options *o;
	struct pfx_recording *recording;
	const struct pfx_meta *meta;
	struct pfx_counts stat;
	struct pfx_stat_rounds rounds;
	uint64_t last_ns;
	unsigned nr_shown; /* rounds */
	bool is_ready, any_round;
	struct pfx_str out;
};

/* What the rows are about: the words of now, or those of then. */
static enum pfx_stat_by choose_by(const struct reporting *r)
{
	return r->o->how.by_said ? r->o->how.what.by
				 : pfx_stat_by_of_number(r->meta->env.version, r->rounds.by);
}

static char *escaped(const char *text)
{
	struct pfx_str s = {0};

	pfx_str_add_foreign(&s, text);
	return s.at ? s.at : pfx_strdup("");
}

/* The number of such an event was read somewhere else, of a thermometer perhaps. */
static bool counts_nothing(const struct pfx_attr *attr)
{
	return attr->type == PFX_TYPE_SOFTWARE && attr->config == PFX_SW_DUMMY;
}

static void start(struct reporting *r)
{
	uint32_t i;

	r->stat.by = choose_by(r);
	r->stat.cache_level =
		r->o->how.by_said ? r->o->how.what.cache_level : r->rounds.cache_level;
	r->stat.no_scale = r->rounds.no_scale;
	for (i = 0; i < r->meta->nr_events; i++) {
		const struct pfx_event *event = r->meta->events[i];
		struct pfx_stat_event *row =
			pfx_stat_add_event(&r->stat, event->name, &event->attr);

		row->is_supported = event->nr_ids != 0;
		row->tool = pfx_stat_tool_of(event->name, &event->attr);
		row->is_partial = counts_nothing(&event->attr);
		if (event->unit) {
			free(row->unit);
			row->unit = escaped(event->unit);
			row->scale = event->scale;
		}
	}
	r->is_ready = true;
}

static size_t group_of(struct reporting *r, const struct pfx_stat_source *source)
{
	const struct pfx_stat_thread *thread = pfx_stat_source_thread(&r->rounds, source);
	size_t group;

	if (r->stat.by != PFX_STAT_BY_THREAD)
		thread = NULL;
	group = pfx_stat_group_add(&r->stat, &r->meta->env, source->cpu, thread ? thread->tid : -1);
	if (thread)
		memcpy(r->stat.groups.at[group].comm, thread->comm, sizeof(thread->comm));
	return group;
}

/* The counts of a round into a fresh table. */
static int count_round(struct reporting *r, uint64_t wall_ns, struct pfx_error *err)
{
	struct pfx_stat_source *source;
	struct pfx_count count;
	size_t i;
	int rc;

	pfx_stat_clear_groups(&r->stat);
	for (i = 0; i < r->rounds.sources.nr; i++)
		group_of(r, &r->rounds.sources.at[i]);
	if (!r->stat.groups.nr)
		pfx_stat_group_add(&r->stat, &r->meta->env, -1, -1);
	pfx_stat_sort_groups(&r->stat);
	rc = pfx_stat_ready(&r->stat, err);
	if (rc < 0)
		return rc;
	r->stat.wall_ns = (struct pfx_moments){0};
	for (i = 0; i < r->rounds.fresh.nr; i++) {
		source = &r->rounds.sources.at[r->rounds.fresh.at[i]];
		count = pfx_stat_source_count(source);
		count.may_fall = counts_nothing(&r->meta->events[source->event]->attr);
		pfx_stat_count(&r->stat, source->event, group_of(r, source), count);
	}
	pfx_stat_rounds_end(&r->rounds);
	pfx_stat_end_run(&r->stat, wall_ns);
	return 0;
}

static void put_title(struct reporting *r)
{
	const struct pfx_env_strings *words = &r->meta->env.cmdline;
	uint32_t i;

	pfx_str_add(&r->out, "\n Performance counter stats for '");
	if (!words->nr)
		pfx_str_add(&r->out, "pipe");
	for (i = 0; i < words->nr; i++) {
		if (i)
			pfx_str_addc(&r->out, ' ');
		pfx_str_add_foreign(&r->out, words->at[i]);
	}
	pfx_str_add(&r->out, "':\n\n");
}

static void show(struct reporting *r, uint64_t at_ns)
{
	struct pfx_stat_style style = pfx_stat_style_of(&r->o->how);
	struct pfx_stat_times times = {0};
	bool has_heading;
	char time[32];

	snprintf(time, sizeof(time), "%6llu.%09llu",
		 (unsigned long long)(at_ns / PFX_NS_PER_SECOND),
		 (unsigned long long)(at_ns % PFX_NS_PER_SECOND));
	style.time = r->rounds.interval_ms ? time : NULL;
	if (!style.time && style.form == PFX_STAT_COLUMNS)
		put_title(r);
	has_heading = style.form == PFX_STAT_COLUMNS ? r->nr_shown % PFX_STAT_HEADING_EVERY == 0
						     : r->nr_shown == 0;
	r->nr_shown++;
	if (has_heading && style.metric_only)
		pfx_stat_text_metric_heading(&r->stat, &style, &r->out);
	else if (has_heading && style.time)
		pfx_stat_text_heading(&r->stat, &style, &r->out);
	pfx_stat_text_rows(&r->stat, &style, &r->out);
	if (!style.time && style.form == PFX_STAT_COLUMNS) {
		pfx_moments_add(&times.wall, (double)at_ns * 1e-9);
		pfx_str_addc(&r->out, '\n');
		pfx_stat_text_footer(&times, &r->out);
	}
}

static int end_round(struct reporting *r, const struct pfx_stat_round *round, struct pfx_error *err)
{
	int rc;

	if (!r->is_ready)
		start(r);
	/* A round in which nothing came says nothing new. */
	if (!r->rounds.fresh.nr && (r->rounds.interval_ms || r->any_round))
		return 0;
	r->any_round = true;
	rc = count_round(r, round->time - r->last_ns, err);
	if (rc < 0)
		return rc;
	if (r->rounds.interval_ms)
		r->last_ns = round->time;
	show(r, round->time);
	return pfx_out_flush(&r->out);
}

static int read_all(struct reporting *r, struct pfx_error *err)
{
	struct pfx_stat_round round;
	struct pfx_item item;
	bool any = false;
	int rc;

	while ((rc = pfx_recording_next(r->recording, &item, err)) > 0) {
		any |= item.rec.type == PFX_RECORD_STAT_ROUND;
		rc = pfx_stat_rounds_take(&r->rounds, r->meta, &item.rec, &round, err);
		if (rc > 0)
			rc = end_round(r, &round, err);
		if (rc < 0)
			return rc;
	}
	if (rc >= 0 && !any) {
		pfx_error_set(err, EINVAL, "this recording has no counts");
		pfx_error_hint(err, "pfx stat record makes one that has; for samples there is "
				    "pfx report");
		return -EINVAL;
	}
	return rc;
}

static void fini(struct reporting *r)
{
	pfx_recording_free(r->recording);
	pfx_stat_fini(&r->stat);
	pfx_stat_rounds_fini(&r->rounds);
	pfx_str_fini(&r->out);
}

static const struct pfx_stat_options usual = {
	.what = {.by = PFX_STAT_BY_ALL, .repeat = 1}, .log_fd = -1, .big_num = true};

static int run_report(int argc, char **argv)
{
	return pfx_stat_report(argc, argv, &usual);
}

/* What options in front of the word say about rows and their form. */
static struct pfx_stat_options form_of(const struct pfx_stat_options *before)
{
	struct pfx_stat_options how = usual;

	how.what.by = before->what.by;
	how.by_said = before->by_said;
	how.what.cache_level = before->what.cache_level;
	how.separator = before->separator;
	how.json = before->json;
	how.metric_only = before->metric_only;
	how.big_num = before->big_num;
	return how;
}

int pfx_stat_report(int argc, char **argv, const struct pfx_stat_options *before)
{
	struct pfx_stat_report_options o = {.how = form_of(before)};
	struct reporting r = {.o = &o, .rounds.by = PFX_STAT_BY_ALL};
	struct pfx_recording_options how = {.as_it_lies = true};
	struct pfx_error err = {0};
	int at, code, rc;

	at = pfx_options_or_exit(&pfx_cmd_stat_report, argc, argv, &o, &code);
	if (at < 0)
		return code;
	how.reader = (struct pfx_reader_options){.force = o.force, .strict = o.strict};
	rc = pfx_parse_separator(&o.how.separator, &err);
	if (rc >= 0)
		rc = pfx_recording_check_word("stat report", at < argc ? argv[at] : NULL, &err);
	if (rc >= 0)
		rc = pfx_recording_open(&r.recording, o.input, &how, &err);
	if (rc >= 0) {
		r.meta = pfx_recording_meta(r.recording);
		rc = read_all(&r, &err);
		pfx_recording_note("stat report", r.recording);
	}
	fini(&r);
	return pfx_recording_exit_code("stat report", rc, &err);
}

const struct pfx_command pfx_cmd_stat_report = {
	.name = "stat report",
	.args = "",
	.summary = "show the counts of a recording",
	.options = options,
	.run = run_report,
};
