/* SPDX-License-Identifier: MIT */
/*
 * `pfx stat report`: the counts of a file, as `pfx stat` showed them, or aggregated in another way.
 */
#include <errno.h>

#include "base/str.h"
#include "cmd/app/commands.h"
#include "cmd/app/recording_notes.h"
#include "cmd/stat/stat_internal.h"
#include "out/term/term.h"
#include "stat/recorded.h"

#define AT(member) offsetof(struct pfx_stat_report_options, member)

struct pfx_stat_report_options {
	struct pfx_stat_options how; /* must be first: the aggregation options write to it */
	const char *input;
	bool force, strict;
};

static const struct pfx_option options[] = {
	{PFX_OPT_STRING, 'i', "input", AT(input), "file", "the recording (perf.data)"},
	{PFX_OPT_CALL_NONE, 'A', "no-aggr", 0, NULL, "a row for each CPU", pfx_stat_opt_by_cpu},
	{PFX_OPT_CALL_NONE, 0, "per-core", 0, NULL, "a row for each core", pfx_stat_opt_by_core},
	{PFX_OPT_CALL_OPTIONAL, 0, "per-cache", 0, "LEVEL",
	 "a row for each cache, of the last level (LLC) or L1 to L4", pfx_stat_opt_by_cache,
	 .is_new = true},
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

/* The state of printing. */
struct reporting {
	const struct pfx_meta *meta;
	struct pfx_stat_style style;
	struct pfx_stat_tables tables;
	struct pfx_str out;
};

static int show(struct reporting *r, const struct pfx_recorded_table *table)
{
	const struct pfx_env_strings *words = &r->meta->env.cmdline;
	const struct pfx_stat_subject subject = {
		.words = words->at, .nr_words = words->nr, .otherwise = "pipe"};
	struct pfx_stat_times times = {0};

	if (table->is_interval) {
		pfx_stat_text_interval(&r->tables, table->counts, &r->style, table->at_ns, &r->out);
	} else {
		pfx_moments_add(&times.wall, (double)table->at_ns * 1e-9);
		pfx_stat_text_whole(&r->tables, table->counts, &r->style, &subject, &times,
				    &r->out);
	}
	return pfx_out_flush(&r->out);
}

static int show_all(struct pfx_recording *recording, const struct pfx_stat_options *how,
		    struct pfx_error *err)
{
	const struct pfx_recorded_rows rows = {how->by_said, how->what.by, how->what.cache_level};
	struct pfx_recorded_counts *recorded = pfx_recorded_counts_new(recording, &rows);
	struct reporting r = {.meta = pfx_recording_meta(recording),
			      .style = pfx_stat_style_of(how)};
	struct pfx_recorded_table table;
	int rc;

	while ((rc = pfx_recorded_counts_next(recorded, &table, err)) > 0) {
		rc = show(&r, &table);
		if (rc < 0)
			break;
	}
	pfx_recorded_counts_free(recorded);
	pfx_str_fini(&r.out);
	return rc;
}

static const struct pfx_stat_options usual = {
	.what = {.by = PFX_STAT_BY_ALL, .repeat = 1}, .log_fd = -1, .big_num = true};

static int run_report(int argc, char **argv)
{
	return pfx_stat_report(argc, argv, &usual);
}

/* Aggregation and output form of the options before the word `report`. */
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
	struct pfx_recording_options how = {.as_it_lies = true};
	struct pfx_recording *recording = NULL;
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
		rc = pfx_recording_open(&recording, o.input, &how, &err);
	if (rc == -ENOENT)
		pfx_error_hint(&err, "'pfx stat record' makes one, -i FILE names another");
	if (rc >= 0) {
		rc = show_all(recording, &o.how, &err);
		pfx_recording_note("stat report", recording);
	}
	pfx_recording_free(recording);
	return pfx_recording_exit_code("stat report", rc, &err);
}

const struct pfx_command pfx_cmd_stat_report = {
	.name = "stat report",
	.args = "",
	.summary = "show the counts of a recording",
	.options = options,
	.run = run_report,
};
