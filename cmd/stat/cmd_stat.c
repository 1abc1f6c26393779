/* SPDX-License-Identifier: MIT */
/*
 * `pfx stat`: counts events of a command, of processes or of the whole system, and prints them with
 * derived values. lib/stat counts; `stat record` writes the counts to a file, `stat report` shows
 * them again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "cmd/app/commands.h"
#include "cmd/app/output_open.h"
#include "cmd/app/perf/attr_block.h"
#include "cmd/app/perf/exit_codes.h"
#include "cmd/app/sampling/record_rows.h"
#include "cmd/app/waiting.h"
#include "cmd/stat/stat_internal.h"
#include "record/plan/event_filter.h"
#include "record/plan/probes.h"

#define AT(member)   offsetof(struct pfx_stat_options, member)
#define WHAT(member) AT(what.member)

static const struct pfx_option options[] = {
	{PFX_OPT_GROUP, .help = "What to count:"},
	{PFX_OPT_CALL, 'e', "event", 0, "events", "events, like cycles:u,page-faults",
	 pfx_stat_opt_events, .words = "@events", .keeps = true},
	{PFX_OPT_CALL, 0, "filter", 0, "expression",
	 "filter expression for the tracepoints of the preceding -e", pfx_stat_opt_filter,
	 .keeps = true},
	{PFX_OPT_CALL, 0, "cputype", 0, "type",
	 "events after this option count on this kind of core only (core, atom)",
	 pfx_stat_opt_cputype, .keeps = true},
	{PFX_OPT_CALL, 0, "pfm-events", 0, "events", "events by the names of libpfm4",
	 pfx_stat_opt_pfm, .keeps = true},
	{PFX_OPT_CALL, 'M', "metrics", 0, "names", "metrics and groups of metrics, like IPC",
	 pfx_stat_opt_metrics, .words = "@metrics", .keeps = true},
	{PFX_OPT_BOOL, 0, "topdown", AT(what.topdown), .help = "top-down metrics"},
	{PFX_OPT_U64, 0, "td-level", AT(what.topdown_level), "n", "level of the top-down metrics"},
	{PFX_OPT_BOOL, 0, "smi-cost", AT(what.smi_cost),
	 .help = "cycles spent in system management mode (firmware)"},
	{PFX_OPT_COUNT, 'd', "detailed", AT(what.detailed),
	 .help = "also count cache events; give it two or three times for more of them"},
	{PFX_OPT_BOOL, 'T', "transaction", AT(what.transaction), .help = "hardware transactions"},
	{PFX_OPT_BOOL, 'n', "null", AT(what.null_run),
	 .help = "count nothing, print only the time"},
	{PFX_OPT_BOOL, 'g', "group", AT(what.one_group), .help = "all events in one group"},
	PFX_OPT_LEVELS(WHAT),
	{PFX_OPT_BOOL, 0, "metric-no-group", AT(what.metric_no_group),
	 .help = "do not count the events of a metric as a group"},
	{PFX_OPT_BOOL, 0, "metric-no-merge", AT(what.metric_no_merge),
	 .help = "count an event again for each metric that needs it"},
	{PFX_OPT_BOOL, 0, "metric-no-threshold", AT(what.metric_no_threshold),
	 .help = "do not show whether metrics are above their thresholds"},
	{PFX_OPT_CALL, 'b', "bpf-prog", 0, "id", "not supported", pfx_stat_opt_bpf, .hidden = true},
	{PFX_OPT_CALL_NONE, 0, "bpf-counters", 0, NULL, "not supported", pfx_stat_opt_bpf,
	 .hidden = true},
	{PFX_OPT_CALL, 0, "bpf-attr-map", 0, "path", "not supported", pfx_stat_opt_bpf,
	 .hidden = true},
	{PFX_OPT_CALL_OPTIONAL, 0, "iostat", 0, "ports", "not supported", pfx_stat_opt_iostat,
	 .hidden = true},

	{PFX_OPT_GROUP, .help = "Where:"},
	PFX_OPT_TARGETS(WHAT),
	{PFX_OPT_CALL, 'G', "cgroup", 0, "name,...",
	 "count the preceding events only in these cgroups", pfx_stat_opt_cgroup, .keeps = true},
	{PFX_OPT_STRING, 0, "for-each-cgroup", AT(what.each_cgroup), "name,...",
	 "all events in each of these cgroups"},
	{PFX_OPT_BOOL, 'i', "no-inherit", AT(what.no_inherit),
	 .help = "do not follow new threads and processes"},

	{PFX_OPT_GROUP, .help = "A row for each:"},
	{PFX_OPT_CALL_NONE, 'A', "no-aggr", 0, NULL, "CPU", pfx_stat_opt_by_cpu},
	{PFX_OPT_CALL_NONE, 0, "per-thread", 0, NULL, "thread", pfx_stat_opt_by_thread},
	{PFX_OPT_CALL_NONE, 0, "per-core", 0, NULL, "core", pfx_stat_opt_by_core},
	{PFX_OPT_CALL_OPTIONAL, 0, "per-cache", 0, "LEVEL",
	 "cache, of the last level (LLC) or L1 to L4", pfx_stat_opt_by_cache},
	{PFX_OPT_CALL_NONE, 0, "per-cluster", 0, NULL, "cluster of cores", pfx_stat_opt_by_cluster,
	 .is_new = true},
	{PFX_OPT_CALL_NONE, 0, "per-die", 0, NULL, "die", pfx_stat_opt_by_die},
	{PFX_OPT_CALL_NONE, 0, "per-socket", 0, NULL, "socket", pfx_stat_opt_by_socket},
	{PFX_OPT_CALL_NONE, 0, "per-node", 0, NULL, "node of memory", pfx_stat_opt_by_node},
	{PFX_OPT_BOOL, 0, "no-merge", AT(what.no_merge),
	 .help = "a row for each PMU of several that one word names"},
	{PFX_OPT_BOOL, 0, "hybrid-merge", AT(what.hybrid_merge),
	 .help = "one row for all kinds of cores"},
	{PFX_OPT_BOOL, 0, "percore-show-thread", AT(what.percore_threads),
	 .help = "counts of cores (percore) in the row of each of their CPUs"},

	{PFX_OPT_GROUP, .help = "When:"},
	{PFX_OPT_CALL, 'r', "repeat", 0, "n",
	 "run the command n times, print mean and deviation (0: repeat until interrupted)",
	 pfx_stat_opt_repeat},
	{PFX_OPT_U64, 'I', "interval-print", AT(what.interval_ms), "ms",
	 "print the counts of every interval (at least 10)"},
	{PFX_OPT_U64, 0, "interval-count", AT(what.interval_count), "n", "stop after n intervals"},
	{PFX_OPT_BOOL, 0, "interval-clear", AT(interval_clear),
	 .help = "clear the screen before each interval"},
	{PFX_OPT_BOOL, 0, "summary", AT(what.summary),
	 .help = "the sum of all intervals at the end"},
	{PFX_OPT_U64, 0, "timeout", AT(what.timeout_ms), "ms", "end the command after that time"},
	{PFX_OPT_CALL, 'D', "delay", 0, "ms",
	 "start after this time, or (-1) when --control enables events", pfx_stat_opt_delay},
	{PFX_OPT_CALL, 0, "control", 0, "fd:n[,m]|fifo:path[,path]",
	 "read commands like enable, disable, stop; acknowledge on the second descriptor",
	 pfx_stat_opt_control},
	{PFX_OPT_BOOL, 'S', "sync", AT(what.sync), .help = "call sync() before each run"},
	{PFX_OPT_STRING, 0, "pre", AT(what.pre), "command", "run this before each run"},
	{PFX_OPT_STRING, 0, "post", AT(what.post), "command", "run this after each run"},

	{PFX_OPT_GROUP, .help = "Output:"},
	{PFX_OPT_STRING, 'x', "field-separator", AT(separator), "text",
	 "print fields separated by this text"},
	{PFX_OPT_BOOL, 'j', "json-output", AT(json), .help = "print one JSON object per line"},
	{PFX_OPT_STRING, 'o', "output", AT(output), "file", "write to this file"},
	{PFX_OPT_BOOL, 0, "append", AT(append), .help = "append to that file"},
	{PFX_OPT_INT, 0, "log-fd", AT(log_fd), "n", "write to this open descriptor"},
	{PFX_OPT_BOOL, 0, "metric-only", AT(metric_only),
	 .help = "print only the metrics, not the counts", .set_offset = AT(metric_only_said)},
	{PFX_OPT_BOOL, 'B', "big-num", AT(big_num),
	 .help = "group digits as the locale does (the default)", .set_offset = AT(big_num_said)},
	{PFX_OPT_BOOL, 0, "scale", AT(what.scale),
	 .help = "scale counts of events that ran only a part of the time (the default)"},
	{PFX_OPT_BOOL, 0, "table", AT(table), .help = "the time of each run (-r)"},
	{PFX_OPT_BOOL, 0, "no-csv-summary", AT(no_csv_summary),
	 .help = "print no word 'summary' before the summary's fields (-x)"},
	{PFX_OPT_BOOL, 0, "quiet", AT(quiet), .help = "print only errors"},
	{PFX_OPT_COUNT, 'v', "verbose", AT(what.verbose), .help = "print more details"},
	{PFX_OPT_END},
};

/* --- observer of the counting --- */

