/* SPDX-License-Identifier: MIT */
/*
 * `pfx stat`: counts events of a command, of processes or of the whole system, and tells them with
 * what can be said about them. What each part does stands in stat_*.c; `stat record` keeps the
 * counts in a file, `stat report` shows them again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "cmd/commands.h"
#include "cmd/stat_internal.h"

#define AT(member) offsetof(struct pfx_stat_options, member)

static const struct pfx_option options[] = {
	{PFX_OPT_GROUP, .help = "What to count:"},
	{PFX_OPT_CALL, 'e', "event", 0, "events", "events, like cycles:u,page-faults",
	 pfx_stat_opt_events},
	{PFX_OPT_CALL, 0, "filter", 0, "expression",
	 "count only what fits: fields of the tracepoints of the last -e", pfx_stat_opt_filter},
	{PFX_OPT_CALL, 0, "cputype", 0, "type",
	 "names behind it mean this kind of core only (core, atom)", pfx_stat_opt_cputype},
	{PFX_OPT_CALL, 0, "pfm-events", 0, "events", "events by the names of libpfm4",
	 pfx_stat_opt_pfm},
	{PFX_OPT_CALL, 'M', "metrics", 0, "names", "metrics and groups of metrics, like IPC",
	 pfx_stat_opt_metrics},
	{PFX_OPT_BOOL, 0, "topdown", AT(topdown), .help = "top-down metrics"},
	{PFX_OPT_U64, 0, "td-level", AT(topdown_level), "n", "their level"},
	{PFX_OPT_BOOL, 0, "smi-cost", AT(smi_cost), .help = "cycles that the firmware took"},
	{PFX_OPT_COUNT, 'd', "detailed", AT(detailed),
	 .help = "caches too; twice and three times: more of them"},
	{PFX_OPT_BOOL, 'T', "transaction", AT(transaction), .help = "hardware transactions"},
	{PFX_OPT_BOOL, 'n', "null", AT(null_run), .help = "count nothing, tell only the time"},
	{PFX_OPT_BOOL, 'g', "group", AT(one_group), .help = "all events in one group"},
	{PFX_OPT_BOOL, 0, "all-user", AT(all_user), .help = "user space only"},
	{PFX_OPT_BOOL, 0, "all-kernel", AT(all_kernel), .help = "the kernel only"},
	{PFX_OPT_BOOL, 0, "metric-no-group", AT(metric_no_group),
	 .help = "do not keep the events of a metric together"},
	{PFX_OPT_BOOL, 0, "metric-no-merge", AT(metric_no_merge),
	 .help = "count an event again for each metric that needs it"},
	{PFX_OPT_BOOL, 0, "metric-no-threshold", AT(metric_no_threshold),
	 .help = "do not say whether metrics are above their thresholds"},
	{PFX_OPT_CALL, 'b', "bpf-prog", 0, "id", "not supported", pfx_stat_opt_bpf, .hidden = true},
	{PFX_OPT_CALL_NONE, 0, "bpf-counters", 0, NULL, "not supported", pfx_stat_opt_bpf,
	 .hidden = true},
	{PFX_OPT_CALL, 0, "bpf-attr-map", 0, "path", "not supported", pfx_stat_opt_bpf,
	 .hidden = true},
	{PFX_OPT_CALL_OPTIONAL, 0, "iostat", 0, "ports", "not supported", pfx_stat_opt_iostat,
	 .hidden = true},

	{PFX_OPT_GROUP, .help = "Where:"},
	{PFX_OPT_BOOL, 'a', "all-cpus", AT(all_cpus), .help = "the whole system"},
	{PFX_OPT_STRING, 'C', "cpu", AT(cpus), "list", "only these CPUs, like 0,2-4"},
	{PFX_OPT_STRING, 'p', "pid", AT(pids), "pid,...", "processes that run already"},
	{PFX_OPT_STRING, 't', "tid", AT(tids), "tid,...", "threads that run already"},
	{PFX_OPT_CALL, 'G', "cgroup", 0, "name,...", "the events so far only in these cgroups",
	 pfx_stat_opt_cgroup},
	{PFX_OPT_STRING, 0, "for-each-cgroup", AT(each_cgroup), "name,...",
	 "all events in each of these cgroups"},
	{PFX_OPT_BOOL, 'i', "no-inherit", AT(no_inherit),
	 .help = "leave out threads and processes started meanwhile"},

	{PFX_OPT_GROUP, .help = "A row for each:"},
	{PFX_OPT_CALL_NONE, 'A', "no-aggr", 0, NULL, "CPU", pfx_stat_opt_by_cpu},
	{PFX_OPT_BOOL, 0, "per-thread", AT(per_thread), .help = "thread"},
	{PFX_OPT_CALL_NONE, 0, "per-core", 0, NULL, "core", pfx_stat_opt_by_core},
	{PFX_OPT_CALL_OPTIONAL, 0, "per-cache", 0, "LEVEL",
	 "cache, of the last level (LLC) or L1 to L4", pfx_stat_opt_by_cache},
	{PFX_OPT_CALL_NONE, 0, "per-cluster", 0, NULL, "cluster of cores", pfx_stat_opt_by_cluster},
	{PFX_OPT_CALL_NONE, 0, "per-die", 0, NULL, "die", pfx_stat_opt_by_die},
	{PFX_OPT_CALL_NONE, 0, "per-socket", 0, NULL, "socket", pfx_stat_opt_by_socket},
	{PFX_OPT_CALL_NONE, 0, "per-node", 0, NULL, "node of memory", pfx_stat_opt_by_node},
	{PFX_OPT_BOOL, 0, "no-merge", AT(no_merge),
	 .help = "a row for each PMU of several that one word names"},
	{PFX_OPT_BOOL, 0, "hybrid-merge", AT(hybrid_merge),
	 .help = "one row for all kinds of cores"},
	{PFX_OPT_BOOL, 0, "percore-show-thread", AT(percore_threads),
	 .help = "counts of cores (percore) in the row of each of their CPUs"},

	{PFX_OPT_GROUP, .help = "When:"},
	{PFX_OPT_CALL, 'r', "repeat", 0, "n",
	 "run the command n times, tell mean and spread (0: for ever)", pfx_stat_opt_repeat},
	{PFX_OPT_U64, 'I', "interval-print", AT(interval_ms), "ms",
	 "tell the counts of every interval (10 at least)"},
	{PFX_OPT_U64, 0, "interval-count", AT(interval_count), "n", "stop after n intervals"},
	{PFX_OPT_BOOL, 0, "interval-clear", AT(interval_clear),
	 .help = "clear the screen before each interval"},
	{PFX_OPT_BOOL, 0, "summary", AT(summary), .help = "the sum of all intervals at the end"},
	{PFX_OPT_U64, 0, "timeout", AT(timeout_ms), "ms", "end the command after that time"},
	{PFX_OPT_CALL, 'D', "delay", 0, "ms", "begin after so many ms, or (-1) on command",
	 pfx_stat_opt_delay},
	{PFX_OPT_CALL, 0, "control", 0, "fd:n[,m]|fifo:path[,path]",
	 "take commands like enable, disable, stop; answer on the second", pfx_stat_opt_control},
	{PFX_OPT_BOOL, 'S', "sync", AT(sync), .help = "call sync() before each run"},
	{PFX_OPT_STRING, 0, "pre", AT(pre), "command", "run this before each run"},
	{PFX_OPT_STRING, 0, "post", AT(post), "command", "run this after each run"},

	{PFX_OPT_GROUP, .help = "Output:"},
	{PFX_OPT_STRING, 'x', "field-separator", AT(separator), "text",
	 "fields with this between them"},
	{PFX_OPT_BOOL, 'j', "json-output", AT(json), .help = "an object of JSON in each line"},
	{PFX_OPT_STRING, 'o', "output", AT(output), "file", "into a file"},
	{PFX_OPT_BOOL, 0, "append", AT(append), .help = "at the end of that file"},
	{PFX_OPT_INT, 0, "log-fd", AT(log_fd), "n", "into an open descriptor"},
	{PFX_OPT_BOOL, 0, "metric-only", AT(metric_only), .help = "only what is told of counts",
	 .set_offset = AT(metric_only_said)},
	{PFX_OPT_BOOL, 'B', "big-num", AT(big_num),
	 .help = "group digits as the locale has it (the default)", .set_offset = AT(big_num_said)},
	{PFX_OPT_BOOL, 0, "scale", AT(scale),
	 .help = "scale counts of events that ran only a part of the time (the default)"},
	{PFX_OPT_BOOL, 0, "table", AT(table), .help = "the time of each run (-r)"},
	{PFX_OPT_BOOL, 0, "no-csv-summary", AT(no_csv_summary),
	 .help = "no word in front of the sum of intervals in fields"},
	{PFX_OPT_BOOL, 0, "quiet", AT(quiet), .help = "say nothing but errors"},
	{PFX_OPT_COUNT, 'v', "verbose", AT(verbose), .help = "say more"},
	{PFX_OPT_END},
};

static int count(struct pfx_stat_options *o, int argc, char **argv, int at)
{
	struct pfx_stat_runner *run = pfx_calloc(1, sizeof(*run));
	struct pfx_error err = {0};
	int rc;

	run->options = o;
	run->events = &o->events;
	run->by = o->by;
	run->command = at < argc ? argv + at : NULL;
	run->argc = argc;
	run->argv = argv;
	run->control.fd = run->control.ack_fd = -1;
	rc = pfx_stat_run(run, &err);
	rc = rc < 0 ? pfx_print_error("stat", &err) : pfx_stat_exit(run);
	pfx_stat_runner_fini(run);
	free(run);
	return rc;
}

/* Three letters of it are enough. */
static bool is_word(const char *arg, const char *word)
{
	return strlen(arg) > 2 && !strncmp(arg, word, strlen(arg));
}

static int run_stat(int argc, char **argv)
{
	struct pfx_stat_options o = {
		.by = PFX_STAT_BY_ALL,
		.scale = true,
		.big_num = true,
		.log_fd = -1,
		.repeat = 1,
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
		o.is_record = true;
		at = pfx_stat_record_options(&o, argc, argv, at, &code);
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