static int on_ready(void *context, struct pfx_error *err)
{
	int rc = pfx_stat_control_open(context, err);

	return rc < 0 ? rc : pfx_stat_open_output(context, err);
}

static int on_place_probes(void *context, struct pfx_event_list *events, struct pfx_error *err)
{
	(void)context;
	return pfx_probes_resolve(events, err);
}

static void on_opened(void *context)
{
	const struct pfx_stat_view *view = context;
	size_t i;

	for (i = 0; view->options->what.verbose > 1 && i < view->run->counters.list.nr; i++)
		pfx_print_attr_block(&view->run->counters.list.at[i].attr);
}

static void on_heard(void *context)
{
	pfx_stat_control_read(context);
}

static int on_open_file(void *context, struct pfx_writer **ret, struct pfx_error *err)
{
	const struct pfx_stat_view *view = context;

	return pfx_output_open(ret, view->options->what.record_output,
			       view->options->quiet ? NULL : "stat", err);
}

static void on_tell(void *context, const char *line)
{
	const struct pfx_stat_view *view = context;

	if (!view->options->quiet)
		pfx_print_line("%s", line);
}

static void on_note(void *context, const char *text)
{
	pfx_print_note("stat", "%s", text);
}

static void on_waits(void *context)
{
	const struct pfx_stat_view *view = context;
	const struct pfx_stat_plan *what = &view->options->what;
	const struct pfx_waiting target = {what->pids, what->tids, NULL, what->cpus};

	if (!view->options->quiet)
		pfx_waiting_say("stat", "counting", &target);
}

static void on_interval(void *context, uint64_t at_ns)
{
	pfx_stat_show_interval(context, at_ns);
}

static void on_counted(void *context)
{
	pfx_stat_show(context);
}

/* The exit code; does not return, where a signal ended the counting. */
static int exit_code(struct pfx_stat_runner *run)
{
	int status = run->workload.status;

	if (run->stop_signal) {
		pfx_signals_raise(run->stop_signal);
		return 128 + run->stop_signal;
	}
	if (!run->command || run->timed_out || run->stops)
		return 0;
	return WIFSIGNALED(status) ? pfx_exit_code_killed(WTERMSIG(status)) : WEXITSTATUS(status);
}

static int run_counting(struct pfx_stat_view *view, struct pfx_error *err)
{
	int rc = pfx_stat_run(view->run, err);

	if (rc < 0)
		pfx_event_filter_explain(&view->run->counters, err);
	else
		rc = pfx_stat_check_output(view, err);
	return rc < 0 ? pfx_print_error("stat", err) : exit_code(view->run);
}

static int count(struct pfx_stat_options *o, int argc, char **argv, int at)
{
	struct pfx_stat_runner *run = pfx_calloc(1, sizeof(*run));
	struct pfx_stat_view view = {.options = o, .run = run, .control = {.fd = -1, .ack_fd = -1}};
	const struct pfx_stat_observer observer = {
		.context = &view,
		.ready = on_ready,
		.place_probes = on_place_probes,
		.probe_counter = pfx_probe_counter,
		.opened = on_opened,
		.heard = on_heard,
		.open_file = on_open_file,
		.tell = on_tell,
		.note = on_note,
		.waits = on_waits,
		.interval = on_interval,
		.counted = on_counted,
	};
	struct pfx_error err = {0};
	int code;

	o->what.roots = pfx_cmd_pmu_roots();
	run->options = &o->what;
	run->observer = &observer;
	run->events = &o->what.events;
	run->by = o->what.by;
	run->command = at < argc ? argv + at : NULL;
	run->argc = argc;
	run->argv = argv;
	code = run_counting(&view, &err);
	pfx_stat_control_close(&view);
	pfx_stat_runner_fini(run);
	if (view.out && view.out != stderr)
		fclose(view.out);
	free(run);
	return code;
}

/* At least three letters are required. */
static bool is_word(const char *arg, const char *word)
{
	return strlen(arg) > 2 && !strncmp(arg, word, strlen(arg));
}

/* The options after the word `record` at @at; as pfx_options_or_exit(). */
static int record_options(struct pfx_stat_options *o, int argc, char **argv, int at, int *ret_code)
{
	const char *text = o->output;
	int rest;

	o->output = NULL;
	rest = pfx_options_or_exit(&pfx_cmd_stat, argc - at, argv + at, o, ret_code);
	o->what.record_output = o->output ? o->output : "perf.data";
	o->output = text;
	return rest < 0 ? rest : at + rest;
}

static int run_stat(int argc, char **argv)
{
	struct pfx_stat_options o = {
		.what = {.by = PFX_STAT_BY_ALL, .scale = true, .repeat = 1},
		.big_num = true,
		.log_fd = -1,
	};
	struct pfx_error err = {0};
	int at, code;

	pfx_config_get_bool("stat.big-num", &o.big_num);
	pfx_config_get_bool("stat.no-csv-summary", &o.no_csv_summary);
	at = pfx_options_or_exit(&pfx_cmd_stat, argc, argv, &o, &code);
	if (at >= 0 && at < argc && is_word(argv[at], "report")) {
		code = pfx_stat_report(argc - at, argv + at, &o);
		pfx_stat_options_fini(&o);
		return code;
	}
	if (at >= 0 && at < argc && is_word(argv[at], "record")) {
		o.what.is_record = true;
		at = record_options(&o, argc, argv, at, &code);
	}
	if (at >= 0 && pfx_stat_check(&o, at < argc, &err) < 0) {
		pfx_print_error("stat", &err);
		code = PFX_USAGE_ERROR;
		at = -1;
	}
	if (at >= 0) {
		pfx_fill_standard_files();
		code = count(&o, argc, argv, at);
	}
	pfx_stat_options_fini(&o);
	return code;
}

const struct pfx_command pfx_cmd_stat = {
	.name = "stat",
	.args = "[record | report] [--] [command [arguments]]",
	.summary = "count events of a command, of processes or of the whole system",
	.options = options,
	.run = run_stat,
};
